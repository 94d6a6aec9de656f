package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// takeDevices takes copies of the few devices that programs need.
func takeDevices() ([]attached, error) {
	var nodes []attached
	for _, path := range devices() {
		if path == "/dev/ptmx" {
			continue // belongs to the terminals, which are the agent's own
		}
		fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("take %q: %w", path, err)
		}
		nodes = append(nodes, attached{fd, path})
	}
	return nodes, nil
}

// ownDevices makes a /dev with those devices, terminals and shared memory of its own: no disk, and
// no terminal of the person's.
func ownDevices(nodes []attached) error {
	if err := unix.Mount("tmpfs", "/dev", "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "mode=755,size=1m"); err != nil {
		return fmt.Errorf("make /dev: %w", err)
	}
	for _, node := range nodes {
		if err := os.WriteFile(node.to, nil, 0o666); err != nil {
			return fmt.Errorf("make %q: %w", node.to, err)
		}
		if err := attach(node.fd, node.to); err != nil {
			return err
		}
	}
	for _, dir := range []string{"/dev/pts", "/dev/shm", emptyFolder} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("make %q: %w", dir, err)
		}
	}
	if err := os.WriteFile(closedFile, nil, 0); err != nil {
		return fmt.Errorf("make %q: %w", closedFile, err)
	}
	const quiet = unix.MS_NOSUID | unix.MS_NOEXEC
	if err := unix.Mount("devpts", "/dev/pts", "devpts", quiet, "newinstance,ptmxmode=0666,mode=620"); err != nil {
		return fmt.Errorf("make terminals: %w", err)
	}
	if err := unix.Mount("tmpfs", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"); err != nil {
		return fmt.Errorf("make shared memory: %w", err)
	}
	links := map[string]string{"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0",
		"stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join("/dev", name)); err != nil {
			return fmt.Errorf("make /dev: %w", err)
		}
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/dev", 0, &attr); err != nil {
		return fmt.Errorf("make /dev read-only: %w", err)
	}
	return nil
}

// overlay is a mount of a cache with the agent's additions, which is nowhere yet.
func overlay(c Cache) (fd int, err error) {
	defer func() {
		if err != nil {
			fd, err = -1, fmt.Errorf("layer cache %q: %w", c.Path, err)
		}
	}()
	if err := errors.Join(os.MkdirAll(c.Upper, 0o755), os.MkdirAll(c.Work, 0o755)); err != nil {
		return -1, err
	}
	fsfd, err := unix.Fsopen("overlay", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer unix.Close(fsfd)
	if err := errors.Join(unix.FsconfigSetString(fsfd, "lowerdir", escapeLayer(c.Path)),
		unix.FsconfigSetString(fsfd, "upperdir", c.Upper), unix.FsconfigSetString(fsfd, "workdir", c.Work),
		unix.FsconfigSetFlag(fsfd, "userxattr")); err != nil {
		return -1, err
	}
	if err := unix.FsconfigCreate(fsfd); err != nil {
		return -1, err
	}
	return unix.Fsmount(fsfd, unix.FSMOUNT_CLOEXEC, 0)
}

// escapeLayer writes a path so that no colon in it begins another layer.
func escapeLayer(path string) string { return strings.NewReplacer(`\`, `\\`, ":", `\:`).Replace(path) }

// tryOverlay finds out whether caches can be layered, in the shared memory of the probe's own.
func (b *builder) tryOverlay() {
	const at = "/dev/shm/layers"
	if os.MkdirAll(at+"/lower", 0o755) != nil {
		return
	}
	fd, err := overlay(Cache{Path: at + "/lower", Upper: at + "/upper", Work: at + "/work"})
	if err == nil {
		b.support.Overlay = true
		_ = unix.Close(fd)
	}
}

// raiseLoopback switches the loopback interface of a new network namespace on.
func raiseLoopback() (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("raise loopback: %w", err)
		}
	}()
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}

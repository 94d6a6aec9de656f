package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
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
		// It is written to all the same; what is refused is to change the node itself, which is the system's.
		if err := setAccess(fd, ReadOnly); err != nil {
			return nil, fmt.Errorf("take %q: %w", path, err)
		}
		nodes = append(nodes, attached{fd, path})
	}
	return nodes, nil
}

// ownNull puts the /dev/null of inside in the place of the system's, where a standard stream is that one.
func ownNull() error {
	var null unix.Stat_t
	if err := unix.Stat("/dev/null", &null); err != nil {
		return nil // there is none
	}
	for stream := range 3 {
		var now unix.Stat_t
		if err := unix.Fstat(stream, &now); err != nil || now.Rdev != null.Rdev || now.Mode != null.Mode {
			continue
		}
		fd, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("open /dev/null: %w", err)
		}
		err = unix.Dup3(fd, stream, 0)
		_ = unix.Close(fd)
		if err != nil {
			return fmt.Errorf("open /dev/null: %w", err)
		}
	}
	return nil
}

// watchesFor is which part of the person's watches of files, by which editors and build tools learn of changes, one
// agent can have: the kernel counts them for the person as well, whose programs could make none any more.
const watchesFor = 4

// shareWatches bounds what the kernel counts for each user namespace, and for the person around it.
func shareWatches() error {
	for name, system := range map[string]string{
		"max_inotify_instances": "/proc/sys/fs/inotify/max_user_instances",
		"max_inotify_watches":   "/proc/sys/fs/inotify/max_user_watches",
	} {
		data, err := os.ReadFile(system)
		if errors.Is(err, fs.ErrNotExist) {
			continue // this kernel has none
		}
		all, atoiErr := strconv.Atoi(strings.TrimSpace(string(data)))
		if err := errors.Join(err, atoiErr); err != nil {
			return fmt.Errorf("share watches: %w", err)
		}
		if err := os.WriteFile("/proc/sys/user/"+name, []byte(strconv.Itoa(all/watchesFor)), 0); err != nil {
			return fmt.Errorf("share watches: %w", err)
		}
	}
	return nil
}

// shareSignals bounds the queues of signals and messages in the same way.
func shareSignals() error {
	for _, queue := range []int{unix.RLIMIT_SIGPENDING, unix.RLIMIT_MSGQUEUE} {
		var now unix.Rlimit
		if err := unix.Getrlimit(queue, &now); err != nil {
			return fmt.Errorf("share queues: %w", err)
		}
		part := now.Cur / watchesFor
		if err := unix.Setrlimit(queue, &unix.Rlimit{Cur: part, Max: part}); err != nil {
			return fmt.Errorf("share queues: %w", err)
		}
	}
	return nil
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
	const (
		quiet = unix.MS_NOSUID | unix.MS_NOEXEC
		// The kernel has as many as kernel.pty.max for everybody outside of the person's own /dev/pts.
		terminals = "newinstance,ptmxmode=0666,mode=620,max=256"
	)
	if err := unix.Mount("devpts", "/dev/pts", "devpts", quiet, terminals); err != nil {
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

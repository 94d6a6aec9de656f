package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ioctlWord has this test binary ask a file system for what its arguments name.
const ioctlWord = "__ioctl"

// onDisk mounts a new file system of a kind and has temporary folders lie on it.
func onDisk(t *testing.T, size, kind string, options ...string) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root mounts a file system")
	}
	around, err := os.MkdirTemp("", "disk-") // the first of the test's own folders decides where all of them lie
	if err != nil {
		t.Fatal(err)
	}
	image, folder := filepath.Join(around, "image"), filepath.Join(around, "disk")
	t.Cleanup(func() {
		if err := os.RemoveAll(around); err != nil {
			t.Error(err)
		}
	})
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"truncate", "-s", size, image},
		append(append([]string{"mkfs." + kind, "-q"}, options...), image), {"mount", "-o", "loop", image, folder}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Skipf("no such file system can be made and mounted here: %q: %v %s", args, err, out)
		}
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	t.Setenv("TMPDIR", folder)
	return folder
}

// TestSnapshotsShowNothingHidden holds that a hidden file cannot be read in a snapshot of a folder around it.
func TestSnapshotsShowNothingHidden(t *testing.T) {
	disk := onDisk(t, "128M", "btrfs")
	if _, err := exec.LookPath("btrfs"); err != nil {
		t.Skip(err)
	}
	g := fenced(t, "src/**", "", "src/a.go")
	if err := os.WriteFile(filepath.Join(disk, "key"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.policy.Hidden = []string{filepath.Join(disk, "key")}
	g.mayNot("cat " + disk + "/key")
	g.mayNot("btrfs subvolume snapshot " + disk + " src/copy")
	g.mayNot("btrfs subvolume create src/copy")
	g.mayNot("cat src/copy/key")
}

// encryptionKey is struct fscrypt_add_key_arg, with the key behind it.
type encryptionKey struct {
	kind, _ uint32
	id      [32]byte
	size, _ uint32
	_       [32]byte
	key     [64]byte
}

// TestEncryptedFoldersStayOpen holds that an agent cannot close the person's encrypted folders.
func TestEncryptedFoldersStayOpen(t *testing.T) {
	disk := onDisk(t, "64M", "ext4", "-O", "encrypt")
	g := fenced(t, "src/**", "", "src/a.go")
	key := encryptionKey{kind: 2, size: 64, key: [64]byte{1}}
	if err := askFileSystem(disk, addEncryptionKey, &key); err != nil {
		t.Skip("this kernel encrypts no folders: ", err)
	}
	g.mayNot(fmt.Sprintf("%s %s %x", os.Args[0], ioctlWord, key.id[:16]))
	if err := askFileSystem(disk, removeEncryptionKey, &encryptionKey{kind: 2, id: key.id}); err != nil {
		t.Error("the key is no longer there: ", err)
	}
}

const (
	addEncryptionKey    = 0xc0506617
	removeEncryptionKey = 0xc0406618
)

func askFileSystem(folder string, request uintptr, key *encryptionKey) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(key)))
	if errno != 0 {
		return errors.Join(errno, f.Close())
	}
	return f.Close()
}

// closeFolders is the life of the process that ioctlWord starts.
func closeFolders() error {
	key := encryptionKey{kind: 2}
	var id []byte
	if _, err := fmt.Sscanf(os.Args[2], "%x", &id); err != nil {
		return err
	}
	copy(key.id[:], id)
	return askFileSystem("src", removeEncryptionKey, &key)
}

package atomicfile

import (
	"os"
	"os/signal"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A full tmpfs where mounting is permitted; everywhere a limit on file sizes, which fails in the same call.
func TestNoSpace(t *testing.T) {
	t.Run("full file system", func(t *testing.T) {
		folder := t.TempDir()
		if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "size=256k"); err != nil {
			t.Skipf("mounting is not permitted: %v", err)
		}
		t.Cleanup(func() {
			if err := unix.Unmount(folder, 0); err != nil {
				t.Error(err)
			}
		})
		noSpace(t, folder, "full")
	})
	t.Run("limit on file sizes", func(t *testing.T) {
		folder := t.TempDir()
		signal.Ignore(unix.SIGXFSZ)
		defer signal.Reset(unix.SIGXFSZ)
		var was unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
			t.Fatal(err)
		}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 64 << 10, Max: was.Max}); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
				t.Error(err)
			}
		}()
		noSpace(t, folder, "")
	})
}

// noSpace runs the writes in another process, or here if role is "".
func noSpace(t *testing.T, folder, role string) {
	path := filepath.Join(folder, "file")
	write(t, path, "old")
	if role == "" {
		if err := writeToFull([]string{path}); err != nil {
			t.Error(err)
		}
	} else if out, err := child(t, role, path).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("file = %d bytes, %v; want the old one", len(got), err)
	}
	if left := leftovers(t, folder); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

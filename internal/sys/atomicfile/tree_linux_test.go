package atomicfile

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRemoveDeepTree holds that folders in one another are removed with few descriptors, however many they are.
func TestRemoveDeepTree(t *testing.T) {
	top := filepath.Join(t.TempDir(), "tree")
	chain, next := filepath.Join(top, "chain"), filepath.Join(top, "next")
	if err := os.MkdirAll(chain, 0o755); err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(chain, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "kept"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for n := range 3000 {
		if err := os.Mkdir(next, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(chain, filepath.Join(next, "d")); err != nil {
			t.Fatal(err)
		}
		if n%100 == 0 {
			if err := os.WriteFile(filepath.Join(next, "f"), nil, 0o400); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Rename(next, chain); err != nil {
			t.Fatal(err)
		}
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Setrlimit(unix.RLIMIT_NOFILE, &limit) })
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 100, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	if err := RemoveTree(top); err != nil {
		t.Errorf("%.300s", err)
	}
	if _, err := os.Lstat(top); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(outside, "kept")); err != nil {
		t.Errorf("what a link led to: %v", err)
	}
}

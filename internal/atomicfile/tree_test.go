package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRemoveTree(t *testing.T) {
	top := filepath.Join(t.TempDir(), "tree")
	outside := t.TempDir()
	if err := os.MkdirAll(filepath.Join(top, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(top, "a", "b", "f"), nil, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(top, "a", "link")); err != nil {
		t.Fatal(err)
	}
	modes := map[string]os.FileMode{filepath.Join(top, "a", "b"): 0, filepath.Join(top, "a"): 0o500, outside: 0o500,
		top: 0}
	for _, path := range []string{outside, filepath.Join(top, "a", "b"), filepath.Join(top, "a"), top} {
		if err := os.Chmod(path, modes[path]); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveTree(top); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(top); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	if info, err := os.Stat(outside); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("what a link led to was changed: %v, %v", info, err)
	}
	if err := RemoveTree(top); err != nil {
		t.Errorf("what is not there: %v", err)
	}
}

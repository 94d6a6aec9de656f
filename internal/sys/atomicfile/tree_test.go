package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
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

// TestScratch holds that a folder whose process was ended is removed when the next is made, and one in use is not.
func TestScratch(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	used, remove, err := Scratch("scratch-test-")
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(os.TempDir(), "scratch-test-left")
	if err := os.MkdirAll(filepath.Join(left, "objects", "ab"), 0o700); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * leftAfter)
	for _, folder := range []string{used, left} {
		if err := os.Chtimes(folder, old, old); err != nil {
			t.Fatal(err)
		}
	}
	_, other, err := Scratch("scratch-test-")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(used); err != nil {
		t.Errorf("the one in use: %v", err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the one that was left: %v", err)
	}
	if err := errors.Join(remove(), other()); err != nil {
		t.Error(err)
	}
	if all, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(all) > 0 {
		t.Errorf("left: %v", all)
	}
}

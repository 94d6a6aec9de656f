package scopemonitor

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestWatcher holds that what happens is told of in old folders, in new ones and below these, and that
// git's own files are not listened to.
func TestWatcher(t *testing.T) {
	root := t.TempDir()
	make := func(name string) {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	make("old/f")
	make(".git/index")
	e := newWatcher(root)
	if e == nil {
		t.Skip("the system has no watches left")
	}
	tells := func(want ...string) {
		t.Helper()
		paths, all, err := e.events()
		slices.Sort(paths)
		if err != nil || !all || !slices.Equal(paths, want) {
			t.Errorf("told %q, %v, %v; want %q", paths, all, err, want)
		}
	}
	tells()
	make("old/f")
	make(".git/index")
	tells("old/f")
	make("new/deep/f")
	tells("new") // what is below came with it; whoever tells of a folder looks below it
	make("new/deep/f")
	make("new/g")
	tells("new/deep/f", "new/g")
	if err := os.RemoveAll(filepath.Join(root, "new/deep")); err != nil {
		t.Fatal(err)
	}
	make("old/h")
	tells("new/deep", "new/deep/f", "old/h")
	for i := range 1200 {
		make(filepath.Join("many", string(rune('a'+i%26)), string(rune('a'+i/26))))
	}
	if _, _, err := e.events(); err != nil {
		t.Error(err)
	}
	for i := range 1200 {
		make(filepath.Join("many", string(rune('a'+i%26)), string(rune('a'+i/26))))
	}
	if paths, all, err := e.events(); err != nil || all || paths != nil {
		t.Errorf("too many: %d, %v, %v", len(paths), all, err)
	}
	if err := os.Rename(filepath.Join(root, "old"), filepath.Join(root, "moved")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.events(); err == nil {
		t.Error("it goes on with old names")
	}
}

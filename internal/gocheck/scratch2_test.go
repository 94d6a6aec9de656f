package gocheck

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func goFolders(root string) (dirs []string) {
	fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
		if d.IsDir() {
			dirs = append(dirs, p)
		}
		return nil
	})
	return
}

func TestScratchMods(t *testing.T) {
	c := New(Options{})
	mods, _ := filepath.Glob("/root/go/pkg/mod/*/*/*@*")
	m2, _ := filepath.Glob("/root/go/pkg/mod/*/*@*")
	m3, _ := filepath.Glob("/root/go/pkg/mod/*/*/*/*@*")
	mods = append(append(mods, m2...), m3...)
	mods = append(mods, "/usr/local/go/src/cmd", "/usr/local/go/src")
	for _, m := range mods {
		start := time.Now()
		dirs := goFolders(m)
		r, err := c.Check(t.Context(), os.DirFS(m), dirs)
		if err != nil {
			t.Error(m, err)
		}
		n := 0
		for _, p := range r.Problems {
			if strings.Contains(p.Message, "use of internal") {
				continue
			}
			n++
			if n < 60 {
				t.Log("   ", p)
			}
		}
		t.Log(m, len(dirs), time.Since(start), n, len(r.Problems), len(r.Unresolved), c.checked>>10)
	}
}

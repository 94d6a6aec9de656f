//go:build cgo

package syntax

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// realFiles calls f for at most so many files below folders, of a language. It skips the test if there are none.
func realFiles(tb testing.TB, language Language, most int, folders ...string) (files map[string][]byte) {
	tb.Helper()
	files = map[string][]byte{}
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || len(files) >= most {
				return nil
			}
			if l, _ := LanguageOf(p); l != language {
				return nil
			}
			if data, err := os.ReadFile(p); err == nil && len(data) < 4<<20 {
				files[p] = data
			}
			return nil
		})
	}
	if len(files) == 0 {
		tb.Skipf("no %s files in %q on this machine", language, folders)
	}
	return files
}

func TestRealTry(t *testing.T) {
	for _, l := range []Language{Python, JavaScript, TypeScript, Java} {
		t.Run(string(l), func(t *testing.T) {
			files := realFiles(t, l, 3000, "/usr/lib/python3.11", "/usr/lib/python3", "/usr/lib/node_modules", "/root/go/pkg/mod/github.com/tree-sitter")
			n, faults, bytes, defs, refs := 0, 0, 0, 0, 0
			for name, data := range files {
				f, _ := Parse(name, data)
				n++
				bytes += len(data)
				defs += len(f.Definitions)
				refs += len(f.References)
				if len(f.Faults) > 0 {
					faults++
					t.Logf("%s %v", name, f.Faults[0])
				}
			}
			t.Logf("%d files %d bytes, %d with faults, %d definitions, %d references", n, bytes, faults, defs, refs)
		})
	}
}

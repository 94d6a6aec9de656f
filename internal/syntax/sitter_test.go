//go:build cgo

package syntax

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestReadings reads the first file of each archive and compares the lists with the last.
func TestReadings(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(paths) < 30 {
		t.Fatalf("%d archives under testdata: %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(path), "testdata/"), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil || len(archive.Files) != 2 || archive.Files[1].Name != "want" {
				t.Fatalf("read %q: want a source file and the file want, got %d files: %v", path, len(archive.Files), err)
			}
			source, want := archive.Files[0], string(archive.Files[1].Data)
			file, ok := Parse(source.Name, source.Data)
			if !ok {
				t.Fatalf("%q is not readable", source.Name)
			}
			if got := printed(file); got != want {
				t.Errorf("%s: %s\n%s", path, strings.TrimSpace(string(archive.Comment)), differingLines(got, want))
			}
		})
	}
}

// differingLines lists the lines of one text that the other lacks, both ways.
func differingLines(got, want string) string {
	var b strings.Builder
	without := func(sign, text, other string) {
		for line := range strings.Lines(text) {
			if !strings.Contains("\n"+other, "\n"+line) {
				b.WriteString(sign + line)
			}
		}
	}
	without("+ ", got, want)
	without("- ", want, got)
	if b.Len() == 0 {
		return "the same lines, in another order or number:\n" + got
	}
	return b.String()
}

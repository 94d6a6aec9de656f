package manifest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"delegate/conflict/code"
)

// sample is a file of an archive in testdata with what Parse shall tell of it.
type sample struct{ name, text, want string }

func samples(t testing.TB) (all []sample) {
	t.Helper()
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("list archives: %v, %d found", err, len(archives))
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(archive.Files); i += 2 {
			text, want := archive.Files[i], archive.Files[i+1]
			if text.Name+".want" != want.Name {
				t.Fatalf("%s: %q is followed by %q", name, text.Name, want.Name)
			}
			all = append(all, sample{text.Name, string(text.Data), string(want.Data)})
		}
	}
	return all
}

// show writes a file as the archives have it: a head, and a line for each dependency.
func show(f code.Manifest) string {
	kind := "manifest"
	if f.Lock {
		kind = "lock"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %q\n", f.Ecosystem, kind, f.Name)
	for _, d := range f.Dependencies {
		fmt.Fprintln(&b, strings.TrimSpace(fmt.Sprintf("%d %s %s", d.Line, d.Name, d.Version)))
	}
	return b.String()
}

func TestParseReadsSamples(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			for form, text := range map[string]string{
				"as is":                  s.text,
				"CRLF":                   strings.ReplaceAll(s.text, "\n", "\r\n"),
				"BOM":                    "\ufeff" + s.text,
				"without the last break": strings.TrimSuffix(s.text, "\n"),
			} {
				f, err := Parse("some/folder/"+s.name, []byte(text))
				if err != nil {
					t.Errorf("%s: %v", form, err)
				} else if got := show(f); got != s.want {
					t.Errorf("%s:\n%s\nwant\n%s", form, got, s.want)
				}
			}
		})
	}
}

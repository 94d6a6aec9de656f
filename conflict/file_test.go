package conflict_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/conflict"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestFixtures lets real git merge each case and compares kind, certainty and places of the findings with what the case
// wants, and the sentences of those that testdata/sentences.txtar lists. With CONFLICT_FIXTURES=write it writes what it
// finds there instead, to be read in the diff.
func TestFixtures(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	const table = "testdata/sentences.txtar"
	sentences, err := txtar.ParseFile(table)
	if err != nil {
		t.Fatal(err)
	}
	writes, all := os.Getenv("CONFLICT_FIXTURES") == "write", pose(t, paths)
	for _, path := range paths {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(path), "testdata/"), ".txtar")
		t.Run(name, func(t *testing.T) {
			c := all[path]
			if !c.readable() {
				t.Skip("needs a build with a C compiler to read its code")
			}
			found := run(t, c.pair)
			switch got := facts(found); {
			case got == c.want:
			case writes:
				rewrite(t, path, "want", got)
			default:
				t.Errorf("found:\n%s\nwant:\n%s", render(found), c.want)
			}
			at := slices.IndexFunc(sentences.Files, func(f txtar.File) bool { return f.Name == name })
			if at < 0 {
				return
			}
			switch got := tell(found); {
			case got == string(sentences.Files[at].Data):
			case writes:
				rewrite(t, table, name, got)
			default:
				t.Errorf("sentences:\n%s\nwant:\n%s", got, sentences.Files[at].Data)
			}
		})
	}
	for _, f := range sentences.Files {
		if !slices.Contains(paths, filepath.FromSlash("testdata/"+f.Name+".txtar")) {
			t.Errorf("%s has sentences for %q, which is no fixture", table, f.Name)
		}
	}
}

// rewrite puts other content into a file of an archive.
func rewrite(t *testing.T, archive, name, content string) {
	t.Helper()
	all, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all.Files, func(f txtar.File) bool { return f.Name == name })
	all.Files[at].Data = []byte(content)
	if err := os.WriteFile(archive, txtar.Format(all), 0o644); err != nil {
		t.Fatal(err)
	}
}

// facts writes findings as the fixtures have them: without their sentences.
func facts(found []conflict.Finding) string {
	var b strings.Builder
	for _, f := range found {
		blocking := ""
		if f.Blocking {
			blocking = " blocking"
		}
		fmt.Fprintf(&b, "%s %s %s%s\n", f.Type, f.Severity, f.Certainty, blocking)
		for _, p := range f.Places {
			fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("  %s %s:%d %s", p.Agent, p.Path, p.Line, p.Symbol), " "))
		}
	}
	return b.String()
}

// tell writes the sentences of findings.
func tell(found []conflict.Finding) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s\n> %s\n", f.Message, f.Advice)
	}
	return b.String()
}

// render writes findings for a message of a test.
func render(found []conflict.Finding) string { return facts(found) + tell(found) }

package plain_test

import (
	"os"
	"strings"
	"testing"

	"delegate/conflict/internal/plain"
)

// FuzzRead holds that whatever a file holds, what is read of it lies in it.
func FuzzRead(f *testing.F) {
	const text = "server:\n  - \"80:80\"\nconst X = 1 // a\nGET('/x', `b\n`) {\n\tCREATE TABLE a (b INT);\n}\n" +
		"[c]\nd = \"e.f\"\n"
	for name := range strings.FieldsSeq("a.go a.py a.yaml a.json a.toml Dockerfile Makefile a.sql a.css a.html a.tf " +
		"a.proto a.graphql a.sh") {
		f.Add(name, text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		lines := strings.Count(text, "\n") + 1
		read := plain.Read(name, []byte(text), nil)
		for _, e := range read.Entries {
			if e.Line < 0 || e.Line > lines || e.Parent > e.Line {
				t.Errorf("entry %+v of %d lines", e, lines)
			}
		}
		for _, w := range append(read.Defined, read.Used...) {
			if w.Line < 1 || w.Line > lines || w.Text == "" {
				t.Errorf("word %+v of %d lines", w, lines)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	data, err := os.ReadFile("plain.go")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		plain.Read("plain.go", data, nil)
	}
}

// TestLinesOfPrograms holds that strings far to the right, which no person writes there, are left out: to look for each
// at what stands before it takes time in the square of the line.
func TestLinesOfPrograms(t *testing.T) {
	for _, indent := range []int{0, 2000} {
		text := strings.Repeat(" ", indent) + "f('feature-flag')\n"
		if got := plain.Read("a.js", []byte(text), nil); (len(got.Used) > 0) != (indent == 0) {
			t.Errorf("at column %d: %v", indent, got.Used)
		}
	}
}

package project_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"delegate/internal/land/suite"
	"delegate/internal/project"
)

// module is a Go module in which top needs low, and other needs nothing.
func module(config string) map[string]string {
	return map[string]string{
		".delegate.yaml": config, "go.mod": "module example.org/m\n\ngo 1.22\n",
		"low/low.go": "package low\n\nfunc N() int { return 1 }\n", "low/low_test.go": testOf("low", "N() != 1"),
		"top/top.go":      "package top\n\nimport \"example.org/m/low\"\n\nfunc N() int { return low.N() }\n",
		"top/top_test.go": testOf("top", "N() != 1"),
		"other/o.go":      "package other\n\nfunc N() int { return 1 }\n",
		"other/o_test.go": testOf("other", "N() != 1"),
	}
}

func testOf(name, wrong string) string {
	return "package " + name + "\n\nimport \"testing\"\n\nfunc TestN(t *testing.T) {\n\tif " + wrong +
		" {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n"
}

func TestVerifyDetected(t *testing.T) {
	b := newBox(t, module("verify: detect\n"))
	p, commit := b.project(), b.Git("rev-parse", "HEAD")
	var ran [][]string
	done := 0
	p.Verifying = func(all []suite.Command) func() {
		ran = append(ran, suite.Lines(all))
		return func() { done++ }
	}
	lines := []string{"go build ./...", "go test ./..."}
	if o := verify(t, p, commit); o.Result != project.Pass {
		t.Fatalf("%+v\n%s", o, project.Tail(o.Output, 20))
	}
	if len(ran) != 1 || !slices.Equal(ran[0], lines) || done != 1 {
		t.Errorf("told %q, done %d", ran, done)
	}
	if o := verify(t, p, commit); !o.Cached || len(ran) != 1 {
		t.Errorf("%+v, told %q", o, ran)
	}
	b.Write(map[string]string{"go.mod": "module example.org/n\n"})
	b.Git("rm", "-qr", "--cached", ".")
	b.Git("add", "other/o.go")
	b.Git("commit", "-q", "-m", "nothing that is known")
	if o := verify(t, p, b.Git("rev-parse", "HEAD")); o.Result != project.NoCommands || o.Detected != nil ||
		o.Reason == "" {
		t.Errorf("where nothing is detected: %+v", o)
	}
	p.Config.VerifyDetect = false
	if o := verify(t, p, commit); o.Result != project.NoCommands || !slices.Equal(o.Detected, lines) {
		t.Errorf("where nothing is configured: %+v", o)
	}
}

// TestDetectedOnce holds that a tree is looked at once for what tests it.
func TestDetectedOnce(t *testing.T) {
	b := newBox(t, module("verify: detect\n"))
	p, commit, file := b.project(), b.Git("rev-parse", "HEAD"), b.Git("rev-parse", "HEAD:go.mod")
	first, err := p.Commands(t.Context(), commit)
	if err != nil || len(first) == 0 {
		t.Fatalf("%v, %v", first, err)
	}
	if err := os.Remove(filepath.Join(b.Dir, ".git", "objects", file[:2], file[2:])); err != nil {
		t.Fatal(err)
	}
	if again, err := p.Commands(t.Context(), commit); err != nil || !slices.Equal(again, first) {
		t.Errorf("%v, %v, want %v", again, err, first)
	}
	if other, err := b.project().Commands(t.Context(), commit); err == nil {
		t.Errorf("without go.mod: %v", other)
	}
}

package gocheck_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"delegate/conflict/internal/gocheck"
)

// TestTreeWithoutModules holds that packages of a tree from before modules find each other, and
// that others are not made up.
func TestTreeWithoutModules(t *testing.T) {
	tree := fstest.MapFS{
		"raft/raft.go": {Data: []byte("package raft\n\nfunc New(n int) int { return n }\n")},
		"app/app.go": {Data: []byte("package app\n\nimport (\n\t\"example.org/other/lib/x\"\n" +
			"\t\"example.org/own/project/raft\"\n)\n\nvar a = raft.New(\"1\")\n\n" +
			"var b = raft.Gone()\n\nvar c = x.Any\n")},
	}
	report, err := gocheck.New(gocheck.Options{ModCache: t.TempDir()}).Check(t.Context(), tree, []string{"app", "raft"})
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, p := range report.Problems {
		lines = append(lines, p.Line)
	}
	if !slices.Equal(lines, []int{8, 10}) || !slices.Contains(report.Unresolved, "example.org/other/lib/x") {
		t.Errorf("problems %v, unresolved %q", report.Problems, report.Unresolved)
	}
}

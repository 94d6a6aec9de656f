package gocheck_test

import (
	"fmt"
	"testing"

	"delegate/conflict/internal/gocheck"
)

// TestCheckWithin holds that a folder is not checked where the tree that comes later is sound, and that it is wherever
// that one leaves something open.
func TestCheckWithin(t *testing.T) {
	const module = "-- go.mod --\nmodule example.org/m\n\ngo 1.24\n\nrequire example.com/gone v1.0.0\n"
	const lib = "-- lib/l.go --\npackage lib\n\nfunc New() {}\n"
	const broken = "-- app/a.go --\npackage app\n\nimport \"example.org/m/lib\"\n\nfunc Run() { lib.Old() }\n"
	const problem = "app/a.go:5: undefined: lib.Old"
	const withOld = "-- lib/m.go --\npackage lib\n\nfunc Old() {}\n"
	for name, c := range map[string]struct {
		tree, later string
		conclusive  bool
		problems    []string
	}{
		"repaired":     {broken + lib, broken + lib + withOld, true, nil},
		"not repaired": {broken + lib, broken + lib, false, []string{problem}},
		"broken in another way": {broken + lib,
			broken + lib + withOld + "-- app/z.go --\npackage app\n\nvar X int = 1.5\n", false, []string{problem}},
		"broken later": {lib + "-- app/a.go --\npackage app\n", broken + lib, false, nil},
		"in a test": {lib + "-- app/a.go --\npackage app\n-- app/a_test.go --\npackage app\n\nvar x int = \"\"\n",
			lib + "-- app/a.go --\npackage app\n-- app/a_test.go --\npackage app\n", true, nil},
		"its file is gone later": {broken + lib, lib + "-- app/b.go --\npackage app\n", false, []string{problem}},
		"its file is not for this system later": {broken + lib,
			lib + "-- app/a.go --\n//go:build none\n\npackage app\n-- app/b.go --\npackage app\n", false,
			[]string{problem}},
		"its file is a test of another package later": {lib + "-- app/b.go --\npackage app\n-- app/a_test.go --\n" +
			"package app\n\nvar x int = \"\"\n", lib + "-- app/b.go --\npackage app\n-- app/a_test.go --\n" +
			"package app_test\n", false, []string{"app/a_test.go:3: cannot use \"\" (untyped string constant) as int " +
			"value in variable declaration"}},
		"more is missing later": {broken + lib, lib + withOld +
			"-- app/a.go --\npackage app\n\nimport \"example.com/gone\"\n\nfunc Run() { gone.Old() }\n", false,
			[]string{problem}},
		"more is missing below it later": {broken + lib, broken + "-- lib/l.go --\npackage lib\n\n" +
			"import \"example.com/gone\"\n\nvar Old = gone.Old\n", false, []string{problem}},
		"the same is missing": {"-- app/x.go --\npackage app\n\nimport _ \"example.com/gone\"\n" + broken + lib,
			"-- app/x.go --\npackage app\n\nimport _ \"example.com/gone\"\n" + broken + lib + withOld, true, nil},
		"it cannot be parsed later": {broken + lib, broken + lib + withOld + "-- app/z.go --\npackage app {\n", false,
			[]string{problem}},
		"two packages later": {broken + lib, broken + lib + withOld + "-- app/z.go --\npackage other\n", false,
			[]string{problem}},
	} {
		t.Run(name, func(t *testing.T) {
			checker := bare(t)
			tree := treeOf(module + c.tree)
			got, conclusive, err := checker.CheckWithin(t.Context(), tree, treeOf(module+c.later), []string{"app"})
			if err != nil || conclusive != c.conclusive {
				t.Errorf("settled %v, want %v, %v", conclusive, c.conclusive, err)
			}
			var problems []string
			for _, p := range got.Problems {
				problems = append(problems, fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Message))
			}
			wantLines(t, "problems", problems, c.problems)
			alone, err := bare(t).Check(t.Context(), tree, []string{"app"})
			if err != nil {
				t.Fatal(err)
			}
			wantLines(t, "files read", got.Read, alone.Read)
			wantLines(t, "unresolved", got.Unresolved, alone.Unresolved)
		})
	}
}

// TestCheckWithinGap holds that a later tree in which other packages are missing is not checked at all: it cannot
// answer for the first one.
func TestCheckWithinGap(t *testing.T) {
	const module = "-- go.mod --\nmodule example.org/m\n\ngo 1.24\n"
	const app = "-- app/a.go --\npackage app\n\nimport \"example.org/m/lib\"\n\nvar X = lib.New\n"
	tree := treeOf(module + app + "-- lib/l.go --\npackage lib\n\nfunc New() {}\n")
	later := treeOf(module + app + "-- lib/l.go --\npackage lib\n\nimport \"example.com/gone\"\n\nvar New = gone.New\n")
	var seen []string
	checker := gocheck.New(gocheck.Options{GOROOT: t.TempDir(), ModCache: t.TempDir(),
		Visit: func(folder string) { seen = append(seen, folder) }})
	if _, settled, err := checker.CheckWithin(t.Context(), tree, later, []string{"app"}); err != nil || settled {
		t.Errorf("settled %v, %v", settled, err)
	}
	wantLines(t, "folders checked", seen, []string{"lib", "app"})
}

package delegate

import (
	"slices"
	"strings"
	"testing"
)

// TestRulesCanFail gives each rule sources that it must refuse and one that it must let pass.
func TestRulesCanFail(t *testing.T) {
	body := strings.Repeat("\t_ = 0\n", maxFunctionLines-2)
	cases := map[string]struct {
		file string
		bad  []string
		good string
	}{
		"imports go down": {"internal/record/x.go",
			[]string{`import _ "delegate/internal/control/session"`, `import _ "delegate/conflict"`,
				`import _ "delegate/internal/new"`},
			`import _ "delegate/internal/sys/atomicfile"`},
		"commands apart": {"internal/control/x.go", []string{`import _ "delegate/internal/supervise"`},
			`import _ "delegate/internal/control/session"`},
		"one door each": {"change/x.go",
			[]string{`import _ "os/exec"`, `import _ "github.com/gobwas/glob/syntax"`},
			`import _ "github.com/sergi/go-diff/diffmatchpatch"`},
		"goroutines at home": {"internal/git/x.go",
			[]string{"func f() { go f() }", "func f() { func() { go f() }() }"}, "func f() { f() }"},
		"files are short": {"scope/x.go", []string{strings.Repeat("\n", maxFileLines)},
			strings.Repeat("\n", maxFileLines-1)},
		"functions are short": {"scope/x.go", []string{"func f() {\n\n" + body + "}\n"}, "func f() {\n" + body + "}\n"},
		"lines are short": {"scope/x.go",
			[]string{"//" + strings.Repeat("a", maxColumns-1), "\t//" + strings.Repeat("a", maxColumns-5) + "\n"},
			"//" + strings.Repeat("ä", maxColumns-2) + "\nvar long = `" + strings.Repeat("a", maxColumns) + "`"},
		"few parameters": {"scope/x.go",
			[]string{"func f(a, b, c, d, e, f int) {}", "func f(A, B, C, D, E, F) {}"},
			"func f(ctx context.Context, a, b, c, d, e int) {}"},
		"no switches": {"scope/x.go", []string{"func F(quick bool) {}", "func (t T) F(n int, quick bool) {}"},
			"func f(quick bool) {}"},
		"no init": {"scope/x.go", []string{"func init() {}"}, "func (t T) init() {}"},
		"names of the field": {"scope/x.go", []string{"type patrol int", "func f() { openDoor := 1; _ = openDoor }"},
			"type doorbell int\nfunc f() { patrolling := 1; _ = patrolling }"},
		"phrases are plain": {"scope/x.go", []string{`var s = "It Clashes with main."`, "var s = `a is MERGED`"},
			"// what shall be\nvar s = \"a conflicts with main, marshalled as MERGED\""},
		"threads stay": {"internal/supervise/scopemonitor/x.go", []string{"func f() { runtime.LockOSThread() }"},
			"func f() {}"},
		"expressions wait": {"scope/x.go", []string{"var e = regexp.MustCompile(`x`)",
			"var (\n\te = regexp.MustCompile(`x`)\n)"},
			"var e = lazyregexp.New(`x`)\nfunc f() { regexp.MustCompile(`x`) }"},
		"no failed to": {"scope/x.go", []string{`var e = "Failed to read"`, "var e = `it failed to`"},
			`var e = "read" // failed to`},
		"starts are listed": {"internal/land/x.go", unlistedStarts(),
			"import \"delegate/internal/sys/run\"\nfunc f() { fence.Group(ctx, run.Shell(line)) }"},
		"comments name": {"scope/x.go", []string{"// Glob is one.\ntype glob int",
			"// otherName is one.\nconst glob = 1",
			"type t struct {\n\t// Path is one.\n\tpath int\n}"},
			"// These are limits.\nconst (\n\t// low is one.\n\tlow = 1\n)"},
		"analysis apart": {"internal/land/x.go", []string{"func f() { conflict.Run() }", "var parse = source.Parse"},
			"func f() { conflict.Sorted() }"},
		"no error text": {"scope/x.go", []string{`var b = strings.Contains(err.Error(), "x")`,
			`var b = strings.HasPrefix(e.Error(), "x")`}, `var b = strings.Contains(text, "x")`},
	}
	for name, check := range rules() {
		c, found := cases[name]
		if !found {
			t.Errorf("%s: no source shows that this rule can fail", name)
		}
		for _, bad := range c.bad {
			if wrong := check(parse(t, c.file, "package x\n"+bad)); len(wrong) != 1 {
				t.Errorf("%s: %.60q gives %q, want one fault", name, bad, wrong)
			}
		}
		if wrong := check(parse(t, "scope/x.go", "package x\n")); len(wrong) != 0 {
			t.Errorf("%s: an empty file gives %q", name, wrong)
		}
		if wrong := check(parse(t, c.file, "package x\n"+c.good)); len(wrong) != 0 {
			t.Errorf("%s: %.60q gives %q", name, c.good, wrong)
		}
	}
}

func TestTreeRulesCanFail(t *testing.T) {
	scenario := "package x\nfunc f() {\n" + strings.Repeat("\t_ = 0\n", maxTestLines-2) + "}\n"
	if wrong := functionsAreShort(parse(t, "scope/x_test.go", scenario)); len(wrong) != 0 {
		t.Errorf("a test of %d lines gives %q", maxTestLines, wrong)
	}
	if wrong := functionsAreShort(parse(t, "scope/x_test.go",
		strings.Replace(scenario, "{\n", "{\n\n", 1))); len(wrong) != 1 {
		t.Errorf("a test of %d lines gives %q", maxTestLines+1, wrong)
	}
	if wrong := importsGoDown(parse(t, "internal/new/x.go", "package x")); len(wrong) != 1 {
		t.Errorf("a package without a floor gives %q", wrong)
	}
	plain, said := parse(t, "scope/x.go", "package x"), parse(t, "scope/y.go", "// Package x is documented.\npackage x")
	if wrong := undocumented([]source{plain}); len(wrong) != 1 {
		t.Errorf("a package without a comment gives %q", wrong)
	}
	if wrong := undocumented([]source{plain, said}); len(wrong) != 0 {
		t.Errorf("a package with a comment gives %q", wrong)
	}
	if wrong := unstarted([]source{parse(t, "internal/git/x.go",
		"package git\nfunc (r *Repo) do() { run.Output(ctx, c) }")}); slices.Contains(wrong, "internal/git:Repo.do") ||
		len(wrong) < 20 {
		t.Errorf("a tree with one listed start lacks %q", wrong)
	}
	missing := vanished([]source{said})
	if !slices.ContainsFunc(missing, func(w string) bool { return strings.HasPrefix(w, "registry ") }) {
		t.Errorf("a tree with nothing but scope lacks registry, but only these are missed: %q", missing)
	}
}

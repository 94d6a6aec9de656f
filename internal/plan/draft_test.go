package plan

import (
	"delegate/internal/sys/long"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// shop is a repository in which drafts look things up.
func shop() Facts {
	return Facts{Files: []string{
		"CHANGELOG.md", "README.md", "docs/api.md", "docs/01_progress.md", "go.mod",
		"internal/cart/cart.go", "internal/cart/cart_test.go", "internal/cart/total.go",
		"internal/http/router.go", "internal/http/router_test.go", "internal/http/session.go",
		"internal/mail/mail.go", "internal/mail/template.go",
		"tools/[odd].go",
	}, Tests: []string{"internal/cart/cart_test.go", "internal/http/router_test.go"}, ScopeLimit: 20}
}

// lines tells the subtasks of a plan as "N name | allowed | after" lines.
func lines(p *Plan) string {
	var out []string
	for _, s := range p.Subtasks {
		out = append(out, fmt.Sprintf("%d %s | %s | %v", s.Number, s.Name, strings.Join(s.Allowed, " "),
			s.Dependencies))
	}
	return strings.Join(out, "\n")
}

func TestDraftOfPaths(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a file", "Fix internal/cart/total.go.", "internal/cart/total.go"},
		{"a file by the end of its path", "Let `total.go` round, see cart/cart.go",
			"internal/cart/total.go internal/cart/cart.go"},
		{"folders", "Add metrics to internal/mail/ and internal/cart/**", "internal/mail/** internal/cart/**"},
		{"a glob", "Rename the tests of internal/**/*_test.go", "internal/**/*_test.go"},
		{"a new file", "Add internal/cart/coupon.go with a coupon", "internal/cart/coupon.go"},
		{"a name with marks", "Remove `tools/[odd].go`", `tools/\[odd\].go`},
		{"nothing", "Do something good and/or better", "fill-in/the-files/**"},
		{"a name of several files", "Change session", "fill-in/the-files/**"},
		{"never the records", "Rewrite docs/01_progress.md", "fill-in/the-files/**"},
		{"not outside", "Change ../other/x.go and /etc/passwd", "fill-in/the-files/**"},
	}
	for _, tt := range tests {
		p := Draft(Task{Text: tt.text}, shop(), Options{})
		if got := strings.Join(p.Subtasks[0].Allowed, " "); len(p.Subtasks) != 1 || got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, lines(p), tt.want)
		}
		if want := tt.want == fillIn; (len(p.Unfilled()) == 1) != want {
			t.Errorf("%s: unfilled %v", tt.name, p.Unfilled())
		}
	}
	p := Draft(Task{Text: "Add internal/cart/coupon.go, and use it in internal/cart/cart.go"}, shop(), Options{})
	if got := p.Subtasks[0].ExpectedOutputs; !slices.Equal(got, []string{"internal/cart/coupon.go"}) {
		t.Errorf("expected outputs %q", got)
	}
}

func TestDraftOfObjectives(t *testing.T) {
	p := Draft(Task{Title: "Shop", Text: "All of it by Friday.", Objectives: []Objective{
		{"Carts", "Let internal/cart/total.go round"}, {"Routes", "The router forgets"}}}, shop(), Options{})
	if len(p.Subtasks) != 2 || p.Subtasks[0].Task != "Carts" || p.Subtasks[1].Name != "Routes" {
		t.Fatalf("%+v", p.Subtasks)
	}
	s := p.Subtasks[0]
	for _, want := range []string{"Part of: Shop", "All of it by Friday."} {
		if !strings.Contains(s.Context, want) {
			t.Errorf("context %q lacks %q", s.Context, want)
		}
	}
	if s.Type != Standard || s.Complexity != Medium ||
		!slices.Equal(s.ExpectedOutputs, []string{"internal/cart/total.go"}) ||
		!strings.Contains(s.Description, "round") {
		t.Errorf("%+v", s)
	}
}

func TestDraftOfList(t *testing.T) {
	text := "Before the release:\n\n1. Fix internal/mail/\n   when the server is away\n2. [ ] Find out why " +
		"internal/http/router.go is slow\n3) Refactor internal/mail/mail.go too\n\nKeep the API."
	p := Draft(Task{Title: "Release", Text: text}, shop(), Options{})
	want := "1 Fix internal/mail/ | internal/mail/** | []\n" +
		"2 Find out why internal/http/router.go is slow | internal/http/router.go | []\n" +
		"3 Refactor internal/mail/mail.go too | internal/mail/mail.go | [1]"
	if got := lines(p); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if !strings.Contains(p.Subtasks[0].Context, "Keep the API.") ||
		!strings.Contains(p.Subtasks[0].Description, "when the server is away") {
		t.Errorf("%+v", p.Subtasks)
	}
}

func TestDraftKeepsToTheConfiguration(t *testing.T) {
	o := Options{Roots: []string{"internal/cart"}, Forbidden: []string{"**/*_test.go"}}
	p := Draft(Task{Text: "- Extend cart/cart.go and its cart_test.go\n- Fix mail/mail.go"}, shop(), o)
	if got := strings.Join(p.Subtasks[0].Allowed, " "); got != "internal/cart/cart.go" {
		t.Errorf("allowed %q", got)
	}
	if got := p.Subtasks[1].Allowed; !slices.Equal(got, []string{"internal/cart/fill-in/the-files/**"}) {
		t.Errorf("outside of the roots: %q", got)
	}
}

func FuzzDraft(f *testing.F) {
	all := shop()
	f.Add("Cart", "Add `Cart` and fix internal/http/ then document it", strings.Join(all.Files, "\n"), "", byte(0))
	f.Add("", "1. a/**\n2. `**`\n- {a,b}\n```\n## Subtask 9: x", "a,b\n-\nnone\n`x`\n\\\n a \n## Subtask 1: x\n!x\n[z",
		"None", byte(1))
	f.Add("\x00", "- none\n- -\n- `a,b` \n- fix * and ?", "a,b\na/b\r\nc\u00a0", "``", byte(2))
	f.Fuzz(func(t *testing.T, title, text, files, objective string, mode byte) {
		checkDraft(t, title, text, files, objective, mode)
	})
}

// TestDraftOfAnything makes tasks and repositories of pieces that mean something to one of the two grammars.
func TestDraftOfAnything(t *testing.T) {
	pieces := []string{
		" ", "\n", "\n\n", "- ", "1. ", "\t", ", ", "; ", ". ", " and ", ", then ", "add ", "fix ", "Write tests for ",
		"document ", "it ", "the ", "none", "-", "`", "``", "```\n", "*", "**", "/**",
		"/", "a", "a/b", "a/b/c.go", "a/b/c_test.go", "a/", "x.py", "*.go", "{a,b}", "[z]", "!", "\\",
		"## Subtask 1: x", "# Delegation Plan: y", "- **Allowed**: z", "\x00", "\u00a0", "\xff", "é", "..",
		"docs/logs/x",
		".git/config", "Cart", "Cart.Add()", "`a,b`", "\n`q`.go\n", "internal/http/", "internal/cart/cart.go", "mail",
		"~~~", ":", "<!--", "|",
	}
	random := rand.New(rand.NewPCG(1, 2))
	some := func(most int) string {
		var b strings.Builder
		for range random.IntN(most) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		return b.String()
	}
	for range long.Or(120, 12) {
		objective := ""
		if random.IntN(3) == 0 {
			objective = some(5)
		}
		checkDraft(t, some(6), some(40), some(40)+"\n"+some(20), objective, byte(random.IntN(4)))
		if t.Failed() {
			return
		}
	}
}

// checkDraft holds what every draft promises: a plan that parses, in which subtasks meet only where
// one comes after the other.
func checkDraft(t *testing.T, title, text, files, objective string, mode byte) {
	t.Helper()
	facts := shop()
	facts.Files = append(facts.Files, strings.Split(files, "\n")...)
	task := Task{Title: title, Text: text}
	if objective != "" {
		task.Objectives = []Objective{{objective, text}, {title, objective}}
	}
	o := Options{}
	if mode&1 != 0 {
		o.Roots = []string{"internal", "a/"}
	}
	if mode&2 != 0 {
		o.Forbidden = []string{"**/*.go"}
	}
	drafted := Draft(task, facts, o)
	p, err := Parse(drafted.Format(), o)
	if err != nil {
		t.Fatalf("%q: %v\nin\n%s", text, err, drafted.Format())
	}
	for i, s := range p.Subtasks {
		was := drafted.Subtasks[i]
		if !slices.Equal(s.Allowed, was.Allowed) || !slices.Equal(s.Forbidden, was.Forbidden) ||
			!slices.Equal(s.ExpectedOutputs, was.ExpectedOutputs) || !slices.Equal(s.Dependencies, was.Dependencies) {
			t.Errorf("%q: wrote %+v, read %+v", text, was, s)
		}
	}
	a, err := Analyze(p, o, facts)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range a.Overlaps {
		if !one.Ordered {
			t.Errorf("%d and %d meet in %q, and nothing orders them:\n%s", one.A, one.B, one.Witness, drafted.Format())
		}
	}
}

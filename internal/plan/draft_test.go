package plan

import (
	"delegate/internal/long"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// shop is a repository in which drafts look things up.
func shop() Facts {
	return Facts{
		Files: []string{
			"CHANGELOG.md", "README.md", "docs/api.md", "docs/01_progress.md", "go.mod",
			"internal/cart/cart.go", "internal/cart/cart_test.go", "internal/cart/total.go",
			"internal/http/router.go", "internal/http/router_test.go", "internal/http/session.go",
			"internal/mail/mail.go", "internal/mail/template.go",
			"tools/[odd].go",
		},
		Tests: []string{"internal/cart/cart_test.go", "internal/http/router_test.go"},
		Symbols: []Symbol{
			{"Cart", "internal/cart/cart.go", 3}, {"Cart.Add", "internal/cart/cart.go", 9},
			{"Total", "internal/cart/total.go", 5},
			{"Router", "internal/http/router.go", 4}, {"SessionStore", "internal/http/session.go", 8},
			{"Send", "internal/mail/mail.go", 7},
		},
		Links: []Link{
			{From: "internal/cart/cart.go", To: "internal/cart/total.go", Line: 12, Symbol: "Total", At: 5},
			{From: "internal/http/router.go", To: "internal/cart/cart.go", Line: 6, Symbol: "Cart", At: 3},
			{From: "internal/mail/mail.go", To: "internal/mail/template.go", Line: 6, Symbol: "Template", At: 3},
			{From: "internal/http/router.go", To: "internal/http/session.go", Line: 6, Symbol: "SessionStore", At: 3},
			{From: "internal/cart/total.go", To: "internal/http/session.go", Line: 6},
		},
		Together: []Together{{A: "internal/http/router.go", B: "internal/http/session.go", Count: 4, Of: 5,
			Commit: "0123456789abcdef"}},
		ScopeLimit: 20,
	}
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

func TestDraftOfSentences(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"symbols", "Add a discount to `Cart.Add` and fix SessionStore so that it expires",
			"1 Add a discount to Cart.Add | internal/cart/** | []\n2 Fix SessionStore so that it expires | " +
				"internal/http/** | []"},
		{"words", "Translate the mail templates; log what the router does",
			"1 Translate the mail templates | internal/mail/template.go internal/mail/template_test.go | []\n2 Log " +
				"what the router does | internal/http/** | []"},
		{"nothing", "Do something good", "1 Do something good | fill-in/the-files/** | []"},
		{"documents", "Rename Router to Mux and document it in the changelog",
			"1 Rename Router to Mux | internal/http/** | []\n2 Document it in the changelog | CHANGELOG.md | [1]"},
		{"tests belong to what they test", "Speed up Total and write tests for it",
			"1 Speed up Total | internal/cart/total.go internal/cart/total_test.go | []"},
		{"tests alone", "Write tests for `Total`", "1 Write tests for Total | internal/cart/total_test.go | []"},
		{"new file", "Add internal/cart/coupon.go with a coupon type",
			"1 Add internal/cart/coupon.go with a coupon type | internal/cart/coupon.go | []"},
		{"places", "Add metrics to internal/mail/ and internal/cart/",
			"1 internal/mail: Add metrics to internal/mail/ and internal/cart/ | internal/mail/** | []\n2 " +
				"internal/cart: Add metrics to internal/mail/ and internal/cart/ | internal/cart/** | []"},
		{"a name with marks", "Remove `tools/[odd].go`", `1 Remove tools/[odd].go | tools/\[odd\].go | []`},
		{"never the records", "Rewrite docs/01_progress.md",
			"1 Rewrite docs/01_progress.md | fill-in/the-files/** | []"},
		{"nouns are no seams", "Read and parse the mail and log files",
			"1 Read and parse the mail and log files | internal/mail/** | []"},
		{"then", "Change `Send`, then rewrite `Total`", "1 Change Send | internal/mail/** | []\n2 Rewrite Total | " +
			"internal/cart/total.go internal/cart/total_test.go | [1]"},
	}
	for _, tt := range tests {
		if got := lines(Draft(Task{Title: tt.text, Text: tt.text}, shop(), Options{})); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// tree is a repository of the files, with the symbols in "path: Name Name" lines.
func tree(lines ...string) Facts {
	f := Facts{ScopeLimit: 20}
	for _, line := range lines {
		name, symbols, _ := strings.Cut(line, ": ")
		f.Files = append(f.Files, name)
		for symbol := range strings.FieldsSeq(symbols) {
			f.Symbols = append(f.Symbols, Symbol{symbol, name, 1})
		}
	}
	return f
}

func TestDraftOfWordsInOtherForms(t *testing.T) {
	commands := tree("active_help.go: GetActiveHelp", "args.go: ValidateArgs ExactArgs", "command.go: Example",
		"completions.go: Complete", "fish_completions.go: GenFish",
		"zsh_completions.go: GenZshArguments", "doc/man.go: GenMan", "doc/yaml.go: GenYaml")
	collection := []string{"src/core/errors.ts: Error", "src/core/parse.ts: Parse", "src/main.ts: Main"}
	for i := range 30 {
		collection = append(collection, fmt.Sprintf("src/v4/locales/l%d.ts", i))
	}
	tests := []struct {
		name, text string
		facts      Facts
		want       string
	}{
		{"a package by its name", "Add an example generator to the doc package", commands, "doc/**"},
		{"package before the name", "Print examples in package doc", commands, "doc/**"},
		{"written out where code shortens", "Improve what argument validators say", commands, "args.go"},
		{"each file that is named by a word of its own", "Make the fish completions respect ActiveHelp", commands,
			"active_help.go fish_completions.go"},
		{"a module with dots", "Deprecate the web.utils.misc module",
			tree("py/web/utils/misc.py: f", "py/web/utils/other.py: g"), "py/web/utils/misc.py"},
		{"a folder of like files", "Add a Latin locale", tree(collection...), "src/v4/locales/**"},
	}
	for _, tt := range tests {
		if got := strings.Join(Draft(Task{Title: tt.text, Text: tt.text}, tt.facts, Options{}).Subtasks[0].Allowed,
			" "); got != tt.want {
			t.Errorf("%s: %q may be written, want %q", tt.name, got, tt.want)
		}
	}
	large := tree(collection...)
	large.Files = append(large.Files, "src/v4/core/errors.ts")
	if got := Draft(Task{Text: "Translate the errors in the v4 package"}, large,
		Options{}).Subtasks[0].Allowed[0]; got != "src/v4/core/errors.ts" {
		t.Errorf("in a large package %q may be written", got)
	}
}

func TestDraftOfObjectives(t *testing.T) {
	p := Draft(Task{Title: "Shop", Text: "All of it by Friday.",
		Objectives: []Objective{{"Carts", "Let `Total` round"}, {"Routes", "The router forgets"}}}, shop(), Options{})
	if len(p.Subtasks) != 2 || p.Subtasks[0].Task != "Carts" || p.Subtasks[1].Name != "Routes" {
		t.Fatalf("%+v", p.Subtasks)
	}
	s := p.Subtasks[0]
	for _, want := range []string{"Part of: Shop", "All of it by Friday.",
		"internal/cart/total.go: defines Total on line 5"} {
		if !strings.Contains(s.Context, want) {
			t.Errorf("context %q lacks %q", s.Context, want)
		}
	}
	if s.Type != Standard || s.Complexity != Low ||
		!slices.Equal(s.ExpectedOutputs, []string{"internal/cart/total.go"}) ||
		!strings.Contains(s.Description, "round") {
		t.Errorf("%+v", s)
	}
}

func TestDraftOfList(t *testing.T) {
	text := "Before the release:\n\n1. Fix `Send`\n   when the server is away\n2. [ ] Investigate why the router is " +
		"slow\n3) Refactor `Send` too\n\nKeep the API."
	p := Draft(Task{Title: "Release", Text: text}, shop(), Options{})
	want := "1 Fix Send | internal/mail/** | []\n2 Investigate why the router is slow | internal/http/** | []"
	if got := lines(p); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if p.Subtasks[1].Type != Research || !strings.Contains(p.Subtasks[0].Context, "Keep the API.") ||
		!strings.Contains(p.Subtasks[0].Description, "Refactor `Send` too") {
		t.Errorf("%+v", p.Subtasks)
	}
	if !strings.Contains(p.Reasoning, `"Refactor Send too" is part of "Fix Send"`) {
		t.Errorf("reasoning %q", p.Reasoning)
	}
}

func TestDraftSharesFiles(t *testing.T) {
	text := "- Add an index to internal/http/**\n- Fix `SessionStore`\n- Extend `Cart` and its total.go"
	p := Draft(Task{Title: "x", Text: text}, shop(), Options{})
	if f := p.Subtasks[0].Forbidden; !slices.Contains(f, "internal/http/session.go") &&
		!slices.Equal(p.Subtasks[1].Dependencies, []int{1}) {
		t.Errorf("two subtasks may write internal/http/session.go in any order:\n%s", p.Format())
	}
	if a := analyze(t, p, Options{}, shop()); slices.ContainsFunc(a.Overlaps, func(o Overlap) bool {
		return !o.Ordered
	}) {
		t.Errorf("overlaps %v", a.Overlaps)
	}
}

func TestDraftKeepsToTheConfiguration(t *testing.T) {
	o := Options{Roots: []string{"internal/cart"}, Forbidden: []string{"**/*_test.go"}}
	p := Draft(Task{Text: "Extend `Cart` and fix `Send`"}, shop(), o)
	if got := strings.Join(p.Subtasks[0].Allowed, " "); got != "internal/cart/**" &&
		!strings.HasPrefix(got, "internal/cart/cart.go") {
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
	for i, name := range facts.Files {
		facts.Symbols = append(facts.Symbols, Symbol{Name: name, Path: name, Line: i})
		if i > 0 {
			facts.Links = append(facts.Links, Link{From: facts.Files[i-1], To: name, Line: 1, Symbol: "x", At: 1})
		}
	}
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

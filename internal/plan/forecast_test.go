package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		name string
		plan *Plan
		want Split
		why  string
	}{
		{"one", made("a.go"), SplitNo, "there is one subtask"},
		{"chain", made("a.go", "b.go | 1", "c.go | 2"), SplitNo, "each subtask waits"},
		{"apart", made("a.go", "b.go"), SplitYes, "both subtasks, no overlapping files"},
		{"some wait", made("a.go", "b.go", "c.go | 1"), SplitPartially, "1 of 3 subtasks wait for others"},
		{"overlap", made("x/**", "x/a.go", "y/b.go"), SplitPartially,
			"subtasks 1 and 2 may change the same files"},
		{"overlap in order", made("x/**", "x/a.go | 1", "y/b.go"), SplitPartially, "1 of 3 subtasks wait for others"},
		{"many overlaps", made("x/**", "x/*", "x/?/**", "x/a.go"), SplitPartially,
			"subtasks 1 and 2, 1 and 3, 1 and 4, "},
	}
	for _, tt := range tests {
		a := analyze(t, tt.plan, Options{}, Facts{})
		if a.Split != tt.want || !strings.HasPrefix(a.Why, tt.why) {
			t.Errorf("%s: %s: %s; want %s: %s", tt.name, a.Split, a.Why, tt.want, tt.why)
		}
	}
}

func TestDuration(t *testing.T) {
	sized := func(p *Plan, types ...string) *Plan {
		for i, one := range types {
			kind, complexity, _ := strings.Cut(one, " ")
			p.Subtasks[i].Type, p.Subtasks[i].Complexity = TaskType(kind), complexity
		}
		return p
	}
	tests := []struct {
		plan *Plan
		max  int
		want string // longest, serial, parallel
	}{
		{made("a", "b", "c"), 0, "1 3 1"},
		{made("a", "b", "c"), 2, "1 3 2"},
		{made("a", "b | 1", "c | 2"), 0, "1 3 3"},
		{sized(made("a", "b", "c | 1"), "QUICK Low", "RESEARCH High", "ORCHESTRATION Medium"), 0, "4 7.25 4"},
		{sized(made("a", "b", "c | 1 2"), "QUICK Low", "RESEARCH High", "ORCHESTRATION Medium"), 0, "4 7.25 7"},
		{sized(made("a | 3", "b", "c"), "STANDARD High", "QUICK Medium", "STANDARD Medium"), 1, "2 3.5 3.5"},
	}
	for i, tt := range tests {
		d := analyze(t, tt.plan, Options{}, Facts{MaxParallel: tt.max}).Duration
		if got := fmt.Sprint(d.Longest, d.Serial, d.Parallel); got != tt.want {
			t.Errorf("%d: %s, want %s", i, got, tt.want)
		}
	}
}

// signs tells forecasts as "A-B kind text" lines.
func signs(all []Forecast) []string {
	var out []string
	for _, f := range all {
		for _, s := range f.Signs {
			out = append(out, fmt.Sprintf("%d-%d %s %s", f.A, f.B, s.Kind, s.Text))
		}
		if f.More > 0 {
			out = append(out, fmt.Sprintf("%d-%d more %d", f.A, f.B, f.More))
		}
	}
	return out
}

func TestForecasts(t *testing.T) {
	f := Facts{
		Files: []string{"http/mw.go", "http/x.go", "limit/bucket.go", "limit/fill.go", "both.go"},
		Links: []Link{
			{From: "both.go", To: "limit/bucket.go", Line: 1, Symbol: "Bucket", At: 3},
			{From: "http/mw.go", To: "limit/bucket.go", Line: 5, Symbol: "Bucket", At: 3},
			{From: "http/mw.go", To: "limit/bucket.go", Line: 7, Symbol: "New", At: 9},
			{From: "http/x.go", To: "limit/fill.go", Line: 2},
			{From: "limit/fill.go", To: "limit/bucket.go", Line: 2, Symbol: "Bucket", At: 3},
		},
		Together: []Together{
			{A: "http/mw.go", B: "limit/bucket.go", Count: 5, Of: 6, Commit: "0123456789abcdef"},
			{A: "http/x.go", B: "limit/bucket.go", Count: 2, Of: 6, Commit: "ffffffffffffffff"},
			{A: "http/x.go", B: "http/mw.go", Count: 9, Of: 9, Commit: "eeeeeeeeeeeeeeee"},
		},
	}
	want := []string{
		"1-2 uses http/mw.go:5 (2) uses Bucket, New of limit/bucket.go:3 (1)",
		"1-2 together http/mw.go (2) and limit/bucket.go (1) were changed together by 5 of 6 commits, last 01234567",
		"1-2 imports http/x.go:2 (2) imports limit/fill.go (1)",
		"1-2 more 1",
	}
	if got := signs(analyze(t, made("limit/** both.go", "http/** both.go"), Options{}, f).Forecasts); !slices.Equal(got,
		want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := analyze(t, made("limit/**", "http/** | 3", "else.go | 1"), Options{}, f).Forecasts; len(got) > 0 {
		t.Errorf("a pair that is ordered through a third has forecasts: %v", signs(got))
	}
}

// TestRenames holds that a plan says that one subtask renames what another uses, or is about to use.
func TestRenames(t *testing.T) {
	f := Facts{Files: []string{"greet/greet.go", "card/card.go", "doc/x.md"},
		Symbols: []Symbol{{Name: "Hello", Path: "greet/greet.go", Line: 3}},
		Links:   []Link{{From: "card/card.go", To: "greet/greet.go", Line: 7, Symbol: "Hello", At: 3}}}
	p := made("greet/**", "card/**", "invite/**", "doc/**")
	p.Subtasks[0].Name = "Rename the function `greet.Hello` to Greeting"
	p.Subtasks[2].Description = "Invitations that begin with greet.Hello."
	p.Subtasks[3].Description = "Rename files. Say hello. DO-RENAME DO, as greet does: DO it."
	p.Subtasks[2].Context = "DO what is asked."
	want := []string{
		"1-2 renames card/card.go:7 (2) uses Hello, which subtask 1 renames",
		"1-2 uses card/card.go:7 (2) uses Hello of greet/greet.go:3 (1)",
		"1-3 renames subtask 3 speaks of Hello, which subtask 1 renames",
	}
	if got := signs(analyze(t, p, Options{}, f).Forecasts); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	p.Subtasks[2].Dependencies = []int{1}
	if got := signs(analyze(t, p, Options{}, f).Forecasts); !slices.Equal(got, want[:2]) {
		t.Errorf("what is ordered is told: %q", got)
	}
}

// TestDraftOfARename holds that a drafted rename may change the files that use the old name.
func TestDraftOfARename(t *testing.T) {
	f := Facts{Files: []string{"src/utils.py", "src/models.py", "src/other.py"},
		Symbols: []Symbol{{Name: "guess_filename", Path: "src/utils.py", Line: 283}},
		Links: []Link{{From: "src/models.py", To: "src/utils.py", Line: 75, Symbol: "guess_filename", At: 283},
			{From: "src/other.py", To: "src/utils.py", Line: 3, Symbol: "to_str", At: 9}}}
	p := Draft(Task{Text: "Rename guess_filename to filename_of, and document src/other.py"}, f, Options{})
	if got := p.Subtasks[0].Allowed; !slices.Contains(got, "src/models.py") {
		t.Errorf("the scope of the rename is %q", got)
	}
}

func TestAdvice(t *testing.T) {
	f := Facts{
		Files: []string{"src/limit/bucket.py", "src/limit/other.py", "tests/limit/test_bucket.py", "lib/a.ts",
			"lib/a.test.ts", "web/bucket.py"},
		Tests:      []string{"tests/limit/test_bucket.py", "lib/a.test.ts"},
		ContextCap: 4,
	}
	tests := []struct {
		name string
		edit func(*Subtask)
		want string
	}{
		{"tests elsewhere", func(s *Subtask) {
			s.Allowed = []string{"src/limit/*.py"}
		}, "tests of its files are outside of the scope: tests/limit/test_bucket.py"},
		{"tests elsewhere in their folder", func(s *Subtask) {
			s.Allowed = []string{"lib/a.ts"}
		}, "tests of its files are outside of the scope: lib/a.test.ts"},
		{"another file of the name", func(s *Subtask) { s.Allowed = []string{"web/bucket.py"} }, ""},
		{"tests inside", func(s *Subtask) { s.Allowed = []string{"src/limit/*.py", "tests/limit/**"} }, ""},
		{"context", func(s *Subtask) {
			s.Context = "12345"
		}, "the context has 5 bytes, and an agent is handed the first 4"},
		{"no context", func(s *Subtask) {
			s.Context = " "
		}, "the context is empty; say what the agent must know besides its task"},
		{"outputs", func(s *Subtask) {
			s.ExpectedOutputs = nil
		}, "no expected outputs; name the files that show that the work is done"},
		{"misspelt", func(s *Subtask) {
			s.Allowed = []string{"src/limt/**"}
		}, `"src/limt/**" matches no file today, and there is no folder "src/limt"; did you mean "src/limit"?`},
		{"a new file", func(s *Subtask) { s.Allowed = []string{"lib/new.ts"} }, ""},
		{"a new folder", func(s *Subtask) {
			s.Allowed, s.ExpectedOutputs = []string{"cmd/tool/**"}, []string{"cmd/tool/main.ts"}
		}, ""},
		{"a folder that nothing is expected in", func(s *Subtask) {
			s.Allowed = []string{"cmd/tool/**"}
		}, `"cmd/tool/**" matches no file today, and there is no folder "cmd/tool"`},
	}
	for _, tt := range tests {
		p := made("lib/**")
		p.Subtasks[0].Allowed, p.Subtasks[0].ExpectedOutputs = []string{"lib/a.*"}, []string{"**/*"}
		tt.edit(&p.Subtasks[0])
		a := analyze(t, p, Options{}, f)
		want := []Warning{{1, tt.want}}
		if tt.want == "" {
			want = nil
		}
		if !slices.Equal(a.Warnings, want) {
			t.Errorf("%s: %v, want %v", tt.name, a.Warnings, want)
		}
	}
}

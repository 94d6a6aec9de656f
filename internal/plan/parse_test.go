package plan

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

const sample = `# Delegation Plan: Rate limits

Two parts that share no file.

## Subtask 1: Limiter core
- **Description**: Add a token bucket
- **Context**: docs/limits.md decides the rates; no allocation on the hot path
- **Allowed**: src/limit/**, tests/limit/**
- **Forbidden**: src/limit/legacy/**
- **Type**: STANDARD
- **Complexity**: Medium
- **Dependencies**: None
- **Expected Outputs**: src/limit/bucket.go
- **Agent**: claude

## Subtask 2: Middleware
- **Description**: Use it
- **Context**: see 1
- **Allowed**: src/http/**
- **Dependencies**: 1
`

func parse(t *testing.T, text string) *Plan {
	t.Helper()
	p, err := Parse([]byte(text), Options{})
	if err != nil {
		t.Fatalf("%v\nin:\n%s", err, text)
	}
	return p
}

func TestParseSample(t *testing.T) {
	want := &Plan{
		Title:     "Rate limits",
		Reasoning: "Two parts that share no file.",
		Subtasks: []Subtask{
			{
				Number: 1, Name: "Limiter core", Line: 5,
				Description: "Add a token bucket",
				Context:     "docs/limits.md decides the rates; no allocation on the hot path",
				Allowed:     []string{"src/limit/**", "tests/limit/**"}, Forbidden: []string{"src/limit/legacy/**"},
				Type: Standard, Complexity: Medium, ExpectedOutputs: []string{"src/limit/bucket.go"}, Agent: "claude",
			},
			{
				Number: 2, Name: "Middleware", Line: 16, Description: "Use it", Context: "see 1",
				Allowed: []string{"src/http/**"}, Type: Standard, Complexity: Medium, Dependencies: []int{1},
			},
		},
	}
	if got := parse(t, sample); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	crlf := "\ufeff" + strings.ReplaceAll(sample, "\n", "\r\n")
	if got := parse(t, crlf); !reflect.DeepEqual(got, want) {
		t.Errorf("with CRLF and a byte order mark: got %+v", got)
	}
}

// one wraps fields into a plan whose subtask 1 begins on line 2, its given fields on line 3.
func one(fields string) string {
	rest := ""
	for _, f := range []string{"Description", "Context", "Allowed"} {
		if !hasField(fields, f) {
			rest += "- **" + f + "**: src/a.go\n"
		}
	}
	return "# Delegation Plan: T\n## Subtask 1: One\n" + fields + rest
}

func hasField(fields, name string) bool {
	for l := range strings.SplitSeq(fields, "\n") {
		written, _, _ := readField(line{text: l})
		if got, ok := canonicalField(written); ok && got == name {
			return true
		}
	}
	return false
}

func TestFieldForms(t *testing.T) {
	forms := []string{
		"- **Description**: do it\n",
		"* **Description:** do it\n",
		"- Description: do it\n",
		"+ **description** :  do it  \n",
		"-   **DESCRIPTION**:do it\n",
		"- **Description**:\n  do it\n",
		"- **Description**:\n\n\tdo it\n\n",
		"---\n- **Description**: do it\n\n* * *\n",
	}
	for _, form := range forms {
		if got := parse(t, one(form)).Subtasks[0].Description; got != "do it" {
			t.Errorf("%q gives %q", form, got)
		}
	}
}

func TestFieldTextGoesOn(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"lines", "- **Context**: a\n  b\n  c\n", "a\nb\nc"},
		{"common indentation", "- **Context**: a\n      b\n    c\n", "a\n  b\nc"},
		{"all below", "- **Context**:\n    a\n      b\n", "a\n  b"},
		{"blank lines inside", "- **Context**: a\n\n\n  b\n\n", "a\n\n\nb"},
		{"tabs", "- **Context**: a\n\t- b\n\t\t- c\n", "a\n- b\n\t- c"},
		{"bullets that look like fields", "- **Context**: a\n  - **Allowed**: no\n", "a\n- **Allowed**: no"},
		{"indented heading", "- **Context**: a\n  ## Subtask 9: no\n  ### x\n", "a\n## Subtask 9: no\n### x"},
		{"fence", "- **Context**: a\n  ```go\n  func f() {\n\n      x()\n  }\n  ```\n",
			"a\n```go\nfunc f() {\n\n    x()\n}\n```"},
		{"fence at the margin", "- **Context**: a\n  ```\n# x\n- **Type**: no\n## y\n  ```\n",
			"a\n  ```\n# x\n- **Type**: no\n## y\n  ```"},
		{"fence behind the colon", "- **Context**: ```\nx\n  ```\n", "```\nx\n  ```"},
		{"tilde fence holds backticks", "- **Context**:\n  ~~~~\n  ```\n  ~~~\nx\n  ~~~~\n",
			"~~~~\n  ```\n  ~~~\nx\n  ~~~~"},
		{"an opening fence closes nothing", "- **Context**: a\n  ```\n  ```go\n## y\n  ```\n",
			"a\n  ```\n  ```go\n## y\n  ```"},
		{"inline code is no fence", "- **Context**: ```x``` is code\n", "```x``` is code"},
	}
	for _, tt := range tests {
		got := parse(t, one(tt.in)).Subtasks[0].Context
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLists(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{"a.go, b/**", []string{"a.go", "b/**"}},
		{"`a.go`, `b/**`", []string{"a.go", "b/**"}},
		{"src/{a,b}/*.go, c", []string{"src/{a,b}/*.go", "c"}},
		{"src/{a,{b,c}}.go,d", []string{"src/{a,{b,c}}.go", "d"}},
		{"x[a,b].go, c", []string{"x[a,b].go", "c"}},
		{`x\,y, c`, []string{`x\,y`, "c"}},
		{"a.go,, b.go,", []string{"a.go", "b.go"}},
		{"\n  - a.go\n  - `b.go`\n", []string{"a.go", "b.go"}},
		{"a.go,\n  b.go\n  * c/*.go\n", []string{"a.go", "b.go", "c/*.go"}},
	}
	for _, tt := range tests {
		if got := parse(t, one("- **Allowed**: "+tt.in+"\n")).Subtasks[0].Allowed; !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q gives %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestNoneIsEmpty(t *testing.T) {
	for _, none := range []string{"None", "none", "-", "", "`None`"} {
		fields := "- **Forbidden**: X\n- **Dependencies**: X\n- **Expected Outputs**: X\n- **Agent**: X\n- **Task**: " +
			"X\n- **Type**: X\n"
		s := parse(t, one(strings.ReplaceAll(fields, "X", none))).Subtasks[0]
		if s.Forbidden != nil || s.Dependencies != nil || s.ExpectedOutputs != nil || s.Agent != "" || s.Task != "" ||
			s.Type != Standard {
			t.Errorf("%q: %+v", none, s)
		}
	}
}

func TestWordsInAnyCase(t *testing.T) {
	s := parse(t, one("- **Type**: quick\n- **complexity**: HIGH\n- **expected_outputs**: a.md\n- **Agent**: "+
		"`codex`\n- **Task**: API limits\n")).Subtasks[0]
	if s.Type != Quick || s.Complexity != High || s.Agent != "codex" || s.Task != "API limits" ||
		len(s.ExpectedOutputs) != 1 {
		t.Errorf("%+v", s)
	}
}

func TestDependencySpellings(t *testing.T) {
	fields := "- **Description**: d\n- **Context**: c\n- **Allowed**: a.go\n"
	text := "# Delegation Plan: T\n## Subtask 1: a\n" + fields + "## Subtask 2: b\n" + fields + "## Subtask 3: c\n" +
		fields +
		"## subtask 04: d\n" + fields + "- **Dependencies**: subtask 3, #1,\n  - Subtask #2\n  - 1\n"
	s := parse(t, text).Subtasks[3]
	if want := []int{1, 2, 3}; s.Number != 4 || !reflect.DeepEqual(s.Dependencies, want) {
		t.Errorf("subtask %d has dependencies %v, want %v", s.Number, s.Dependencies, want)
	}
}

func TestReasoningGathersNotes(t *testing.T) {
	body := "- **Description**: d\n- **Context**: c\n- **Allowed**: a.go\n"
	text := "Here is the plan.\n\n# Delegation Plan: T\n\n  Why\n\n### Details\n```\n## x\n```\n\n## Subtask 1: a\n" +
		body +
		"\n## Notes\n\n- note: one\n\n---\n## Subtask 2: b\n" + body + "## Subtasks that wait\nnone\n"
	want := "Here is the plan.\n\n  Why\n\n### Details\n```\n## x\n```\n\n## Notes\n\n- note: one\n\n---\n\n## " +
		"Subtasks that wait\nnone"
	p := parse(t, text)
	if p.Reasoning != want {
		t.Errorf("got  %q\nwant %q", p.Reasoning, want)
	}
	if len(p.Subtasks) != 2 || p.Subtasks[0].Allowed[0] != "a.go" {
		t.Errorf("subtasks %+v", p.Subtasks)
	}
}

func TestContextModes(t *testing.T) {
	text := "# Delegation Plan: T\n## Subtask 1: a\n- **Description**: d\n- **Allowed**: a.go\n"
	if _, err := Parse([]byte(text), Options{Context: ContextOptional}); err != nil {
		t.Errorf("optional: %v", err)
	}
	if _, err := Parse([]byte(text), Options{}); err == nil || err.Error() != `line 2: subtask has no field "Context"` {
		t.Errorf("required: %v", err)
	}
}

func TestOptionsAreNoPlanFaults(t *testing.T) {
	for _, o := range []Options{{Forbidden: []string{"/abs"}}, {Roots: []string{"a/../b"}}} {
		_, err := Parse([]byte(sample), o)
		var f *Faults
		if err == nil || errors.As(err, &f) {
			t.Errorf("%+v: error %v, want one that does not blame the plan", o, err)
		}
	}
}

func TestScopeTakesOptionsIn(t *testing.T) {
	s := parse(t, sample).Subtasks[0]
	sc, err := s.Scope(Options{Forbidden: []string{"**/*.lock"}, Roots: []string{"src"}})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"src/limit/a.go": true, "src/limit/legacy/a.go": false, "src/limit/x.lock": false, "tests/limit/a.go": false,
	} {
		if got := sc.Check(path); got.Allowed != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

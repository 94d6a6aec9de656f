package plan

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

const (
	head   = "# Delegation Plan: T\n"                                               // line 1
	fields = "- **Description**: d\n- **Context**: c\n- **Allowed**: src/a.go\n"    // three lines
	sub1   = "## Subtask 1: a\n" + fields                                           // lines 2 to 5
	sub2   = "## Subtask 2: b\n- **Description**: d\n- **Context**: c\n" + allowed2 // lines 6 to 9 behind sub1

	allowed2 = "- **Allowed**: src/b.go\n"
)

func TestFaults(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want []string // "line: part of the reason"
	}{
		{"empty", "", []string{"1: no title", "1: no subtask"}},
		{"no title", sub1, []string{"1: no title"}},
		{"no title text", "# Delegation Plan:\n" + sub1,
			[]string{`1: write the heading as "# Delegation Plan: TITLE"`}},
		{"title without colon", "# Delegation plan\n" + sub1, []string{"1: write the heading"}},
		{"title with a dash", "# Delegation Plan - x\n" + sub1, []string{"1: write the heading"}},
		{"two titles", head + sub1 + head, []string{"6: a second title; the first is on line 1"}},
		{"no subtask", "\n" + head, []string{"2: no subtask"}},
		{"number used twice", head + sub1 + sub1, []string{"6: subtask number 1 is used twice, first on line 2"}},
		{"number zero", head + "## Subtask 0: a\n" + fields, []string{`2: subtask number "0" is not a positive`}},
		{"number negative", head + "## Subtask -1: a\n" + fields, []string{`2: subtask number "-1" is not a positive`}},
		{"number too large", head + "## Subtask 99999999999999999999: a\n" + fields, []string{"2: subtask number"}},
		{"no number", head + "## Subtask: a\n" + fields, []string{`2: write the heading as "## Subtask N: NAME"`}},
		{"number in words", head + "## Subtask one: a\n" + fields, []string{"2: write the heading"}},
		{"no space before the number", head + "## Subtask1: a\n" + fields, []string{"2: write the heading"}},
		{"no colon", head + "## Subtask 1 a\n" + fields, []string{"2: write the heading"}},
		{"wrong level", head + sub1 + "### Subtask 2: b\n" + fields, []string{"6: write the heading"}},
		{"misspelt heading", head + sub1 + "## Subtsk 2: b\n" + fields,
			[]string{"7: field outside of a subtask", "9: field outside of a subtask"}},
		{"no name", head + "## Subtask 1:\n" + fields, []string{"2: subtask 1 has no name"}},
		{"nothing in it", head + "## Subtask 1: a\n",
			[]string{`2: subtask has no field "Description"`, `2: subtask has no field "Context"`,
				`2: subtask has no field "Allowed"`}},
		{"empty fields", head + "## Subtask 1: a\n- **Description**:\n- **Context**: None\n- **Allowed**: -\n",
			[]string{`3: field "Description" is empty`,
				`4: field "Context" is empty; say what the agent must know, or start the plan with --no-context`,
				`5: field "Allowed" is empty`}},
		{"unknown field", head + sub1 + "- **Alowed**: x\n",
			[]string{`6: unknown field "Alowed"; did you mean "Allowed"?`}},
		{"unknown field far off", head + sub1 + "- **Priority**: x\n  more\n",
			[]string{`6: unknown field "Priority"; known are: Description`}},
		{"duplicate field", head + sub1 + "- **context**: x\n",
			[]string{`6: field "Context" is given twice, first on line 4`}},
		{"text outside", head + sub1 + "loose\nlines\n\nagain\n",
			[]string{`6: text outside a field; indent it if it belongs to "Allowed"`, "9: text outside a field"}},
		{"text before the fields", head + "## Subtask 1: a\nloose\n" + fields,
			[]string{"3: text outside a field; a subtask consists of fields"}},
		{"deeper heading", head + sub1 + "### Details\n", []string{"6: text outside a field"}},
		{"other top heading", head + sub1 + "# Other\n", []string{"6: text outside a field"}},
		{"fence outside", head + sub1 + "```\n- **Type**: NOPE\n```\n", []string{"6: text outside a field"}},
		{"bad type", head + sub1 + "- **Type**: FAST\n",
			[]string{`6: unknown Type "FAST"; write one of: QUICK, STANDARD`}},
		{"bad complexity", head + sub1 + "- **Complexity**: Huge\n",
			[]string{`6: unknown Complexity "Huge"; write one of: Low, Medium, High`}},
		{"type of two lines", head + sub1 + "- **Type**: QUICK\n  or not\n", []string{`6: "Type" takes one line`}},
		{"agent of two words", head + sub1 + "- **Agent**: claude or codex\n",
			[]string{`6: agent "claude or codex" is not the name`}},
		{"scope of everything", head + strings.Replace(sub1, "src/a.go", "src/a.go, **", 1),
			[]string{`5: "**" matches every path`}},
		{"scope of the root", head + strings.Replace(sub1, "src/a.go", "*", 1), []string{`5: "*" matches every path`}},
		{"absolute pattern", head + sub1 + "- **Forbidden**: /etc\n", []string{`6: "/etc"`}},
		{"pattern below the field", head + sub1 + "- **Forbidden**:\n  - a.go\n  - ../x\n", []string{`8: "../x"`}},
		{"open brace", head + sub1 + "- **Forbidden**: {a,b\n", []string{`6: "{a,b"`}},
		{"bad output", head + sub1 + "- **Expected Outputs**: ok.md,\n  ../x.md\n",
			[]string{`7: expected output: pattern "../x.md"`}},
		{"dependency in words", head + sub1 + "- **Dependencies**: the first\n",
			[]string{`6: dependency "the first" is not the number`}},
		{"dependency zero", head + sub1 + "- **Dependencies**: 0\n", []string{`6: dependency "0" is not the number`}},
		{"dependency unknown", head + sub1 + "- **Dependencies**: 7\n",
			[]string{"6: subtask 1 depends on subtask 7, which does not exist"}},
		{"dependency on itself", head + sub1 + "- **Dependencies**: 1\n", []string{"6: subtask 1 depends on itself"}},
		{"cycle", head + sub1 + "- **Dependencies**: 2\n" + sub2 + "- **Dependencies**: 1\n",
			[]string{"6: dependencies form a cycle: 1 → 2 → 1"}},
		{"open fence", head + sub1 + "- **Task**: x\n" + "## Subtask 2: b\n- **Context**: c\n  ```\n" + fields,
			[]string{`7: subtask has no field "Description"`, `7: subtask has no field "Allowed"`,
				"9: code fence is never closed"}},
		{"fence over a heading", head + "## Subtask 1: a\n- **Allowed**: src/a.go\n- **Description**: d\n- " +
			"**Context**: c\n  ```\n" + sub2,
			[]string{"7: heading in the code fence that line 6 opens"}},
		{"fence in the reasoning", head + "```\n" + sub1, []string{"3: heading in the code fence that line 2 opens"}},
		{"control character", head + sub1 + "- **Task**: a\x1b[2Jb\n",
			[]string{"6: contains the control character U+001B"}},
		{"carriage return inside", head + sub1 + "- **Task**: a\rb\n",
			[]string{"6: contains the control character U+000D"}},
		{"not UTF-8", head + sub1 + "- **Task**: a\xffb\n", []string{"6: is not UTF-8 text"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Parse([]byte(tt.in), Options{})
			var f *Faults
			if !errors.As(err, &f) {
				t.Fatalf("plan %+v, error %v, want faults", p, err)
			}
			ok := len(f.List) == len(tt.want)
			for i := range min(len(f.List), len(tt.want)) {
				at, say, _ := strings.Cut(tt.want[i], ": ")
				ok = ok && fmt.Sprint(f.List[i].Line) == at && strings.Contains(f.List[i].Reason, say)
			}
			if !ok {
				t.Errorf("got:\n%v\nwant:\n%s", err, strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestOneFaultForOneMistake: a field which is there under a wrong name is not said to be missing too, and a picture has
// no faults in its lines.
func TestOneFaultForOneMistake(t *testing.T) {
	for want, in := range map[string]string{
		`line 5: unknown field "Alowed"; did you mean "Allowed"?`: strings.Replace(sub1, "Allowed", "Alowed", 1),
		"line 3: contains a NUL byte: this is no text":            "\x89PNG\r\n\x00\x00\xff\n\xff",
		`line 3: unknown field "Descripton"; did you mean "Description"?`: strings.Replace(sub1, "- **Description",
			"- **Descripton**: x\n- **Description", 1),
	} {
		if _, err := Parse([]byte(head+in), Options{}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestAllFaultsAtOnceInOrder(t *testing.T) {
	in := "# Delegation Plan: T\n" +
		"## Subtask 1: a\n- **Description**: d\n- **Context**: c\n- **Allowed**: **\n- **Dependencies**: 3\n" +
		"## Subtask 1: b\n- **Descripton**: d\n- **Context**: c\n- **Allowed**: b.go\n- **Type**: x\n" +
		"## Subtask 3: c\n- **Description**: d\n- **Context**: c\n- **Allowed**: c.go\n- **Dependencies**: 1\n"
	_, err := Parse([]byte(in), Options{})
	var f *Faults
	if !errors.As(err, &f) {
		t.Fatal(err)
	}
	var lines []int
	for _, one := range f.List {
		lines = append(lines, one.Line)
	}
	if want := "[5 6 7 8 11]"; fmt.Sprint(lines) != want {
		t.Errorf("faults on lines %v, want %s:\n%v", lines, want, err)
	}
	if !strings.HasPrefix(err.Error(), "line 5: ") {
		t.Errorf("error text %q", err.Error())
	}
}

func TestSizesAreBounded(t *testing.T) {
	big := head + strings.Repeat("text\n", MaxSize/5+1) + sub1
	if _, err := Parse([]byte(big), Options{}); err == nil || !strings.Contains(err.Error(), "the limit is 1048576") {
		t.Errorf("large file: %v", err)
	}
	var many strings.Builder
	many.WriteString(head)
	for i := range maxSubtasks + 1 {
		fmt.Fprintf(&many, "## Subtask %d: a\n%s", i+1, fields)
	}
	if _, err := Parse([]byte(many.String()), Options{}); err == nil ||
		err.Error() != "line 402: the plan has 101 subtasks, the limit is 100" {
		t.Errorf("many subtasks: %v", err)
	}
	_, err := Parse([]byte(strings.Repeat("\x01\n", 5000)), Options{})
	var f *Faults
	if !errors.As(err, &f) || len(f.List) != maxFaults+1 || !strings.Contains(f.List[maxFaults].Reason, "more faults") {
		t.Errorf("no plan at all: %d faults", len(f.List))
	}
}

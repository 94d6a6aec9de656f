package checkpoint

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

const canonicalText = `═══════════════════════════════════════
AGENT CHECKPOINT: AGT-001
═══════════════════════════════════════

Status: COMPLETE
Progress: 100%

## Changes Made
| File | Action | Description |
|------|--------|-------------|
| src/a.go | created | the \| core |
| src/b.go | modified |  |
| src/c.go | deleted | unused |

## Tests Run
- Executed: Y
- Result: FAIL
- Failed: TestA, TestB

## Blockers
None

## Questions for Parent
Which rate?

- per key
- per address

## Request
MERGE

═══════════════════════════════════════
`

const reportText = `═══════════════════════════════════════
AGENT CHECKPOINT: AGT-002
═══════════════════════════════════════

Status: PARTIAL
Subtask: Limiter core

## Changes Made
| File | Action | Description |
|------|--------|-------------|
| src/a.go | created | core |

## Test Results
- Tests Run: Y
- Result: PASS
- Details: 12 passed

## Issues Encountered
None

## Notes for Parent
The clock is injected.

═══════════════════════════════════════
`

const templateText = `═══════════════════════════════════════
AGENT CHECKPOINT: [AGT-XXX]
═══════════════════════════════════════

Status: COMPLETE | BLOCKED | IN_PROGRESS
Progress: [0-100]%

## Changes Made
| File | Action | Description |
|------|--------|-------------|
| path | created/modified/deleted | brief |

## Tests Run
- Executed: Y/N
- Result: PASS/FAIL/SKIPPED
- Failed: list if any

## Blockers
None | text

## Questions for Parent
None | text

## Request
CONTINUE | MERGE | HELP | ABORT

═══════════════════════════════════════
`

func canonicalBlock() Block {
	return Block{
		Form: Canonical, Agent: "AGT-001", Status: Complete, Progress: 100,
		Changes: []Change{
			{"src/a.go", Created, "the | core"},
			{"src/b.go", Modified, ""},
			{"src/c.go", Deleted, "unused"},
		},
		Tests:     Tests{Executed: true, Result: Fail, Failed: "TestA, TestB"},
		Questions: "Which rate?\n\n- per key\n- per address",
		Request:   Merge,
	}
}

func reportBlock() Block {
	return Block{
		Form: Report, Agent: "AGT-002", Status: Partial, Progress: -1, Subtask: "Limiter core",
		Changes: []Change{{"src/a.go", Created, "core"}},
		Tests:   Tests{Executed: true, Result: Pass, Details: "12 passed"},
		Notes:   "The clock is injected.",
	}
}

func TestParseForms(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want Block
	}{
		"canonical":   {canonicalText, canonicalBlock()},
		"second form": {reportText, reportBlock()},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
			if got.String() != c.text {
				t.Errorf("printed\n%s\nwant\n%s", got.String(), c.text)
			}
		})
	}
}

func TestCompletionAndContradiction(t *testing.T) {
	for _, c := range []struct {
		status                 Status
		request                Request
		complete, contradictry bool
	}{
		{Complete, Merge, true, false},
		{Complete, NoRequest, true, false},
		{Complete, Continue, false, true},
		{Complete, Help, false, true},
		{Complete, Abort, false, true},
		{InProgress, Merge, false, false},
		{Blocked, Help, false, false},
		{Partial, NoRequest, false, false},
	} {
		b := Block{Status: c.status, Request: c.request}
		if b.Completion() != c.complete || b.Contradictory() != c.contradictry {
			t.Errorf("%s %s: completion %v, contradictory %v", c.status, c.request, b.Completion(), b.Contradictory())
		}
	}
}

// wrap puts a body between canonical rules.
func wrap(body string) string {
	return headerRule + "\nAGENT CHECKPOINT: AGT-001\n" + headerRule + "\n" + body + "\n" + headerRule + "\n"
}

// TestNoise is B-3 inside a block: each line reads like the plain one.
func TestNoise(t *testing.T) {
	plain := Block{Agent: "AGT-001", Status: InProgress, Progress: 40, Request: Continue,
		Changes: []Change{{"a.go", Modified, "x"}}, Blockers: "no key",
		Tests: Tests{Executed: true, Result: Pass}}
	for name, text := range map[string]string{
		"plain": wrap("Status: IN_PROGRESS\nProgress: 40%\n## Changes Made\n|a.go|modified|x|\n## Tests " +
			"Run\n- Executed: Y\n- Result: PASS\n## Blockers\nno key\n## Request\nCONTINUE"),
		"emphasis": wrap("**Status:** IN_PROGRESS\n**Progress**: 40%\n## **Changes Made**\n" +
			"|`a.go`|**modified**|x|\n**Tests Run**\n- **Executed:** Yes\n- __Result__: passed\n**Blockers:** no " +
			"key\n## Request\n**CONTINUE**"),
		"case and marks": wrap("Status: `in progress`\nProgress: [40] %\n### Changes Made:\n| a.go | Updated | x |\n" +
			"### Tests Run\n* executed: true\n* result: Pass\n### Blockers\nno key\n### Request\n- [CONTINUE]"),
		"inline": wrap("- Status: IN-PROGRESS\n- Progress: ~40%\nChanges Made\na.go | M | x\nTests Run\n" +
			"Executed: Y\nResult: ✅ PASS\n## Blockers: no key\n- Request: CONTINUE - more to do"),
		"brackets": strings.Replace(wrap("Status: IN_PROGRESS\nProgress: 40\n## Changes Made\n|a.go|modified|x|\n"+
			"## Unknown\nwords\n## Tests Run\n- Executed: Y\n- Result: PASS\n"+
			"## Blockers\nno key\n## Request\nCONTINUE"), "AGT-001", "[AGT-001]", 1),
		"checkboxes": wrap("# Status: IN_PROGRESS\nProgress: 40/100\n## Changes Made\n|a.go|modified|x|\n## Tests " +
			"Run\n- Executed: Y\n- Result: PASS\n## Blockers\nno key\n## Request\n- [ ] MERGE\n- [x] CONTINUE"),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, plain) {
				t.Errorf("got  %+v\nwant %+v", got, plain)
			}
		})
	}
}

func TestValues(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want Block
	}{
		"status alone":     {"Status: BLOCKED", Block{Status: Blocked}},
		"status explained": {"Status: BLOCKED (waiting for a key)", Block{Status: Blocked}},
		"none in many words": {"Status: BLOCKED\n## Blockers\n- None.\n## Questions for Parent\nN/A\n## Request\nNone",
			Block{Status: Blocked}},
		"no changes, row": {"Status: BLOCKED\n## Changes Made\n| File | Action | Description |\n|---|:-:|---|\n| " +
			"None | - | n/a |", Block{Status: Blocked, Changes: []Change{}}},
		"no changes, word": {"Status: BLOCKED\n## Changes Made\nNone", Block{Status: Blocked, Changes: []Change{}}},
		"words near a table": {"Status: BLOCKED\n## Changes Made\nOnly this:\n| a | created | |",
			Block{Status: Blocked, Changes: []Change{{"a", Created, ""}}}},
		"rename": {"Status: BLOCKED\n## Changes Made\n| `a` -> `b` | renamed | moved |",
			Block{Status: Blocked, Changes: []Change{{"a", Deleted, "moved"}, {"b", Created, "moved"}}}},
		"cell escapes": {"Status: BLOCKED\n## Changes Made\n" + `| a\|b | created | x\\|y \n |`,
			Block{Status: Blocked, Changes: []Change{{"a|b", Created, `x\|y \n`}}}},
		"dunder path": {"Status: BLOCKED\n## Changes Made\n| __init__ | created | _x_ |",
			Block{Status: Blocked, Changes: []Change{{"__init__", Created, "_x_"}}}},
		"failed list": {"Status: BLOCKED\n## Tests Run\n- Executed: Y (go test ./...)\n- Result: FAIL\n- " +
			"Failed:\n  - TestA\n  - TestB",
			Block{Status: Blocked, Tests: Tests{true, Fail, "TestA; TestB", "go test ./..."}}},
		"not executed": {"Status: BLOCKED\n## Tests Run\n- Executed: No\n- Result: Skipped\n- Failed: 0",
			Block{Status: Blocked, Tests: Tests{Result: Skipped}}},
		"counted": {"Status: PARTIAL\n## Test Results\nTests Run: 14\nResult: PASS\nDetails: all",
			Block{Form: Report, Status: Partial, Tests: Tests{true, Pass, "", "14; all"}}},
		"report, complete": {"Status: COMPLETE\n## Notes for Parent\ndone",
			Block{Form: Report, Status: Complete, Notes: "done"}},
		"both forms": {"Status: COMPLETE\nSubtask: x\n## Notes for Parent\nn\n## Request\nMERGE",
			Block{Status: Complete, Subtask: "x", Notes: "n", Request: Merge}},
		"shell comment": {"Status: BLOCKED\n## Blockers\n```sh\n# try\nmake\n```",
			Block{Status: Blocked, Blockers: "```sh\n# try\nmake\n```"}},
		"indented list": {"Status: BLOCKED\n## Blockers\n- a\n  - b",
			Block{Status: Blocked, Blockers: "- a\n  - b"}},
		"explained request": {"Status: BLOCKED\n## Request\nHELP: I need a decision\nPlease.",
			Block{Status: Blocked, Request: Help}},
		"bold tests run": {"Status: PARTIAL\n## Test Results\n**Tests Run:** 5\n**Result:** PASS",
			Block{Form: Report, Status: Partial, Tests: Tests{true, Pass, "", "5"}}},
		"hard blanks": {"Status:\u00a0BLOCKED\n##\u00a0Blockers\nx\u00a0y",
			Block{Status: Blocked, Blockers: "x y"}},
		"marks in the text": {"Status: BLOCKED\n## Blockers\n\ufeffa\ufeffb\n\ufeff",
			Block{Status: Blocked, Blockers: "ab"}},
		"trailing sharp": {"Status: BLOCKED\n## Blockers: the C#\n", Block{Status: Blocked, Blockers: "the C#"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(wrap(c.body))
			if err != nil {
				t.Fatal(err)
			}
			c.want.Agent, c.want.Progress = "AGT-001", -1
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
			roundTrip(t, got)
		})
	}
}

func roundTrip(t *testing.T, b Block) {
	t.Helper()
	again, err := Parse(b.String())
	if err != nil {
		t.Fatalf("the print does not parse: %v\n%s", err, b)
	}
	if !reflect.DeepEqual(again, b) {
		t.Fatalf("the print parses to another value:\n%+v\n%+v\n%s", b, again, b)
	}
}

// TestFaults is B-5: line and reason of each fault. The body starts at line 4.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		line int
		want string
	}{
		"no status":         {"Progress: 10%", 2, "Status is missing"},
		"unknown status":    {"Status: DONE", 4, `"DONE"`},
		"two words":         {"Status: COMPLETE, was BLOCKED", 4, "Status"},
		"progress above":    {"Status: BLOCKED\nProgress: 101%", 5, `"101%"`},
		"progress word":     {"Status: BLOCKED\nProgress: abc", 5, `"abc"`},
		"progress fraction": {"Status: BLOCKED\nProgress: 3/4", 5, `"3/4"`},
		"short row":         {"Status: BLOCKED\n## Changes Made\n| a | created |", 6, "2 columns"},
		"long row":          {"Status: BLOCKED\n## Changes Made\n| a | created | x | y |", 6, "4 columns"},
		"odd action":        {"Status: BLOCKED\n## Changes Made\n| a | painted | x |", 6, `"painted"`},
		"two actions": {"Status: BLOCKED\n## Changes Made\n| a | created/modified | x |", 6,
			`"created/modified"`},
		"rename, one name":   {"Status: BLOCKED\n## Changes Made\n| a | renamed | x |", 6, "both names"},
		"no file":            {"Status: BLOCKED\n## Changes Made\n| | created | x |", 6, "no file"},
		"list for a table":   {"Status: BLOCKED\n## Changes Made\n- a: created", 6, "list item"},
		"prose for a table":  {"Status: BLOCKED\n## Changes Made\nsome files", 6, "no table"},
		"executed":           {"Status: BLOCKED\n## Tests Run\n- Executed: maybe", 6, `"maybe"`},
		"result":             {"Status: BLOCKED\n## Tests Run\n- Result: fine", 6, `"fine"`},
		"request":            {"Status: BLOCKED\n## Request\nPAUSE", 6, `"PAUSE"`},
		"request empty":      {"Status: BLOCKED\n## Request\n", 2, "Request is empty"},
		"request twice":      {"Status: BLOCKED\n## Request\nMERGE\nHELP", 7, "second value"},
		"request doubtful":   {"Status: BLOCKED\n## Request\nCONTINUE, or MERGE", 6, "Request"},
		"field twice":        {"Status: BLOCKED\nStatus: COMPLETE", 5, "twice"},
		"section twice":      {"Status: BLOCKED\n## Blockers\nx\n## Blockers\ny", 7, "twice"},
		"first fault counts": {"Status: BLOCKED\n## Changes Made\n- a\n## Tests Run\n- Executed: ?", 6, "list item"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(wrap(c.body))
			var se *SyntaxError
			if !errors.As(err, &se) {
				t.Fatalf("error is %v", err)
			}
			if se.Line != c.line || !strings.Contains(se.Reason, c.want) {
				t.Errorf("got %v, want line %d with %q", se, c.line, c.want)
			}
		})
	}
}

func TestParseWantsOneBlock(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		line int
	}{
		"none":     {"nothing\nhere\n", 1},
		"two":      {canonicalText + "words\n" + reportText, 35},
		"template": {templateText, 2},
		"cut off":  {canonicalText[:strings.Index(canonicalText, "src/b")], 12},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(c.text)
			var se *SyntaxError
			if !errors.As(err, &se) || se.Line != c.line {
				t.Errorf("error is %v, want line %d", err, c.line)
			}
		})
	}
}

// TestTemplateEchoes is B-4: each placeholder alone makes a block the template.
func TestTemplateEchoes(t *testing.T) {
	for name, text := range map[string]string{
		"whole":         templateText,
		"whole, real":   strings.Replace(templateText, "[AGT-XXX]", "AGT-001", 1),
		"id":            strings.Replace(canonicalText, "AGT-001", "AGT-XXX", 1),
		"id, bracketed": strings.Replace(canonicalText, "AGT-001", "[AGT-NNN]", 1),
		"id, angle":     strings.Replace(canonicalText, "AGT-001", "<agent id>", 1),
		"status":        wrap("Status: COMPLETE | BLOCKED | PARTIAL"),
		"status [ ]":    wrap("Status: [COMPLETE|BLOCKED]"),
		"progress":      wrap("Status: BLOCKED\nProgress: 0-100%"),
		"progress [ ]":  wrap("Status: BLOCKED\nProgress: [0-100]%"),
		"action":        wrap("Status: BLOCKED\n## Changes Made\n| path | created/modified/deleted | brief |"),
		"executed":      wrap("Status: BLOCKED\n## Tests Run\n- Executed: Y/N"),
		"result":        wrap("Status: BLOCKED\n## Tests Run\n- Result: PASS/FAIL"),
		"failed":        wrap("Status: BLOCKED\n## Tests Run\n- Failed: list if any"),
		"text":          wrap("Status: BLOCKED\n## Blockers\nNone | text"),
		"request":       wrap("Status: BLOCKED\n## Request\nCONTINUE | MERGE | HELP | ABORT"),
		"with a fault":  wrap("Status: COMPLETE | BLOCKED\nProgress: 300%"),
		"cut off":       templateText[:300],
	} {
		t.Run(name, func(t *testing.T) {
			items := scanAll(t, "AGT-001", text)
			if len(items) != 1 || items[0].Kind != Echo || items[0].Reason == "" {
				t.Errorf("items are %+v", items)
			}
		})
	}
}

// TestValueBelow holds that a value is also read on the line below its name.
func TestValueBelow(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want Block
	}{
		"headings": {"## Status\nCOMPLETE\n\n## Progress\n\n80%\n## Subtask\nThe part\n" +
			"## Changes Made\nNone\n## Request\nMERGE",
			Block{Status: Complete, Progress: 80, Subtask: "The part", Changes: []Change{}, Request: Merge}},
		"emphasis and lists": {"**Status:**\n- **BLOCKED**\nProgress:\n`10%`",
			Block{Status: Blocked, Progress: 10}},
		"boxes": {"### Status\n- [ ] COMPLETE\n- [x] IN_PROGRESS\n- [ ] BLOCKED\n## Request\n- [x] CONTINUE",
			Block{Status: InProgress, Progress: -1, Request: Continue}},
		"tests": {"Status: COMPLETE\n## Tests Run\n### Executed\nY\n### Result\n\nPASS\n### Failed\nNone",
			Block{Status: Complete, Progress: -1, Tests: Tests{Executed: true, Result: Pass}}},
		"tests, fields": {"Status: COMPLETE\n## Tests Run\n- Executed:\n  N\n- Result:\n  SKIPPED" +
			"\n- Details: none of them",
			Block{Status: Complete, Progress: -1, Tests: Tests{Result: Skipped, Details: "none of them"}}},
		"tests, words": {"Status: COMPLETE\n## Tests Run\n- Result:\nall of it is well",
			Block{Status: Complete, Progress: -1, Tests: Tests{Details: "all of it is well"}}},
	} {
		got, err := Parse(wrap(c.body))
		c.want.Agent, c.want.Form = "AGT-001", got.Form
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v\nwant %+v", name, got, err, c.want)
		}
	}
	for body, want := range map[string]string{
		"Status:\n## Changes Made":                 `Status is ""`,
		"## Status\nProgress: 10%":                 `Status is ""`,
		"## Status\nwell done\nCOMPLETE":           `Status is "well done"`,
		"Status: BLOCKED\nProgress:\nplenty":       `Progress is "plenty"`,
		"## Status\nCOMPLETE | BLOCKED\nProgress:": "not filled in",
	} {
		if _, err := Parse(wrap(body)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", body, err, want)
		}
	}
}

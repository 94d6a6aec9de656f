//go:build !windows

package main

import (
	"bytes"
	"strings"
	"testing"

	"delegate/change"
	"delegate/checkpoint"
	"delegate/conflict"
	"delegate/internal/land/bisect"
	"delegate/internal/land/review"
	"delegate/internal/text/ui"
	"delegate/internal/view/status"

	"github.com/creack/pty"
)

// onPaper is an app whose output is kept; with columns it writes for a terminal of that width, without for a file.
func onPaper(t *testing.T, columns uint16) (*app, *bytes.Buffer) {
	t.Helper()
	t.Setenv("NO_COLOR", "1")
	var out bytes.Buffer
	a := &app{term: ui.New(nil, nil, nil), out: &out}
	if columns > 0 {
		keyboard, tty, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { keyboard.Close(); tty.Close() })
		if err := pty.Setsize(tty, &pty.Winsize{Rows: 40, Cols: columns}); err != nil {
			t.Fatal(err)
		}
		a.term = ui.New(tty, tty, tty)
	}
	return a, &out
}

// look compares what was printed, line by line and without blanks at the ends, and holds that it fits the width.
func look(t *testing.T, out *bytes.Buffer, columns int, want string) {
	t.Helper()
	got := out.String()
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("printed:\n%s\nwant:\n%s", got, want)
	}
	for line := range strings.Lines(got) {
		if w := ui.Columns(strings.TrimRight(line, "\n")); columns > 0 && w > columns {
			t.Errorf("%d columns of %d: %q", w, columns, line)
		}
	}
}

func TestPrintFiles(t *testing.T) {
	files := []change.File{
		{Path: "src/short.go", Kind: change.Modified, OldMode: change.ModeFile, NewMode: change.ModeFile, Insertions: 3,
			Deletions: 1},
		{Path: "run.sh", Kind: change.Added, NewMode: change.ModeExecutable, Insertions: 200},
		{Path: "new/name", OldPath: "old/name", Kind: change.Renamed, OldMode: change.ModeFile,
			NewMode: change.ModeFile, Insertions: 1, Deletions: 99},
		{Path: "logo.png", Kind: change.Added, NewMode: change.ModeFile, Binary: true},
		{Path: "a/very/long/way/down/into/the/folders/of/a/project/to/the/file.go", Kind: change.Deleted,
			OldMode: change.ModeFile, Deletions: 2},
	}
	a, out := onPaper(t, 0)
	a.printFiles(files)
	look(t, out, 0, `
  modified  +3 −1    +++−        src/short.go
  added     +200 −0  ++++++++++  run.sh (executable)
  renamed   +1 −99   +−−−−−−−−−  old/name → new/name
  added     binary               logo.png
  deleted   +0 −2    −−          a/very/long/way/down/into/the/folders/of/a/project/to/the/file.go
  5 files, +204 −102`)
	a, out = onPaper(t, 60)
	a.printFiles(files)
	look(t, out, 60, `
  modified  +3 −1    src/short.go
  added     +200 −0  run.sh (executable)
  renamed   +1 −99   old/name → new/name
  added     binary   logo.png
  deleted   +0 −2    …he/folders/of/a/project/to/the/file.go
  5 files, +204 −102`)
}

func claims() status.Report {
	block := checkpoint.Block{Agent: "AGT-001", Status: checkpoint.Complete, Progress: -1, Request: checkpoint.Merge,
		Notes: "Mind the\x1b[2J gap."}
	return status.Report{Block: block.String(), Claims: []checkpoint.Row{
		{Kind: checkpoint.RowFile, Path: "src/a/rather/long/path/of/a/file.go", Claimed: "created", Seen: "created"},
		{Kind: checkpoint.RowFile, Path: "src/b.go", Seen: "deleted", Differs: true},
		{Kind: checkpoint.RowTests, Claimed: "PASS", Seen: "no test run", Differs: true},
	}}
}

func TestPrintClaims(t *testing.T) {
	a, out := onPaper(t, 0)
	a.printReport(claims())
	look(t, out, 0, `
Agent reports: done. 2 claims differ from the diff: src/b.go, tests.
                                          its report says  git and transcript show
  =  src/a/rather/long/path/of/a/file.go  created          created
  ≠  src/b.go                             —                deleted
  ≠  tests                                PASS             no test run
  Notes: Mind the gap.`)
	a, out = onPaper(t, 60)
	a.printReport(claims())
	look(t, out, 0, `
Agent reports: done. 2 claims differ from the diff: src/b.go, tests.
  = src/a/rather/long/path/of/a/file.go
      says created, shown created
  ≠ src/b.go
      says —, shown deleted
  ≠ tests
      says PASS, shown no test run
  Notes: Mind the gap.`)
}

func TestPrintClaimsThatHold(t *testing.T) {
	report := claims()
	report.Claims = report.Claims[:1]
	a, out := onPaper(t, 0)
	a.printReport(report)
	if !strings.HasPrefix(out.String(), "Agent reports: done. Its report matches the diff.\n") {
		t.Errorf("printed:\n%s", out)
	}
	report.Claims, report.Differences = nil, []string{"something differs"}
	a, out = onPaper(t, 0)
	a.printReport(report)
	if !strings.HasPrefix(out.String(), "Its last report:\n") ||
		!strings.Contains(out.String(), "Claim that differs from the diff: something differs") ||
		strings.Contains(out.String(), "\x1b") {
		t.Errorf("of a report without rows:\n%s", out)
	}
}

func TestManyClaims(t *testing.T) {
	report := claims()
	for range 100 {
		report.Claims = append(report.Claims,
			checkpoint.Row{Kind: checkpoint.RowFile, Path: "x", Claimed: "created", Seen: "created"})
	}
	a, out := onPaper(t, 0)
	a.printReport(report)
	if n := strings.Count(out.String(), "\n"); n > 10 ||
		!strings.Contains(out.String(), "= 101 files more as claimed") || !strings.Contains(out.String(), "src/b.go") {
		t.Errorf("%d lines:\n%s", n, out)
	}
}

func TestPrintRemarks(t *testing.T) {
	remarks := []review.Remark{
		{Severity: review.Suggestion, Rule: "size", Path: "run.sh", Text: "can be executed, which it could not before"},
		{Severity: review.Critical, Rule: "secrets", Path: "src/key.go", Line: 7,
			Text: "adds what looks like a GitHub token (ghp_…, 40 characters)"},
		{Severity: review.Warning, Rule: "standards", Text: `"lint" says no (exit status 1), see /log`,
			Detail: "src/a.go:3: bad\x1b[31m name\nsrc/a.go:4: worse\n"},
	}
	a, out := onPaper(t, 0)
	a.printRemarks(remarks)
	look(t, out, 0, `
Review, 1 critical:
  - src/key.go:7: adds what looks like a GitHub token (ghp_…, 40 characters) [secrets]
Review, 1 warning:
  - "lint" says no (exit status 1), see /log [standards]
    │ src/a.go:3: bad name
    │ src/a.go:4: worse
Review, 1 suggestion:
  - run.sh: can be executed, which it could not before [size]`)
	a, out = onPaper(t, 60)
	a.printRemarks(remarks[:2])
	look(t, out, 60, `
Review, 1 critical:
  - src/key.go:7: adds what looks like a GitHub token
    (ghp_…, 40 characters) [secrets]
Review, 1 suggestion:
  - run.sh: can be executed, which it could not before
    [size]`)
}

func TestPrintFindings(t *testing.T) {
	found := []conflict.Finding{{
		Type: conflict.APIConflict, Severity: conflict.Error, Blocking: true, Certainty: conflict.Confirmed,
		Agents:  []string{"AGT-001", "AGT-002"},
		Message: "AGT-001 removes the function Old, and new code of AGT-002 calls it.",
		Advice:  "Land one, then message the other.",
		Places: []conflict.Place{{Agent: "AGT-001", Path: "limit/limit.go", Line: 3, Symbol: "Old"},
			{Agent: "AGT-002", Path: "app/app.go", Line: 5, Symbol: "limit.Old"},
			{Agent: "AGT-002", Path: "app/other.go"}},
	}}
	a, out := onPaper(t, 100)
	a.printFindings(found)
	look(t, out, 100, `
  API_CONFLICT AGT-001 × AGT-002 (confirmed): AGT-001 removes the function Old, and new code of
    AGT-002 calls it.
       AGT-001               AGT-002
       limit/limit.go:3 Old  app/app.go:5 limit.Old
                             app/other.go
      → Land one, then message the other.`)
	for _, columns := range []uint16{0, 60} {
		a, out = onPaper(t, columns)
		a.printFindings(found)
		look(t, out, int(columns), strings.ReplaceAll(`
  API_CONFLICT AGT-001 × AGT-002 (confirmed): AGT-001|removes the function Old, and new code of AGT-002 calls|it.
      AGT-001  limit/limit.go:3 Old
      AGT-002  app/app.go:5 limit.Old
      AGT-002  app/other.go
      → Land one, then message the other.`, "|", map[bool]string{true: "\n    ", false: " "}[columns > 0]))
	}
}

// TestHeading holds what stands over a file's patch at a terminal.
func TestHeading(t *testing.T) {
	a, _ := onPaper(t, 0)
	f := change.File{Path: "b\x1b[2J", OldPath: "a", Kind: change.Renamed, OldMode: change.ModeExecutable,
		NewMode: change.ModeFile, Insertions: 2}
	want := "\n━━ 2/3  renamed  a → \"b\\x1b[2J\" (no longer executable)  +2 −0  ++"
	if got := a.heading(f, 2, 3); got != want {
		t.Errorf("heading %q, want %q", got, want)
	}
}

// TestPathText holds that a path in which something cannot be seen is no twin of the one without it.
func TestPathText(t *testing.T) {
	for path, want := range map[string]string{
		"src/größe.go": "src/größe.go", "a b.txt": "a b.txt", "a\u200b.go": `"a\u200b.go"`, "a\u00a0b": `"a\u00a0b"`,
		"a\nb": `"a\nb"`, "a ": `"a "`, "a  b": `"a  b"`, "\u202egpj.sh": `"\u202egpj.sh"`, "a\xff": `"a\xff"`,
	} {
		if got := pathText(path); got != want {
			t.Errorf("%q is shown as %s, want %s", path, got, want)
		}
	}
}

// Where fewer fail than were merged together, nothing is said of the others that was not tried.
func TestWhoFails(t *testing.T) {
	const others = "without it, the others may still fail"
	all := []string{"AGT-001", "AGT-002", "AGT-003"}
	if got := whoFails(bisect.Combination{Agents: all, Failing: all[:1], Runs: 3}); !strings.Contains(got, others) {
		t.Errorf("one of three: %q", got)
	}
	if got := whoFails(bisect.Combination{Agents: all, Failing: all, Runs: 3}); strings.Contains(got, others) {
		t.Errorf("all three: %q", got)
	}
}

// A report without a list of files says nothing of them, which is neither true nor false.
func TestNoListIsNoClaim(t *testing.T) {
	shown := checkpoint.Evidence{Files: map[string]checkpoint.Action{"a.go": checkpoint.Created}}
	const silent, wrong = "Its report does not list the files that it changed.", "1 claim differs from the diff: a.go."
	for want, b := range map[string]checkpoint.Block{
		silent: {Status: checkpoint.Complete},
		wrong:  {Status: checkpoint.Complete, Changes: []checkpoint.Change{}},
	} {
		if got, _ := claimsText(status.Report{Claims: checkpoint.Compare(b.Claim(), shown)}); got != want {
			t.Errorf("it is said %q, want %q", got, want)
		}
	}
}

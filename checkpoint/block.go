package checkpoint

import (
	"cmp"
	"strconv"
	"strings"
)

// Form tells which of the two layouts a block had.
type Form int

const (
	// Canonical is the layout with Tests Run, Blockers, Questions for Parent and Request.
	Canonical Form = iota
	// Report is the layout with Subtask, Test Results, Issues Encountered and Notes for Parent.
	Report
)

// Status is what an agent says about its work.
type Status string

// The statuses; Partial belongs to the Report form, InProgress to the Canonical one, and either is read in both.
const (
	Complete   Status = "COMPLETE"
	Blocked    Status = "BLOCKED"
	InProgress Status = "IN_PROGRESS"
	Partial    Status = "PARTIAL"
)

// Request is what an agent asks for; it never happens by itself.
type Request string

// The requests.
const (
	NoRequest Request = ""
	Continue  Request = "CONTINUE"
	Merge     Request = "MERGE"
	Help      Request = "HELP"
	Abort     Request = "ABORT"
)

// Action is what happened to a file.
type Action string

// The actions; a rename is a Deleted and a Created.
const (
	Created  Action = "created"
	Modified Action = "modified"
	Deleted  Action = "deleted"
)

// Change is one row of the table of changes.
// Path is as the agent wrote it, without backticks; Compare cleans it further.
type Change struct {
	Path        string
	Action      Action
	Description string
}

// Result is the outcome of tests as claimed; the empty one was not given.
type Result string

// The results.
const (
	Pass    Result = "PASS"
	Fail    Result = "FAIL"
	Skipped Result = "SKIPPED"
)

// Tests is the claim about tests; its zero value is also what a block without such a section has.
// Failed lists failing tests, Details is free text; both are one line, joined with "; ".
type Tests struct {
	Executed bool
	Result   Result
	Failed   string
	Details  string
}

// Block is one parsed block.
// Progress is a percentage, or -1 when absent.
// The texts are empty where the agent wrote None or left the section out, and may have several lines.
type Block struct {
	Form      Form
	Agent     string
	Status    Status
	Progress  int
	Subtask   string
	Changes   []Change
	Tests     Tests
	Blockers  string
	Questions string
	Issues    string
	Notes     string
	Request   Request
}

const (
	headerWords = "AGENT CHECKPOINT"
	headerRule  = "═══════════════════════════════════════"
)

// Completion reports whether the block claims that the subtask is done:
// COMPLETE with the request MERGE or none.
func (b Block) Completion() bool {
	return b.Status == Complete && (b.Request == Merge || b.Request == NoRequest)
}

// Contradictory reports whether the block says COMPLETE and yet asks to continue, for help or to abort.
// Such a block is a checkpoint and no completion.
func (b Block) Contradictory() bool {
	return b.Status == Complete && !b.Completion()
}

// String prints the block in the canonical layout of its form.
// For every block that Parse or a Scanner produced, Parse gives the same value back.
// That is not promised for a block made by hand whose texts hold rules or section names.
func (b Block) String() string {
	var w strings.Builder
	w.WriteString(headerRule + "\n" + headerWords + ": " + b.Agent + "\n" + headerRule + "\n\n")
	b.writeFields(&w)
	b.writeChanges(&w)
	b.writeTests(&w)
	if b.Form == Canonical {
		writeText(&w, "Blockers", b.Blockers)
		writeText(&w, "Questions for Parent", b.Questions)
	}
	if b.Form == Report || b.Issues != "" {
		writeText(&w, "Issues Encountered", b.Issues)
	}
	if b.Form == Report || b.Notes != "" {
		writeText(&w, "Notes for Parent", b.Notes)
	}
	if b.Request != NoRequest {
		writeText(&w, "Request", string(b.Request))
	}
	w.WriteString("\n" + headerRule + "\n")
	return w.String()
}

func (b Block) writeFields(w *strings.Builder) {
	w.WriteString("Status: " + string(b.Status) + "\n")
	if b.Progress >= 0 {
		w.WriteString("Progress: " + strconv.Itoa(b.Progress) + "%\n")
	}
	if b.Subtask != "" {
		w.WriteString("Subtask: " + oneLine(b.Subtask) + "\n")
	}
}

func (b Block) writeChanges(w *strings.Builder) {
	w.WriteString("\n## Changes Made\n| File | Action | Description |\n|------|--------|-------------|\n")
	for _, c := range b.Changes {
		w.WriteString("| " + cellText(c.Path) + " | " + string(c.Action) + " | " + cellText(c.Description) + " |\n")
	}
}

func (b Block) writeTests(w *strings.Builder) {
	section, field := "Tests Run", "Executed"
	if b.Form == Report {
		section, field = "Test Results", "Tests Run"
	}
	executed := "N"
	if b.Tests.Executed {
		executed = "Y"
	}
	w.WriteString("\n## " + section + "\n- " + field + ": " + executed + "\n")
	if b.Tests.Result != "" {
		w.WriteString("- Result: " + string(b.Tests.Result) + "\n")
	}
	if b.Form == Canonical || b.Tests.Failed != "" {
		w.WriteString("- Failed: " + cmp.Or(oneLine(b.Tests.Failed), "None") + "\n")
	}
	if b.Form == Report || b.Tests.Details != "" {
		w.WriteString("- Details: " + cmp.Or(oneLine(b.Tests.Details), "None") + "\n")
	}
}

func writeText(w *strings.Builder, section, text string) {
	w.WriteString("\n## " + section + "\n" + cmp.Or(text, "None") + "\n")
}

func oneLine(s string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(s)
}

func cellText(s string) string {
	return strings.ReplaceAll(oneLine(s), "|", `\|`)
}

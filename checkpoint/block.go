package checkpoint

import (
	"cmp"
	"strconv"
	"strings"
)

// Form is the layout of a block.
type Form int

// The layouts. The package comment says how they differ.
const (
	// Canonical is the layout with Tests Run, Blockers, Questions for Parent and Request.
	Canonical Form = iota
	// Report is the layout with Subtask, Test Results, Issues Encountered and Notes for Parent.
	Report
)

// Status is the state of its work that an agent claims in a block.
type Status string

// The values of Block.Status. Partial belongs to the Report form and InProgress to the Canonical one; the parser
// accepts both in either form.
const (
	Complete   Status = "COMPLETE"
	Blocked    Status = "BLOCKED"
	InProgress Status = "IN_PROGRESS"
	Partial    Status = "PARTIAL"
)

// Request is what an agent asks its parent to do next.
type Request string

// The values of Block.Request. NoRequest means that the block has no Request section.
const (
	NoRequest Request = ""
	Continue  Request = "CONTINUE"
	Merge     Request = "MERGE"
	Help      Request = "HELP"
	Abort     Request = "ABORT"
)

// Action is what was done to a file.
type Action string

// The values of Action. A rename is a Deleted file and a Created one.
const (
	Created  Action = "created"
	Modified Action = "modified"
	Deleted  Action = "deleted"
)

// Change is one row of the table "Changes Made" of a block.
type Change struct {
	Path        string // as the agent wrote it, without backticks; Compare normalises it
	Action      Action // "" in a claim that names files without saying what was done to them
	Description string // one line
}

// Result is the result of the tests that an agent claims; "" if it gave none.
type Result string

// The values of Tests.Result.
const (
	Pass    Result = "PASS"
	Fail    Result = "FAIL"
	Skipped Result = "SKIPPED"
)

// Tests is what an agent claims about the tests that it ran. A block without such a section has the zero value.
type Tests struct {
	Executed bool   // tests were run
	Result   Result // "" if the agent gave none
	Failed   string // the failing tests on one line, separated by "; "
	Details  string // free text on one line; several lines are joined with "; "
}

// Block is one parsed block.
type Block struct {
	Form     Form     // layout
	Agent    string   // id of the agent in the header, such as "AGT-001"
	Status   Status   // required in every block
	Progress int      // 0 to 100 percent, or -1 if absent
	Subtask  string   // title of the subtask; part of the Report form
	Changes  []Change // rows of Changes Made; nil without that section
	Tests    Tests    // zero without a section about tests
	// The four texts can have several lines. They are empty where the agent wrote None or left the section out.
	Blockers  string  // what prevents the agent from going on
	Questions string  // questions for the parent
	Issues    string  // the section Issues Encountered
	Notes     string  // the section Notes for Parent
	Request   Request // NoRequest if absent
}

const (
	headerWords = "AGENT CHECKPOINT"
	headerRule  = "═══════════════════════════════════════"
)

// Completion reports whether the block claims that the subtask is done: its status is COMPLETE, and its request is
// MERGE or absent.
func (b Block) Completion() bool {
	return b.Status == Complete && (b.Request == Merge || b.Request == NoRequest)
}

// Contradictory reports whether the status is COMPLETE and the request CONTINUE, HELP or ABORT. Such a block does not
// claim a completion.
func (b Block) Contradictory() bool {
	return b.Status == Complete && !b.Completion()
}

// String prints the block in the layout of its form.
// For a block that Parse or a Scanner returned, Parse(b.String()) is equal to b. That need not be so for other blocks
// whose texts contain rule lines or names of sections.
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
	if b.Changes == nil {
		return
	}
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

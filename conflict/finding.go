package conflict

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Type is the sort of conflict.
type Type string

// The types of conflict.
const (
	FileConflict   Type = "FILE_CONFLICT"   // both sides touch one file
	ImportConflict Type = "IMPORT_CONFLICT" // one side takes away or changes what the other imports
	APIConflict    Type = "API_CONFLICT"    // one side changes a symbol that the other uses
	TestConflict   Type = "TEST_CONFLICT"   // the sides expect different things of the same code
)

// Severity is how bad a finding is.
type Severity string

// The severities, worst first.
const (
	Error   Severity = "error"   // git's merge fails, or breakage is confirmed, or it is unknown whether there is any
	Warning Severity = "warning" // suspected, or the same file was merged cleanly
	Info    Severity = "info"    // worth knowing, nothing to do
)

// Certainty is how well a finding is founded.
type Certainty string

// The certainties.
const (
	Confirmed Certainty = "confirmed" // git, a compiler or a test shows it
	Suspected Certainty = "suspected" // static analysis says so
	Unknown   Certainty = "unknown"   // it could not be analysed
)

// Place is where one side takes part in a conflict.
type Place struct {
	// Agent is the name of the side's change set.
	Agent string `json:"agent"`
	// Path is the file in the side's head, or in its base if the side deletes it.
	Path string `json:"path"`
	// Line counts from 1 in that file; 0 means the file as a whole.
	Line int `json:"line"`
	// Symbol is the name that the conflict is about, if it is about one.
	Symbol string `json:"symbol"`
}

// Finding is one conflict.
type Finding struct {
	Type     Type     `json:"type"`
	Severity Severity `json:"severity"`
	// Blocking findings stop a landing.
	Blocking bool `json:"blocking"`
	// Agents are the names of the two sides, in the order of the pair.
	Agents    []string  `json:"agents"`
	Certainty Certainty `json:"certainty"`
	// Message says what was found and why it matters, in whole sentences.
	Message string `json:"message"`
	// Advice says what to do or type next. It begins with Edit.
	Advice string `json:"advice"`
	// Edit says what to change where, in one sentence for whoever writes the code, "" where that is not known.
	Edit   string  `json:"edit,omitempty"`
	Places []Place `json:"places"`
	// needsChecker findings rest on a name alone and are reported only if a checker confirms them.
	needsChecker bool
	// checkFailed findings are those that a checker failed to look at, which may go otherwise the next time.
	checkFailed bool
	// cycle findings are about a cycle of imports.
	cycle bool
	// tooLarge findings are unknown only because of a file beyond the sizes that are read, which a checker may read.
	tooLarge bool
	// definition is what the finding is about, where a side takes a definition away or hides it, see identity.
	definition string
	// runtimeOnly findings are about what a program does and not whether it compiles, so that no checker refutes them.
	runtimeOnly bool
}

// MarshalJSON writes the fields in the documented order, empty lists as [].
func (f Finding) MarshalJSON() ([]byte, error) {
	type fields Finding // without this method
	if f.Agents == nil {
		f.Agents = []string{}
	}
	if f.Places == nil {
		f.Places = []Place{}
	}
	return json.Marshal(fields(f))
}

// ForAuthor is the message for whoever writes one side's code, with what to edit.
func (f Finding) ForAuthor() string { return strings.TrimSpace(f.Message + " " + f.Edit) }

// Blocking reports whether any of the findings stops a landing.
func Blocking(fs []Finding) bool {
	return slices.ContainsFunc(fs, func(f Finding) bool { return f.Blocking })
}

// CheckFailed reports whether a checker failed to look at one of the findings, so that another look may say more.
func CheckFailed(fs []Finding) bool {
	return slices.ContainsFunc(fs, func(f Finding) bool { return f.checkFailed })
}

// compareFindings orders by severity, certainty and type, and by the rest so that the order never depends on chance.
func compareFindings(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(slices.Index(severities, a.Severity), slices.Index(severities, b.Severity)),
		cmp.Compare(slices.Index(certainties, a.Certainty), slices.Index(certainties, b.Certainty)),
		cmp.Compare(slices.Index(types, a.Type), slices.Index(types, b.Type)),
		slices.Compare(a.Agents, b.Agents),
		slices.CompareFunc(a.Places, b.Places, comparePlaces),
		strings.Compare(a.Message, b.Message),
	)
}

// What comes first. A file that both sides touch says least.
var (
	severities  = []Severity{Error, Warning, Info}
	certainties = []Certainty{Confirmed, Unknown, Suspected}
	types       = []Type{APIConflict, ImportConflict, TestConflict, FileConflict}
)

func comparePlaces(a, b Place) int {
	return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line),
		strings.Compare(a.Agent, b.Agent), strings.Compare(a.Symbol, b.Symbol))
}

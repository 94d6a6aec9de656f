package conflict

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Type is the kind of a conflict.
type Type string

// The values of Finding.Type.
const (
	FileConflict   Type = "FILE_CONFLICT"   // both sides change the same file
	ImportConflict Type = "IMPORT_CONFLICT" // one side removes or changes what the other imports
	APIConflict    Type = "API_CONFLICT"    // one side changes a symbol that the other uses
	TestConflict   Type = "TEST_CONFLICT"   // the sides expect different results of the same code
)

// Severity is how serious a finding is.
type Severity string

// The values of Finding.Severity, the most serious first.
const (
	Error   Severity = "error"   // git's merge fails, the merged code is broken, or that could not be analysed
	Warning Severity = "warning" // the merged code may be broken, or both sides change a file and it merges cleanly
	Info    Severity = "info"    // nothing needs to be done
)

// Certainty says what a finding is based on.
type Certainty string

// The values of Finding.Certainty.
const (
	Confirmed Certainty = "confirmed" // git, a compiler or a test shows it
	Suspected Certainty = "suspected" // static analysis of the two changes suggests it
	Unknown   Certainty = "unknown"   // a file could not be analysed
)

// Place is a location in the work of one side that takes part in a conflict.
type Place struct {
	// Agent is the Name of the side's change set.
	Agent string `json:"agent"`
	// Path is the path of the file in the side's head, or in its base if the side deletes it.
	Path string `json:"path"`
	// Line is a line of that file, from 1; 0 means the whole file.
	Line int `json:"line"`
	// Symbol is the name that the conflict is about; "" if it is not about a name.
	Symbol string `json:"symbol"`
}

// Finding is one conflict between the two sides of a Pair.
type Finding struct {
	Type     Type     `json:"type"`     // kind of conflict
	Severity Severity `json:"severity"` // how serious it is
	// Blocking means that the pair must not be merged before the conflict is resolved.
	Blocking bool `json:"blocking"`
	// Agents are the Names of the two change sets, in the order of the pair.
	Agents    []string  `json:"agents"`
	Certainty Certainty `json:"certainty"` // what it is based on
	// Message says what was found and why it matters, in complete sentences.
	Message string `json:"message"`
	// Advice says what to do, or which command to run. It begins with Edit.
	Advice string `json:"advice"`
	// Edit says in one sentence what to change in the code, and where; "" if that is not known.
	Edit string `json:"edit,omitempty"`
	// Places are the locations that the conflict is about, the cause first.
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

// MarshalJSON encodes the exported fields. Nil slices become [].
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

// ForAuthor returns Message and Edit, as a text for the author of one side.
func (f Finding) ForAuthor() string { return strings.TrimSpace(f.Message + " " + f.Edit) }

// Blocking reports whether any of the findings is Blocking.
func Blocking(fs []Finding) bool {
	return slices.ContainsFunc(fs, func(f Finding) bool { return f.Blocking })
}

// CheckFailed reports whether a checker returned an error when it was to check one of the findings, so that a later Run
// may have another result.
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

package review

import (
	"fmt"
	"io/fs"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/project/config"
)

// Severity is how much a remark weighs.
type Severity string

// The severities, worst first. A Critical remark blocks the landing.
const (
	Critical   Severity = "Critical"
	Warning    Severity = "Warning"
	Suggestion Severity = "Suggestion"
)

// Severities lists them, worst first.
func Severities() []Severity { return []Severity{Critical, Warning, Suggestion} }

// Remark is one thing that the review has to say.
type Remark struct {
	Severity Severity `json:"severity"`
	// Rule is the name of the rule that speaks: "architecture", "secrets", and so on.
	Rule string `json:"rule"`
	Path string `json:"path"` // the file in the result, "" for the change as a whole
	// Line counts from 1 in that file; 0 means the file as a whole.
	Line int `json:"line"`
	// Text says what was found, in words that need no path beside them. It holds no secret.
	Text string `json:"text"`
	// Detail is what a command printed, to be read beside the text. It is the same for no two runs, and in no digest.
	Detail string `json:"-"`
}

// Place is "path:line", as far as the remark has them.
func (r Remark) Place() string {
	if r.Path == "" || r.Line == 0 {
		return r.Path
	}
	return fmt.Sprintf("%s:%d", r.Path, r.Line)
}

// String is the remark in one line, with its place.
func (r Remark) String() string {
	if r.Path == "" {
		return r.Text
	}
	return r.Place() + ": " + r.Text
}

// Request is what is reviewed.
type Request struct {
	// Before and After are the trees of the target and of the result.
	Before, After fs.FS         `json:"-"`
	Changes       []change.File // the files that differ between them, renames detected
	// Cycles finds the cycles of imports that only the result has.
	Cycles func() ([]conflict.Cycle, error) `json:"-"`
	Rules  config.Review                    // what the configuration says of the review
	// Asked is everything that the agents were told to do, in any form: what it names was asked for.
	Asked   string
	History History // what comes into the target's history
}

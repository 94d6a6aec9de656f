// Package review is what a program can say about a change before a person reads it.
//
// It owns the rules of the automated review and how much each of them weighs.
// It is given two trees and what differs between them, and gives remarks:
// it runs nothing, knows no repository and changes nothing.
package review

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/config"
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
	// Path is the file in the result, "" for the change as a whole.
	Path string `json:"path"`
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
	Before, After fs.FS
	// Changes are the files that differ between them, renames detected.
	Changes []change.File
	// Circles finds the circles of imports that only the result has.
	Circles func() ([]conflict.Cycle, error)
	// Rules are what the configuration says of the review.
	Rules config.Review
	// Asked is everything that the agents were told to do, in any form: what it names was asked for.
	Asked string
}

// rule is one thing that is looked for.
type rule struct {
	name string
	find func(*work) ([]Remark, error)
}

// rules lists all of them. A new one is a file and a line here.
func rules() []rule {
	return []rule{
		{"architecture", architecture},
		{"import cycle", cycles},
		{"dependency", dependencies},
		{"secrets", secrets},
		{"merge markers", markers},
		{"size", sizes},
	}
}

// mostRemarks bounds the remarks of one rule.
const mostRemarks = 50

// Run applies every rule and returns what they have to say, worst first, then by place.
// An error means that something could not be read, so that it is not known what a rule would say.
func Run(ctx context.Context, r Request) ([]Remark, error) {
	w := &work{Request: r, hunks: map[string][]change.Hunk{}}
	var all []Remark
	for _, rule := range rules() {
		if err := context.Cause(ctx); err != nil {
			return nil, fmt.Errorf("review, rule %q: %w", rule.name, err)
		}
		found, err := rule.find(w)
		if err != nil {
			return nil, fmt.Errorf("review, rule %q: %w", rule.name, err)
		}
		for i := range found {
			found[i].Rule = rule.name
		}
		Sort(found)
		if more := len(found) - mostRemarks; more > 0 {
			last := Remark{Severity: found[mostRemarks].Severity, Rule: rule.name,
				Text: fmt.Sprintf("%d more remarks of this rule are not listed", more)}
			found = append(found[:mostRemarks:mostRemarks], last)
		}
		all = append(all, found...)
	}
	Sort(all)
	return all, nil
}

// Sort orders remarks by severity, worst first, then by place and text; those about the change as a
// whole come behind the others.
func Sort(all []Remark) {
	whole := func(r Remark) int { return strings.Compare("", r.Path) } // 0 for no path, -1 for one
	rank := func(s Severity) int { return slices.Index(Severities(), s) }
	slices.SortStableFunc(all, func(a, b Remark) int {
		return cmp.Or(
			cmp.Compare(rank(a.Severity), rank(b.Severity)), cmp.Compare(whole(a), whole(b)),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line),
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.Text, b.Text),
		)
	})
}

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
	"slices"
	"strings"

	"delegate/change"
	"delegate/internal/text/ui"
)

// rule is one thing that is looked for.
type rule struct {
	name string
	find func(*work) ([]Remark, error)
}

// rules lists all of them. A new one is a file and a line here.
func rules() []rule {
	return append([]rule{
		{"architecture", architecture},
		{"import cycle", cycles},
		{"dependency", dependencies},
		{"secrets", secrets},
		{"merge markers", markers},
		{"size", sizes},
	}, hidden()...)
}

// hidden are the rules about what a diff does not say to who reads it.
func hidden() []rule { return []rule{{RuleRuns, running}, {RuleHistory, history}} }

// mostRemarks bounds the remarks of one rule.
const mostRemarks = 50

// Run applies every rule and returns what they have to say, worst first, then by place.
// An error means that something could not be read, so that it is not known what a rule would say.
func Run(ctx context.Context, r Request) ([]Remark, error) { return apply(ctx, r, rules()) }

// Hidden applies only the rules about what a diff does not say: what runs by itself, and the history.
func Hidden(ctx context.Context, r Request) ([]Remark, error) { return apply(ctx, r, hidden()) }

func apply(ctx context.Context, r Request, rules []rule) ([]Remark, error) {
	w := &work{Request: r, hunks: map[string][]change.Hunk{}}
	var all []Remark
	for _, rule := range rules {
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
				Text: ui.PluralWas(more, "more remark", "left out")}
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

package registry

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrLosesText means that Join cannot combine two registries without losing a line of one of them.
var ErrLosesText = errors.New("lines of both would not fit together")

// TwoSessionsError means that Join was called for two registries with different active sessions. Ours and Theirs are
// their ids.
type TwoSessionsError struct{ Ours, Theirs string }

// Error names both sessions.
func (e *TwoSessionsError) Error() string {
	return fmt.Sprintf("session %q is active on one branch and %q on the other, and only one can be", e.Ours, e.Theirs)
}

// Join merges the registries of two git branches, as a merge driver does. base is the registry of their merge base, or
// nil if there is none. The result has the text of people from both, all archived sessions, the active session, and the
// sum of what both counted since base.
//
// The error is a *TwoSessionsError if both have an active session, not the same one. It wraps ErrLosesText if the lines
// of both do not fit together.
func Join(ours, theirs, base *Document) (*Document, error) {
	if base == nil {
		base, _ = Parse(New())
	}
	a, b := ours.state.Session, theirs.state.Session
	switch {
	case a != nil && theirs.hasArchived(a.ID):
		ours, theirs = theirs, ours
	case b == nil || ours.hasArchived(b.ID):
	case a == nil:
		ours, theirs = theirs, ours
	case a.ID != b.ID:
		return nil, &TwoSessionsError{a.ID, b.ID}
	case lastRow(ours).Time.Before(lastRow(theirs).Time):
		ours, theirs = theirs, ours
	}
	if s := theirs.state.Session; s != nil && ours.hasArchived(s.ID) && len(Without(theirs.Rows(), base.Rows())) > 0 {
		return nil, fmt.Errorf("session %q went on on one branch and ended on the other: %w", s.ID, ErrLosesText)
	}
	merged, left, err := Merge(ours, theirs, base, Archived{})
	if err != nil {
		return nil, err
	}
	if left {
		return nil, ErrLosesText
	}
	merged.joinArchived(ours, theirs, base)
	if merged.state.Session != nil {
		merged.applyPending(merged.state.Agents)
	}
	merged.addUp(ours.state.Stats, theirs.state.Stats, base.state.Stats)
	merged, err = Parse(merged.Bytes())
	if err != nil {
		return nil, err
	}
	for _, side := range []*Document{ours, theirs} {
		for _, s := range side.state.Archived {
			if !merged.hasArchived(s.ID) && !base.hasArchived(s.ID) {
				return nil, fmt.Errorf("session %q: %w", s.ID, ErrLosesText)
			}
		}
	}
	return merged, nil
}

func lastRow(d *Document) (last Event) {
	for _, e := range d.state.Events {
		if !e.Time.Before(last.Time) {
			last = e
		}
	}
	return last
}

// joinArchived sorts the lines of ended sessions, and takes out those that a branch has moved to the index.
func (d *Document) joinArchived(ours, theirs, base *Document) {
	s := d.section(archivedRole)
	if s == nil {
		return
	}
	movedTwice := 0
	for _, old := range base.state.Archived {
		switch byOurs, byTheirs := !ours.hasArchived(old.ID), !theirs.hasArchived(old.ID); {
		case byOurs && byTheirs:
			movedTwice++
		case byOurs || byTheirs:
			s.remove(func(n *node) bool { return n.kind == archivedLine && n.session.ID == old.ID })
		}
	}
	lines := s.nodes(archivedLine)
	sorted := slices.SortedStableFunc(slices.Values(lines), func(x, y *node) int {
		return strings.Compare(x.session.ID, y.session.ID)
	})
	for i, n := range s.body {
		if at := slices.Index(lines, n); at >= 0 {
			s.body[i] = sorted[at]
		}
	}
	moved := ours.MovedSessions() + theirs.MovedSessions() - base.MovedSessions() - movedTwice
	for _, n := range s.nodes(olderLine) {
		n.text = strings.Replace(n.text, fmt.Sprint(n.count), fmt.Sprint(moved), 1)
	}
	if len(s.nodes(olderLine)) == 0 && theirs.MovedSessions() > 0 {
		line := theirs.section(archivedRole).nodes(olderLine)[0]
		s.insert(max(0, slices.IndexFunc(s.body, func(n *node) bool { return n.kind == archivedLine })),
			copyNode(line, d.end), d.line(""))
	}
}

// addUp writes the statistics of the base and of what each branch counted since.
func (d *Document) addUp(ours, theirs, base Statistics) {
	sum := Statistics{}
	for _, f := range []func(*Statistics) *int{
		func(s *Statistics) *int { return &s.Sessions }, func(s *Statistics) *int { return &s.Agents },
		func(s *Statistics) *int { return &s.Merged }, func(s *Statistics) *int { return &s.Failed },
		func(s *Statistics) *int { return &s.Aborted }, func(s *Statistics) *int { return &s.RolledBack },
		func(s *Statistics) *int { return &s.Conflicts }, func(s *Statistics) *int { return &s.Violations },
	} {
		*f(&sum) = max(*f(&ours)+*f(&theirs)-*f(&base), *f(&ours), *f(&theirs))
	}
	have := d.state.Stats
	rewrite[Statistics]{d: d, in: d.need(statsRole), from: &have, to: &sum, style: bulletStyle}.apply(statsFields())
}

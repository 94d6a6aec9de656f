package supervise

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/internal/project"
	"delegate/internal/scopemonitor"
	"delegate/registry"
)

// pastBreaches is a text for each path outside of the agent's scope that its commits have and its
// head does not: such a commit went past the hook.
// A path that a row names already is not told again. Of a rewritten history nothing is known but
// that, which is flagged.
func (s *supervisor) pastBreaches(ctx context.Context, a registry.Agent, work project.Work) ([]string, error) {
	if work.Rewritten {
		return nil, nil
	}
	all, err := s.p.PastBreaches(ctx, a, project.Span{From: work.Fork, To: work.Head, Changes: work.Files})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(past project.PastBreach) bool {
		return slices.ContainsFunc(s.state.Events, func(e registry.Event) bool {
			return e.Agent == a.ID && e.Kind == registry.EventViolation && strings.Contains(e.Details, past.Path)
		})
	})
	var texts []string
	for _, past := range all[:min(len(all), scopemonitor.MostRows)] {
		texts = append(texts, fmt.Sprintf(
			"committed outside its scope (commit %.12s, %q): its head does not have it, its history does", past.Commit,
			past.Path))
	}
	return texts, nil
}

// mostOccasions is on how many occasions an agent may do in one turn what it may not.
// What is found at the same time is one occasion, however many paths it is.
const mostOccasions = 50

const stoppedViolations = "violations"

// repeats reports whether the agent went on and on doing what it may not, whichever layer refused or found it.
func (s *supervisor) repeats(a registry.Agent, w *watch) bool {
	if a.Violations == w.patrol.counted {
		return false
	}
	w.patrol.counted = a.Violations
	record, err := w.Turn.Record()
	if err != nil {
		return false
	}
	return occasions(s.state.Events, a.ID, record.Started.Truncate(time.Second)) > mostOccasions
}

// occasions counts the moments since then at which rows of violations were written for the agent.
func occasions(events []registry.Event, id string, since time.Time) int {
	moments := map[time.Time]bool{}
	for _, e := range events {
		if e.Agent == id && e.Kind == registry.EventViolation && !e.Time.Before(since) {
			moments[e.Time.UTC()] = true
		}
	}
	return len(moments)
}

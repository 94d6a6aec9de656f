package supervise

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/internal/supervise/scopemonitor"
	"delegate/registry"
)

// monitor begins to look at what a running turn does outside of its scope if it is time to, and reports whether it did.
// A fault must not keep the agent's other steps waiting: it is said, and tried again later.
func (s *supervisor) monitor(ctx context.Context, a registry.Agent, w *watch) bool {
	if s.busy[of(a)] != nil || !w.monitor.Due() {
		return false
	}
	within, cancel := context.WithTimeout(ctx, scopemonitor.Limit)
	op := s.begin(of(a), "look after", func(s snapshot) error {
		defer cancel()
		err := w.monitor.Look(within, s.p, *s.state.Session, a)
		if err != nil && !errors.Is(err, context.Canceled) {
			s.note("look after "+a.ID, err)
		}
		return s.flagUnwatched(ctx, a, errors.Is(err, context.DeadlineExceeded))
	})
	op.silent, op.cancel = true, cancel
	return true
}

// flagUnwatched sets the flag of an agent whose work could not be looked at in time, or takes it back.
func (s snapshot) flagUnwatched(ctx context.Context, a registry.Agent, is bool) error {
	if is == a.Flags.Has(registry.FlagUnwatched) {
		return nil
	}
	_, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		return tx.Edit(a.ID, func(a *registry.Agent) {
			a.Flags = a.Flags.Without(registry.FlagUnwatched)
			if is {
				a.Flags = append(a.Flags, registry.Flag{Kind: registry.FlagUnwatched,
					Text: fmt.Sprintf("reading its work took more than %s", scopemonitor.Limit)})
			}
		})
	})
	return err
}

// pastBreaches are the paths outside of the agent's scope that its commits have and its head does not: such a commit
// went past the hook. A path of which a row tells already is not told again. Of a rewritten history nothing is known
// but that, which is flagged.
func (s snapshot) pastBreaches(ctx context.Context, a registry.Agent, work project.Work) ([]project.PastBreach,
	error) {
	if work.Rewritten {
		return nil, nil
	}
	recorded, err := session.RecordedRows(s.p, s.state.Session.ID, a)
	if err != nil {
		return nil, err
	}
	all, err := s.p.PastBreaches(ctx, a, work.Fork, work.Head, work.Files)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(past project.PastBreach) bool {
		_, known := recorded[past.Path]
		return known
	})
	return all[:min(len(all), scopemonitor.MostRows)], nil
}

// mostViolations is how often an agent may do in one turn what it may not, whichever layer refuses or finds it: see
// registry.Agent.LimitCount.
const mostViolations = 50

const stoppedViolations = "violations"

// limitCount returns what the registry has now of the violations of the agent's turn that count for the limit.
func (s snapshot) limitCount(ctx context.Context, a registry.Agent) (int, error) {
	state, err := s.p.Store.View(ctx)
	if err != nil {
		return 0, err
	}
	now, err := state.Agent(a.ID)
	return now.LimitCount(), err
}

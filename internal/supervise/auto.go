package supervise

import (
	"context"
	"fmt"
	"strings"
	"time"

	"delegate/checkpoint"
	"delegate/internal/control/session"
	"delegate/registry"
)

// autonomous reports whether checkpoints pass and clean work is gathered on the integration branch without a person.
func (s *supervisor) autonomous() bool { return s.state.Session.Supervision == session.SemiAutonomous }

// continueFrom lets an agent go on from a checkpoint that asks for nobody. It reports whether it began something.
func (s *supervisor) continueFrom(ctx context.Context, a registry.Agent) bool {
	if !s.autonomous() || s.state.Session.Paused != "" || len(a.Flags) > 0 || a.Violations > 0 {
		return false // what is flagged is for a person, and a pause is
	}
	if !asksNobody(session.ReadReport(s.p, s.state.Session.ID, a)) {
		return false
	}
	s.begin(of(a), "continue", func(s snapshot) error {
		details := "its checkpoint asks for nobody"
		_, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
			e := registry.Event{Kind: registry.EventContinued, Agent: a.ID, Details: details, By: session.BySupervisor}
			return tx.Transition(a.ID, e, registry.SemiAutonomous, func(a *registry.Agent) {
				a.Turns++
				a.RunningSince = s.p.Now().UTC()
			})
		})
		return err
	})
	return true
}

// asksNobody reports whether the turn ended with a plain "I go on": no question, no blocker, no call for help,
// and nothing in it that the evidence contradicts.
func asksNobody(r session.TurnReport) bool {
	b, err := checkpoint.Parse(r.Block)
	if err != nil || len(r.Differences)+len(r.Breaches) > 0 || r.ExitCode != 0 {
		return false
	}
	goesOn := b.Request == checkpoint.Continue || b.Request == checkpoint.NoRequest
	return goesOn && (b.Status == checkpoint.InProgress || b.Status == checkpoint.Partial) && nothing(b.Blockers) &&
		nothing(b.Questions) && nothing(b.Issues)
}

func nothing(text string) bool {
	text = strings.ToLower(strings.Trim(strings.TrimSpace(text), ".-–"))
	return text == "" || text == "none" || text == "n/a"
}

// integrate has finished work gathered on the integration branch when there is some that is not on it, or that left it.
func (s *supervisor) integrate(ctx context.Context) {
	if s.o.Integrate == nil || !s.autonomous() || s.busy[lane{"", ofIntegration}] != nil ||
		s.state.Session.Status != registry.SessionActive {
		return
	}
	now := fmt.Sprintf("%s%v", finished(s.state), s.configured)
	if now == s.integrated || now == s.gathering && s.mono() < s.gatherAt {
		return
	}
	s.gathering, s.gatherAt = now, s.mono()+gatherEvery
	op := s.begin(lane{"", ofIntegration}, "gather work on the branch of", func(snapshot) error {
		return s.o.Integrate(ctx)
	})
	op.then = func() { s.integrated = now }
}

// gatherEvery is how long a gathering that went wrong is not tried again while the finished work is the same.
const gatherEvery = time.Minute

// finished changes when work was finished, taken back or landed. What the gathering itself writes does not count.
func finished(state registry.State) string {
	var b strings.Builder
	for _, a := range state.Agents {
		if a.Status == registry.Complete {
			fmt.Fprintf(&b, "%s %s %q %d\n", a.ID, a.Head, a.Flags.Without(registry.FlagIntegrated).Texts(),
				a.Violations)
		}
		if a.Status == registry.Merged {
			fmt.Fprintf(&b, "%s %s\n", a.ID, a.MergeCommit)
		}
	}
	return b.String()
}

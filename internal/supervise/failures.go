package supervise

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/text/ui"
	"delegate/internal/turn/transcript"
	"delegate/registry"
)

// lastingAfter is for how long an operation goes wrong, more than once, before readers are told.
const lastingAfter = 2 * time.Second

// attempt names what is tried for an agent, or for the session.
type attempt struct {
	operation string
	of        lane
}

// failing is what went wrong when it was tried last.
type failing struct {
	session.Failure
	times  int
	begun  time.Duration // by the supervisor's clock
	logged time.Duration
	told   bool           // a person was called
	when   registry.Agent // the agent as it was
}

// noteAttempt takes in how an attempt went. What goes wrong is logged when it begins, when it changes,
// and each minute that it goes on.
func (s *supervisor) noteAttempt(of attempt, err error) {
	if err == nil {
		delete(s.failing, of)
		return
	}
	now, f := s.mono(), s.failing[of]
	if f == nil {
		f = &failing{Failure: session.Failure{Since: s.p.Now().UTC().Truncate(time.Second), Operation: of.operation},
			begun: now}
		if a, err := s.state.Agent(of.of.agent); err == nil && of.of.matter == ofWork {
			f.Agent, f.when = a.ID, a
		} else if of.of != (lane{}) {
			f.Operation += " " + of.of.String()
		}
		if s.failing == nil {
			s.failing = map[attempt]*failing{}
		}
		s.failing[of] = f
	}
	if text := transcript.FirstLine(ui.Clean(ui.ErrorText(err))); f.times == 0 || f.Error != text ||
		now-f.logged >= time.Minute {
		f.Error, f.logged = text, now
		s.note(strings.TrimSpace(of.operation+" "+of.of.String()), err)
	}
	f.times++
	_, f.Unsaved = errors.AsType[*session.UnsavedError](err)
	f.Next = "delegate doctor (it is tried again by itself)"
	if s.o.Hint != nil {
		f.Next = cmp.Or(s.o.Hint(err), f.Next)
	}
}

// tellUnsaved calls a person, once, for work that could not be saved again and again.
func (s *supervisor) tellUnsaved(ctx context.Context) {
	for _, f := range s.failing {
		if !f.Unsaved || f.told || f.times < 2 {
			continue
		}
		f.told = true
		s.tellPerson(ctx, f.Agent, []registry.Event{{Kind: registry.EventEscalated, Agent: f.Agent,
			By: session.BySupervisor, Time: s.p.Now(), Details: f.String()}})
	}
}

// lasting are the failures that readers are told of. Those of an agent that has moved on are
// forgotten: what was tried is not needed any more.
func (s *supervisor) lasting() []session.Failure {
	var all []session.Failure
	for of, f := range s.failing {
		if a, err := s.state.Agent(f.Agent); f.Agent != "" &&
			(err != nil || a.Status != f.when.Status || a.Turns != f.when.Turns || a.Attempt != f.when.Attempt) {
			delete(s.failing, of)
			continue
		}
		if f.times > 1 && s.mono()-f.begun >= lastingAfter {
			all = append(all, f.Failure)
		}
	}
	slices.SortFunc(all, func(x, y session.Failure) int {
		return cmp.Or(x.Since.Compare(y.Since), strings.Compare(x.Operation+x.Agent, y.Operation+y.Agent))
	})
	return all
}

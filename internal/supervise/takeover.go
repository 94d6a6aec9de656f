package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// takenOverBy is the person in whose hand the agent's last turn is, "" for a turn of its own.
func takenOverBy(a registry.Agent) string { return a.Flags.Text(registry.FlagTakenOver) }

// comeLimit is how long a turn that is ready for a person's terminal waits for them.
const comeLimit = keeper.StartLimit

// stepTakenOver prepares the turn of a person who takes the agent over, whose own command runs it, and ends one that
// nobody came for.
func (s *supervisor) stepTakenOver(ctx context.Context, a registry.Agent, turn keeper.Turn) {
	if !turn.Whole() {
		s.begin(of(a), "prepare the takeover of", func(s snapshot) error { return s.prepareTakeover(ctx, a, turn) })
		return
	}
	if ready, err := turn.Ready(); err == nil && s.p.Now().Sub(ready).Abs() > comeLimit {
		s.begin(of(a), "end the takeover of", func(s snapshot) error { return turn.Stop(s.grace()) })
	}
}

// prepareTakeover prepares the turn. If that cannot be done, the agent waits for review as if it had not been tried.
func (s snapshot) prepareTakeover(ctx context.Context, a registry.Agent, turn keeper.Turn) error {
	err := s.killLeftovers(a)
	if err == nil {
		err = s.layOut(ctx, a, turn)
	}
	if err == nil {
		return s.unwanted(ctx, a, turn)
	}
	details := fmt.Sprintf("%s could not take it over: %s", takenOverBy(a), err)
	_, recorded := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		e := registry.Event{Kind: registry.EventCheckpoint, Agent: a.ID, By: session.BySupervisor, Details: details}
		return tx.Transition(a.ID, e, registry.Supervisor, func(a *registry.Agent) {
			session.AddRunTime(0, s.p.Now())(a)
			a.Turns-- // this turn did not begin
			a.Flags = a.Flags.Without(registry.FlagTakenOver)
		})
	})
	return errors.Join(err, recorded)
}

// layOut writes the turn's folder, for the program's own screen at a person's terminal.
func (s snapshot) layOut(ctx context.Context, a registry.Agent, turn keeper.Turn) error {
	f, err := s.setUp(ctx, a, turn)
	if err != nil {
		return err
	}
	id, _ := session.Conversation(s.p, s.state.Session.ID, a)
	spec := s.spec(a, f, f.Profile.Invoke(f.Profile.Takeover, agent.Values{SessionID: id, Place: f.Place}))
	spec.Output, spec.Terminal = dialect.PlainText, true
	if _, err := keeper.Prepare(turn.Dir, "", spec); err != nil {
		return err
	}
	// The screen itself is nothing to read, and without this it is shown all the same.
	s.note("say who took over "+a.ID, turn.BeginReadable(fmt.Sprintf("· %s works in its conversation (delegate "+
		"takeover); what the screen shows is in %s\n", takenOverBy(a), turn.Output())))
	s.p.Step(stepPrepared)
	return nil
}

// byPerson is the end of a turn in which a person worked in the agent's place: what comes next is for a person.
func byPerson(e turnFacts) outcome {
	v := outcome{kind: registry.EventCheckpoint, details: "taken over by " + e.person}
	switch x := e.exit; {
	case e.reason != "":
		v.details += "; stopped: " + cmp.Or(e.why, e.reason)
	case x.Cause == keeper.Interrupted:
		v.details += "; interrupted by " + cmp.Or(e.interrupted, "somebody")
		v.flags = registry.Flags{registry.FlagInterrupted.Flag()}
	case x.Cause == keeper.NotStarted:
		v.details += ", but the program could not be started: " + x.Error
	case x.Cause == keeper.Restarted:
		v.details += "; the machine was restarted"
	case x.Cause == keeper.ByItself && x.Code != 0:
		v.details += "; its program: " + exitFlag(x).Words()
	case x.Cause == keeper.Stopped:
		v.details += "; ended: " + cmp.Or(x.Error, "stopped from outside")
	}
	return v
}

// tidyTakeover takes away what the agent said of its work while a person worked in its place: its next turn speaks for
// itself.
func tidyTakeover(folder string, turn keeper.Turn) {
	readCompletion(&turnFacts{}, folder, turn, time.Time{})
}

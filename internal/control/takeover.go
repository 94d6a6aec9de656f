package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// Takeover is a turn in which the person works in an agent's place, in its conversation.
type Takeover struct {
	Agent registry.Agent // as it was when the turn began
	Turn  keeper.Turn
	from  string // its head before
}

// NoTakeoverError says that nobody can work in an agent's conversation, and what to do instead.
type NoTakeoverError struct{ Agent, Reason, Next string }

func (e *NoTakeoverError) Error() string { return fmt.Sprintf("take over %s: %s", e.Agent, e.Reason) }

// TakeOver begins such a turn, after the one that the agent is in, which is interrupted and kept. It returns when the
// supervisor has prepared it; whoever calls it then runs it.
func (c Control) TakeOver(ctx context.Context, id string) (Takeover, error) {
	a, sessionID, err := c.find(ctx, id)
	if err == nil {
		err = c.MayTakeOver(sessionID, a)
	}
	if err != nil {
		return Takeover{}, err
	}
	if a, _, err = c.stopTurn(ctx, a.ID, session.Interruption{By: c.Who}); err != nil {
		return Takeover{}, err
	}
	if err := c.MayTakeOver(sessionID, a); err != nil { // it may have begun its first turn, or a fresh attempt
		return Takeover{}, err
	}
	if err := errors.Join(c.ready(a, registry.EventTakenOver), c.checkAdaptDone(sessionID, a)); err != nil {
		return Takeover{}, err
	}
	before := a.Head
	a, err = c.update(ctx, a.ID, func(tx *registry.Tx) error {
		e := registry.Event{Kind: registry.EventTakenOver, Agent: a.ID, By: c.Who,
			Details: fmt.Sprintf("turn %d is the person's, at a terminal", a.Turns+1)}
		return tx.Transition(a.ID, e, registry.Person, func(a *registry.Agent) {
			c.beginTurn(a)
			a.Flags = a.Flags.AfterTurn().With(registry.Flag{Kind: registry.FlagTakenOver, Text: c.Who})
		})
	})
	if err != nil {
		return Takeover{}, err
	}
	c.P.Step(StepTakenOver)
	t := Takeover{Agent: a, Turn: keeper.Turn{Dir: c.P.TurnDir(sessionID, a.ID, a.Turns)}, from: before}
	return t, c.prepared(ctx, t)
}

// StepTakenOver is the step, after a takeover was recorded, at which tests end the command.
const StepTakenOver = "takeover: recorded"

// MayTakeOver refuses an agent that has ended or has not begun, or in whose conversation nobody else can go on.
func (c Control) MayTakeOver(sessionID string, a registry.Agent) error {
	refused := &NoTakeoverError{Agent: a.Name}
	profile, err := agent.Find(c.P.Config, a.Profile)
	switch {
	case err != nil:
		return err
	case a.Status.Ended():
		refused.Reason = fmt.Sprintf("it is %s and can no longer be changed", a.Status.Word())
	case a.Status == registry.Pending:
		refused.Reason = "it has not started: it has no conversation yet"
	case a.Flags.Has(registry.FlagTakenOver):
		refused.Reason = a.Flags.Text(registry.FlagTakenOver) + " has taken it over already"
		refused.Next = "delegate interrupt " + a.Name + ", which ends that"
	case len(profile.Takeover) == 0:
		refused.Reason = fmt.Sprintf("it is not known how a person continues a conversation with %s at a terminal",
			profile.Name)
		refused.Next = fmt.Sprintf("delegate shell %s opens a shell in its worktree; the key takeover of the profile "+
			"%s can say how", a.Name, profile.Name)
	default:
		if _, named := session.Conversation(c.P, sessionID, a); named || profile.Output != dialect.EventLines &&
			a.Turns > 0 {
			return nil
		}
		refused.Reason = "its program has not named its conversation yet"
		refused.Next = "delegate logs " + a.Name + ", or delegate shell " + a.Name
	}
	return refused
}

// prepared waits until the turn can be run.
func (c Control) prepared(ctx context.Context, t Takeover) error {
	for deadline := time.Now().Add(2 * keeper.StartLimit); ; {
		if spec, err := t.Turn.Spec(); err == nil && spec.Terminal {
			return nil
		}
		a, _, err := c.find(ctx, t.Agent.ID)
		switch {
		case err != nil:
			return err
		case a.Status != registry.Running || a.Turns != t.Agent.Turns:
			return fmt.Errorf("take over %s: its turn was given up: %s", a.Name, c.lastWord(ctx, a))
		case time.Now().After(deadline):
			return fmt.Errorf("take over %s: its turn is being prepared for more than %s; see delegate doctor", a.Name,
				2*keeper.StartLimit)
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// lastWord is what the agent's last event says.
func (c Control) lastWord(ctx context.Context, a registry.Agent) string {
	state, err := c.Current(ctx)
	if err != nil {
		return err.Error()
	}
	for _, e := range slices.Backward(state.Events) {
		if e.Agent == a.ID {
			return e.Details
		}
	}
	return "it is " + a.Status.Word()
}

// Returned is what became of an agent when the person gave it back.
type Returned struct {
	Agent registry.Agent
	Files []string // that changed meanwhile
	Why   string   // how the turn ended, as the record says
	// GoesOn says that the agent has its next turn. It has none where the turn was ended, or its program failed.
	GoesOn bool
}

// Afterwards says what an agent does when a person gives it back.
type Afterwards int

// The ways: it goes on in the conversation and is told what happened, or it waits for a person.
const (
	GoOn Afterwards = iota
	Hold
)

// GiveBack waits until the end of the turn stands in the registry, and lets the agent go on if it is to.
func (c Control) GiveBack(ctx context.Context, t Takeover, then Afterwards) (Returned, error) {
	a, _, err := c.judged(ctx, t.Agent, false)
	r := Returned{Agent: a}
	if err != nil {
		return r, err
	}
	exit, err := t.Turn.Exit()
	if err != nil || a.Status == registry.Running && a.Turns == t.Agent.Turns {
		return r, fmt.Errorf("what you did to %s has not been checked yet; then: delegate continue %s", a.Name, a.Name)
	}
	r.Why = c.lastWord(ctx, a)
	changed, err := c.P.Repo.Changes(ctx, t.from, a.Head, git.RawEntries)
	if err != nil {
		return r, err
	}
	for _, f := range changed {
		r.Files = append(r.Files, f.Path)
	}
	ended := exit.Code == 0 && exit.Cause == keeper.ByItself
	if then == Hold || !ended || a.Status != registry.Checkpoint || a.Turns != t.Agent.Turns {
		return r, nil
	}
	r.Agent, err = c.queueFor(ctx, c.Session, a, returnMessage(c.Who, r.Files), func() error {
		_, err := c.advance(ctx, a, registry.EventContinued, "given back; changed meanwhile: "+
			session.FilesText(r.Files))
		return err
	})
	r.GoesOn = err == nil
	return r, err
}

// returnMessage tells an agent that a person worked in its place.
func returnMessage(who string, files []string) string {
	const most = 50
	text := fmt.Sprintf("%s has worked in your place meanwhile, in this same conversation. What was said and done "+
		"there counts as yours. ", who)
	switch {
	case len(files) == 0:
		text += "No files changed in it."
	case len(files) > most:
		text += fmt.Sprintf("%d files changed in it, among them:\n- %s", len(files), strings.Join(files[:most], "\n- "))
	default:
		text += "These files changed in it:\n- " + strings.Join(files, "\n- ")
	}
	return text + "\n\nLook at them, go on with your task, and end with your checkpoint block."
}

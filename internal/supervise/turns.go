package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/turnsetup"
	"delegate/registry"
)

// startTurn starts a later turn of a RUNNING agent: with the queued messages, in the program's own
// session where it can resume one, else with the conversation so far in the prompt.
func (s snapshot) startTurn(ctx context.Context, a registry.Agent, turn keeper.Turn) error {
	if limit := s.p.Config.TurnLimit; !limit.Off() && a.Turns > limit.Value() {
		return s.fail(ctx, a, fmt.Sprintf("turn limit reached: %d turns; everything it did is kept", limit.Value()),
			func(a *registry.Agent) {
				session.AddRunTime(0, s.p.Now())(a)
				a.Turns-- // this turn did not begin
				a.Flags = a.Flags.With(registry.FlagTurnLimit.Flag())
			})
	}
	err := s.prepareTurn(ctx, a, turn)
	if err == nil {
		err = s.clearWorktree(a, turn)
	}
	if err == nil {
		err = s.startKeeper(ctx, turn)
	}
	if err == nil {
		err = errors.Join(s.deliver(s.state.Session.ID, a, turn), s.release(ctx, a))
	}
	if err != nil {
		return errors.Join(err,
			s.fail(ctx, a, "turn could not be started: "+ui.ErrorText(err), session.AddRunTime(0, s.p.Now())))
	}
	return s.unwanted(ctx, a, turn)
}

func (s snapshot) prepareTurn(ctx context.Context, a registry.Agent, turn keeper.Turn) error {
	if turn.Whole() {
		return nil
	}
	record := *s.state.Session
	f, err := s.setUp(ctx, a, turn)
	if err != nil {
		return err
	}
	messages, err := session.LockedQueue(ctx, s.p, record.ID, a.ID)
	if err != nil {
		return err
	}
	prompt, command := s.followUp(ctx, record, a, f.Profile, messages)
	if isRemote(a) {
		return s.prepareRemote(ctx, a, f, prompt, messages)
	}
	f.Place.Budget = s.budgetLeft(a)
	id, _ := session.Conversation(s.p, record.ID, a)
	in := f.Profile.Invoke(command, agent.Values{
		Prompt: prompt, PromptFile: turn.PromptFile(), SessionID: id, Place: f.Place,
	})
	spec := s.spec(a, f, in)
	spec.Messages, spec.Said = session.MessageNumbers(messages), session.MessageTexts(messages)
	if _, err := keeper.Prepare(turn.Dir, prompt, spec); err != nil {
		return err
	}
	s.p.Step(stepPrepared)
	return nil
}

// setUp makes what a later turn runs in.
func (s snapshot) setUp(ctx context.Context, a registry.Agent, turn keeper.Turn) (turnsetup.Setup, error) {
	f := turnsetup.Setup{Turn: turn}
	var err error
	if f.Profile, err = agent.Find(s.p.Config, a.Profile); err != nil {
		return f, err
	}
	if _, err := os.Stat(a.Worktree); err != nil {
		return f, fmt.Errorf("worktree: %w", err)
	}
	if err := s.finishMove(s.state.Session.ID, a); err != nil {
		return f, err
	}
	if f.Place, err = turnsetup.MakeDirs(ctx, s.p, *s.state.Session, a, turn); err != nil {
		return f, err
	}
	if isRemote(a) {
		return f, nil
	}
	if err := s.confine(ctx, a, &f); err != nil {
		return f, err
	}
	return f, turnsetup.WriteConfig(ctx, s.p, a, &f)
}

// finishMove ends a move of the agent's worktree that its queue tells of. Of one that nobody
// recorded it is not told, and it must not begin.
func (s snapshot) finishMove(sessionID string, a registry.Agent) error {
	move, found, err := s.p.Moved(sessionID, a)
	if err != nil || !found {
		return err
	}
	if a.Head != move.To {
		return &session.AdaptUnfinishedError{Agent: a.ID}
	}
	return s.p.EndMove(sessionID, a)
}

// followUp is the prompt and the command of a later turn.
func (s snapshot) followUp(ctx context.Context, record registry.Session, a registry.Agent, profile agent.Profile,
	messages []session.Message) (string, []string) {
	f := agent.FollowUp{FromWhom: "your parent"}
	if f.Message = session.MessageTexts(messages); f.Message == "" {
		f.Message = "Go on."
	}
	if a.Flags.Has(registry.FlagOverdue) {
		f.Message += "\n\nYour last checkpoint is overdue: begin with a checkpoint block that says where you are."
	}
	if len(profile.Resume) > 0 && a.On == "" && s.canResume(record.ID, a, profile) {
		return f.Prompt(), profile.Resume
	}
	f.First = s.brief(ctx, record, a).Prompt()
	f.SoFar = s.conversation(record.ID, a)
	return f.Prompt(), profile.Command
}

// canResume reports whether the program has a session to go on with: one that it named, or that it
// was given by its first command.
func (s snapshot) canResume(sessionID string, a registry.Agent, profile agent.Profile) bool {
	_, named := session.Conversation(s.p, sessionID, a)
	return named || profile.Output != dialect.EventLines
}

// conversation is what the agent was told, quoted, and wrote in the earlier turns of its attempt,
// the newest as far as a prompt has room.
func (s snapshot) conversation(session string, a registry.Agent) string {
	var parts []string
	left := agent.ContextCap
	for n := a.Turns - 1; n > 0 && left > 0; n-- {
		turn := keeper.Turn{Dir: s.p.TurnDir(session, a.ID, n)}
		spec, err := turn.Spec()
		if err != nil || spec.Attempt != a.Attempt {
			break
		}
		if spec.Terminal {
			continue // a screen is nothing to read
		}
		part := project.Tail(turn.Readable(), 400)
		if spec.Said != "" {
			part = "You were told:\n\n> " + strings.ReplaceAll(spec.Said, "\n", "\n> ") + "\n\nYou wrote:\n\n" + part
		}
		parts = append(parts, strings.ToValidUTF8(part[max(0, len(part)-left):], ""))
		left -= len(part)
	}
	slices.Reverse(parts)
	return strings.Join(parts, "\n\n")
}

package supervise

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"delegate/internal/agent"
	"delegate/internal/dialect"
	"delegate/internal/keeper"
	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/internal/turnsetup"
	"delegate/registry"
)

// startTurn starts a later turn of a RUNNING agent: with the queued messages, in the program's own
// session where it can resume one, else with the conversation so far in the prompt.
func (s *supervisor) startTurn(ctx context.Context, a registry.Agent, turn keeper.Turn) error {
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
		err = s.keep(ctx, a, turn)
	}
	if err == nil {
		err = errors.Join(s.deliver(s.state.Session.ID, a, turn), s.release(ctx, a))
	}
	if err != nil {
		return errors.Join(err,
			s.fail(ctx, a, "turn could not be started: "+err.Error(), session.AddRunTime(0, s.p.Now())))
	}
	return s.unwanted(ctx, a, turn)
}

func (s *supervisor) prepareTurn(ctx context.Context, a registry.Agent, turn keeper.Turn) error {
	record := *s.state.Session
	if turn.Whole() {
		return nil
	}
	profile, err := agent.Find(s.p.Config, a.Profile)
	if err != nil {
		return err
	}
	if _, err := os.Stat(a.Worktree); err != nil {
		return fmt.Errorf("worktree: %w", err)
	}
	if err := s.settleMove(record.ID, a); err != nil {
		return err
	}
	place, err := turnsetup.MakeDirs(ctx, s.p, record, a, turn)
	if err != nil {
		return err
	}
	messages, err := session.LockedQueue(ctx, s.p, record.ID, a.ID)
	if err != nil {
		return err
	}
	prompt, command := s.followUp(record, a, profile, messages)
	f := turnsetup.Setup{Turn: turn, Profile: profile, Place: place}
	if err := s.confine(ctx, a, &f); err != nil {
		return err
	}
	if err := turnsetup.WriteConfig(ctx, s.p, a, f); err != nil {
		return err
	}
	in := profile.Invoke(command, agent.Values{
		Prompt: prompt, PromptFile: turn.PromptFile(), SessionID: s.programSession(record.ID, a), Place: f.Place,
	})
	spec := s.spec(a, f, in)
	spec.Messages, spec.Said = session.MessageNumbers(messages), session.MessageTexts(messages)
	if _, err := keeper.Prepare(turn.Dir, prompt, spec); err != nil {
		return err
	}
	s.p.Step(stepPrepared)
	return nil
}

// settleMove ends a move of the agent's worktree that its queue tells of. Of one that nobody
// recorded it is not told, and it must not begin.
func (s *supervisor) settleMove(sessionID string, a registry.Agent) error {
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
func (s *supervisor) followUp(record registry.Session, a registry.Agent, profile agent.Profile,
	messages []session.Message) (string, []string) {
	f := agent.FollowUp{FromWhom: "your parent"}
	if f.Message = session.MessageTexts(messages); f.Message == "" {
		f.Message = "Go on."
	}
	if a.Flags.Has(registry.FlagOverdue) {
		f.Message += "\n\nYour last checkpoint is overdue: begin with a checkpoint block that says where you are."
	}
	if len(profile.Resume) > 0 && s.canResume(record.ID, a, profile) {
		return f.Prompt(), profile.Resume
	}
	f.First = s.brief(record, a).Prompt()
	f.SoFar = s.conversation(record.ID, a)
	return f.Prompt(), profile.Command
}

// canResume reports whether the program has a session to go on with: one that it named, or that it
// was given by its first command.
func (s *supervisor) canResume(session string, a registry.Agent, profile agent.Profile) bool {
	if profile.Output != dialect.EventLines {
		return true
	}
	for n := a.Turns - 1; n > 0; n-- {
		turn := keeper.Turn{Dir: s.p.TurnDir(session, a.ID, n)}
		if spec, err := turn.Spec(); err != nil || spec.Attempt != a.Attempt {
			return false
		}
		if turn.SessionID() != "" {
			return true
		}
	}
	return false
}

// conversation is what the agent was told, quoted, and wrote in the earlier turns of its attempt,
// the newest as far as a prompt has room.
func (s *supervisor) conversation(session string, a registry.Agent) string {
	var parts []string
	left := agent.ContextCap
	for n := a.Turns - 1; n > 0 && left > 0; n-- {
		turn := keeper.Turn{Dir: s.p.TurnDir(session, a.ID, n)}
		spec, err := turn.Spec()
		if err != nil || spec.Attempt != a.Attempt {
			break
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

// programSession is the program's session in this attempt: the one that it named itself, else one that it is given.
func (s *supervisor) programSession(session string, a registry.Agent) string {
	for n := a.Turns; n > 0; n-- {
		turn := keeper.Turn{Dir: s.p.TurnDir(session, a.ID, n)}
		spec, err := turn.Spec()
		if err == nil && spec.Attempt != a.Attempt {
			break
		}
		if id := turn.SessionID(); id != "" {
			return id
		}
	}
	sum := sha256.Sum256([]byte(session + "\x00" + a.ID + "\x00" + strconv.Itoa(a.Attempt) + "\x00" + s.p.Main))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a version 8 UUID, made of what names the attempt
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

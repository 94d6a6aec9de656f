package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"delegate/internal/merge"
	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/internal/ui"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// outcome is what a command on one agent came to.
type outcome struct {
	agent       registry.Agent
	said        string
	interrupted *bool // of commands that may interrupt a turn
}

// outcomeView is an outcome as JSON.
type outcomeView struct {
	ID          string          `json:"id"`
	Status      registry.Status `json:"status"`
	Interrupted *bool           `json:"interrupted,omitempty"`
	Said        string          `json:"said"`
}

// What commands and reviews say in the same words.

func goesOn(ag registry.Agent) string { return fmt.Sprintf("%s goes on: turn %d.", ag.ID, ag.Turns) }
func goesOnWith(ag registry.Agent) string {
	return fmt.Sprintf("%s goes on with it: turn %d.", ag.ID, ag.Turns)
}

func startsAgain(ag registry.Agent) string {
	return fmt.Sprintf("%s starts again: attempt %d on %s.", ag.ID, ag.Attempt, ag.Branch)
}

func hasSubtask(ag registry.Agent) string {
	return fmt.Sprintf("%s has the subtask now (%s).", ag.ID, text(ag.Profile))
}

func isAborted(ag registry.Agent) string {
	return fmt.Sprintf("%s is ABORTED. Its work is kept: branch %s, worktree %s", ag.ID, ag.Branch, ag.Worktree)
}

// onAgent is a command that changes one agent: it writes the registry, and a supervisor carries it out.
func (a *app) onAgent(use, short string, args cobra.PositionalArgs,
	do func(ctx context.Context, c session.Control, args []string) (outcome, error)) *cobra.Command {
	c := a.jsonFlag(command(use, short, args, func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		p, who, err := a.control(ctx)
		if err != nil {
			return err
		}
		if merge.Unfinished(p) {
			return merge.ErrUnfinished
		}
		if err := a.supervised(ctx, p); err != nil {
			return err
		}
		o, err := do(ctx, who, args)
		if err != nil {
			return err
		}
		if o.agent.Status == registry.Running || o.agent.Status == registry.Spawning {
			if state, err := p.Active(ctx); err == nil && state.Session.Paused != "" {
				fmt.Fprintln(a.err, "note: the session is paused; no turn is started until: delegate resume")
			}
		}
		if a.json {
			err = a.printJSON(outcomeView{ID: o.agent.ID, Status: o.agent.Status, Interrupted: o.interrupted,
				Said: o.said})
		} else {
			a.printf("%s\n", o.said)
		}
		return errors.Join(err, a.supervised(ctx, p))
	}))
	return c
}

func (a *app) continueAgent() *cobra.Command {
	return a.onAgent(`continue AGT ["MESSAGE"]`, "give a reviewed agent its next turn, with an answer",
		cobra.RangeArgs(1, 2),
		func(ctx context.Context, c session.Control, args []string) (outcome, error) {
			ag, err := c.Continue(ctx, args[0], strings.Join(args[1:], " "))
			return outcome{agent: ag, said: goesOn(ag)}, err
		})
}

func (a *app) adapt() *cobra.Command {
	c := a.onAgent(`adapt AGT ["MESSAGE"]`, "merge the target into an agent's work and give it its next turn",
		cobra.RangeArgs(1, 2),
		func(ctx context.Context, c session.Control, args []string) (outcome, error) {
			ag, err := c.Adapt(ctx, args[0], strings.Join(args[1:], " "))
			return outcome{agent: ag, said: goesOn(ag)}, err
		})
	c.Long = "For work that has to fit what landed meanwhile. Merges the target into the work of an agent that waits " +
		"for review, is COMPLETE or FAILED,\n" +
		"and gives it its next turn with what came. Where both changed the same lines, the files in its worktree " +
		"hold conflict markers with the base shown,\n" +
		"and the agent is told to resolve them; its head before is kept under refs/delegate/. Cut off, it is " +
		"finished by typing it again."
	return c
}

func (a *app) message() *cobra.Command {
	now := false
	c := a.onAgent(`message AGT "MESSAGE"`, "queue a message; an agent that finished or failed goes on with it",
		cobra.ExactArgs(2),
		func(ctx context.Context, c session.Control, args []string) (outcome, error) {
			if strings.TrimSpace(args[1]) == "" {
				return outcome{}, fmt.Errorf("message %s: the text is empty", args[0])
			}
			if now {
				ag, err := c.MessageNow(ctx, args[0], args[1])
				return outcome{agent: ag, said: goesOnWith(ag)}, err
			}
			state, err := c.P.Active(ctx)
			if err != nil {
				return outcome{}, err
			}
			before, err := project.Find(state, args[0])
			if err != nil {
				return outcome{}, err
			}
			ag, err := c.Message(ctx, args[0], args[1])
			if before.Status == registry.Complete || before.Status == registry.Failed {
				return outcome{agent: ag, said: goesOnWith(ag)}, err
			}
			if ag.Status == registry.Running {
				return outcome{agent: ag, said: fmt.Sprintf("Queued for %s, which is %s.", ag.ID, ag.Status)}, err
			}
			return outcome{agent: ag, said: fmt.Sprintf(
				"Queued for %s; it gets it at its next turn (delegate continue %s).", ag.ID, ag.ID)}, err
		})
	c.Long = "Queues a message. It is on disk before this command ends, and is delivered once and in order with the " +
		"agent's next turn,\n" +
		"also if the supervisor dies meanwhile. An agent that is COMPLETE or FAILED goes on with it at once; one " +
		"that is RUNNING\n" +
		"gets it at its next turn, or now with --interrupt."
	c.Flags().BoolVar(&now, "interrupt", false, "stop the current turn first, and go on with the message at once")
	return c
}

func (a *app) interrupt() *cobra.Command {
	c := a.onAgent("interrupt AGT", "stop the current turn of an agent; it keeps its work and can go on",
		cobra.ExactArgs(1),
		func(ctx context.Context, c session.Control, args []string) (outcome, error) {
			ag, done, err := c.Interrupt(ctx, args[0])
			said := fmt.Sprintf("interrupted: %t\n%s is %s.", done, ag.ID, ag.Status)
			if next := session.Next(ag); next != "" {
				said += " Next: " + next
			}
			return outcome{agent: ag, said: said, interrupted: &done}, err
		})
	c.Long = "Stops the current turn as Ctrl-C would, after stop_grace with force. Nothing is destroyed: the agent " +
		"then waits for a person\n" +
		"with its worktree, its memory and its queued messages. An agent without a running turn is left alone: " +
		"interrupted: false."
	return c
}

// closeAgent is the name that interrupt had before.
func (a *app) closeAgent() *cobra.Command {
	c := a.interrupt()
	c.Use, c.Hidden = "close AGT", true
	return c
}

func (a *app) retry() *cobra.Command {
	return a.onAgent("retry AGT", "start a failed agent anew on a fresh branch; the old branch is kept",
		cobra.ExactArgs(1),
		func(ctx context.Context, c session.Control, args []string) (outcome, error) {
			ag, err := c.Retry(ctx, args[0])
			return outcome{agent: ag, said: startsAgain(ag)}, err
		})
}

func (a *app) extend() *cobra.Command {
	return a.onAgent("extend AGT DURATION", "give an agent more time; one that timed out goes on", cobra.ExactArgs(2),
		func(ctx context.Context, c session.Control, args []string) (outcome, error) {
			by, err := time.ParseDuration(args[1])
			if err != nil || by <= 0 {
				return outcome{}, &usageError{fmt.Errorf("DURATION %q is not a duration above 0, such as 30m", args[1]),
					"delegate extend"}
			}
			ag, err := c.Extend(ctx, args[0], by)
			return outcome{agent: ag, said: fmt.Sprintf("%s has %s more.", ag.ID, by)}, err
		})
}

func (a *app) forceComplete() *cobra.Command {
	return a.onAgent(`force-complete AGT ["REASON"]`, "declare an agent finished, with what it has done",
		cobra.RangeArgs(1, 2),
		func(ctx context.Context, c session.Control, args []string) (outcome, error) {
			ag, err := c.ForceComplete(ctx, args[0], strings.Join(args[1:], " "))
			return outcome{agent: ag, said: fmt.Sprintf(
				"%s is COMPLETE by your decision; its work waits for: delegate sync merge %s", ag.ID, ag.ID)}, err
		})
}

func (a *app) abort() *cobra.Command {
	yes := false
	c := a.onAgent(`abort AGT ["REASON"]`, "cancel an agent; its branch and worktree are kept", cobra.RangeArgs(1, 2),
		func(ctx context.Context, c session.Control, args []string) (outcome, error) {
			if err := a.confirm(ctx, fmt.Sprintf("Abort %s?", args[0]), yes); err != nil {
				return outcome{}, err
			}
			ag, err := c.Abort(ctx, args[0], strings.Join(args[1:], " "))
			if err == nil {
				err = sendBackDependents(ctx, c, ag)
			}
			return outcome{agent: ag, said: isAborted(ag)}, err
		})
	c.Flags().BoolVar(&yes, "yes", false, "do not ask (needed without a terminal)")
	return c
}

// sendBackDependents returns finished work that was built on work which is not going to land.
func sendBackDependents(ctx context.Context, c session.Control, rejected registry.Agent) error {
	state, err := c.P.Active(ctx)
	if err != nil {
		return err
	}
	for _, ag := range state.Agents {
		for _, id := range ag.Dependencies {
			if id != rejected.ID || ag.Status != registry.Complete {
				continue
			}
			text := fmt.Sprintf("%s, which your work builds on, was rejected. Take out what needs it, or do without.",
				id)
			if _, err := c.SendBack(ctx, ag.ID, text); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *app) reassign() *cobra.Command {
	profile := ""
	c := a.onAgent("reassign AGT [--agent PROFILE]", "give a subtask to a new agent, which is told what was tried",
		cobra.ExactArgs(1),
		func(ctx context.Context, c session.Control, args []string) (outcome, error) {
			ag, err := c.Reassign(ctx, args[0], profile)
			return outcome{agent: ag, said: hasSubtask(ag)}, err
		})
	c.Flags().StringVar(&profile, "agent", "", "profile of the agent program (default: the same)")
	return c
}

func (a *app) scope() *cobra.Command {
	var change session.ScopeChange
	c := a.onAgent("scope AGT [--allow GLOB] [--drop PATH]",
		"show or widen what an agent may write, or take changes back", cobra.ExactArgs(1),
		func(ctx context.Context, c session.Control, args []string) (outcome, error) {
			if len(change.Allow)+len(change.Drop) == 0 {
				state, err := c.P.Active(ctx)
				if err != nil {
					return outcome{}, err
				}
				ag, err := project.Find(state, args[0])
				return outcome{agent: ag,
					said: fmt.Sprintf("%s may write: %s\nmay not:   %s", ag.ID, text(strings.Join(ag.Allowed, ", ")),
						text(strings.Join(ag.Forbidden, ", ")))}, err
			}
			ag, overlaps, err := c.ChangeScope(ctx, args[0], change)
			if err != nil {
				return outcome{}, err
			}
			said := mayWrite(ag, overlaps)
			if len(change.Drop) > 0 {
				said += fmt.Sprintf("\nTaken back in its worktree: %s. Its head before that is kept under "+
					"refs/delegate/.", text(strings.Join(change.Drop, ", ")))
			}
			return outcome{agent: ag, said: said}, nil
		})
	c.Flags().StringArrayVar(&change.Allow, "allow", nil, "glob to add to what it may write (recorded)")
	c.Flags().StringArrayVar(&change.Drop, "drop", nil,
		"path whose changes are taken back in its worktree (kept under a reference)")
	return c
}

// confirm asks before something is given up; without a terminal only --yes goes on.
func (a *app) confirm(ctx context.Context, question string, yes bool) error {
	if !a.term.Interactive() {
		if yes {
			return nil
		}
		return &needsYesError{question}
	}
	if yes {
		return nil
	}
	answer, err := a.term.Choose(ctx, question, []ui.Answer{{Word: "yes"}, {Word: "no", Help: "change nothing"}}, "no")
	if err != nil {
		return err
	}
	if answer != "yes" {
		return errDeclined
	}
	return nil
}

// needsYesError says that a question could not be asked, and that its answer has a flag.
type needsYesError struct{ question string }

func (e *needsYesError) Error() string { return "not asked, for this is no terminal: " + e.question }

// errDeclined ends a command whose question was answered no.
var errDeclined = errors.New("nothing was changed")

// endSession cancels every agent of the session that the person means, has their processes ended, and archives it.
func endSession(ctx context.Context, who session.Control, reason string) error {
	p := who.P
	if merge.Unfinished(p) {
		return merge.ErrUnfinished
	}
	if err := who.AbortSession(ctx, reason); err != nil {
		return err
	}
	if err := session.StopAll(ctx, p); err != nil {
		return err
	}
	_, err := p.Store.Update(ctx, func(tx *registry.Tx) error {
		if s := tx.State().Session; s != nil && s.ID != who.Session {
			return &session.OtherSessionError{Meant: who.Session, Active: s.ID}
		}
		return tx.EndSession(registry.SessionAborted,
			registry.Event{Kind: registry.EventSessionAborted, Details: reason, By: who.Who})
	})
	if err != nil {
		return err
	}
	return p.DropScratch(ctx)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/view/status"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// onAgent is a command that changes one agent: it writes the registry, and a supervisor carries it out.
func (a *app) onAgent(use, short string, args cobra.PositionalArgs,
	do func(ctx context.Context, c control.Control, args []string) (outcome, error)) *cobra.Command {
	return a.jsonFlag(command(use, short, args, func(ctx context.Context, args []string) error {
		p, who, err := a.control(ctx)
		if err != nil {
			return err
		}
		if journal.Unfinished(p) {
			return journal.ErrUnfinished
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
				a.note("the session is paused; no turn starts until you type: %s", session.ResumeNext(*state.Session))
			}
		}
		document := struct {
			ID          string          `json:"id"`
			Name        string          `json:"name"`
			Status      registry.Status `json:"status"`
			Interrupted *bool           `json:"interrupted,omitempty"`
			Said        string          `json:"said"`
		}{o.agent.ID, o.agent.Name, o.agent.Status, o.interrupted, o.said}
		err = a.answer(document, func() { a.printf("%s\n", o.said) })
		return errors.Join(err, a.supervised(ctx, p))
	}))
}

// outcome is what a command on one agent came to.
type outcome struct {
	agent       registry.Agent
	said        string
	interrupted *bool // of commands that may interrupt a turn
}

// said makes an outcome of what a command on an agent answers.
func said(words func(registry.Agent) string) func(registry.Agent, error) (outcome, error) {
	return func(ag registry.Agent, err error) (outcome, error) { return outcome{agent: ag, said: words(ag)}, err }
}

func (a *app) goesOn(ag registry.Agent) string { return ag.Name + " " + a.works(ag) + "." }

func (a *app) goesOnWith(ag registry.Agent) string {
	return ag.Name + " has your message and " + a.works(ag) + "."
}

// works says that an agent works that was given its next turn, or that a pause keeps that from beginning.
func (a *app) works(ag registry.Agent) string {
	if status.IsPaused(a.opened, a.state, ag) {
		return fmt.Sprintf("begins turn %d when the session is resumed", ag.Turns)
	}
	return fmt.Sprintf("is working again (turn %d)", ag.Turns)
}

func startsAgain(ag registry.Agent) string {
	return fmt.Sprintf("%s starts again (attempt %d, branch %s).", ag.Name, ag.Attempt, ag.Branch)
}

func hasSubtask(ag registry.Agent) string {
	return fmt.Sprintf("%s takes the task over (program %s).", ag.Name, text(ag.Profile))
}

// isForced says of an agent that was declared finished what can become of its work.
func isForced(p *project.Project, ag registry.Agent) string {
	if ag.HasNoChanges() {
		return fmt.Sprintf("You marked %s as done. It changed nothing, so there is nothing to merge: %s", ag.Name,
			status.Next(p, ag, nil))
	}
	return fmt.Sprintf("You marked %s as done. To merge its work: %s", ag.Name, status.Next(p, ag, nil))
}

// isReturned says what a person can do about an agent that they worked for.
func (a *app) isReturned(r control.Returned) string {
	switch next := status.Next(a.opened, r.Agent, nil); {
	case r.GoesOn:
		return a.goesOn(r.Agent)
	case next != "":
		return fmt.Sprintf("%s %s. Next: %s", r.Agent.Name, r.Agent.Status.Word(), next)
	}
	return fmt.Sprintf("%s is %s.", r.Agent.Name, r.Agent.Status.Word())
}

// hasMore says how much longer an agent may work.
func hasMore(by string) func(registry.Agent) string {
	return func(ag registry.Agent) string { return fmt.Sprintf("%s has %s more.", ag.Name, by) }
}

func isAborted(ctx context.Context, p *project.Project, ag registry.Agent) string {
	if ag.Branch == "" {
		return fmt.Sprintf("Aborted %s. It had not started.", ag.Name)
	}
	return fmt.Sprintf("Aborted %s. %s", ag.Name, isKept(ctx, p, ag))
}

// isKept says where an agent's work lies.
func isKept(ctx context.Context, p *project.Project, ag registry.Agent) string {
	if ag.Head == ag.Base && !ag.Flags.Has(registry.FlagSnapshotIncomplete) {
		return "It had changed nothing"
	}
	words := "Its work is kept: " + holder(ctx, p, ag)
	if _, err := os.Lstat(ag.Worktree); !errors.Is(err, fs.ErrNotExist) {
		words += ", worktree " + ag.Worktree
	}
	if ag.Flags.Has(registry.FlagSnapshotIncomplete) {
		words += "; only the worktree has all of it: " + registry.Flag{Kind: registry.FlagSnapshotIncomplete,
			Text: ag.Flags.Text(registry.FlagSnapshotIncomplete)}.Words()
	}
	return words
}

// holder is what of git holds an agent's work: its branch only if that has a commit of its own.
func holder(ctx context.Context, p *project.Project, ag registry.Agent) string {
	if tip, _, err := p.Repo.Tip(ctx, ag.Branch); err == nil && (tip == "" || tip == ag.Base) {
		return fmt.Sprintf("commit %.12s", ag.Head)
	}
	return "branch " + ag.Branch
}

// isInterrupted says what became of an agent's turn, and what to type next.
func isInterrupted(p *project.Project, ag registry.Agent, stopped bool) string {
	said := fmt.Sprintf("%s (%s) has no turn to interrupt.", ag.Name, ag.Word())
	if stopped {
		said = fmt.Sprintf("Interrupted %s. Its changes are kept.", ag.Name)
	}
	if next := status.Next(p, ag, nil); next != "" {
		said += " Next: " + next
	}
	return said
}

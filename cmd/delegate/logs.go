package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/internal/view/status"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// logsCommand is `delegate logs [-f] AGT`: the transcript of all turns.
func (a *app) logsCommand() *cobra.Command {
	follow := false
	c := command("logs [AGENT]", "show what an agent printed, all turns", cobra.MaximumNArgs(1),
		func(ctx context.Context, args []string) error {
			p, state, ag, err := a.oneAgentOf(ctx, "logs", args)
			if err != nil {
				return err
			}
			a.tellRemoved(p, state.Session.ID, ag)
			err = status.Follow(ctx, p, ag.ID, status.FollowOptions{Out: a.transcript(), Wait: follow,
				Session: state.Session.ID})
			if follow && err == nil {
				a.term.Alert("delegate: " + ag.Name + " has ended or needs you")
			}
			return err
		})
	c.Flags().BoolVarP(&follow, "follow", "f", false, "follow until the agent ends or needs you")
	return a.ofSession(c)
}

// tellRemoved says how many turns of an agent have left nothing to show, so that silence is not taken for theirs.
func (a *app) tellRemoved(p *project.Project, session string, ag registry.Agent) {
	removed := 0
	for turn := 1; turn <= ag.Turns; turn++ {
		if _, err := os.Stat(p.TurnDir(session, ag.ID, turn)); errors.Is(err, fs.ErrNotExist) {
			removed++
		}
	}
	if removed > 0 {
		a.note("what %s printed in %d of its %s was removed, as delegate clean does", ag.Name, removed,
			ui.Plural(ag.Turns, "turn"))
	}
}

// oneAgentOf is the agent that is named to a command, or the only one of the session.
func (a *app) oneAgentOf(ctx context.Context, verb string, args []string) (*project.Project, registry.State,
	registry.Agent, error) {
	if len(args) > 0 {
		return a.agent(ctx, args[0])
	}
	p, state, err := a.session(ctx)
	if err != nil {
		return nil, state, registry.Agent{}, err
	}
	if len(state.Agents) == 1 {
		return p, state, state.Agents[0], nil
	}
	return nil, state, registry.Agent{}, &usageError{fmt.Errorf("name one of the agents: %s",
		names(state.NamesOf(idsOf(state.Agents)))), "delegate " + verb}
}

// transcript is where output of agents goes: as it is into a pipe, made harmless on a terminal.
func (a *app) transcript() io.Writer {
	if a.term.IsTerminal() {
		return cleaner{a.out}
	}
	return a.out
}

type cleaner struct{ to io.Writer }

func (c cleaner) Write(p []byte) (int, error) {
	_, err := io.WriteString(c.to, ui.Clean(string(p)))
	return len(p), err
}

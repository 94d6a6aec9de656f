package main

import (
	"context"
	"fmt"
	"io"

	"delegate/internal/candidate"
	"delegate/internal/project"
	"delegate/internal/status"
	"delegate/internal/ui"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// logsCommand is `delegate logs [-f] AGT`: the transcript of all turns.
func (a *app) logsCommand() *cobra.Command {
	follow := false
	c := command("logs [AGENT]", "show what an agent printed, all turns", cobra.MaximumNArgs(1),
		func(ctx context.Context, args []string) error {
			p, state, ag, err := a.oneAgentOf(ctx, args)
			if err != nil {
				return err
			}
			err = status.Follow(ctx, p, ag.ID, status.FollowOptions{Out: a.transcript(), Wait: follow,
				Session: state.Session.ID})
			if follow && err == nil {
				a.term.Alert("delegate: " + ag.Name + " has ended or needs you")
			}
			return err
		})
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the agent ends or needs you")
	return a.ofSession(c)
}

// oneAgentOf is the agent that is named, or the only one of the session.
func (a *app) oneAgentOf(ctx context.Context, args []string) (*project.Project, registry.State, registry.Agent, error) {
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
		names(state.NamesOf(candidate.Sequence{Agents: state.Agents}.IDs()))), "delegate logs"}
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

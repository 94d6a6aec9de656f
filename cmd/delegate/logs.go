package main

import (
	"context"
	"io"

	"delegate/internal/status"
	"delegate/internal/ui"

	"github.com/spf13/cobra"
)

// logsCommand is `delegate logs [-f] AGT`: the transcript of all turns.
func (a *app) logsCommand() *cobra.Command {
	follow := false
	c := command("logs AGT", "what an agent printed, all turns", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			p, _, ag, err := a.agent(ctx, args[0])
			if err != nil {
				return err
			}
			err = status.Follow(ctx, p, ag.ID, status.FollowOptions{Out: a.transcript(), Wait: follow})
			if follow && err == nil {
				a.term.Alert("delegate: " + ag.ID + " has ended or needs you")
			}
			return err
		})
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the agent ends or needs a person")
	return c
}

// transcript is where output of agents goes: as it is into a pipe, made harmless on a terminal.
func (a *app) transcript() io.Writer {
	if a.term.Interactive() {
		return cleaner{a.out}
	}
	return a.out
}

type cleaner struct{ to io.Writer }

func (c cleaner) Write(p []byte) (int, error) {
	_, err := io.WriteString(c.to, ui.Clean(string(p)))
	return len(p), err
}

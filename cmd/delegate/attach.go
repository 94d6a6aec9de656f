package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"delegate/internal/view/status"

	"github.com/spf13/cobra"
)

// attachCommand is `delegate attach AGT`: its output as it comes; lines typed are queued as messages.
func (a *app) attachCommand() *cobra.Command {
	c := command("attach AGENT",
		"follow an agent's output; each line you type is queued as a message; Ctrl-C leaves it working",
		cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			_, who, err := a.control(ctx)
			if err != nil {
				return err
			}
			_, state, err := a.active(ctx)
			if err != nil {
				return err
			}
			ag, err := state.Find(args[0])
			if err != nil {
				return err
			}
			err = status.Attach(ctx, who.P, ag.ID,
				status.AttachOptions{In: os.Stdin, Out: a.transcript(), Notes: a.err,
					Send: func(ctx context.Context, text string) error {
						_, err := who.Message(ctx, ag.ID, text)
						return err
					}})
			if err == nil {
				a.term.Alert("delegate: " + ag.Name + " has ended or needs you")
			}
			if errors.Is(err, context.Canceled) {
				fmt.Fprintf(a.err, "\nDetached; %s keeps running.\n", ag.Name)
			}
			return err
		})
	return c
}

package main

import (
	"context"

	"delegate/internal/control/session"
	"delegate/internal/supervise"
	"delegate/internal/text/ui"

	"github.com/spf13/cobra"
)

// resumeCommand is `delegate resume`.
func (a *app) resumeCommand() *cobra.Command {
	return command("resume", "resume a session that was paused, or whose supervisor died", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			p, who, err := a.control(ctx)
			if err != nil {
				return err
			}
			state, err := p.Active(ctx)
			if err != nil {
				return err
			}
			if session.Unapproved(state) {
				a.printf("%s", pendingHint)
				return ui.ErrNotTerminal
			}
			if err := a.ofPerson(); err != nil && state.Session.Paused != "" {
				return err
			}
			lifted, err := who.Unpause(ctx)
			if err != nil {
				return err
			}
			if lifted {
				a.printf("The pause is over: turns are started again.\n")
			}
			started, err := supervise.Launch(ctx, p)
			if err != nil {
				return err
			}
			if s := session.FindSupervisor(p); s != nil && !started {
				a.printf("The supervisor is running (pid %d).\n", s.PID)
				return nil
			}
			a.printf("A supervisor has taken %s up again. Agents that still run were found; those that ended are "+
				"judged by their evidence.\n", state.Session.ID)
			return nil
		})
}

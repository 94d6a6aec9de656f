package main

import (
	"context"
	"fmt"
	"os"

	"delegate/internal/run"
	"delegate/internal/turnsetup"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// sandboxTryCommand is `delegate sandbox try AGT COMMAND`: a command in the fence of an agent.
func (a *app) sandboxTryCommand() *cobra.Command {
	c := command("try AGENT [--] COMMAND [ARGS]",
		"run a command as the agent would: in its worktree, its environment and its sandbox",
		cobra.MinimumNArgs(2),
		func(ctx context.Context, args []string) error { return a.try(ctx, args[0], args[1:]) })
	c.Flags().SetInterspersed(false)
	return c
}

func (a *app) try(ctx context.Context, id string, words []string) error {
	if words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return &usageError{fmt.Errorf("a command to try is missing"), "delegate sandbox try"}
	}
	p, _, err := a.control(ctx)
	if err != nil {
		return err
	}
	state, err := p.Active(ctx)
	if err != nil {
		return err
	}
	ag, err := state.Find(id)
	if err != nil {
		return err
	}
	if ag.Status == registry.Pending {
		return fmt.Errorf("%s has not started: it has no worktree yet", ag.Name)
	}
	inside, err := turnsetup.Try(ctx, p, state, ag)
	if err != nil {
		return err
	}
	defer inside.Close()
	if inside.Fence == nil {
		a.note("the sandbox of this session is %s: the command has all your rights", text(state.Session.Sandbox))
	}
	status, err := inside.Run(run.Command{Path: words[0], Args: words[1:], Stdin: os.Stdin, Stdout: os.Stdout,
		Stderr: os.Stderr})
	if err != nil {
		fmt.Fprintln(a.err, "delegate:", text(err.Error()))
	}
	if status != 0 {
		return &exitError{status}
	}
	return nil
}

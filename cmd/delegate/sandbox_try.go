package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"delegate/internal/control"
	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"
	"delegate/internal/turn/turnsetup"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// sandboxTryCommand is `delegate sandbox try AGT COMMAND`: a command in the fence of an agent.
func (a *app) sandboxTryCommand() *cobra.Command {
	c := command("try AGENT [--] COMMAND [ARGS]",
		"run a command as the agent would: in its worktree, its environment and its sandbox",
		cobra.MinimumNArgs(2),
		func(ctx context.Context, args []string) error {
			return a.inFence(ctx, args[0], func(p place) error {
				return p.run(ctx, args[1:], "delegate sandbox try")
			})
		})
	c.Flags().SetInterspersed(false)
	return c
}

// place is where a person works as an agent's program would.
type place struct {
	*app
	who    control.Control
	agent  registry.Agent
	inside *turnsetup.Trial
	env    []string // variables beside the agent's
}

// inFence makes the place and takes it away again.
func (a *app) inFence(ctx context.Context, id string, work func(place) error) error {
	p, who, err := a.control(ctx)
	if err != nil {
		return err
	}
	state, err := p.Active(ctx)
	if err != nil {
		return err
	}
	ag, err := state.Find(id)
	if err == nil {
		err = hasWorktree(ctx, p, ag)
	}
	if err != nil {
		return err
	}
	inside, err := turnsetup.Try(ctx, p, state, ag)
	if err != nil {
		return err
	}
	defer inside.Close()
	if inside.Fence == nil {
		a.note("the sandbox of this session is %s: the command has all your rights", text(state.Session.Sandbox))
	}
	return work(place{app: a, who: who, agent: ag, inside: inside})
}

// run runs the words at this terminal, or on these streams, and ends as the command does; by is the command line that
// they stand on.
func (p place) run(ctx context.Context, words []string, by string) error {
	if words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return &usageError{errors.New("a command to run is missing"), by}
	}
	status, err := p.inside.Run(ctx, run.Command{Path: words[0], Args: words[1:], Env: p.env, Stdin: os.Stdin,
		Stdout: os.Stdout, Stderr: os.Stderr})
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case err != nil:
		fmt.Fprintln(p.err, "delegate:", text(ui.ErrorText(err)))
	}
	if status != 0 {
		return &exitError{status}
	}
	return nil
}

// whileThere ends with ctx, or soon after the agent is one in whose worktree nothing is to run any more; the cause then
// says so.
func (p place) whileThere(ctx context.Context) (context.Context, context.CancelFunc) {
	within, end := context.WithCancelCause(ctx)
	go func() { // ends with within
		for within.Err() == nil {
			if err := p.over(within); err != nil {
				end(err)
			}
			select {
			case <-within.Done():
			case <-time.After(time.Second):
			}
		}
	}()
	return within, func() { end(nil) }
}

// over is why nothing is to run in the agent's worktree, nil if there is no reason. What cannot be read now is none.
func (p place) over(ctx context.Context) error {
	state, err := p.who.Current(ctx)
	if isA[*control.OtherSessionError](err) || isAny(err, project.ErrNoSession, registry.ErrNoSession) {
		return fmt.Errorf("the session of %s has ended", p.agent.Name)
	}
	if err != nil {
		return nil
	}
	ag, err := state.Agent(p.agent.ID)
	switch {
	case err != nil:
		return fmt.Errorf("%s is not in the record any more", p.agent.Name)
	case ag.Status.Ended():
		return fmt.Errorf("%s is %s", ag.Name, ag.Status.Word())
	case ag.Attempt != p.agent.Attempt:
		return fmt.Errorf("%s starts anew, in another worktree", ag.Name)
	}
	if _, err := os.Stat(p.agent.Worktree); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the worktree of %s is gone", p.agent.Name)
	}
	return nil
}

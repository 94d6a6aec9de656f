package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"

	"delegate/internal/sys/run"
	"delegate/internal/text/ui"
	"delegate/internal/view/watch"

	"github.com/spf13/cobra"
)

// noScreenError says that there is no terminal with a screen to fill.
type noScreenError struct{ why string }

func (e *noScreenError) Error() string {
	return "watch needs a terminal with a whole screen, and " + e.why
}

func (e *noScreenError) Unwrap() error { return ui.ErrNotTerminal }

// watchCommand is `delegate watch`: the session on the whole screen.
func (a *app) watchCommand() *cobra.Command {
	c := command("watch", "show the session in full screen, with keys for every action", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			if err := a.hasScreen(); err != nil {
				return err
			}
			p, err := a.open(ctx)
			if err != nil {
				return err
			}
			err = a.watchSession(ctx, &watchSource{app: a, p: p})
			if err == nil && ctx.Err() != nil {
				// the Ctrl-C was for a command that ran meanwhile, and the person left later
				return &exitError{exitDone}
			}
			return err
		})
	c.Long = "Shows what is waiting for you, the agents, and, for one of them, its output, its diff, its last\n" +
		"report and its conflicts. Keys run the commands of this program at the terminal; ? lists them.\n" +
		"Nothing lands without your yes to the question of delegate sync merge.\n" +
		"Without a terminal, or on a dumb one, it exits with 4: delegate status shows the same."
	return c
}

func (a *app) hasScreen() error {
	switch kind := os.Getenv("TERM"); {
	case !a.term.IsTerminal():
		return &noScreenError{"this is none"}
	case kind == "dumb", kind == "" && runtime.GOOS != "windows":
		return &noScreenError{fmt.Sprintf("this one (TERM=%q) has none", kind)}
	}
	return nil
}

// watchSession shows the screen until the person leaves or the process is told to end.
// A Ctrl-C typed at a command that runs in between reaches this process as well, and is not for it.
func (a *app) watchSession(ctx context.Context, source *watchSource) error {
	ctx, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	var busy atomic.Bool
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer close(signals)
	defer signal.Stop(signals)
	go func() {
		for s := range signals {
			if s != os.Interrupt || !busy.Load() {
				leave()
			}
		}
	}()
	return watch.Run(ctx, source, watch.Options{
		In: os.Stdin, Out: os.Stdout, Style: a.term.Style, Suspends: canSuspend(),
		Do: func(args []string) {
			busy.Store(true)
			defer busy.Store(false)
			a.atTerminal(ctx, args)
		},
	})
}

// atTerminal runs this program once more, as the person would have typed it, and waits for Enter so
// that its answer can be read.
func (a *app) atTerminal(ctx context.Context, args []string) {
	a.linef(a.term.Bold, "$ delegate %s", text(run.AsTyped(args)))
	err := run.Foreground(ctx, run.Command{Path: run.Program(), Args: args})
	var exit *run.ExitError
	switch {
	case errors.As(err, &exit):
		a.linef(a.term.Yellow, "%s", exit.Ending())
	case err != nil:
		a.linef(a.term.Red, "%s", text(ui.ErrorText(err)))
	}
	_, _ = a.term.OptionalLine(ctx, "Enter goes back to the screen") // whatever is typed there goes back
}

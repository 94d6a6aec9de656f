package keeper

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"delegate/internal/run"
	"delegate/internal/sandbox"
)

// builtLimit is how long a fence may take to stand.
const builtLimit = 30 * time.Second

// listener is what a keeper hears from the other side of the fence.
type listener struct {
	built *sandbox.Support
	last  <-chan sandbox.Report // one, when nobody inside holds the descriptor any more
}

// keep starts the command behind the fence and returns once it stands; without one, as it is.
func (f *Fence) keep(c run.Command, how string) (*run.Child, *listener, error) {
	if f == nil {
		child, err := run.Keep(c)
		return child, nil, err
	}
	reports, end, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("open pipe: %w", err)
	}
	c.Extra, c.Session = []*os.File{end}, true
	child, err := run.Keep(f.around(c, how))
	_ = end.Close()
	if err != nil {
		_ = reports.Close()
		return nil, nil, err
	}
	built, last := make(chan sandbox.Report, 1), make(chan sandbox.Report, 1)
	go func() { // ends with the last process inside that holds the descriptor, which this process keeps or ends
		defer reports.Close()
		var sum sandbox.Report
		err := sandbox.Hear(reports, func(r sandbox.Report) {
			if sum.Built == nil && sum.Error == "" {
				built <- r
			}
			sum = joined(sum, r)
		})
		if err != nil && sum.Error == "" {
			sum.Error = err.Error()
		}
		close(built)
		last <- sum
	}()
	select {
	case r := <-built:
		if r.Built != nil {
			return child, &listener{r.Built, last}, nil
		}
		err = errors.New("its sandbox could not be built")
		if r.Error != "" {
			err = errors.New(r.Error)
		}
	case <-time.After(builtLimit):
		err = fmt.Errorf("its sandbox did not stand after %s", builtLimit)
	}
	_ = child.Stop(0)
	_, _ = child.Wait()
	return nil, nil, err
}

// Group runs a command of the person's in a process group of its own behind the fence, with the
// network that the fence lets through.
// Without a fence it is run as it is.
func (f *Fence) Group(ctx context.Context, c run.Command) error {
	if f != nil && f.Door != "" {
		_, socket, _ := strings.Cut(f.Door, ":")
		end, err := f.serveDoor(filepath.Dir(socket))
		if err != nil {
			return err
		}
		defer end()
	}
	return run.Group(ctx, f.Around(c))
}

// Around is the command, whose Path may be a name, behind the fence; as it is without one.
func (f *Fence) Around(c run.Command) run.Command {
	if f == nil {
		return c
	}
	if program, err := run.Which(c.Path, c.Dir, os.Getenv("PATH")); err == nil {
		c.Path = program
	}
	return f.around(c, asStep)
}

// around is the command with the fence around it: in a process namespace the program gets a first process above it.
func (f *Fence) around(c run.Command, how string) run.Command {
	if f.Support.Namespaces {
		c.Args = first{desk: f.AgentDir, how: how, door: f.Door, argv: append([]string{c.Path}, c.Args...)}.arguments()
		c.Path = run.Program()
	}
	return sandbox.Wrap(c, f.Policy, f.Network, f.Support)
}

func joined(sum, r sandbox.Report) sandbox.Report {
	if r.Built != nil {
		sum.Built = r.Built
	}
	if r.Error != "" {
		sum.Error = r.Error
	}
	if r.Exit != nil {
		sum.Exit, sum.Signal = r.Exit, r.Signal
	}
	return sum
}

// complete puts how the program itself ended in the place of how the process around it did.
func (in *listener) complete(exit *Exit) {
	if in == nil {
		return
	}
	r := <-in.last
	if r.Exit != nil {
		exit.Code, exit.Signal = *r.Exit, r.Signal
	}
	if r.Error != "" {
		exit.Error = r.Error
	}
}

// Run runs one command to its end behind the fence, without this process's terminal, and answers with its exit status.
func (f *Fence) Run(c run.Command) (int, error) {
	if f != nil {
		end, err := f.serveDoor(filepath.Dir(f.Policy))
		if err != nil {
			return sandbox.StartFault, err
		}
		defer end()
	}
	c.Session = true
	child, heard, err := f.keep(c, asTrial)
	if err != nil {
		return sandbox.StartFault, err
	}
	ended, err := child.Wait()
	if err != nil {
		return sandbox.StartFault, err
	}
	exit := Exit{Code: ended.Code, Signal: ended.Signal}
	heard.complete(&exit)
	switch {
	case exit.Error != "":
		return sandbox.StartFault, errors.New(exit.Error)
	case exit.Signal != "":
		return afterSignal(exit.Signal), fmt.Errorf("ended by signal: %s", exit.Signal)
	}
	return exit.Code, nil
}

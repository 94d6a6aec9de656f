package keeper

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"delegate/internal/sys/run"
	"delegate/internal/sys/terminal"
)

// atTerminal joins the person's terminal, where the command's input and output are one, with a terminal of the
// command's own, which it then has in their place. A nil Pair: they are none. shown gets what the command shows.
func atTerminal(c *run.Command, shown io.Writer) (*terminal.Pair, error) {
	person, both := terminal.Of(c.Stdin, c.Stdout)
	if !both {
		return nil, nil
	}
	pair, err := terminal.Join(person, shown)
	if err != nil {
		return nil, err
	}
	c.Stdin, c.Stdout, c.Stderr, c.Terminal = pair.Program, pair.Program, pair.Program, true
	return pair, nil
}

// errNoTerminal says that a turn for a person's terminal was run where there is none.
var errNoTerminal = errors.New("it is for a person's terminal, and this is none")

// joinPerson gives the command of a turn this process's terminal, by one of its own.
func (t Turn) joinPerson(c *run.Command) (*terminal.Pair, error) {
	c.Stdin, c.Stdout = os.Stdin, os.Stdout
	for _, name := range []string{"TERM", "COLORTERM", "TERM_PROGRAM"} { // of this terminal, not of the supervisor's
		if value, set := os.LookupEnv(name); set {
			c.Env = append(c.Env, name+"="+value)
		}
	}
	pair, err := atTerminal(c, &screenFile{path: t.Output()})
	if err == nil && pair == nil {
		err = errNoTerminal
	}
	return pair, err
}

// mostShown is how many bytes of a screen are kept: hours of one that changes all the time.
const mostShown = 64 << 20

// screenFile keeps what a screen showed. What cannot be kept is gone; the person has seen it.
type screenFile struct {
	path string
	size int
}

func (f *screenFile) Write(data []byte) (int, error) {
	if f.size += len(data); f.size > mostShown {
		return len(data), nil
	}
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	_, err = file.Write(data)
	return len(data), errors.Join(err, file.Close())
}

// endTime is how long a command that nobody waits for any more has to end by itself. Its process has little more.
const endTime = 300 * time.Millisecond

// await waits for a command's end. When ctx ends, its terminal is hung up, or it is interrupted where it has none of
// its own, and what is left of its tree is ended; the error then says why.
func await(ctx context.Context, child *run.Child, pair *terminal.Pair) (run.Exit, error) {
	type result struct {
		exit run.Exit
		err  error
	}
	over := make(chan result, 1)
	go func() { // owned by this function, which receives what it sends
		exit, err := child.Wait()
		over <- result{exit, err}
	}()
	select {
	case r := <-over:
		return r.exit, r.err
	case <-ctx.Done():
	}
	if pair != nil {
		pair.HangUp()
	} else {
		_ = child.Interrupt()
	}
	select {
	case r := <-over:
		return r.exit, context.Cause(ctx)
	case <-time.After(endTime):
	}
	_ = run.EndAll(func() []run.Process {
		left := run.Descendants(child.Identity.PID)
		if child.Identity.Alive() {
			left = append(left, run.Process{PID: child.Identity.PID, Start: child.Identity.Start})
		}
		return left
	}, endTime)
	r := <-over
	return r.exit, context.Cause(ctx)
}

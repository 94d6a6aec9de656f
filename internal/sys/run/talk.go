package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Piped is a running command whose output this process reads while it runs.
// It is over with Close, which every Piped needs.
type Piped struct {
	// In is the command's standard input; nil if its Command names one.
	In io.WriteCloser
	// Out is the command's standard output.
	Out io.Reader

	ctx     context.Context
	command Command
	cmd     *exec.Cmd
	out     io.Closer // of Out; nil where nothing is read
	said    tail
	release func() // ends what waits for ctx
}

const (
	// endTime is how long a command has to end, and to remove its locks, when ctx does; then it is
	// killed, and its streams are closed.
	endTime = 500 * time.Millisecond
	// wordsDelay is how long words on standard error that are no part of the answer are waited for
	// once the command has ended, while a process that it left behind holds them open, as ssh does.
	// They decide nothing.
	wordsDelay = 2 * time.Second
)

// newPiped prepares the command; nothing runs yet.
func newPiped(ctx context.Context, c Command) *Piped {
	t := &Piped{command: c, release: func() {}}
	if c.Limit > 0 {
		ctx, t.release = context.WithTimeoutCause(ctx, c.Limit, &TimeoutError{Name: c.Name(), Limit: c.Limit})
	}
	t.ctx, t.cmd = ctx, command(ctx, c)
	t.cmd.WaitDelay = wordsDelay
	if t.cmd.Stderr == nil {
		t.cmd.Stderr = &t.said
	}
	t.cmd.Cancel = func() error {
		t.cmd.WaitDelay = endTime // exec reads it after this
		return askToEnd(t.cmd.Process)
	}
	if c.Bound {
		bind(t.cmd)
	}
	isolate(t.cmd, c)
	return t
}

// listen makes the stream that the command's output is read from.
func (t *Piped) listen() error {
	t.cmd.Stdout = nil
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return t.broken(err)
	}
	t.Out, t.out = out, out
	if c := t.command; c.Stderr != nil && c.Stderr == c.Stdout {
		t.cmd.Stderr = t.cmd.Stdout
	}
	release := t.release
	stop := context.AfterFunc(t.ctx, func() {
		time.Sleep(endTime)
		out.Close() // a process that was left behind may hold it for ever
	})
	t.release = func() { stop(); release() }
	return nil
}

func (t *Piped) start() error {
	if err := t.cmd.Start(); err != nil {
		return t.broken(err)
	}
	return nil
}

// broken is the error of a command that did not start.
func (t *Piped) broken(err error) error {
	if t.out != nil {
		t.out.Close()
	}
	t.release()
	return startError(t.command.Path, err)
}

// StartPiped starts the command. When ctx ends, so do the command and every read and write that waits
// for it, a moment later if something that it left behind holds its streams open.
// Without a Stderr the last of it goes into the *ExitError that Close returns.
func StartPiped(ctx context.Context, c Command) (*Piped, error) {
	t := newPiped(ctx, c)
	if err := t.listen(); err != nil {
		return nil, err
	}
	if c.Stdin == nil {
		in, err := t.cmd.StdinPipe()
		if err != nil {
			return nil, t.broken(err)
		}
		t.In = in
	}
	if err := t.start(); err != nil {
		return nil, err
	}
	return t, nil
}

// Close closes both streams and waits for the command. Its errors are those of Do.
// A command that still writes is ended by the closed stream, which is then the error.
func (t *Piped) Close() error {
	defer t.release()
	if t.In != nil {
		t.In.Close()
	}
	if t.out != nil {
		t.out.Close()
	}
	err := t.cmd.Wait()
	if over := t.over(); err != nil && over != nil {
		return over
	}
	if errors.Is(err, exec.ErrWaitDelay) { // the command itself ended well, and its answer was read
		err = nil
	}
	return result(t.command, err, t.said.String())
}

// over says why the command was ended, nil if it was not.
func (t *Piped) over() error {
	var late *TimeoutError
	switch {
	case errors.As(context.Cause(t.ctx), &late):
		return late
	case t.ctx.Err() != nil:
		return fmt.Errorf("run %q: %w", t.command.Path, t.ctx.Err())
	}
	return nil
}

// Stream runs the command to its end and hands its standard output to read as it comes. Without a
// Stdin it has nothing to read. An error of read ends the command and is returned; all others are
// those of Do.
func Stream(ctx context.Context, c Command, read func(io.Reader) error) error {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	t := newPiped(inner, c)
	if err := t.listen(); err != nil {
		return err
	}
	if err := t.start(); err != nil {
		return err
	}
	readErr := read(t.Out)
	over := t.over() // before it is ended here
	if readErr != nil {
		stop()
	}
	err := t.Close()
	switch {
	case readErr == nil:
		return err
	case over != nil:
		return over
	case ctx.Err() != nil && err != nil:
		return err
	}
	return readErr
}

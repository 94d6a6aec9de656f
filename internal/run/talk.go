package run

import (
	"context"
	"fmt"
	"io"
	"os/exec"
)

// Talk is a running command whose output this process reads while it runs.
// It is over with Close, which every Talk needs.
type Talk struct {
	// In is the command's standard input; nil if its Command names one.
	In io.WriteCloser
	// Out is the command's standard output.
	Out io.Reader

	ctx     context.Context
	command Command
	cmd     *exec.Cmd
	out     io.Closer
	said    tail
}

// Converse starts the command. When ctx ends, so do the command and every read and write that waits for it,
// a little later if something that it left behind holds its streams open.
// Without a Stderr the last of it goes into the *ExitError that Close returns.
func Converse(ctx context.Context, c Command) (*Talk, error) {
	cmd := command(ctx, c)
	cmd.WaitDelay = outputDelay
	if c.Bound {
		bind(cmd)
	}
	isolate(cmd, c.Namespaces)
	t := &Talk{ctx: ctx, command: c, cmd: cmd}
	if cmd.Stderr == nil {
		cmd.Stderr = &t.said
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %q: %w", c.Path, err)
	}
	t.Out, t.out = out, out
	if c.Stdin == nil {
		if t.In, err = cmd.StdinPipe(); err != nil {
			out.Close()
			return nil, fmt.Errorf("start %q: %w", c.Path, err)
		}
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %q: %w", c.Path, err)
	}
	return t, nil
}

// Close closes both streams and waits for the command. Its errors are those of Do.
// A command that still writes is ended by the closed stream, which is then the error.
func (t *Talk) Close() error {
	if t.In != nil {
		t.In.Close()
	}
	t.out.Close()
	err := t.cmd.Wait()
	if err != nil && t.ctx.Err() != nil {
		return fmt.Errorf("run %q: %w", t.command.Path, t.ctx.Err())
	}
	return result(t.command, heldOpen(err), t.said.String())
}

// Stream runs the command to its end and hands its standard output to read as it comes.
// An error of read ends the command and is returned; all others are those of Do.
func Stream(ctx context.Context, c Command, read func(io.Reader) error) error {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	t, err := Converse(inner, c)
	if err != nil {
		return err
	}
	readErr := read(t.Out)
	if readErr != nil {
		stop()
	}
	if err := t.Close(); err != nil && (readErr == nil || ctx.Err() != nil) {
		return err
	}
	return readErr
}

package session

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"delegate/internal/agent"
	"delegate/internal/project"
)

// FollowOptions say where a transcript goes and whether to wait for more.
type FollowOptions struct {
	Out  io.Writer
	Wait bool
}

// Follow writes an agent's transcript, turn after turn. With Wait it goes on until the agent has ended or needs a person.
func Follow(ctx context.Context, p *project.Project, id string, o FollowOptions) error {
	turn, offset := 1, int64(0)
	for {
		state, err := p.Active(ctx)
		if err != nil {
			return err
		}
		a, err := state.Agent(id)
		if err != nil {
			return err
		}
		over := settledFor(state, a) // looked at before the last read, so that nothing printed before is missed
		for ; turn <= a.Turns; turn++ {
			n, err := copyFrom(o.Out, agent.Turn{Dir: p.TurnDir(state.Session.ID, id, turn)}.Readable(), offset)
			if err != nil {
				return err
			}
			offset += n
			if turn == a.Turns {
				break
			}
			offset = 0
		}
		if !o.Wait || over {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(tick):
		}
	}
}

func copyFrom(out io.Writer, path string, offset int64) (int64, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read transcript: %w", err)
	}
	defer file.Close()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read transcript: %w", err)
	}
	return io.Copy(out, file)
}

// AttachOptions are the two ends of an attached terminal.
type AttachOptions struct {
	In    io.Reader
	Out   io.Writer
	Notes io.Writer
}

// Attach follows an agent and queues each line that comes in as a message to it. It ends with ctx, or when the agent ends or needs a person.
func Attach(ctx context.Context, c Control, id string, o AttachOptions) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := make(chan string)
	go readLines(ctx, o.In, lines) // ends with its input or with this call's context
	followed := make(chan error, 1)
	go func() { followed <- Follow(ctx, c.P, id, FollowOptions{Out: o.Out, Wait: true}) }()
	for {
		select {
		case err := <-followed:
			return err
		case line, open := <-lines:
			if !open {
				lines = nil // no more input; the output goes on
				continue
			}
			if _, err := c.Message(ctx, id, line); err != nil {
				cancel()
				return errors.Join(err, <-followed)
			}
			fmt.Fprintf(o.Notes, "[queued for %s]\n", id)
		}
	}
}

func readLines(ctx context.Context, in io.Reader, lines chan<- string) {
	defer close(lines)
	scanner := bufio.NewScanner(in)
	for scanner.Scan() {
		text := strings.TrimSpace(scanner.Text())
		if text == "" {
			continue
		}
		select {
		case lines <- text:
		case <-ctx.Done():
			return
		}
	}
}

// StopAll ends every process of the session's agents, with the supervisor's help or without, and returns when none is left.
func StopAll(ctx context.Context, p *project.Project) error {
	state, err := p.Active(ctx)
	if err != nil {
		return err
	}
	for _, a := range state.Agents {
		for n := 1; n <= a.Turns+1; n++ {
			turn := agent.Turn{Dir: p.TurnDir(state.Session.ID, a.ID, n)}
			if current, err := turn.State(); err != nil || current != agent.Running && current != agent.Lost {
				continue
			}
			if err := turn.Stop(p.Config.StopGrace.Value()); err != nil {
				return err
			}
		}
	}
	return nil
}

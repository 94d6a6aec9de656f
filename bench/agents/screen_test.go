//go:build bench && !windows

package agents_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"delegate/registry"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// screen is a terminal with a person before it, on which a program draws.
type screen struct {
	cmd  *exec.Cmd
	tty  *os.File
	over chan struct{} // closed once nothing is shown any more

	mu    sync.Mutex // guards the rest
	drawn vt10x.Terminal
	rest  []byte // of a character whose end has not come
	last  []byte // of what was printed
}

// sit runs a command of delegate at a terminal of its own.
func (t *trial) sit(args ...string) (*screen, error) {
	keyboard, tty, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer tty.Close()
	s := &screen{cmd: exec.Command(t.delegate, args...), tty: keyboard, over: make(chan struct{}),
		drawn: vt10x.New(vt10x.WithSize(columns, lines), vt10x.WithWriter(keyboard))}
	s.cmd.Dir, s.cmd.Env = t.repo(), append(t.environ(), "TERM=xterm-256color")
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, tty
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err = pty.Setsize(keyboard, &pty.Winsize{Rows: lines, Cols: columns}); err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		keyboard.Close()
		return nil, err
	}
	go func() {
		defer close(s.over)
		_, _ = io.Copy(s, keyboard) // ends with an error when the command does
	}()
	return s, nil
}

const columns, lines = 160, 50

// mostLast bounds what is kept of what was printed, to be told beside the screen.
const mostLast = 512

// Write draws what was printed. A sequence that the terminal does not know is nothing on it.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { _ = recover() }() // it knows few of the sequences that programs ask for
	data := append(s.rest, p...)
	whole := len(data)
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		if tail := data[len(data)-n:]; utf8.RuneStart(tail[0]) && !utf8.FullRune(tail) {
			whole -= n
		}
	}
	s.rest = slices.Clone(data[whole:])
	s.last = append(s.last, p...)
	s.last = s.last[max(0, len(s.last)-mostLast):]
	_, _ = s.drawn.Write(data[:whole])
	return len(p), nil
}

// shows reports whether the screen has the text, wherever it is broken into lines and framed.
func (s *screen) shows(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(letters(s.drawn.String()), letters(text))
}

// letters are the letters and digits of a text alone.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// until waits for something to be so; it says what the screen shows if it does not come.
func (s *screen) until(ctx context.Context, what string, so func() bool) error {
	for deadline := time.Now().Add(drawing); !so(); time.Sleep(lookEvery) {
		ended := false
		select {
		case <-s.over:
			ended = true
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		if so() {
			return nil
		}
		if ended || time.Now().After(deadline) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return fmt.Errorf("%s did not come; the screen shows:\n%s\nafter %q", what, s.drawn.String(), s.last)
		}
	}
	return nil
}

// insist presses keys until something is so: a program that draws its screen may not hear them yet.
func (s *screen) insist(ctx context.Context, keys string, so func() bool) error {
	var pressed time.Time
	return s.until(ctx, "what "+keys+" is for", func() bool {
		if so() {
			return true
		}
		if time.Since(pressed) > hearing {
			pressed = time.Now()
			_, _ = s.tty.WriteString(keys) // a command that ended shows no more
		}
		return false
	})
}

// drawing is how long a program may take to show something: some start slowly where others run beside them.
const drawing = 2 * time.Minute

// hearing is how long keys may take to be shown.
const hearing = 4 * time.Second

// types types a line, and Enter once it is shown: what comes in one piece is pasted.
func (s *screen) types(ctx context.Context, line string) error {
	if err := s.insist(ctx, line, func() bool { return s.shows(line) }); err != nil {
		return err
	}
	_, err := s.tty.WriteString("\r")
	return err
}

// takenOver: a person works in the agent's place on its program's own screen, which shows the conversation; what they
// type reaches the model, and once they leave the agent goes on in it.
func takenOver(ctx context.Context, t *trial) {
	if _, ok := t.rest(ctx, registry.Checkpoint); !ok {
		return
	}
	s, err := t.sit("takeover", agentID)
	if err != nil {
		t.fault("sit down: %v", err)
		return
	}
	defer s.tty.Close()
	defer time.AfterFunc(2*patience, func() { _ = s.cmd.Process.Kill() }).Stop()
	if err := t.work(ctx, s); err != nil {
		t.fault("take over: %v", err)
		_ = s.cmd.Process.Kill()
	}
	if err := s.cmd.Wait(); err != nil {
		t.fault("delegate takeover: %v", err)
		return
	}
	v, ok := t.rest(ctx, registry.Complete)
	if !ok {
		return
	}
	t.expect(v.Turns == 3 && v.Attempt == 1, "%d turns, attempt %d", v.Turns, v.Attempt)
	id := t.turn(1).SessionID()
	t.expect(id != "" && t.turn(3).SessionID() == id, "turn 3 was of the conversation %q, turn 1 of %q",
		t.turn(3).SessionID(), id)
}

// work is what the person does on the program's screen.
func (t *trial) work(ctx context.Context, s *screen) error {
	own := t.agent.screen
	reported := func() bool {
		return s.shows("Does the second verse go into the same file?") && s.shows(own.ready)
	}
	var err error
	if own.asks != "" {
		err = s.until(ctx, "its question", func() bool { return s.shows(own.asks) })
		if err == nil {
			err = s.insist(ctx, "\r", func() bool { return reported() && !s.shows(own.asks) })
		}
	}
	if err == nil {
		err = s.until(ctx, "the conversation", reported)
	}
	if err == nil {
		err = s.types(ctx, "Read this. [[scenario:typed]] [[var:agent="+agentID+"]]")
	}
	if err == nil {
		err = s.until(ctx, "an answer", func() bool {
			return t.model.count("typed", "") > 0 && s.shows("I read what you typed.")
		})
	}
	if err == nil {
		err = s.types(ctx, own.leave)
	}
	if err != nil {
		return err
	}
	return s.until(ctx, "the way back", func() bool { return s.shows("is working again (turn 3)") })
}

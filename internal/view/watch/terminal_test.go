//go:build !windows

package watch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"golang.org/x/term"

	"delegate/internal/text/ui"
	"delegate/internal/view/watch"
	"delegate/registry"
)

// place is a person before a pseudo-terminal that shows the screen.
type place struct {
	*testing.T
	keyboard, tty *os.File
	mu            sync.Mutex
	shown         bytes.Buffer
	over          chan error
	leave         context.CancelFunc
	before        *term.State
}

// quiet is a session in which nothing happens; a call can be made to panic.
type quiet struct{ panics, prints string }

func (q quiet) Snapshot(context.Context) (watch.Snapshot, error) {
	if q.panics == "snapshot" {
		panic("a fault of the program")
	}
	return watch.Snapshot{
		Session: &watch.Session{ID: "DEL-1", Status: "ACTIVE"},
		Agents:  []watch.Agent{{ID: "AGT-001", Status: registry.Running, Left: -1}},
	}, nil
}

func (q quiet) Pane(context.Context, string, watch.Tab) (watch.Pane, error) {
	return watch.Pane{Stamp: "1", Text: q.prints + "what it printed"}, nil
}

func (q quiet) Refresh() {
	if q.panics == "key" {
		panic("a fault of the program")
	}
}

func sitDown(t *testing.T, source watch.Source, do func([]string)) *place {
	t.Helper()
	return sitBefore(t, &pty.Winsize{Rows: 30, Cols: 90}, source, do)
}

func sitBefore(t *testing.T, size *pty.Winsize, source watch.Source, do func([]string)) *place {
	t.Helper()
	if raced {
		t.Skip("the library's own race at the end of a screen; it runs without the detector")
	}
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(keyboard, size); err != nil {
		t.Fatal(err)
	}
	s := &place{T: t, keyboard: keyboard, tty: tty, over: make(chan error, 1)}
	if s.before, err = term.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	s.leave = leave
	go func() {
		part := make([]byte, 4096)
		for {
			n, err := keyboard.Read(part)
			s.mu.Lock()
			s.shown.Write(part[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() { s.over <- watch.Run(ctx, source, watch.Options{In: tty, Out: tty, Do: do}) }()
	t.Cleanup(func() {
		leave()
		tty.Close()
		keyboard.Close()
	})
	return s
}

func (s *place) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

func (s *place) sees(want string) {
	s.Helper()
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(s.text(),
		want); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("%q did not come: %q", want, s.text())
		}
	}
}

func (s *place) types(keys string) {
	s.Helper()
	if _, err := s.keyboard.WriteString(keys); err != nil {
		s.Fatal(err)
	}
}

// balanced says which of the terminal's modes were switched on and not off again.
func (s *place) balanced() (left string) {
	for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h",
		"\x1b[?2004h": "\x1b[?2004l", "\x1b[>1u": "\x1b[<1u"} {
		text := s.text()
		if last := strings.LastIndex(text, on); last >= 0 && strings.LastIndex(text, off) < last {
			left += fmt.Sprintf(" %q", on)
		}
	}
	return left
}

// eventually waits until nothing is left.
func (s *place) eventually(left func() string) {
	s.Helper()
	for deadline := time.Now().Add(10 * time.Second); left() != ""; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Errorf("not taken back:%s in %q", left(), s.text())
			return
		}
	}
}

// isRestored waits for the end and holds that the terminal is what it was: its mode, the screen,
// the cursor, how it pastes.
func (s *place) isRestored() error {
	s.Helper()
	var err error
	select {
	case err = <-s.over:
	case <-time.After(20 * time.Second):
		s.Fatal("it does not end")
	}
	now, stateErr := term.GetState(int(s.tty.Fd()))
	if stateErr != nil || *now != *s.before {
		s.Errorf("the terminal's mode is %v (%v), was %v", now, stateErr, s.before)
	}
	s.eventually(s.balanced)
	return err
}

func TestTerminalIsAsBefore(t *testing.T) {
	for name, c := range map[string]struct {
		act  func(s *place)
		want error
	}{
		"q":         {func(s *place) { s.types("q") }, nil},
		"Ctrl-C":    {func(s *place) { s.types("\x03") }, ui.ErrInterrupted},
		"cancelled": {func(s *place) { s.leave() }, context.Canceled},
		"typing":    {func(s *place) { s.types("mhello"); s.sees("hello"); s.leave() }, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			s := sitDown(t, quiet{}, nil)
			s.sees("what it printed")
			c.act(s)
			if err := s.isRestored(); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}

// TestTerminalAfterAPanic holds that a fault of the program leaves a terminal that works, and is told.
func TestTerminalAfterAPanic(t *testing.T) {
	for name, c := range map[string]struct {
		panics, keys string
	}{"looking": {"snapshot", ""}, "a key": {"key", "\x0c"}} {
		t.Run(name, func(t *testing.T) {
			s := sitDown(t, quiet{panics: c.panics}, nil)
			if c.keys != "" {
				s.sees("what it printed")
				s.types(c.keys)
			}
			if err := s.isRestored(); err == nil {
				t.Error("no error")
			}
		})
	}
}

// TestTerminalIsTheCommands holds that a command has an ordinary terminal, and that the screen comes back after it.
func TestTerminalIsTheCommands(t *testing.T) {
	var s *place
	begun, ran := make(chan struct{}), make(chan []string, 1)
	s = sitDown(t, quiet{}, func(args []string) {
		<-begun
		now, err := term.GetState(int(s.tty.Fd()))
		if err != nil || *now != *s.before {
			t.Errorf("while a command runs, the terminal's mode is %v (%v), was %v", now, err, s.before)
		}
		s.eventually(s.balanced)
		ran <- args
	})
	close(begun)
	s.sees("what it printed")
	s.types("l")
	if args := <-ran; strings.Join(args, " ") != "sync merge AGT-001" {
		t.Errorf("ran %q", args)
	}
	s.eventually(func() string { // a key that is typed before the screen is back is the shell's or nobody's
		if strings.Count(s.text(), "\x1b[?1049h") < 2 {
			return "the screen"
		}
		return ""
	})
	s.types("?")
	s.sees("Any other key goes back.")
	s.types("xq")
	if err := s.isRestored(); err != nil {
		t.Error(err)
	}
}

// TestTerminalWithoutASize holds that a terminal that does not know its size, as behind a serial
// line, shows a screen all the same.
func TestTerminalWithoutASize(t *testing.T) {
	s := sitBefore(t, &pty.Winsize{}, quiet{}, nil)
	s.sees("what it printed")
	s.types("q")
	if err := s.isRestored(); err != nil {
		t.Error(err)
	}
}

// TestTerminalIsLeftBlank holds that a terminal with one screen only does not keep rows of the
// session among what comes after it.
func TestTerminalIsLeftBlank(t *testing.T) {
	s := sitDown(t, quiet{}, nil)
	s.sees("what it printed")
	s.types("q")
	if err := s.isRestored(); err != nil {
		t.Error(err)
	}
	oneScreen := vt10x.New(vt10x.WithSize(90, 30))
	_, _ = oneScreen.Write(forEmulator.ReplaceAll([]byte(strings.ReplaceAll(s.text(), "\x1b[?1049", "\x1b[?9999")),
		nil))
	if shown := strings.TrimSpace(oneScreen.String()); shown != "" || oneScreen.Cursor().Y != 0 {
		t.Errorf("row %d, left on the screen: %q", oneScreen.Cursor().Y, shown)
	}
}

// forEmulator matches what the emulator takes for something else.
var forEmulator = regexp.MustCompile(`\x1b\[[<>=?][0-9;]*[um]`)

// TestLettersOnATerminal holds that no mark is lost, and that what follows a letter stands in its
// column even on a terminal that joins no characters, as the emulator does: for it each of them is
// one column wide.
func TestLettersOnATerminal(t *testing.T) {
	letters := []string{"e\u0301", "x\u0304", "q\u0302\u0304", "1\ufe0f\u20e3", "👩\u200d💻", "👍\U0001f3fd", "🇩🇪",
		"❤\ufe0f", "का"}
	var text strings.Builder
	for i, l := range letters {
		fmt.Fprintf(&text, "%s|%d\n", l, i)
	}
	s := sitDown(t, quiet{prints: text.String()}, nil)
	s.sees("what it printed")
	s.types("q")
	if err := s.isRestored(); err != nil {
		t.Error(err)
	}
	shown, _, _ := strings.Cut(s.text(), "\x1b[?1049l")
	shown = strings.TrimSuffix(shown, "\x1b[H\x1b[2J")
	emulator := vt10x.New(vt10x.WithSize(90, 30))
	_, _ = emulator.Write(forEmulator.ReplaceAll([]byte(shown), nil))
	for i, l := range letters {
		if !strings.Contains(shown, l) {
			t.Errorf("%q is not shown", l)
		}
		if ui.Columns(l) < 2 {
			continue // the emulator has a column for each mark, which no other terminal has
		}
		mark := fmt.Sprintf("|%d", i)
		for row := range strings.SplitSeq(emulator.String(), "\n") {
			if before, _, found := strings.Cut(row, mark); found && len([]rune(before)) != ui.Columns(l) {
				t.Errorf("after %q, %d columns wide, the next stands in column %d: %q", l, ui.Columns(l),
					len([]rune(before)), row)
			}
		}
		if !strings.Contains(emulator.String(), mark) {
			t.Errorf("%q is not on the screen:\n%s", mark, emulator.String())
		}
	}
}

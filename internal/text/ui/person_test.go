//go:build !windows

package ui_test

import (
	"context"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"delegate/internal/text/ui"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// person sits at a real pseudo-terminal, sees what is written and types.
type person struct {
	t          *testing.T
	keyboard   *os.File // the terminal's other end
	tty        *os.File
	terminal   *ui.Terminal
	mu         sync.Mutex
	screen     strings.Builder
	screenDone chan struct{}
}

// newPerson opens a terminal without colours, as the environment says by default.
func newPerson(t *testing.T) *person {
	t.Helper()
	t.Setenv("NO_COLOR", "1")
	return newColourfulPerson(t)
}

// newColourfulPerson leaves the decision on colours to the environment.
func newColourfulPerson(t *testing.T) *person {
	t.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(keyboard, &pty.Winsize{Rows: 40, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	keyboard = pollable(t, keyboard)
	p := &person{t: t, keyboard: keyboard, tty: tty, screenDone: make(chan struct{})}
	p.terminal = ui.New(tty, tty, tty)
	go p.watch()
	t.Cleanup(func() {
		tty.Close()
		keyboard.Close()
		<-p.screenDone
	})
	return p
}

// pollable is the same end of the terminal as a file whose Close interrupts a Read, as a hangup needs.
func pollable(t *testing.T, f *os.File) *os.File {
	t.Helper()
	fd, err := unix.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := unix.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), f.Name())
}

func (p *person) watch() {
	defer close(p.screenDone)
	buffer := make([]byte, 4096)
	for {
		n, err := p.keyboard.Read(buffer)
		p.mu.Lock()
		p.screen.Write(buffer[:n])
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (p *person) seen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.screen.String()
}

// see waits until the text has appeared so many times.
func (p *person) see(text string, times int) {
	p.t.Helper()
	for range 2000 {
		if strings.Count(p.seen(), text) >= times {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	p.t.Fatalf("never saw %q; the screen is %q", text, p.seen())
}

func (p *person) typeIn(text string) {
	p.t.Helper()
	if _, err := p.keyboard.WriteString(text); err != nil {
		p.t.Fatal(err)
	}
}

// reply is what a question came to.
type reply struct {
	text string
	err  error
}

// ask runs a question while the person acts, and holds that the terminal is as it was afterwards.
func (p *person) ask(question func(context.Context) (string, error), act func(cancel func())) reply {
	p.t.Helper()
	before, err := term.GetState(int(p.tty.Fd()))
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(p.t.Context())
	defer cancel()
	replies := make(chan reply, 1)
	go func() {
		text, err := question(ctx)
		replies <- reply{text, err}
	}()
	act(cancel)
	select {
	case r := <-replies:
		if after, err := term.GetState(int(p.tty.Fd())); err == nil && !reflect.DeepEqual(before, after) {
			p.t.Error("the terminal's mode was not restored")
		}
		return r
	case <-time.After(20 * time.Second):
		p.t.Fatalf("no reply; the screen is %q", p.seen())
		return reply{}
	}
}

const question = "Land AGT-001 (digest 1a2b3c4)?"

func answers() []ui.Answer {
	return []ui.Answer{
		{Word: "yes", Help: "land it on main"},
		{Word: "no", Help: "reject it"},
		{Word: "later", Help: "change nothing"},
		{Word: "review", Also: "AGT-002", Help: "read the diff"},
		{Word: "reopen", Help: "start again"},
	}
}

// choose asks the question and types once it is there.
func (p *person) choose(typed string) reply {
	p.t.Helper()
	return p.ask(p.landing, func(func()) {
		p.see("? "+question, 1)
		p.typeIn(typed)
	})
}

func (p *person) landing(ctx context.Context) (string, error) {
	return p.terminal.Choose(ctx, question, answers(), "later")
}

func (p *person) name(ctx context.Context) (string, error) {
	return p.terminal.Line(ctx, "Message to AGT-001:")
}

//go:build !windows

package ui_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"delegate/internal/text/ui"

	"github.com/creack/pty"
)

func TestChoose(t *testing.T) {
	const killLine, backspace, up, down = "\x15", "\x7f", "\x1b[A", "\x1b[B"
	for name, c := range map[string]struct{ typed, want string }{
		"word":                           {"yes\r", "yes"},
		"another word":                   {"no\r", "no"},
		"newline":                        {"yes\n", "yes"},
		"capitals":                       {"YES\r", "yes"},
		"beginning":                      {"y\r", "yes"},
		"another word for an answer":     {"agt-002\r", "review"},
		"the beginning of that":          {"AG\r", "review"},
		"blanks around":                  {" yes \r", "yes"},
		"nothing":                        {"\r", "later"},
		"corrected":                      {"yex\x7fs\r", "yes"},
		"taken back":                     {"y" + backspace + "\r", "later"},
		"taken back with Ctrl-W":         {"yes\x17\r", "later"},
		"fits several, then one":         {"re\rv\r", "review"},
		"no word, then corrected":        {"maybe\r\r" + killLine + "no\r", "no"},
		"word and more":                  {"yess\r" + killLine + "no\r", "no"},
		"arrow down":                     {down + "\r", "review"},
		"arrow up around the end":        {up + up + up + "\r", "reopen"},
		"arrow within what fits":         {"re" + down + down + "\r", "reopen"},
		"arrow, then a word":             {up + up + "later\r", "later"},
		"keys without a meaning":         {"\x1b[C\x1b[H\x1b[5~\x00\x01\r", "later"},
		"sequence the library rejects":   {"\x1bxno\r", "no"},
		"more than one answer at a time": {"no\ryes\r", "no"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t)
			r := p.choose(c.typed)
			if r.err != nil || r.text != c.want {
				t.Fatalf("typed %q: %q, %v, want %q", c.typed, r.text, r.err, c.want)
			}
			p.see("? "+question+" "+c.want+"\r\n", 1)
			if strings.Contains(p.seen(), "\x1b[6n") {
				t.Error("the terminal was asked for the cursor, which not every terminal answers")
			}
		})
	}
}

// TestSecondAnswerIsThrownAway holds that what follows one answer never answers the next question.
func TestSecondAnswerIsThrownAway(t *testing.T) {
	p := newPerson(t)
	if r := p.choose("no\ryes\r"); r.text != "no" {
		t.Fatalf("%q, %v", r.text, r.err)
	}
	r := p.ask(p.landing, func(func()) {
		p.see("Enter alone means later.", 2)
		p.typeIn("review\r")
	})
	if r.err != nil || r.text != "review" {
		t.Fatalf("%q, %v, want review", r.text, r.err)
	}
}

func TestTypedBeforeTheQuestion(t *testing.T) {
	for _, typed := range []string{"yes\r", "ye", "yes\ryes\ryes\r"} {
		t.Run(fmt.Sprintf("%q", typed), func(t *testing.T) {
			p := newPerson(t)
			p.typeIn(typed)
			p.see("ye", strings.Count(typed, "ye")) // the terminal's echo
			time.Sleep(50 * time.Millisecond)       // so long ago that nothing more is waited for
			if r := p.choose("no\r"); r.err != nil || r.text != "no" {
				t.Errorf("answer %q, %v, want no", r.text, r.err)
			}
		})
	}
	t.Run("prose", func(t *testing.T) { // typed early, and meant
		p := newPerson(t)
		p.typeIn("early\r")
		p.see("early", 1)
		if r := p.ask(p.name, func(func()) {}); r.err != nil || r.text != "early" {
			t.Errorf("line %q, %v, want early", r.text, r.err)
		}
	})
	t.Run("optional line", func(t *testing.T) {
		p := newPerson(t)
		p.typeIn("forged\r")
		p.see("forged", 1)
		r := p.ask(func(ctx context.Context) (string, error) { return p.terminal.OptionalLine(ctx, "Why:") },
			func(func()) {
				p.see("? Why: ", 1)
				p.typeIn("real\r")
			})
		if r.err != nil || r.text != "real" {
			t.Errorf("line %q, %v, want real", r.text, r.err)
		}
	})
}

// TestNoAnswer holds, for both kinds of question, that leaving is an error and never an answer.
func TestNoAnswer(t *testing.T) {
	type act func(p *person, cancel func())
	typing := func(text string) act { return func(p *person, _ func()) { p.typeIn(text) } }
	for name, c := range map[string]struct {
		act  act
		want error
	}{
		"Ctrl-C":              {typing("\x03"), ui.ErrInterrupted},
		"Ctrl-C after a word": {typing("yes\x03"), ui.ErrInterrupted},
		"Ctrl-D":              {typing("\x04"), ui.ErrClosed},
		"Ctrl-D after a word": {typing("yes\x04\x04"), ui.ErrClosed},
		"hangup":              {func(p *person, _ func()) { p.keyboard.Close() }, ui.ErrClosed},
		"cancelled":           {func(_ *person, cancel func()) { cancel() }, context.Canceled},
	} {
		t.Run("choose/"+name, func(t *testing.T) {
			p := newPerson(t)
			r := p.ask(p.landing, func(cancel func()) {
				p.see("? "+question, 1)
				c.act(p, cancel)
			})
			if !errors.Is(r.err, c.want) || r.text != "" {
				t.Errorf("answer %q, error %v, want %v", r.text, r.err, c.want)
			}
		})
		t.Run("line/"+name, func(t *testing.T) {
			p := newPerson(t)
			r := p.ask(p.name, func(cancel func()) {
				p.see("? Message to AGT-001: ", 1)
				c.act(p, cancel)
			})
			if !errors.Is(r.err, c.want) || r.text != "" {
				t.Errorf("line %q, error %v, want %v", r.text, r.err, c.want)
			}
		})
	}
}

func TestNotATerminal(t *testing.T) {
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	defer tty.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	write.WriteString("yes\nyes\n")
	write.Close()
	closed, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for name, files := range map[string][2]*os.File{
		"/dev/null": {null, null}, "pipe": {read, tty}, "closed": {closed, tty}, "output to a pipe": {tty, null},
		"nothing": {nil, nil},
	} {
		terminal := ui.New(files[0], files[1], files[1])
		if terminal.Interactive() {
			t.Errorf("%s: interactive", name)
		}
		word, err := terminal.Choose(t.Context(), question, answers(), "later")
		if !errors.Is(err, ui.ErrNotTerminal) || word != "" {
			t.Errorf("%s: Choose gave %q, %v", name, word, err)
		}
		line, err := terminal.Line(t.Context(), "Name:")
		if !errors.Is(err, ui.ErrNotTerminal) || line != "" {
			t.Errorf("%s: Line gave %q, %v", name, line, err)
		}
	}
}

func TestChooseRefusesBadLists(t *testing.T) {
	p := newPerson(t)
	for name, c := range map[string]struct {
		answers  []ui.Answer
		fallback string
	}{
		"no answers":         {nil, ""},
		"default not listed": {answers(), "never"},
		"no default":         {answers(), ""},
		"twice":              {[]ui.Answer{{Word: "yes"}, {Word: "Yes"}}, "yes"},
		"empty word":         {[]ui.Answer{{Word: "yes"}, {Word: ""}}, "yes"},
		"blanks":             {[]ui.Answer{{Word: "yes "}}, "yes "},
	} {
		if word, err := p.terminal.Choose(t.Context(), question, c.answers, c.fallback); err == nil || word != "" {
			t.Errorf("%s: %q, %v", name, word, err)
		}
	}
}

func TestChooseShowsEveryAnswer(t *testing.T) {
	p := newPerson(t)
	var many []ui.Answer
	for i := range 30 {
		many = append(many, ui.Answer{Word: fmt.Sprintf("AGT-%03d", i), Help: "agent"})
	}
	many[3].Help = "evil\x1b[2J\n? Land everything?"
	r := p.ask(func(ctx context.Context) (string, error) {
		return p.terminal.Choose(ctx, "Which\nagent\x1b[31m?", many, "AGT-000")
	}, func(func()) {
		for _, a := range many {
			p.see(a.Word+"  ", 1)
		}
		p.typeIn("agt-029\r")
	})
	if r.err != nil || r.text != "AGT-029" {
		t.Errorf("%q, %v", r.text, r.err)
	}
	p.see("? Which agent? ", 1)
	if strings.Contains(p.seen(), "\x1b[2J") || strings.Contains(p.seen(), "\n? Land") {
		t.Errorf("an answer's help drives the terminal: %q", p.seen())
	}
}

func TestExactWordBeforeLongerOnes(t *testing.T) {
	p := newPerson(t)
	r := p.ask(func(ctx context.Context) (string, error) {
		return p.terminal.Choose(ctx, "Go?", []ui.Answer{{Word: "none"}, {Word: "no"}, {Word: "not now"}}, "none")
	}, func(func()) {
		p.see("? Go?", 1)
		p.typeIn("no\r")
	})
	if r.text != "no" {
		t.Errorf("%q, %v", r.text, r.err)
	}
}

func TestLine(t *testing.T) {
	for name, c := range map[string]struct{ typed, want string }{
		"text":          {"please use ütf-8\r", "please use ütf-8"},
		"blanks around": {"  x \r", "x"},
		"empty first":   {"\r   \rx\r", "x"},
		"corrected":     {"xy\x7fz\r", "xz"},
		"controls":      {"a\x1b[2Jb\x1ac\r", "abc"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t)
			r := p.ask(p.name, func(func()) {
				lines := strings.SplitAfter(c.typed, "\r")
				for i, line := range lines[:len(lines)-1] {
					p.see("? Message to AGT-001: ", i+1)
					if i > 0 {
						p.see("That is empty. Type a line", i)
					}
					p.typeIn(line)
				}
			})
			if r.err != nil || r.text != c.want {
				t.Errorf("%q, %v, want %q", r.text, r.err, c.want)
			}
		})
	}
}

func TestOptionalLine(t *testing.T) {
	for typed, want := range map[string]string{"\r": "", "  \r": "", "why not\r": "why not"} {
		p := newPerson(t)
		r := p.ask(func(ctx context.Context) (string, error) {
			return p.terminal.OptionalLine(ctx, "Why?")
		}, func(func()) {
			p.see("? Why? ", 1)
			p.typeIn(typed)
		})
		if r.err != nil || r.text != want {
			t.Errorf("typed %q: %q, %v, want %q", typed, r.text, r.err, want)
		}
	}
}

func TestLineThatTheTerminalCuts(t *testing.T) {
	p := newPerson(t)
	r := p.ask(p.name, func(func()) {
		p.see("? Message to AGT-001: ", 1)
		for range 50 {
			p.typeIn(strings.Repeat("x", 100))
		}
		p.typeIn("\r")
		p.see("too long", 1)
		p.see("? Message to AGT-001: ", 2)
		p.typeIn("short\r")
	})
	if r.err != nil || r.text != "short" {
		t.Errorf("%d bytes, %v", len(r.text), r.err)
	}
}

func TestColour(t *testing.T) {
	painted := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for name, c := range map[string]struct {
		noColor, term string
		want          bool
	}{
		"colours":  {"", "xterm", true},
		"NO_COLOR": {"1", "xterm", false},
		"dumb":     {"", "dumb", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("NO_COLOR", c.noColor)
			t.Setenv("TERM", c.term)
			p := newColourfulPerson(t)
			if p.terminal.Color() != c.want || (p.terminal.Red("x") != "x") != c.want {
				t.Errorf("Color() = %v", p.terminal.Color())
			}
			if p.terminal.Width() != 100 {
				t.Errorf("Width() = %d", p.terminal.Width())
			}
			if r := p.ask(p.landing, func(func()) { p.see(question, 1); p.typeIn("no\r") }); r.text != "no" {
				t.Fatalf("%q, %v", r.text, r.err)
			}
			if painted.MatchString(p.seen()) != c.want {
				t.Errorf("screen %q", p.seen())
			}
			if !strings.Contains(painted.ReplaceAllString(p.seen(), ""), "? "+question) {
				t.Errorf("the question is not in %q", p.seen())
			}
		})
	}
	terminal := ui.New(nil, nil, nil)
	if terminal.Color() || terminal.Width() != 0 {
		t.Error("nothing is no terminal")
	}
}

// TestFlood holds that a program which feeds answers without end is not taken for a person.
func TestFlood(t *testing.T) {
	p := newPerson(t)
	go func() { // until the terminal is closed
		for {
			if _, err := p.keyboard.WriteString("yes\r"); err != nil {
				return
			}
		}
	}()
	p.see("yes", 1) // the terminal's echo
	r := p.ask(p.landing, func(func()) {})
	if !errors.Is(r.err, ui.ErrFlooded) || r.text != "" {
		t.Errorf("answer %q, error %v, want %v", r.text, r.err, ui.ErrFlooded)
	}
}

package ui

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// Alert rings the bell of the terminal that shows errors and sets its title, for a person who looks elsewhere.
// Where there is no terminal, or a dumb one, it does nothing.
func (t *Terminal) Alert(title string) {
	if !IsTerminal(t.errw) || os.Getenv("TERM") == "dumb" {
		return
	}
	fmt.Fprintf(t.errw, "\x1b]0;%s\a\a", plainLine(title))
}

// IsTerminal reports whether the file is a terminal; nil is none.
func IsTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// Raw has a terminal hand on every key as it is typed and show nothing by itself, and returns what undoes that.
func Raw(f *os.File) (restore func() error, err error) {
	before, err := term.MakeRaw(int(f.Fd()))
	if err != nil {
		return nil, fmt.Errorf("change the terminal's mode: %w", err)
	}
	return func() error { return restored(term.Restore(int(f.Fd()), before)) }, nil
}

// Hush keeps the terminal from showing what is typed, as while something else is printed, and returns what ends that.
// Signals by keys work as before. It does nothing where this is no terminal, or where this process is not the one that
// the person types to.
func (t *Terminal) Hush() (end func()) {
	if !t.IsTerminal() || !echo(t.in, false) {
		return func() {}
	}
	return sync.OnceFunc(func() { echo(t.in, true) })
}

// Style colours text, or leaves it as it is. The zero value does the latter.
type Style struct{ on bool }

func styleOf(out *os.File) Style {
	return Style{on: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && IsTerminal(out)}
}

// Bold makes text stand out.
func (s Style) Bold(text string) string { return s.paint("1", text) }

// Dim makes text step back.
func (s Style) Dim(text string) string { return s.paint("2", text) }

// Reverse is for what is chosen among others.
func (s Style) Reverse(text string) string { return s.paint("7", text) }

// Red is for what failed or blocks.
func (s Style) Red(text string) string { return s.paint("31", text) }

// Green is for what went well.
func (s Style) Green(text string) string { return s.paint("32", text) }

// Yellow is for what a person should look at.
func (s Style) Yellow(text string) string { return s.paint("33", text) }

// paint wraps text in a graphic rendition and its reset; there is nothing to colour in an empty text.
func (s Style) paint(code, text string) string {
	if !s.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// ErrNotTerminal says that a question was not asked because its input or its output is no terminal.
var ErrNotTerminal = errors.New("a person has to answer at a terminal, and this is none")

// ErrInterrupted says that the person pressed Ctrl-C instead of answering.
var ErrInterrupted = errors.New("interrupted")

// ErrClosed says that the input ended before there was an answer: Ctrl-D, or the terminal went away.
var ErrClosed = errors.New("the input ended before an answer was given")

// ErrFlooded says that input kept arriving before a question was shown.
// No person types like that, so the question is not asked.
var ErrFlooded = errors.New("input keeps arriving before the question is shown")

// Terminal is where a person sits: a pair of files to read from and write to, and one for errors.
// Its Style is that of the output.
// It is not safe for concurrent use.
type Terminal struct {
	Style
	// Nobody says why no person answers here, although it is a terminal; nil where one may.
	Nobody error

	in, out, errw *os.File
	read          time.Time // when this or another program read from it last
}

// New returns the terminal of the three files, usually standard input, output and error.
// None of them has to be a terminal; the questions find out.
// Colours are decided here, from the output and the variables NO_COLOR and TERM.
func New(in, out, errw *os.File) *Terminal {
	return &Terminal{Style: styleOf(out), in: in, out: out, errw: errw, read: time.Now()}
}

// Used says that another program read from the terminal until now.
func (t *Terminal) Used() { t.read = time.Now() }

// IsTerminal reports whether both input and output are terminals.
func (t *Terminal) IsTerminal() bool { return IsTerminal(t.in) && IsTerminal(t.out) }

// Person is nil where a person can be asked, else ErrNotTerminal or Nobody.
func (t *Terminal) Person() error {
	if !t.IsTerminal() {
		return ErrNotTerminal
	}
	return t.Nobody
}

// Interactive reports whether a person can be asked.
func (t *Terminal) Interactive() bool { return t.Person() == nil }

// Color reports whether output may be coloured: it is a terminal, TERM is not "dumb", and NO_COLOR is unset or empty.
func (t *Terminal) Color() bool { return t.Style.on }

// Width is the number of columns of the output, or 0 if it is no terminal or does not say.
func (t *Terminal) Width() int {
	if !IsTerminal(t.out) {
		return 0
	}
	width, _, err := term.GetSize(int(t.out.Fd()))
	if err != nil {
		return 0
	}
	return width
}

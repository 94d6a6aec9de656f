package ui

import (
	"errors"
	"os"

	"golang.org/x/term"
)

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
	in, out, errw *os.File
}

// New returns the terminal of the three files, usually standard input, output and error.
// None of them has to be a terminal; the questions find out.
// Colours are decided here, from the output and the variables NO_COLOR and TERM.
func New(in, out, errw *os.File) *Terminal {
	return &Terminal{Style: styleOf(out), in: in, out: out, errw: errw}
}

// Interactive reports whether a person can be asked: both input and output are terminals.
func (t *Terminal) Interactive() bool { return isTerminal(t.in) && isTerminal(t.out) }

// Color reports whether output may be coloured: it is a terminal, TERM is not "dumb", and NO_COLOR is unset or empty.
func (t *Terminal) Color() bool { return t.Style.on }

// Width is the number of columns of the output, or 0 if it is no terminal or does not say.
func (t *Terminal) Width() int {
	if !isTerminal(t.out) {
		return 0
	}
	width, _, err := term.GetSize(int(t.out.Fd()))
	if err != nil {
		return 0
	}
	return width
}

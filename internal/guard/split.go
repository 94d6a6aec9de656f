package guard

import (
	"errors"
	"fmt"
	"strings"
)

// errOpen is shell text that ends inside of quotes or brackets, or closes what it did not open.
var errOpen = errors.New("quotes or brackets of the command do not balance")

// errLong is shell text that no shell is given as an argument.
var errLong = fmt.Errorf("the command has more than %d bytes", maxText)

// errTangled is shell text that is within bounds itself, and whose texts for other shells are not, one after the other.
var errTangled = fmt.Errorf("the command and what it gives to other shells are together more than %d bytes to read",
	maxRead)

// maxDepth bounds substitutions within substitutions, and shells that start shells.
const maxDepth = 50

// maxText bounds shell text in bytes: Linux takes no longer argument. maxArithmetic bounds how far
// ahead is looked for the end of arithmetic.
// maxRead bounds all that is read for one decision, whatever is read again: a hook that takes too
// long is one that programs go on without.
const (
	maxText       = 128 << 10
	maxArithmetic = 4 << 10
	maxRead       = 4 * maxText
)

// reading is one decision's: how many bytes may still be read for it. Below zero nothing is decided.
type reading struct{ left int }

func newReading() *reading { return &reading{left: maxRead} }

// command is one simple command: its words without their quotes. What only the shell knows, such as
// a variable's value, stands as "$…".
type command struct {
	words []string
	input *string // the here-document that it reads, nil if there is none
}

// split lists the simple commands of a shell text, also those in substitutions, subshells and the bodies of loops.
// Redirections are left out.
func (r *reading) split(text string) ([]command, error) {
	if len(text) > maxText {
		return nil, errLong
	}
	r.left -= len(text)
	s := &splitter{reading: r, text: text}
	if err := s.list(false); err != nil {
		return nil, err
	}
	return s.found, nil
}

type splitter struct {
	*reading
	text    string
	at      int
	depth   int
	found   []command
	pending []*here // here-documents whose bodies begin with the next line
}

// here is a here-document.
type here struct {
	end  string // the line behind it
	tabs bool   // its lines may begin with tabs that do not count
	body string
}

func (s *splitter) more() bool { return s.at < len(s.text) }

func (s *splitter) sees(text string) bool { return strings.HasPrefix(s.text[s.at:], text) }

// takes moves behind text if it comes next.
func (s *splitter) takes(text string) bool {
	seen := s.sees(text)
	if seen {
		s.at += len(text)
	}
	return seen
}

// list reads commands up to the end of the text, or to the ")" that closes what was opened.
func (s *splitter) list(opened bool) error {
	if s.depth++; s.depth > maxDepth {
		return errOpen
	}
	defer func() { s.depth-- }()
	q := sequence{splitter: s}
	for s.more() {
		if s.left < 0 {
			return errTangled
		}
		if s.takes(")") {
			q.end()
			if opened {
				return nil
			}
			return errOpen
		}
		if err := q.next(); err != nil {
			return err
		}
	}
	q.end()
	if opened {
		return errOpen
	}
	return nil
}

// sequence is one list of commands that is being read.
type sequence struct {
	*splitter
	current command
	cases   int // that are open
}

// next reads one part of a command, or what ends it.
func (q *sequence) next() error {
	switch ch := q.text[q.at]; ch {
	case '(':
		q.end()
		return q.bracket()
	case '\n', ';', '|', '&':
		return q.separator(ch)
	}
	if err := q.part(&q.current); err != nil || !q.current.beginsCase() {
		return err
	}
	q.end()
	return q.pattern()
}

func (q *sequence) separator(ch byte) error {
	q.at++
	if ch == '&' && q.sees(">") {
		return nil // a redirection of both outputs
	}
	q.end()
	switch {
	case ch == '\n':
		q.readHeres()
	case ch == ';' && q.cases > 0 && (q.takes(";") || q.takes("&")):
		q.takes("&")
		return q.pattern()
	}
	return nil
}

// end keeps the command that was read, if it has words, and begins a new one.
func (q *sequence) end() {
	c := q.current
	q.current = command{}
	if c.beginsCase() {
		q.cases++
	}
	if len(c.words) == 0 {
		return
	}
	if c.words[0] == "esac" {
		q.cases--
	}
	q.found = append(q.found, c)
}

// part reads what does not end a command: blanks, comments, redirections and words.
func (s *splitter) part(c *command) error {
	switch s.text[s.at] {
	case ' ', '\t', '\r':
		s.at++
		return nil
	case '#':
		for s.more() && s.text[s.at] != '\n' {
			s.at++
		}
		return nil
	case '<', '>':
		return s.redirection(c)
	}
	if s.takes("\\\n") {
		return nil
	}
	word, err := s.word()
	if err != nil {
		return err
	}
	switch {
	case s.more() && strings.IndexByte("<>", s.text[s.at]) >= 0 && strings.Trim(word, "0123456789") == "":
		return nil // the number of a file, as in 2>&1
	case len(c.words) == 0 && isKeyword(word):
		return nil
	case strings.HasSuffix(word, "=") && s.takes("("):
		return s.skim(")")
	case word == "[[" && len(c.words) == 0:
		return s.skim("]]")
	}
	c.words = append(c.words, word)
	return nil
}

// bracket reads a subshell, or passes over arithmetic.
func (s *splitter) bracket() error {
	s.at++
	if s.takes("(") {
		if s.arithmetic() {
			return nil
		}
		s.at--
	}
	return s.list(true)
}

// pattern passes over the pattern of a case up to its ")", unless the case ends there.
func (s *splitter) pattern() error {
	for s.takes(" ") || s.takes("\t") || s.takes("\r") || s.takes("\n") || s.takes("(") {
	}
	if !s.more() || s.sees("esac") {
		return nil
	}
	return s.skim(")")
}

func (c command) beginsCase() bool {
	return len(c.words) == 3 && c.words[0] == "case" && c.words[2] == "in"
}

// isKeyword is a word of the shell's own that a command can follow.
func isKeyword(word string) bool {
	switch word {
	case "if", "then", "else", "elif", "while", "until", "do", "{", "!":
		return true
	}
	return false
}

// skim passes over words that are no commands, up to the text that ends them.
func (s *splitter) skim(end string) error {
	for s.more() {
		if s.takes(end) {
			return nil
		}
		if strings.IndexByte(" \t\r\n;&|()<>", s.text[s.at]) >= 0 {
			s.at++
			continue
		}
		if _, err := s.word(); err != nil {
			return err
		}
	}
	return errOpen
}

// arithmetic passes over what stands behind "((", if it ends with "))". If not, it is read again, as commands.
func (s *splitter) arithmetic() bool {
	open, i := 0, s.at
	defer func() { s.left -= max(0, i-s.at) }()
	for ; i < min(len(s.text), s.at+maxArithmetic); i++ {
		switch {
		case s.text[i] == '(':
			open++
		case s.text[i] == ')' && open > 0:
			open--
		case s.text[i] == ')':
			if i+1 == len(s.text) || s.text[i+1] != ')' {
				return false
			}
			s.at = i + 2
			return true
		}
	}
	return false
}

// redirection passes over an operator and the file behind it, and reads the commands of "<(…)" and ">(…)".
func (s *splitter) redirection(c *command) error {
	if s.takes("<(") || s.takes(">(") {
		c.words = append(c.words, "$")
		return s.list(true)
	}
	document := s.sees("<<") && !s.sees("<<<")
	for s.more() && strings.IndexByte("<>&|", s.text[s.at]) >= 0 {
		s.at++
	}
	tabs := document && s.takes("-")
	for s.takes(" ") || s.takes("\t") || s.takes("\\\n") {
	}
	word, err := s.word()
	if document {
		h := &here{end: word, tabs: tabs}
		c.input = &h.body
		s.pending = append(s.pending, h)
	}
	return err
}

// readHeres reads the bodies of the here-documents that began on the line before. One without its
// last line goes on to the end.
func (s *splitter) readHeres() {
	for _, h := range s.pending {
		begin, end := s.at, s.at
		for s.more() {
			line, _, _ := strings.Cut(s.text[s.at:], "\n")
			s.at = min(s.at+len(line)+1, len(s.text))
			line = strings.TrimSuffix(line, "\r")
			if h.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			if line == h.end {
				break
			}
			end = s.at
		}
		h.body = s.text[begin:end]
	}
	s.pending = nil
}

package checkpoint

import (
	"bytes"
	"slices"
	"strings"
)

// TestWatch looks in a transcript for signs that tests were run: usual commands, and usual lines of results.
// What stands inside a block does not count, for the claim is no evidence.
// It is a heuristic that errs towards having seen: a command that is only talked about counts.
// It keeps at most one line of 64 KiB, and reads longer lines in pieces.
// Lines of JSON are read as well: a line break written as \n ends a line.
// It must not be used by several goroutines at once.
type TestWatch struct {
	commands []string
	buf      []byte
	scratch  []byte
	seen     bool

	block bool // between a header and its closing rule
	rule  rune // of the header's lower rule, 0 before it
	size  int  // bytes of the block so far
}

// overlap is how much of a long line is read again with its next piece.
const overlap = 256

// NewTestWatch returns a TestWatch at the start of a transcript.
// The commands are the project's own test commands; a line that holds one counts as a run of it.
func NewTestWatch(commands ...string) *TestWatch {
	return &TestWatch{commands: commands}
}

// Seen reports whether a sign of a test run was found.
// A last line without its end counts too, as far as it came.
func (w *TestWatch) Seen() bool {
	if !w.seen && len(w.buf) > 0 {
		// A copy of the state, for the line may go on.
		probe := *w
		probe.scratch = nil
		probe.line(w.buf)
		return probe.seen
	}
	return w.seen
}

// Feed takes the next bytes of the transcript, cut anywhere.
func (w *TestWatch) Feed(p []byte) {
	for len(p) > 0 && !w.seen {
		i := bytes.IndexByte(p, '\n')
		if i >= 0 && len(w.buf) == 0 && i <= maxLine {
			w.line(p[:i])
			p = p[i+1:]
			continue
		}
		piece := p
		if i >= 0 {
			piece = p[:i]
		}
		if room := maxLine - len(w.buf); len(piece) > room {
			w.buf = append(w.buf, piece[:room]...)
			p = p[room:]
			w.line(w.buf)
			n := copy(w.buf, w.buf[len(w.buf)-overlap:])
			w.buf = w.buf[:n]
			continue
		}
		w.buf = append(w.buf, piece...)
		p = p[len(piece):]
		if i >= 0 {
			w.line(w.buf)
			w.buf = w.buf[:0]
			p = p[1:]
		}
	}
	if w.seen {
		w.buf, w.scratch = nil, nil
	}
}

// line cuts a line of the transcript at carriage returns and at line breaks written in JSON.
func (w *TestWatch) line(b []byte) {
	if !w.block && !promising(b) && !w.own(b) {
		return
	}
	for len(b) > 0 && !w.seen {
		part, rest := b, []byte(nil)
		if i := bytes.Index(b, []byte(`\n`)); i >= 0 {
			part, rest = b[:i], b[i+2:]
		}
		if i := bytes.IndexByte(part, '\r'); i >= 0 {
			part, rest = b[:i], b[i+1:]
		}
		b = rest
		w.words(part)
	}
}

// promising is the cheap filter: every sign holds one of these, and so does a header.
// A terminal sequence may split the words, so a line with one is always read.
func promising(b []byte) bool {
	if bytes.IndexByte(b, 0x1b) >= 0 {
		return true
	}
	for _, s := range []string{"est", "PASS", "FAIL", "pass", "Passed!", "fail", "Failed!", "ok", "make", "gradle",
		"mvn", "spec", "tox", "mocha", "bats", "cypress", "exampl", "phpunit", "OK (", headerWords} {
		if bytes.Contains(b, []byte(s)) {
			return true
		}
	}
	return false
}

func (w *TestWatch) words(part []byte) {
	var text []byte
	text, w.scratch = clean(part, w.scratch)
	if bytes.Contains(text, []byte(headerWords+":")) {
		w.block, w.rule, w.size = true, 0, 0
		return
	}
	if w.block && w.inBlock(text) {
		return
	}
	if bytes.Contains(text, []byte("import ")) {
		return // a source file that uses a test package, not a run of it
	}
	w.seen = testCommand(text) || testResult(text) || w.own(text)
}

// own reports whether the text holds one of the project's own test commands.
func (w *TestWatch) own(text []byte) bool {
	return slices.ContainsFunc(w.commands, func(c string) bool { return c != "" && bytes.Contains(text, []byte(c)) })
}

// inBlock reports whether the line belongs to a block,
// which ends with the rule that closes it or at the size that no block has.
// Header words without a rule below them are prose.
func (w *TestWatch) inBlock(text []byte) bool {
	w.size += len(text) + 1
	// In JSON a rule can be escaped, and the closing one can carry the end of its string.
	line, _, _ := strings.Cut(strings.ReplaceAll(string(text), `\u2550`, "═"), `"`)
	rule := ruleOf([]byte(line))
	switch {
	case w.size > maxBlock, w.rule == 0 && rule == 0 && !onlyIndent(text):
		w.block = false
		return false
	case w.rule == 0:
		w.rule = rule
	case rule == w.rule:
		w.block = false
	}
	return true
}

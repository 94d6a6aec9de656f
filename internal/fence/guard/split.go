package guard

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"delegate/internal/turn/program"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// errOpen is text that no shell can read to its end, such as an open quote. The parser says where.
var errOpen = errors.New("quotes, brackets or keywords of the command do not balance")

// errLong is shell text that no shell is given as an argument.
var errLong = fmt.Errorf("the command has more than %d bytes", maxText)

// errTangled is shell text that is within bounds itself, and whose texts for other shells are not, one after the other.
var errTangled = fmt.Errorf("the command and what it gives to other shells are together more than %d bytes to read",
	maxRead)

// errDeep is text in which more stands within one another than is followed.
var errDeep = errors.New("nested too deep")

const (
	// maxText bounds shell text in bytes: Linux takes no longer argument.
	maxText = 128 << 10
	// maxRead bounds the bytes that are read for one decision, with the texts that the command
	// gives to other shells: programs go on without a hook that takes too long.
	maxRead = 4 * maxText
	// maxDepth bounds shells that start shells.
	maxDepth = 50
	// maxFrames bounds the calls of the parser within one another, of which each level of
	// brackets takes about ten.
	maxFrames = 2000
)

// budget is what one decision may still read, in bytes.
type budget struct {
	left   int
	parser *syntax.Parser
	agents map[string]bool // the names under which agent programs are started
}

func newBudget() *budget {
	b := &budget{maxRead, syntax.NewParser(syntax.Variant(syntax.LangBash)), map[string]bool{}}
	for _, p := range program.All() {
		for _, name := range append(p.Aliases, p.Name) {
			b.agents[name] = true
		}
	}
	return b
}

// command is one simple command: its words without their quotes. A "$" stands for what only the
// shell knows, such as a variable's value.
type command struct {
	words []string
	input *string // the here-document or here-string that it reads, nil if there is none
}

// split lists the simple commands of a shell text, also those in substitutions, subshells and the
// bodies of loops and functions. Redirections and assignments are left out.
// The error wraps errOpen, or is errLong or errTangled.
func (b *budget) split(text string) ([]command, error) {
	if len(text) > maxText {
		return nil, errLong
	}
	if b.left -= len(text); b.left < 0 {
		return nil, errTangled
	}
	file, err := b.parser.Parse(&shallowReader{strings.NewReader(text)}, "")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errOpen, err)
	}
	var found []command
	syntax.Walk(file, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Stmt); ok {
			if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
				found = append(found, commandOf(call, s.Redirs))
			}
		}
		return true
	})
	return found, nil
}

// shallowReader ends a text that has its reader, the parser, go too deep: a stack has an end, which
// ends the program.
type shallowReader struct{ io.Reader }

// Read reads from the text, or answers with errDeep.
func (r *shallowReader) Read(p []byte) (int, error) {
	if runtime.Callers(maxFrames, make([]uintptr, 1)) > 0 {
		return 0, errDeep
	}
	return r.Reader.Read(p)
}

func commandOf(call *syntax.CallExpr, redirects []*syntax.Redirect) command {
	var c command
	for _, w := range call.Args {
		c.words = append(c.words, plain(w.Parts, everyEscape))
	}
	for _, r := range redirects {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			text := ""
			if r.Hdoc != nil && r.Word.Lit() == "" { // its mark is quoted: the body stands by the letter
				text = plain(r.Hdoc.Parts, "")
			} else if r.Hdoc != nil {
				text = plain(r.Hdoc.Parts, quotedEscapes)
			}
			c.input = &text
		case syntax.WordHdoc:
			text := plain(r.Word.Parts, everyEscape)
			c.input = &text
		}
	}
	return c
}

// The characters that a backslash escapes, outside of quotes and inside.
const (
	everyEscape   = "every"
	quotedEscapes = "$`\"\\\n"
)

// plain is the text of a word's parts without their quotes.
func plain(parts []syntax.WordPart, escapes string) string {
	var b strings.Builder
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescaped(p.Value, escapes))
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar {
				text, _, _ = expand.Format(nil, text, nil) // escapes as of C; there is nothing to fail
			}
			b.WriteString(text)
		case *syntax.DblQuoted:
			b.WriteString(plain(p.Parts, quotedEscapes))
		case *syntax.ParamExp:
			b.WriteByte('$')
			if p.Short && p.Param != nil {
				b.WriteString(p.Param.Value)
			}
		case *syntax.ExtGlob:
			b.WriteString(p.Op.String() + p.Pattern.Value + ")")
		default:
			b.WriteByte('$')
		}
	}
	return b.String()
}

// unescaped is text without the backslashes that escape one of these characters, and without
// escaped ends of lines.
func unescaped(text, escapes string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) &&
			(escapes == everyEscape || strings.IndexByte(escapes, text[i+1]) >= 0) {
			if i++; text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

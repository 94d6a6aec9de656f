package checkpoint

import (
	"fmt"
	"math"
)

// SyntaxError says where and why a text is no block.
// Line is 1-based, in the text given to Parse or the stream given to a Scanner.
type SyntaxError struct {
	Line   int
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// Parse reads the one block of a text, with or without words around it, whoever the agent is.
// The error is a *SyntaxError; a template that was not filled in, and a second block, are errors too.
// The text is in memory already, so the limits of a Scanner do not apply.
func Parse(text string) (Block, error) {
	s := NewScanner(Options{})
	s.limits = limits{line: math.MaxInt, block: math.MaxInt64}
	items := append(s.Feed([]byte(text)), s.Close()...)
	switch {
	case len(items) == 0:
		return Block{}, &SyntaxError{Line: 1,
			Reason: fmt.Sprintf("no block: want a rule line, %q and a rule line", headerWords+": AGT-001")}
	case items[0].fault != nil:
		return Block{}, items[0].fault
	case len(items) > 1:
		return Block{}, &SyntaxError{Line: items[1].Line, Reason: "a second block begins, want exactly one"}
	}
	return items[0].Block, nil
}

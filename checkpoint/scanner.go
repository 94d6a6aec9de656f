package checkpoint

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

// SyntaxError says why a block is not valid.
type SyntaxError struct {
	Line   int    // from 1, in the text given to Parse
	Reason string // what is wrong
}

// Error returns the line and the reason.
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// Parse parses the one block in a text, which may have other text around it. It accepts the id of any agent.
// The error is a *SyntaxError; it is returned too for a template that was not filled in, and for a second block.
// The limits of a Scanner for the size of a line and of a block do not apply.
func Parse(text string) (Block, error) {
	s := NewScanner("")
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

// Kind says what kind of block a Scanner found.
type Kind int

// The values of Item.Kind. Only a Valid item is a claim of the agent that the Scanner was made for.
const (
	// Valid is a block that parses and has the id of the agent.
	Valid Kind = iota
	// Malformed is a block with a syntax error, or an incomplete one.
	Malformed
	// Echo is the template of a block, or a block that still contains placeholders of the template.
	Echo
	// OtherAgent is a block that parses and has the id of another agent.
	OtherAgent
)

// Item is one block that a Scanner found in a stream.
type Item struct {
	Kind   Kind   // the other fields depend on it
	Quoted bool   // the block is in a Markdown quotation (">"), so the agent repeats what somebody else said
	Block  Block  // the zero value if Kind is Malformed or Echo
	Line   int    // of the header line "AGENT CHECKPOINT", from 1, counted by line feeds
	Reason string // says what is wrong, with the line of a syntax error; "" if Kind is Valid

	// Start and End are byte offsets in the stream: of the first byte of the first rule or header line, and of the byte
	// after the last line.
	Start, End int64

	fault *SyntaxError
}

const (
	maxLine  = 64 << 10
	maxBlock = 256 << 10
	// maxGap is how many blank lines may stand between a rule and the words that belong to it.
	maxGap = 8
)

type limits struct {
	line  int
	block int64
}

// Scanner finds blocks in a stream that arrives in pieces.
// It holds at most one line of 64 KiB and one block of 256 KiB in memory, for a stream of any length.
// A Scanner must not be used by several goroutines at once.
type Scanner struct {
	agent  string
	limits limits

	off     int64 // of the next byte
	line    int   // of the next byte
	afterCR bool  // a line feed here belongs to the carriage return before it

	cur     []byte // the unfinished line, as far as it is kept
	curAt   int64
	curLine int
	curLen  int64

	scratch []byte
	above   mark // a rule, or a header without one, that the next words may belong to
	bare    mark // a header that has no rules; its Status, if one follows, shows that a block was meant
	open    *openBlock
	out     []Item
}

// sourceLine is one line of the stream without its end.
// content is cut short when over is set.
type sourceLine struct {
	content []byte
	start   int64
	end     int64
	number  int
	over    bool
}

// mark remembers a line whose meaning the next words decide.
type mark struct {
	start int64
	end   int64
	line  int
	rule  rune
	id    string // of a header that had no rule above it
	head  bool   // it is such a header
	set   bool
	gap   int // blank lines since
}

// NewScanner returns a Scanner for the output of the agent with that id. If agent is "", every id is accepted.
func NewScanner(agent string) *Scanner {
	return &Scanner{agent: agent, limits: limits{line: maxLine, block: maxBlock}, line: 1, curLine: 1}
}

// Feed reads the next bytes of the stream and returns the blocks that they complete.
// The blocks found do not depend on how the stream is divided into calls.
func (s *Scanner) Feed(p []byte) []Item {
	lf := -1 // position of the next line feed; found once, for a stream may hold carriage returns alone
	for i := 0; i < len(p); {
		if s.afterCR {
			s.afterCR = false
			if p[i] == '\n' {
				i++
				s.off++
				s.line++
				s.startLine()
				continue
			}
		}
		if lf < i {
			lf = len(p)
			if j := bytes.IndexByte(p[i:], '\n'); j >= 0 {
				lf = i + j
			}
		}
		end := lf
		if j := bytes.IndexByte(p[i:lf], '\r'); j >= 0 {
			end = i + j
		}
		s.take(p[i:end], end < len(p))
		if end == len(p) {
			break
		}
		s.off++
		s.afterCR = p[end] == '\r'
		if !s.afterCR {
			s.line++
		}
		s.startLine()
		i = end + 1
	}
	return s.drain()
}

// Close ends the stream and returns the block that was still open, complete or not, if there is one.
func (s *Scanner) Close() []Item {
	if s.curLen > 0 {
		s.take(nil, true)
		s.startLine()
	}
	if o := s.open; o != nil {
		if o.closing {
			s.closeAtRule()
		} else {
			s.cutOff(o.last, "cut off: the stream ends before the closing rule")
		}
	}
	s.above = mark{}
	return s.drain()
}

func (s *Scanner) drain() []Item {
	out := s.out
	s.out = nil
	return out
}

func (s *Scanner) startLine() {
	s.cur = s.cur[:0]
	s.curLen = 0
	s.curAt = s.off
	s.curLine = s.line
}

// take adds bytes to the current line, and handles it when whole is set.
func (s *Scanner) take(p []byte, whole bool) {
	s.off += int64(len(p))
	had := s.curLen
	s.curLen += int64(len(p))
	if whole && had == 0 && s.open == nil && !s.above.set && !s.bare.set && ordinary(p) {
		return
	}
	over := s.curLen > int64(s.limits.line)
	content := p
	if !whole || had > 0 {
		if room := s.limits.line - len(s.cur); len(p) > room {
			p = p[:max(room, 0)]
		}
		s.cur = append(s.cur, p...)
		content = s.cur
	} else if over {
		content = p[:s.limits.line]
	}
	l := sourceLine{content: content, start: s.curAt, end: s.off, number: s.curLine, over: over}
	if s.open != nil && l.end-s.open.start > s.limits.block {
		s.tooLarge()
	}
	switch {
	case !whole:
	case s.open != nil:
		s.inside(l)
	default:
		s.outside(l)
	}
}

// outside looks for a header.
func (s *Scanner) outside(l sourceLine) {
	if l.over {
		s.above.set = false
		return
	}
	var text []byte
	text, s.scratch = clean(l.content, s.scratch)
	s.afterBare(text)
	if onlyIndent(text) {
		s.above.blank()
		return
	}
	rule := ruleOf(text)
	if rule != 0 {
		if s.above.set && s.above.head {
			s.openAt(s.above, s.above.id, s.above.line)
			o := s.open
			o.upper = rule
			o.body.fail(o.header, "the rule line above the header is missing")
			s.lowerRule(l, rule)
			return
		}
		s.above.become(l, rule)
		return
	}
	if hangs(text) && !(s.above.set && s.above.head) {
		s.above.become(l, '═')
		return
	}
	id, ok := headerID(text)
	switch {
	case !ok:
		if s.above.set && s.above.head {
			s.bare = s.above
			s.bare.gap = 0
			s.afterBare(text)
		}
		s.above.set = false
	case s.above.set && !s.above.head:
		s.openWithHeader(l, text, id)
	default:
		s.above.become(l, 0)
		s.above.head = true
		s.above.id = id
	}
}

// mostBare is how many lines behind a header without rules its Status is looked for.
const mostBare = 12

// afterBare looks in the lines behind a header that has no rules for a Status: other output between the lines of a
// block, or a block without its rules, is a block that cannot be read, and not none.
func (s *Scanner) afterBare(text []byte) {
	if !s.bare.set {
		return
	}
	if s.bare.gap++; s.bare.gap > mostBare {
		s.bare.set = false
		return
	}
	field := labelOf(unbullet(strings.TrimLeft(string(text), indent)))
	if field.key != "status" || choose(field.value, string(Complete), string(Blocked), string(InProgress),
		string(Partial)).verdict != chosen {
		return
	}
	b := newBody(s.bare.id, s.bare.line)
	if s.agent != "" && b.block.Agent != s.agent {
		s.bare = mark{}
		return
	}
	b.fail(s.bare.line, "the header stands without a rule line above it and one below it")
	s.open = &openBlock{start: s.bare.start, end: s.bare.end, header: s.bare.line, body: b}
	s.emit(Block{})
	s.bare = mark{}
}

func (m *mark) become(l sourceLine, rule rune) {
	*m = mark{start: l.start, end: l.end, line: l.number, rule: rule, set: true}
}

func (m *mark) blank() {
	m.gap++
	if m.gap > maxGap {
		m.set = false
	}
}

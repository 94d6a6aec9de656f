package checkpoint

import (
	"bytes"
	"fmt"
	"strings"
)

// Kind says what a Scanner found.
type Kind int

// The kinds; only a Valid item is a claim of the agent whose stream it is.
const (
	// Valid is a block that parses and carries the right id.
	Valid Kind = iota
	// Malformed is a block with a fault, or one that was cut off.
	Malformed
	// Echo is the template, or a block in which placeholders of it are left.
	Echo
	// Foreign is a block that parses and carries another agent's id.
	Foreign
)

func (k Kind) String() string {
	switch k {
	case Valid:
		return "valid"
	case Malformed:
		return "malformed"
	case Echo:
		return "echo"
	case Foreign:
		return "foreign"
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// Item is one block found in a stream.
// Block is the zero value for Malformed and Echo.
// Raw holds the block's lines as they were, joined by line feeds, as valid UTF-8;
// a line that was too long is cut short. It can hold terminal sequences.
// Start and End are byte offsets in the stream, from the upper rule to behind the last line without its line end.
// When a closing rule serves as the next header's upper rule, the next Start lies before this End.
// Line is the line of the header's words, which counts line feeds from 1.
// Reason is empty for Valid; for Malformed and Echo it names the line of the fault.
type Item struct {
	Kind       Kind
	Block      Block
	Raw        string
	Start, End int64
	Line       int
	Reason     string

	fault *SyntaxError
}

// Options say whose stream is scanned and where it starts.
// With an empty Agent every id is accepted.
// Offset and Line are the position of the first byte, as Safe gave it; a Line of 0 means 1.
type Options struct {
	Agent  string
	Offset int64
	Line   int
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

// Scanner finds blocks in a stream that comes in pieces.
// It keeps at most one line of 64 KiB and one block of 256 KiB, whatever the stream holds.
// It must not be used by several goroutines at once.
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
	line  int
	rule  rune
	id    string // of a header that had no rule above it
	head  bool   // it is such a header
	set   bool
	gap   int // blank lines since
	raw   []byte
}

// openBlock is a block whose end has not been seen.
type openBlock struct {
	start        int64
	startLine    int
	header       int
	upper, lower rune
	prefix       []byte
	body         *body
	raw          []byte
	end          int64
	last         int // line
	rule         mark
	ruleRaw      int // len(raw) before the rule that is marked
	ruleEnd      int64
	endBefore    int64 // end of the line before that rule
	closing      bool  // the marked rule closes the block unless the next words say otherwise
}

// NewScanner returns a Scanner at the position that o names.
func NewScanner(o Options) *Scanner {
	line := max(o.Line, 1)
	return &Scanner{
		agent: o.Agent, limits: limits{line: maxLine, block: maxBlock},
		off: o.Offset, line: line, curAt: o.Offset, curLine: line,
	}
}

// Feed takes the next bytes and returns the items that they completed.
// The sequence of items does not depend on how the stream was cut.
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

// Close ends the stream and returns what was still open.
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

// Safe returns a position from which a new Scanner finds every item that was not returned yet:
// the start of an open block, of a rule that may belong to a header, or of the unfinished line.
func (s *Scanner) Safe() (offset int64, line int) {
	switch {
	case s.open != nil:
		return s.open.start, s.open.startLine
	case s.above.set:
		return s.above.start, s.above.line
	}
	return s.curAt, s.curLine
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
	if whole && had == 0 && s.open == nil && !s.above.set && ordinary(p) {
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
	if onlyIndent(text) {
		if s.above.set {
			s.above.raw = append(append(s.above.raw, '\n'), l.content...)
			s.above.blank()
		}
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
	id, ok := headerID(text)
	switch {
	case !ok:
		s.above.set = false
	case s.above.set && !s.above.head:
		s.openWithHeader(l, text, id)
	default:
		s.above.become(l, 0)
		s.above.head = true
		s.above.id = id
	}
}

func (m *mark) become(l sourceLine, rule rune) {
	*m = mark{start: l.start, line: l.number, rule: rule, set: true, raw: append(m.raw[:0], l.content...)}
}

func (m *mark) blank() {
	m.gap++
	if m.gap > maxGap {
		m.set = false
	}
}

// openAt begins a block at the marked line.
func (s *Scanner) openAt(m mark, id string, header int) {
	s.open = &openBlock{
		start: m.start, startLine: m.line, header: header, last: header,
		upper: m.rule, body: newBody(id, header), raw: append([]byte(nil), m.raw...),
	}
	s.above.set = false
}

func (s *Scanner) openWithHeader(l sourceLine, text []byte, id string) {
	s.openAt(s.above, id, l.number)
	o := s.open
	o.prefix = append(o.prefix, text[:len(text)-len(bytes.TrimLeft(text, indent))]...)
	o.keep(l)
}

// keep adds a line to the block's raw text.
func (o *openBlock) keep(l sourceLine) {
	o.raw = append(append(o.raw, '\n'), l.content...)
	o.end = l.end
	o.last = l.number
}

// inside takes a line of an open block.
func (s *Scanner) inside(l sourceLine) {
	o := s.open
	var text []byte
	text, s.scratch = clean(l.content, s.scratch)
	if l.over {
		text = text[:0]
		o.body.fail(l.number, "a line is longer than %d KiB", s.limits.line>>10)
	} else if rule := ruleOf(text); rule != 0 {
		s.ruleInside(l, rule)
		return
	} else if id, ok := headerID(text); ok && o.rule.set && o.lower != 0 {
		s.headerInside(l, text, id)
		return
	}
	text = text[commonPrefix(text, o.prefix):]
	blank := len(text) == 0 && !l.over
	if blank {
		o.rule.blank()
	}
	if o.closing && (!blank || !o.rule.set) {
		if blank || l.over || !o.body.continues(string(text)) {
			s.closeAtRule()
			s.outside(l)
			return
		}
		o.closing = false
	}
	if !blank {
		o.rule.set = false
		if o.lower == 0 {
			o.lower = o.upper
			o.body.fail(o.header, "the rule line below the header is missing")
		}
	}
	o.keep(l)
	o.body.line(string(text), l.number)
}

func (s *Scanner) ruleInside(l sourceLine, rule rune) {
	o := s.open
	if o.lower == 0 {
		s.lowerRule(l, rule)
		return
	}
	if o.closing {
		// Two rules with nothing between: the first closed, the second may open another block.
		s.closeAtRule()
		s.outside(l)
		return
	}
	o.markRule(l, rule)
	if rule != o.upper && rule != o.lower {
		return
	}
	o.closing = true
	if o.body.final() {
		s.closeAtRule()
	}
}

func (s *Scanner) lowerRule(l sourceLine, rule rune) {
	s.open.markRule(l, rule)
	s.open.lower = rule
}

func (o *openBlock) markRule(l sourceLine, rule rune) {
	o.ruleRaw = len(o.raw)
	o.endBefore = o.end
	o.ruleEnd = l.end
	o.rule.become(l, rule)
	o.keep(l)
}

// headerInside ends a block in which another header begins; the rule above it belongs to the new one.
func (s *Scanner) headerInside(l sourceLine, text []byte, id string) {
	o := s.open
	above := o.rule
	above.raw = o.raw[o.ruleRaw+1:]
	o.raw = o.raw[:o.ruleRaw]
	o.end = o.endBefore
	s.cutOff(l.number, "cut off: a new header begins before the closing rule")
	s.above = above
	s.openWithHeader(l, text, id)
}

// closeAtRule ends the block at the marked rule, which may still open the next one.
func (s *Scanner) closeAtRule() {
	o := s.open
	o.raw = o.raw[:o.ruleRaw+1+len(o.rule.raw)]
	o.end = o.ruleEnd
	s.emit(o.body.finish(o.header))
	s.above = o.rule
}

func (s *Scanner) cutOff(line int, reason string) {
	// What is missing explains every fault before it: the last words may be half a row.
	s.open.body.fault = &SyntaxError{Line: line, Reason: reason}
	s.emit(Block{})
}

// tooLarge gives a block up whose current line would go beyond the limit; that line is outside it.
func (s *Scanner) tooLarge() {
	o := s.open
	if o.closing {
		s.closeAtRule()
		return
	}
	s.cutOff(o.last, fmt.Sprintf("block larger than %d KiB without a closing rule", s.limits.block>>10))
	s.above = o.rule
}

// emit turns the open block into an item.
func (s *Scanner) emit(b Block) {
	o := s.open
	s.open = nil
	it := Item{
		Kind: Valid, Block: b, Raw: strings.ToValidUTF8(string(o.raw), "\ufffd"),
		Start: o.start, End: o.end, Line: o.header,
	}
	switch {
	case o.body.echo != nil:
		it.Kind, it.Block, it.fault = Echo, Block{}, o.body.echo
	case o.body.fault != nil:
		it.Kind, it.Block, it.fault = Malformed, Block{}, o.body.fault
	case s.agent != "" && b.Agent != s.agent:
		it.Kind = Foreign
		it.Reason = fmt.Sprintf("the block carries the id %q in the stream of %q", b.Agent, s.agent)
	}
	if it.fault != nil {
		it.Reason = it.fault.Error()
	}
	s.out = append(s.out, it)
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

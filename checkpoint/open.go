package checkpoint

import (
	"bytes"
	"fmt"
)

// openBlock is a block whose end has not been seen.
type openBlock struct {
	start, end   int64 // offsets of its upper rule, and behind its last line
	header       int   // line
	last         int   // line
	upper, lower rune
	prefix       []byte
	body         *body
	rule         mark // the last rule that nothing but blank lines followed, if it is set
	closing      bool // the marked rule closes the block unless the next words say otherwise
}

// openAt begins a block at the marked line.
func (s *Scanner) openAt(m mark, id string, header int) {
	s.open = &openBlock{start: m.start, header: header, last: header, upper: m.rule, body: newBody(id, header)}
	s.above.set, s.bare.set = false, false
}

func (s *Scanner) openWithHeader(l sourceLine, text []byte, id string) {
	s.openAt(s.above, id, l.number)
	s.open.prefix = bytes.Clone(text[:len(text)-len(bytes.TrimLeft(text, indent))])
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
	o.last, o.end = l.number, l.end
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
	o.rule.become(l, rule)
	o.last, o.end = l.number, l.end
}

// headerInside ends a block in which another header begins; the rule above it belongs to the new one.
func (s *Scanner) headerInside(l sourceLine, text []byte, id string) {
	above := s.open.rule
	s.cutOff(l.number, "cut off: a new header begins before the closing rule")
	s.above = above
	s.openWithHeader(l, text, id)
}

// closeAtRule ends the block at the marked rule, which may still open the next one.
func (s *Scanner) closeAtRule() {
	o := s.open
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
	it := Item{Kind: Valid, Block: b, Line: o.header, Quoted: bytes.IndexByte(o.prefix, '>') >= 0,
		Start: o.start, End: o.end}
	switch {
	case o.body.echo != nil:
		it.Kind, it.Block, it.fault = Echo, Block{}, o.body.echo
	case o.body.fault != nil:
		it.Kind, it.Block, it.fault = Malformed, Block{}, o.body.fault
	case s.agent != "" && b.Agent != s.agent:
		it.Kind = OtherAgent
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

package plan

import (
	"delegate/internal/text/spelling"
	"fmt"
)

// section is one subtask as it stands in the file.
type section struct {
	line   int
	number int // 0 if it cannot be used
	name   string
	fields map[string]*field // by their names, a misspelled one by what it may mean
}

// parser cuts the file into title, reasoning and sections; what they mean is for the builder.
// Each line belongs to the open fence, or to the open field, or to the open section, or to the reasoning.
type parser struct {
	faults        []Fault
	title         string
	titleLine     int
	reasoning     []string // finished pieces of it
	piece         []string // lines of the open piece
	sections      []*section
	section       *section // nil in the reasoning
	field         *field   // nil before the first field of a section
	prose         bool     // whether the open field may hold fences
	fence         fence
	lastMisplaced int // the last line that belongs to no field
}

func (p *parser) fault(at int, format string, args ...any) {
	p.faults = append(p.faults, Fault{at, fmt.Sprintf(format, args...)})
}

func (p *parser) line(l line) {
	title, subtask := isTitle(l.text), isSubtask(l.text)
	if p.fence.open() && (title || subtask) {
		p.fault(l.no, "heading in the code fence that line %d opens; close the fence, or indent the line if it is text",
			p.fence.line)
		p.fence = fence{}
	}
	switch {
	case title:
		p.beginTitle(l)
	case subtask:
		p.beginSection(l)
	case p.section == nil:
		p.reason(l)
	default:
		p.inSection(l)
	}
}

// leave ends what is open and goes back to the reasoning.
func (p *parser) leave() {
	if piece := joinPiece(p.piece); piece != "" {
		p.reasoning = append(p.reasoning, piece)
	}
	p.piece, p.section, p.field, p.prose = nil, nil, nil, false
}

func (p *parser) beginTitle(l line) {
	p.leave()
	if p.titleLine > 0 {
		p.fault(l.no, "a second title; the first is on line %d", p.titleLine)
		return
	}
	p.titleLine = l.no
	var wrong string
	if p.title, wrong = readTitle(l.text); wrong != "" {
		p.fault(l.no, "%s", wrong)
	}
}

func (p *parser) beginSection(l line) {
	p.leave()
	number, name, wrong := readSubtask(l.text)
	if wrong != "" {
		p.fault(l.no, "%s", wrong)
	}
	p.section = &section{line: l.no, number: number, name: name, fields: map[string]*field{}}
	p.sections = append(p.sections, p.section)
}

func (p *parser) reason(l line) {
	if !p.fence.open() && looksLikeField(l.text) {
		p.fault(l.no, `field outside of a subtask; a subtask begins with "## Subtask N: NAME"`)
	}
	p.fence = p.fence.after(l)
	p.piece = append(p.piece, l.text)
}

func (p *parser) inSection(l line) {
	switch {
	case p.fence.open():
		p.extend(l)
	case l.blank():
		if p.field != nil {
			p.extend(l)
		}
	case l.indented() && p.field != nil:
		p.extend(l)
	case ruleForm.MatchString(l.text):
		p.field, p.prose = nil, false
	case isOtherSection(l.text):
		p.leave()
		p.reason(l)
	default:
		name, text, ok := readField(l)
		if !ok {
			p.misplaced(l)
			return
		}
		p.beginField(name, line{l.no, text})
	}
}

// extend adds a line to the open field; in a fence that a misplaced line opened there is none.
func (p *parser) extend(l line) {
	if p.field != nil {
		p.field.lines = append(p.field.lines, l)
	}
	if p.prose || p.fence.open() {
		p.fence = p.fence.after(l)
	}
}

func (p *parser) beginField(written string, text line) {
	name, known := canonicalField(written)
	p.field = &field{name: name, line: text.no, lines: []line{text}, misspelled: !known}
	p.prose = isProse(name) || !known
	if p.prose {
		p.fence = p.fence.after(text)
	}
	if !known {
		meant := spelling.Nearest(written, fieldNames())
		p.fault(text.no, "%s", unknownField(written, meant))
		if meant != "" && p.section.fields[meant] == nil { // one fault is enough: the field is not missing as well
			p.section.fields[meant] = p.field
		}
		return
	}
	if first := p.section.fields[name]; first != nil && !first.misspelled {
		p.fault(text.no, "field %q is given twice, first on line %d", name, first.line)
		return
	}
	p.section.fields[name] = p.field
}

// misplaced faults a run of lines that belong to no field, once.
func (p *parser) misplaced(l line) {
	if p.lastMisplaced != l.no-1 || p.lastMisplaced == 0 {
		if p.field != nil {
			p.fault(l.no, "text outside a field; indent it if it belongs to %q", p.field.name)
		} else {
			p.fault(l.no, "text outside a field; a subtask consists of fields such as \"- **Description**: text\"")
		}
	}
	p.lastMisplaced = l.no
	p.fence = p.fence.after(l)
}

func (p *parser) end() {
	p.leave()
	if p.fence.open() {
		p.fault(p.fence.line, "code fence is never closed")
	}
	if p.titleLine == 0 {
		p.fault(1, `no title; begin the plan with "# Delegation Plan: TITLE"`)
	}
	if len(p.sections) == 0 {
		p.fault(max(p.titleLine, 1), `no subtask; a subtask begins with "## Subtask 1: NAME"`)
	}
}

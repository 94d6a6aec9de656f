package checkpoint

import (
	"fmt"
	"slices"
	"strings"
)

// part is a place inside a block.
type part int

const (
	preamble part = iota
	changes
	tests
	blockers
	questions
	issues
	notes
	request
	skipped // a section that no form knows
	status  // the fields of the preamble, for the record of what was seen
	progress
	subtask
	parts
)

var partNames = [parts]string{changes: "changes made", tests: "tests run", blockers: "blockers",
	questions: "questions for parent", issues: "issues encountered", notes: "notes for parent", request: "request",
	status: "status", progress: "progress", subtask: "subtask"}

func partNamed(key string) (part, bool) {
	if key == "test results" {
		return tests, true
	}
	at := part(slices.Index(partNames[:skipped], key))
	return max(at, preamble), at > preamble
}

func fieldNamed(key string) (part, bool) {
	at := slices.Index(partNames[status:], key)
	return status + part(max(at, 0)), at >= 0
}

// body reads the lines of one block as they come.
// It keeps the fault with the lowest line and the first trace of the template.
type body struct {
	block     Block
	at        part
	seen      [parts]bool
	report    bool // a part of the Report form was seen
	canonical bool // a section of the canonical form alone was seen
	table     table
	tests     testFields
	texts     [parts][]string
	asked     bool // the request's value was read
	waiting   part // the field whose value is on a later line; preamble: none
	waitsAt   int  // its line
	fault     *SyntaxError
	echo      *SyntaxError
}

func newBody(id string, line int) *body {
	b := &body{block: Block{Progress: -1}}
	agent, template, ok := agentID(id)
	b.block.Agent = agent
	switch {
	case template:
		b.template(line, fmt.Sprintf("the agent's id is the placeholder %q", id))
	case !ok:
		b.fail(line, "agent id is %q, want AGT- and three or more digits", id)
	}
	return b
}

func (b *body) fail(line int, format string, args ...any) {
	if b.fault == nil || line < b.fault.Line {
		b.fault = &SyntaxError{Line: line, Reason: fmt.Sprintf(format, args...)}
	}
}

func (b *body) template(line int, what string) {
	if b.echo == nil {
		b.echo = &SyntaxError{Line: line, Reason: "this is the template, not filled in: " + what}
	}
}

// final reports whether the block can end at the next rule without a look at what follows.
func (b *body) final() bool {
	return b.seen[status] && (b.seen[request] || b.seen[notes])
}

// continues reports whether the line holds a part that the block still lacks.
func (b *body) continues(text string) bool {
	if p, _, ok := b.sectionOf(text); ok {
		return p != skipped && !b.seen[p]
	}
	f, ok := fieldNamed(labelOf(unbullet(strings.TrimLeft(text, indent))).key)
	return b.at == preamble && ok && !b.seen[f]
}

// sectionOf reports whether the line starts a section, and the text that follows the name on the line.
func (b *body) sectionOf(text string) (p part, value string, ok bool) {
	l := labelOf(text)
	p, known := partNamed(l.key)
	if l.level > 0 {
		if known {
			return p, l.value, true
		}
		_, field := fieldNamed(l.key)
		return skipped, "", l.level == 2 && !(field && b.at == preamble)
	}
	if known && p == tests {
		// "Tests Run" is a field too, inside its section.
		return p, "", l.value == "" && b.at != tests
	}
	if known && (l.value == "" || l.emphasised && p != changes) {
		return p, l.value, true
	}
	l = labelOf(unbullet(strings.TrimLeft(text, indent)))
	if l.key == "request" && chooseRequest(l.value).verdict > invalid {
		return request, l.value, true
	}
	return preamble, "", false
}

func (b *body) enter(p part, text string, n int) {
	if b.seen[p] && p != skipped {
		b.fail(n, "section %q is there twice", strings.Trim(text, indent+"#"))
	}
	b.endField()
	b.endTests(n)
	b.seen[p] = true
	b.at = p
	switch p {
	case tests:
		report := labelOf(text).key == "test results"
		b.report = b.report || report
		b.canonical = b.canonical || !report
	case issues, notes:
		b.report = true
	case blockers, questions, request:
		b.canonical = true
	}
}

// line takes the next line of the block, rules left out, without the block's own indentation.
func (b *body) line(text string, n int) {
	if p, value, ok := b.sectionOf(text); ok {
		b.enter(p, text, n)
		if value != "" && ruleOf([]byte(value)) == 0 {
			b.line(value, n)
		}
		return
	}
	blank := strings.Trim(text, indent) == ""
	switch {
	case b.at >= blockers && b.at <= notes:
		b.textLine(text, n)
	case blank:
	case b.at == preamble:
		b.field(text, n)
	case b.at == changes:
		b.tableLine(text, n)
	case b.at == tests:
		b.testLine(text, n)
	case b.at == request:
		b.requestLine(text, n)
	}
}

func (b *body) textLine(text string, n int) {
	if core := strings.ToLower(strings.Trim(text, "`*_ \t[]")); core == "none | text" {
		b.template(n, fmt.Sprintf("%q", text))
	}
	b.texts[b.at] = append(b.texts[b.at], text)
}

func (b *body) field(text string, n int) {
	item := unbullet(strings.TrimLeft(text, indent))
	l := labelOf(item)
	f, ok := fieldNamed(l.key)
	if !ok {
		value, unticked := ticked(item)
		if b.waiting == preamble || unticked || fence(value) {
			return
		}
		f, b.waiting = b.waiting, preamble
		b.setField(f, value, n)
		return
	}
	b.endField()
	if b.seen[f] {
		b.fail(n, "field %q is there twice", l.key)
	}
	b.seen[f] = true
	if l.value == "" {
		b.waiting, b.waitsAt = f, n
		return
	}
	b.setField(f, l.value, n)
}

// endField gives up a field whose value did not come on a later line either.
func (b *body) endField() {
	f := b.waiting
	if b.waiting = preamble; f != preamble {
		b.setField(f, "", b.waitsAt)
	}
}

func (b *body) setField(f part, value string, n int) {
	switch f {
	case status:
		b.status(value, n)
	case progress:
		v, template, ok := percent(value)
		if template {
			b.template(n, "Progress is a range")
		} else if !ok {
			b.fail(n, "Progress is %q, want 0 to 100 and a %% sign", value)
		}
		b.block.Progress = v
	case subtask:
		b.block.Subtask = value
		b.report = true
	}
}

// ticked takes the box off an item of a list of choices; unticked says that the box is empty.
func ticked(item string) (value string, unticked bool) {
	if strings.HasPrefix(item, "[ ]") {
		return "", true
	}
	for _, mark := range []string{"[x]", "[X]"} {
		item = strings.TrimPrefix(item, mark)
	}
	return strings.Trim(item, blanks), false
}

func (b *body) status(value string, n int) {
	c := choose(value, string(Complete), string(Blocked), string(InProgress), string(Partial))
	switch c.verdict {
	case several:
		b.template(n, "Status lists several values")
	case chosen:
		b.block.Status = Status(c.value)
		b.report = b.report || b.block.Status == Partial
	default:
		b.fail(n, "Status is %q, want one of COMPLETE, BLOCKED, IN_PROGRESS, PARTIAL", value)
	}
}

func chooseRequest(text string) choice {
	return choose(text, string(Continue), string(Merge), string(Help), string(Abort))
}

func (b *body) requestLine(text string, n int) {
	s := strings.Trim(text, indent)
	item, unticked := ticked(unbullet(s))
	if unticked || fence(s) {
		return
	}
	c := chooseRequest(item)
	switch {
	case c.verdict == several:
		b.template(n, "Request lists several values")
	case !b.asked && c.verdict == chosen:
		b.block.Request = Request(c.value)
	case !b.asked && !noneish(item):
		b.fail(n, "Request is %q, want one of CONTINUE, MERGE, HELP, ABORT", item)
	case b.asked && c.verdict != invalid:
		b.fail(n, "Request has a second value %q", item)
	}
	b.asked = true
}

// finish gives the block; it counts only when neither fault nor echo is set.
func (b *body) finish(line int) Block {
	b.endField()
	b.endTests(line)
	b.endTable()
	if !b.seen[status] {
		b.fail(line, "Status is missing")
	}
	if b.seen[request] && !b.asked {
		b.fail(line, "Request is empty, want one of CONTINUE, MERGE, HELP, ABORT")
	}
	out := b.block
	if out.Changes = b.table.changes; out.Changes == nil && b.seen[changes] {
		out.Changes = []Change{}
	}
	out.Tests = b.tests.tests
	out.Blockers = b.text(blockers)
	out.Questions = b.text(questions)
	out.Issues = b.text(issues)
	out.Notes = b.text(notes)
	if b.report && !b.canonical {
		out.Form = Report
	}
	return out
}

func (b *body) text(p part) string {
	s := strings.Trim(strings.Join(b.texts[p], "\n"), blanks+"\n")
	if noneish(s) {
		return ""
	}
	return s
}

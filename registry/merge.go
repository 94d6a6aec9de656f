package registry

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"delegate/change"
)

// Merge applies to ours, the version that the program wrote last, what a person changed between base and theirs.
// A nil base means that the common version is not known. gone lists what was moved to the archive, so that Merge does
// not add it again.
//
//   - Fields: the value of theirs is taken if ours still has the value of the base. If both changed it, ours remains,
//     and a quoted line is added below the block that says what the person wrote. Without a base no field is taken.
//   - Text, comments and unknown fields: lines of theirs that are not in the base are added after the line that
//     precedes them in theirs; lines of the base that theirs does not have are removed.
//     Without a base, lines that ours does not have are added, and none is removed.
//   - Sections and agents that are new in theirs are added at the same place. A section of a person that theirs does
//     not have is removed if it did not change in ours.
//   - Events are added in the order of their times, and never removed.
//   - Statistics, pending merges and links to the archive are those of ours.
//
// left reports that the result does not have everything of theirs, so that the caller should save a copy of theirs: the
// base is nil, the session ended in the meantime, or the lines of both do not fit together.
func Merge(ours, theirs, base *Document, gone Archived) (merged *Document, left bool, err error) {
	m := &merger{theirs: theirs, base: base, gone: gone, noBase: base == nil, left: base == nil}
	if m.base == nil {
		m.base = &Document{}
	}
	if m.ours, err = Parse(ours.Bytes()); err != nil {
		return nil, false, err
	}
	a, b := ours.state.Session, theirs.state.Session
	m.same = a == nil && b == nil || a != nil && b != nil && a.ID == b.ID
	for i, section := range theirs.sections {
		m.section(i, section)
	}
	m.removed()
	m.rows()
	m.archived()
	if m.same && !m.noBase {
		m.fields()
	}
	merged, err = Parse(m.ours.Bytes())
	if err != nil || !merged.holds(ours) {
		return ours, true, nil // people's lines from both do not fit together
	}
	return merged, m.left, nil
}

// Archived lists what the archive contains, for Merge.
type Archived struct {
	Rows     []string // rows of the event log of the session of theirs
	Sessions []string // ids of archived sessions
}

// holds reports whether a document still has the session, agents, rows and archived sessions of another.
func (d *Document) holds(other *Document) bool {
	a, b := d.state.Session, other.state.Session
	if (a == nil) != (b == nil) || a != nil && a.ID != b.ID || len(Without(other.Rows(), d.Rows())) > 0 {
		return false
	}
	for _, agent := range other.state.Agents {
		if d.agent(agent.ID) == nil {
			return false
		}
	}
	for _, s := range other.state.Archived {
		if !d.hasArchived(s.ID) {
			return false
		}
	}
	return true
}

func (d *Document) hasArchived(id string) bool {
	return slices.ContainsFunc(d.state.Archived, func(s ArchivedSession) bool { return s.ID == id })
}

type merger struct {
	ours, theirs, base *Document
	gone               Archived
	noBase             bool // there is no base
	same               bool // both are of the same session
	left               bool
}

// match finds the section of a document that is what s is in its own.
func (d *Document) match(own *Document, s *section) *section {
	key := own.key(s)
	for _, other := range d.sections {
		if d.key(other) == key {
			return other
		}
	}
	return nil
}

func (d *Document) key(s *section) string {
	switch {
	case s.head == nil:
		return "preamble"
	case s.role == agentRole:
		return s.agent
	case s.role != otherRole:
		return "role " + strconv.Itoa(int(s.role))
	}
	nth := 0
	for _, other := range d.sections {
		if other == s {
			break
		}
		if other.role == otherRole && other.level == s.level && other.title == s.title {
			nth++
		}
	}
	return fmt.Sprintf("%d %d %s", s.level, nth, s.title)
}

func (m *merger) section(i int, theirs *section) {
	ours := m.ours.match(m.theirs, theirs)
	base := m.base.match(m.theirs, theirs)
	switch {
	case theirs.role == agentRole && !m.same:
		m.left = m.left || base == nil || base.text() != theirs.text()
	case ours != nil:
		m.lines(ours, theirs, base)
	case base != nil && base.text() == theirs.text():
		// It was in the base and ours has dropped it since.
	case theirs.role == otherRole, theirs.role == agentRole && base == nil:
		m.insert(i, theirs)
	case theirs.role == agentRole:
		m.left = true
	default:
		m.lines(m.ours.need(theirs.role), theirs, base)
	}
}

// insert copies a section behind the nearest one before it that ours has too.
func (m *merger) insert(i int, theirs *section) {
	at := len(m.ours.sections)
	for _, before := range slices.Backward(m.theirs.sections[:i]) {
		if anchor := m.ours.match(m.theirs, before); anchor != nil {
			at = slices.Index(m.ours.sections, anchor) + 1
			for at < len(m.ours.sections) && m.ours.sections[at].level > theirs.level {
				at++ // it must not cut off what belongs to the anchor
			}
			break
		}
	}
	clone := *theirs
	clone.head = copyNode(theirs.head, m.ours.end)
	clone.body = nil
	for _, n := range theirs.body {
		clone.body = append(clone.body, copyNode(n, m.ours.end))
	}
	m.ours.place(at, &clone)
}

func copyNode(n *node, end string) *node {
	out := *n
	if !strings.HasSuffix(out.end, "\n") {
		out.end = end
	}
	return &out
}

func (m *merger) removed() {
	for _, base := range m.base.sections {
		ours := m.ours.match(m.base, base)
		if base.role != otherRole || base.head == nil || ours == nil || m.theirs.match(m.base, base) != nil {
			continue
		}
		if ours.text() == base.text() {
			m.ours.sections = slices.DeleteFunc(m.ours.sections, func(s *section) bool { return s == ours })
		}
	}
}

// lines merges people's lines of one section.
func (m *merger) lines(ours, theirs, base *section) {
	if base == nil {
		base = &section{}
	}
	old, saved := plainTexts(base), plainTexts(theirs)
	keptOld, keptSaved := common(old, saved)
	have := map[string]int{} // lines that ours has beyond the base: added already
	for _, text := range plainTexts(ours) {
		have[text]++
	}
	for i, text := range old {
		have[text]--
		if !keptOld[i] && trim(text) != "" {
			removePlain(ours, text)
		}
	}
	at, next := 0, 0 // behind the anchor in ours; index in saved
	run := false     // the line before was put in
	for _, n := range theirs.body {
		isNew := false
		if n.kind == plainLine {
			isNew = !keptSaved[next]
			next++
		}
		switch {
		case isNew && n.blank() && m.noBase && !run:
		case isNew && (n.blank() || have[n.text] <= 0):
			ours.insert(at, copyNode(n, m.ours.end))
			at++
			run = true
			continue
		case isNew:
			have[n.text]--
			at = behind(ours, at, n)
		default:
			at = behind(ours, at, n)
		}
		run = false
	}
}

func plainTexts(s *section) []string {
	var out []string
	for _, n := range s.nodes(plainLine) {
		out = append(out, n.text)
	}
	return out
}

func removePlain(s *section, text string) {
	for i, n := range s.body {
		if n.kind == plainLine && n.text == text {
			s.body = slices.Delete(s.body, i, i+1)
			return
		}
	}
}

// behind returns the place behind ours' counterpart of a line, or at if it has none.
func behind(ours *section, at int, n *node) int {
	if n.kind == fieldLine {
		if own := ours.field(n.key); own != nil {
			return ours.index(own) + 1
		}
		return at
	}
	for i := at; i < len(ours.body); i++ {
		if ours.body[i].kind == n.kind && ours.body[i].text == n.text {
			return i + 1
		}
	}
	return at
}

// common marks the lines of a longest common subsequence.
func common(a, b []string) (inA, inB []bool) {
	text := func(lines []string) []byte {
		var all []byte
		for _, line := range lines {
			all = append(append(all, line...), '\n')
		}
		return all
	}
	inA, inB = slices.Repeat([]bool{true}, len(a)), slices.Repeat([]bool{true}, len(b))
	for _, h := range change.Hunks(text(a), text(b)) {
		clear(inA[h.OldStart-1:][:h.OldLines])
		clear(inB[h.NewStart-1:][:h.NewLines])
	}
	return inA, inB
}

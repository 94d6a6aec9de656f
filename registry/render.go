package registry

import (
	"fmt"
	"slices"
	"strings"
)

// New returns the contents of a registry without any session, for a repository that has none yet.
func New() []byte {
	head := "# Delegation Registry\n\n" + fmt.Sprintf(versionLine, format) + ` -->

## Active Session

**Status**: None

### Configuration

### Agents

### Completed Agents

### Pending Merges

### Session Events Log
` + tableHeadText + "\n" + tableRuleText + `

## Archived Sessions

### Session Statistics
`
	var b strings.Builder
	b.WriteString(head)
	for _, f := range statsFields() {
		value, _ := f.print(&Statistics{})
		b.WriteString("- " + f.name + ": " + value + "\n")
	}
	return []byte(b.String())
}

// sectionTitles names the sections that are made again if a person removed them, in their order.
func sectionTitles() []struct {
	role  role
	title string
} {
	return []struct {
		role  role
		title string
	}{
		{activeRole, "## Active Session"},
		{configRole, "### Configuration"},
		{agentsRole, "### Agents"},
		{completedRole, "### Completed Agents"},
		{pendingRole, "### Pending Merges"},
		{eventsRole, "### Session Events Log"},
		{archivedRole, "## Archived Sessions"},
		{statsRole, "### Session Statistics"},
	}
}

// apply changes the lines of those values in which next differs from the document, and appends the rows.
// It leaves the document's own state as it was; Parse of the printed bytes gives the new one.
func (d *Document) apply(next State, added []Event) {
	if session := next.Session; session != nil {
		current := d.state.Session
		fresh := current == nil
		if fresh {
			current = &Session{}
		}
		rewrite[Session]{d: d, in: d.need(activeRole), from: current, to: session, fresh: fresh,
			style: sessionStyle}.apply(sessionFields())
		rewrite[Session]{d: d, in: d.need(configRole), from: current, to: session, fresh: fresh,
			style: bulletStyle}.apply(configFields())
	}
	for i := range next.Agents {
		d.applyAgent(&next.Agents[i])
	}
	d.appendRows(added)
	d.applyPending(next.Agents)
	stats := d.state.Stats
	rewrite[Statistics]{d: d, in: d.need(statsRole), from: &stats, to: &next.Stats,
		style: bulletStyle}.apply(statsFields())
}

// need returns the section of a role, and makes it in its place if it is missing.
func (d *Document) need(wanted role) *section {
	if s := d.section(wanted); s != nil {
		return s
	}
	made := &section{role: wanted}
	at := len(d.sections)
	for _, known := range sectionTitles() {
		if known.role == wanted {
			made.head = d.line(known.title)
			made.level, made.title = heading(made.head)
			break
		}
		if i := slices.IndexFunc(d.sections, func(s *section) bool { return s.role == known.role }); i >= 0 {
			at = d.after(i)
			if known.role == activeRole {
				at = i + 1
			}
		}
	}
	if wanted == eventsRole {
		made.body = []*node{{text: tableHeadText, end: d.end, kind: tableHead},
			{text: tableRuleText, end: d.end, kind: tableRule}}
	}
	d.place(at, made)
	return made
}

func (d *Document) line(text string) *node { return &node{text: text, end: d.end} }

// after is the index behind section i and all sections inside it.
func (d *Document) after(i int) int {
	at := i + 1
	for at < len(d.sections) && d.sections[at].level > d.sections[i].level {
		at++
	}
	return at
}

// place inserts a section so that a blank line stands before and after it.
func (d *Document) place(at int, s *section) {
	if at > 0 {
		before := d.sections[at-1]
		if n := len(before.body); n == 0 && before.head != nil || n > 0 && !before.body[n-1].blank() {
			before.body = append(before.body, d.line(""))
		}
	}
	if n := len(s.body); n == 0 || !s.body[n-1].blank() {
		s.body = append(s.body, d.line(""))
	}
	d.sections = slices.Insert(d.sections, at, s)
}

func (d *Document) applyAgent(next *Agent) {
	s := d.agent(next.ID)
	fresh := s == nil
	current := &Agent{ID: next.ID}
	if fresh {
		s = &section{head: d.line("#### " + next.ID), level: 4, title: next.ID, role: agentRole, agent: next.ID}
		d.move(s, next.Status)
	} else {
		i := slices.IndexFunc(d.state.Agents, func(a Agent) bool { return a.ID == next.ID })
		was := d.state.Agents[i]
		if current = &was; was.Subtask != next.Subtask {
			was.Name = "" // a name that was derived from the title is written down before that changes
		}
	}
	rewrite[Agent]{d: d, in: s, from: current, to: next, fresh: fresh, style: agentStyle}.apply(agentFields())
	if s.older != next.Status.Ended() {
		d.sections = slices.DeleteFunc(d.sections, func(other *section) bool { return other == s })
		d.move(s, next.Status)
	}
}

// move places an agent's block, byte for byte, at the end of the section that its status asks for.
func (d *Document) move(s *section, status Status) {
	to := agentsRole
	if s.older = status.Ended(); s.older {
		to = completedRole
	}
	container := d.need(to)
	d.place(d.after(slices.Index(d.sections, container)), s)
}

func (d *Document) appendRows(added []Event) {
	if len(added) == 0 {
		return
	}
	events := d.need(eventsRole)
	extra := 0
	at := 0
	var head, rule bool
	for i, n := range events.body {
		switch n.kind {
		case tableHead:
			head, extra = true, len(splitCells(n.text))-4
		case tableRule:
			rule = true
		case rowLine:
		default:
			continue
		}
		at = i + 1
	}
	var lines []*node
	if !head {
		at = events.end()
		lines = append(lines, &node{text: tableHeadText, end: d.end, kind: tableHead})
	}
	if !rule {
		lines = append(lines, &node{text: tableRuleText + strings.Repeat("---|", extra), end: d.end, kind: tableRule})
	}
	for _, e := range added {
		lines = append(lines, &node{text: formatRow(e, extra), end: d.end, kind: rowLine, event: e})
	}
	events.insert(at, lines...)
}

// applyPending lists the agents that wait for a landing.
func (d *Document) applyPending(agents []Agent) {
	var want []string
	for _, a := range agents {
		if a.Status == Complete {
			want = append(want, a.ID)
		}
	}
	pending := d.need(pendingRole)
	var have []string
	at := 0
	for i, n := range slices.Backward(pending.body) {
		if n.kind == pendingLine {
			from, _ := bullet(n.text)
			have = append([]string{trim(n.text[from:])}, have...)
			at = i
		}
	}
	if slices.Equal(have, want) {
		return
	}
	pending.remove(func(n *node) bool { return n.kind == pendingLine })
	for i, id := range want {
		pending.insert(at+i, &node{text: "- " + id, end: d.end, kind: pendingLine})
	}
}

func (d *Document) appendArchived(s ArchivedSession) {
	archived := d.need(archivedRole)
	at := 0
	for i, n := range archived.body {
		if n.kind == archivedLine {
			at = i + 1
		}
	}
	var lines []*node
	if at == 0 {
		lines = append(lines, d.line(""))
		at = archived.end()
	}
	lines = append(lines, &node{text: s.String(), end: d.end, kind: archivedLine, session: s})
	archived.insert(at, lines...)
}

// Close removes the session that ended from the document, adds a line with a link to its archive file, and returns the
// result. The document must come from a Document.Change that ended a session, and must not be used afterwards.
func (d *Document) Close(link string) (*Document, error) {
	session := *d.state.Session
	d.clear()
	d.dropTemplate()
	d.appendArchived(ArchivedSession{ID: session.ID, Status: session.Status, ParentTask: session.ParentTask,
		Agents: len(d.state.Agents), Link: link})
	return Parse(d.Bytes())
}

const noneArchived = "(No archived sessions yet)"

// dropTemplate removes what a template of the record says in place of the first session: that there is none, and a
// table of statistics of nothing but zeros.
func (d *Document) dropTemplate() {
	if s := d.section(archivedRole); s != nil {
		s.remove(func(n *node) bool { return !n.opaque && strings.Trim(n.text, "*_ ") == noneArchived })
	}
	s := d.section(statsRole)
	if s == nil {
		return
	}
	isRow := func(n *node) bool { return !n.opaque && strings.HasPrefix(n.text, "|") }
	rows := slices.DeleteFunc(slices.Clone(s.body), func(n *node) bool { return !isRow(n) })
	if len(rows) <= 2 { // a head and its rule
		return
	}
	for _, n := range rows[2:] {
		if cells := splitCells(n.text); len(cells) != 2 || strings.Trim(cells[1], "0%s") != "" {
			return
		}
	}
	s.remove(isRow)
}

// clear removes what belongs to the ended session: its fields, agents, rows and pending merges.
// People's lines outside the agents' blocks stay.
func (d *Document) clear() {
	d.sections = slices.DeleteFunc(d.sections, func(s *section) bool { return s.role == agentRole })
	for _, s := range d.sections {
		switch s.role {
		case activeRole:
			s.remove(func(n *node) bool { return n.kind == fieldLine && n.key != "Status" })
			if status := s.field("Status"); status != nil {
				status.setValue(string(sessionNone))
				status.text = trim(status.text) // no line of the session follows
			}
		case configRole:
			s.remove(func(n *node) bool { return n.kind == fieldLine })
		case pendingRole:
			s.remove(func(n *node) bool { return n.kind == pendingLine })
		case eventsRole:
			s.removeCounter()
			s.remove(func(n *node) bool { return n.kind == rowLine })
		}
	}
}

type style int

const (
	sessionStyle style = iota
	bulletStyle
	agentStyle
)

// rewrite changes the lines of those fields of a section in which two values differ.
type rewrite[T any] struct {
	d        *Document
	in       *section
	from, to *T
	fresh    bool // there was no value before: print all that is always printed
	style    style
}

func (c rewrite[T]) apply(fields []field[T]) {
	for i, f := range fields {
		have, _ := f.print(c.from)
		want, shown := f.print(c.to)
		n := c.in.field(f.key())
		switch {
		case n != nil && !shown:
			c.in.remove(func(other *node) bool { return other == n })
		case n != nil && have != want:
			n.setValue(want)
		case n == nil && shown && (c.fresh || have != want):
			c.insert(fields, i, want)
		}
	}
}

func (c rewrite[T]) insert(fields []field[T], i int, value string) {
	f := fields[i]
	if f.nested && c.in.field("Scope") == nil {
		scope := slices.IndexFunc(fields, func(f field[T]) bool { return f.name == "Scope" })
		c.insert(fields, scope, "")
	}
	n := &node{end: c.d.end, kind: fieldLine, key: f.key()}
	switch {
	case f.nested:
		n.text = "  - " + f.name + ":"
	case c.style == sessionStyle:
		n.text = "**" + f.name + "**:"
	case c.style == bulletStyle:
		n.text = "- " + f.name + ":"
	default:
		n.text = "- **" + f.name + "**:"
	}
	n.at = len(n.text)
	n.setValue(value)
	c.in.insert(c.position(fields, i), n)
}

// position is behind the nearest field that comes before fields[i] in the layout and what a person indented below it.
func (c rewrite[T]) position(fields []field[T], i int) int {
	for j := i - 1; j >= 0; j-- {
		n := c.in.field(fields[j].key())
		if n == nil {
			continue
		}
		at := c.in.index(n) + 1
		for at < len(c.in.body) && indented(c.in.body[at]) {
			at++
		}
		return at
	}
	for _, f := range fields[i+1:] {
		if n := c.in.field(f.key()); n != nil {
			return c.in.index(n)
		}
	}
	if len(c.in.body) > 0 && c.in.body[0].blank() && c.style == sessionStyle {
		return 1
	}
	return 0
}

func indented(n *node) bool {
	return n.kind == plainLine && !n.blank() && (n.text[0] == ' ' || n.text[0] == '\t')
}

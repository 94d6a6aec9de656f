package registry

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// format is the version of the layout that this package reads and writes.
const format = 1

// Only the beginning is read, so that a newer version may say more on that line.
const versionLine = "<!-- delegate registry, format %d"

// Document is a parsed registry: its typed values and all its lines. The methods MoveRows, MoveSessions and Locate
// change it, and Close consumes it; a Document must not be changed while another goroutine uses it.
type Document struct {
	sections []*section
	end      string // of new lines: that of the file's first line
	state    State
}

// Parse parses a registry. The error is a *SyntaxError that lists all faults, or a *VersionError.
func Parse(data []byte) (*Document, error) {
	d, faults, err := parse(data)
	if err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		return nil, &SyntaxError{Faults: faults}
	}
	return d, nil
}

// Read reads and parses the registry in a file. The error is a *SyntaxError or a *VersionError with the path, or wraps
// the one of os.ReadFile, such as fs.ErrNotExist.
func Read(path string) (State, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return State{}, fmt.Errorf("read registry: %w", err)
	}
	doc, err := Parse(data)
	if err != nil {
		return State{}, Located(err, path)
	}
	return doc.State(), nil
}

// Located sets the path of the file in an error of Parse, and returns the error.
func Located(err error, path string) error {
	var syntax *SyntaxError
	var version *VersionError
	switch {
	case errors.As(err, &syntax):
		syntax.Path = path
	case errors.As(err, &version):
		version.Path = path
	}
	return err
}

// Check returns all faults of a registry in the order of their lines, none if it parses. A newer format is a fault too.
func Check(data []byte) []Fault {
	_, faults, err := parse(data)
	if version, ok := errors.AsType[*VersionError](err); ok {
		return []Fault{{
			Line: version.Line,
			Reason: fmt.Sprintf("format %d was written by a newer version; this one knows format %d", version.Found,
				version.Known),
			Mend: "use the newer version",
		}}
	}
	return faults
}

// Bytes returns the document as the contents of a file. Lines that did not change since Parse are the same byte for
// byte.
func (d *Document) Bytes() []byte {
	var nodes []*node
	for _, s := range d.sections {
		if s.head != nil {
			nodes = append(nodes, s.head)
		}
		nodes = append(nodes, s.body...)
	}
	var b strings.Builder
	for i, n := range nodes {
		b.WriteString(n.text)
		if i < len(nodes)-1 && !strings.HasSuffix(n.end, "\n") {
			b.WriteString(d.end) // it was the file's last line and is not any more
			continue
		}
		b.WriteString(n.end)
	}
	return []byte(b.String())
}

// Locate does what State.Locate does, in the values of the document.
func (d *Document) Locate(at func(session string, a Agent) string) { d.state.Locate(at) }

// Locate replaces each Agent.Worktree that is a relative path, as it is in the file, by the absolute path that at
// returns for the agent on this machine.
func (s *State) Locate(at func(session string, a Agent) string) {
	for i := range s.Agents {
		if a := &s.Agents[i]; s.Session != nil && a.Worktree != "" && !filepath.IsAbs(a.Worktree) {
			a.Worktree = at(s.Session.ID, a.clone())
		}
	}
}

// State returns a copy of the document's values.
func (d *Document) State() State { return d.state.clone() }

func parse(data []byte) (*Document, []Fault, error) {
	nodes := splitLines(string(data))
	if found, line := version(nodes); found > format {
		return nil, nil, &VersionError{Line: line, Found: found, Known: format}
	}
	d := &Document{end: "\n"}
	if len(nodes) > 0 && nodes[0].end != "" {
		d.end = nodes[0].end
	}
	p := &parser{doc: d}
	p.faults = markOpaque(nodes)
	p.markers(nodes)
	p.split(nodes)
	for _, s := range d.sections {
		p.classify(s)
	}
	p.collect()
	slices.SortStableFunc(p.faults, func(a, b Fault) int { return a.Line - b.Line })
	return d, p.faults, nil
}

// version looks for the format line above the first section; a file without one is a person's, in
// the format there was first.
func version(nodes []*node) (found, line int) {
	for i, n := range nodes {
		text := strings.TrimPrefix(n.text, "\ufeff")
		if strings.HasPrefix(text, "## ") {
			break
		}
		if n, err := fmt.Sscanf(text, versionLine, &found); n == 1 && err == nil {
			return found, i + 1
		}
	}
	return 0, 0
}

type parser struct {
	doc    *Document
	faults []Fault
}

func (p *parser) fault(line int, mend, reason string, args ...any) {
	p.faults = append(p.faults, Fault{Line: line, Reason: fmt.Sprintf(reason, args...), Mend: mend})
}

func (p *parser) markers(nodes []*node) {
	for _, n := range nodes {
		if !n.opaque && (strings.HasPrefix(n.text, "<<<<<<< ") || strings.HasPrefix(n.text, ">>>>>>> ")) {
			p.fault(n.line, "type delegate registry merge", "here is a conflict marker of git")
			p.faults[len(p.faults)-1].Conflict = true
		}
	}
}

// split cuts the lines into sections at headings of level 1 to 4.
func (p *parser) split(nodes []*node) {
	current := &section{}
	p.doc.sections = append(p.doc.sections, current)
	parents := [5]role{}
	for _, n := range nodes {
		level, title := heading(n)
		if level == 0 || level > 4 {
			current.body = append(current.body, n)
			continue
		}
		current = &section{head: n, level: level, title: title}
		p.name(current, parents)
		parents[level] = current.role
		for l := level + 1; l < len(parents); l++ {
			parents[l] = otherRole
		}
		p.doc.sections = append(p.doc.sections, current)
	}
}

// name gives a section its role, which depends on the sections it stands in.
func (p *parser) name(s *section, parents [5]role) {
	switch {
	case s.level == 2:
		s.role = map[string]role{
			"Active Session": activeRole, "Archived Sessions": archivedRole, "Session Statistics": statsRole,
		}[s.title]
	case s.level == 3 && parents[2] == activeRole:
		s.role = map[string]role{
			"Configuration": configRole, "Agents": agentsRole, "Completed Agents": completedRole,
			"Pending Merges": pendingRole, "Session Events Log": eventsRole, "Session Statistics": statsRole,
		}[s.title]
	case s.level == 3 && parents[2] == archivedRole && s.title == "Session Statistics":
		s.role = statsRole
	case s.level == 4 && (parents[3] == agentsRole || parents[3] == completedRole):
		p.nameAgent(s, parents[3])
		return
	case s.level == 4 && parents[2] == activeRole && validAgentID(s.title):
		p.fault(s.head.line, `move it below "### Agents" or "### Completed Agents"`,
			"the block of agent %q is in another section", s.title)
	}
	if s.role != otherRole && p.doc.section(s.role) != nil {
		p.fault(s.head.line, "join the two sections", "a second section %q begins", s.title)
		s.role = otherRole
	}
}

func (p *parser) nameAgent(s *section, parent role) {
	if !strings.HasPrefix(s.title, "AGT") {
		return
	}
	if !validAgentID(s.title) {
		p.fault(s.head.line, "write it like AGT-001", "agent id %q is malformed", s.title)
		return
	}
	if p.doc.agent(s.title) != nil {
		p.fault(s.head.line, "give every agent its own id", "agent %q is here a second time", s.title)
		return
	}
	s.role, s.agent, s.older = agentRole, s.title, parent == completedRole
}

func (d *Document) section(r role) *section {
	for _, s := range d.sections {
		if s.role == r {
			return s
		}
	}
	return nil
}

func (d *Document) agent(id string) *section {
	for _, s := range d.sections {
		if s.role == agentRole && s.agent == id {
			return s
		}
	}
	return nil
}

func validAgentID(id string) bool {
	digits, ok := strings.CutPrefix(id, "AGT-")
	return ok && len(digits) >= 3 && strings.Trim(digits, "0123456789") == ""
}

// ValidSessionID reports whether id has the form DEL-20260102-150405. It does not check the date.
func ValidSessionID(id string) bool {
	if len(id) != len("DEL-20060102-150405") {
		return false
	}
	for i, c := range []byte("DEL-00000000-000000") {
		if c == '0' && (id[i] < '0' || id[i] > '9') || c != '0' && id[i] != c {
			return false
		}
	}
	return true
}

// collect reads the typed values from the classified lines.
func (p *parser) collect() {
	d := p.doc
	active := d.section(activeRole)
	if active == nil {
		p.fault(1, `add a line "## Active Session" with "**Status**: None" below it`,
			`there is no section "Active Session"`)
	} else {
		p.session(active)
		p.strayed()
	}
	if first := d.section(agentRole); first != nil && active != nil && d.state.Session == nil {
		p.fault(first.head.line, "move the block to a section of your own",
			"agent %q is listed but no session is active", first.agent)
	}
	for _, s := range d.sections {
		if s.role == agentRole {
			agent := Agent{ID: s.agent}
			readFields(p, s, agentKeys(), &agent)
			if n := s.field("Status"); n == nil || n.value() == "" {
				p.fault(s.head.line, `add "- **Status**: …"`, "agent %q has no status", s.agent)
			}
			d.state.Agents = append(d.state.Agents, agent)
		}
	}
	slices.SortStableFunc(d.state.Agents, func(a, b Agent) int {
		return cmp.Or(len(a.ID)-len(b.ID), strings.Compare(a.ID, b.ID))
	})
	nameAgents(d.state.Agents, nobody)
	if events := d.section(eventsRole); events != nil {
		for _, n := range events.nodes(rowLine) {
			d.state.Events = append(d.state.Events, n.event)
		}
	}
	if archived := d.section(archivedRole); archived != nil {
		for _, n := range archived.nodes(archivedLine) {
			d.state.Archived = append(d.state.Archived, n.session)
		}
	}
	if stats := d.section(statsRole); stats != nil {
		readFields(p, stats, statsKeys(), &d.state.Stats)
	}
}

// strayed finds sections of the session that a new heading above them has cut off from it.
func (p *parser) strayed() {
	for _, known := range sectionTitles() {
		if known.role == configRole || p.doc.section(known.role) != nil {
			continue // other things have a configuration too
		}
		for _, s := range p.doc.sections {
			if s.role == otherRole && s.head != nil && trim(s.head.text) == known.title {
				p.fault(s.head.line, "move the heading of level 1 or 2 above it to another place",
					"the section %q is not in the one it belongs to", s.title)
			}
		}
	}
}

func (p *parser) session(active *section) {
	var session Session
	readFields(p, active, sessionKeys(), &session)
	if config := p.doc.section(configRole); config != nil {
		readFields(p, config, configKeys(), &session)
	}
	line := active.head.line
	status := active.field("Status")
	switch {
	case status == nil || status.value() == "":
		p.fault(line, `add "**Status**: None", or the session's`, "the active session has no status")
		p.doc.state.Session = &session
	case session.Status == "" && !strings.EqualFold(status.value(), string(sessionNone)):
		p.doc.state.Session = &session // its status is a fault already
	case session.Status == "" && session.ID != "":
		p.fault(line, "write the session's status, or remove its id", "the status is None, but session %q is named",
			session.ID)
		p.doc.state.Session = &session
	case session.Status != "" && !ValidSessionID(session.ID):
		p.fault(line, "write it like DEL-20260102-150405", "session id %q is malformed", session.ID)
		p.doc.state.Session = &session
	case session.Status != "":
		p.doc.state.Session = &session
	}
}

func readFields[T any](p *parser, s *section, known map[string]field[T], into *T) {
	seen := map[string]int{}
	for _, n := range s.body {
		if n.kind != fieldLine {
			continue
		}
		if first, again := seen[n.key]; again {
			p.fault(n.line, "remove one of them", "field %q is here a second time, after line %d", n.key, first)
			continue
		}
		seen[n.key] = n.line
		if f, is := known[n.key]; is {
			if err := f.read(into, n.value()); err != nil {
				p.fault(n.line, "correct the value", "field %q: %v", f.name, err)
			}
		}
	}
}

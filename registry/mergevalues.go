package registry

import (
	"slices"
)

// rows adds those that a person wrote.
func (m *merger) rows() {
	added := Without(Without(m.theirs.Rows(), m.base.Rows()), m.ours.Rows())
	if len(added) == 0 {
		return
	}
	if m.noBase {
		added = Without(added, m.gone.Rows)
	}
	if !m.same {
		m.left = m.left || len(added) > 0
		return
	}
	events := m.ours.need(eventsRole)
	for _, n := range m.theirs.section(eventsRole).nodes(rowLine) {
		i := slices.Index(added, n.text)
		if i < 0 {
			continue
		}
		added = slices.Delete(added, i, i+1)
		events.insert(m.rowPlace(events, n), copyNode(n, m.ours.end))
	}
}

// rowPlace is before the first later row; a table without rows gets its first one behind the rule.
func (m *merger) rowPlace(events *section, n *node) int {
	at := events.end()
	for i, own := range events.body {
		switch {
		case own.kind == rowLine && own.event.Time.After(n.event.Time):
			return i
		case own.kind == rowLine || own.kind == tableRule:
			at = i + 1
		}
	}
	return at
}

// archived adds lines of sessions that ours does not know, from another clone perhaps.
func (m *merger) archived() {
	for _, s := range m.theirs.state.Archived {
		if m.ours.hasArchived(s.ID) || m.base.hasArchived(s.ID) {
			continue
		}
		if own := m.ours.state.Session; own != nil && own.ID == s.ID {
			continue
		}
		if !slices.Contains(m.gone.Sessions, s.ID) {
			m.ours.appendArchived(s)
		}
	}
}

// fields merges the values of the session and of each agent that both sides have.
func (m *merger) fields() {
	ours, theirs, base := m.ours.state, m.theirs.state, m.base.state
	if ours.Session != nil {
		was := &Session{}
		if base.Session != nil {
			was = base.Session
		}
		active, config := m.ours.need(activeRole), m.ours.need(configRole)
		three[Session]{m.ours, active, ours.Session, theirs.Session, was, sessionStyle}.merge(sessionFields())
		three[Session]{m.ours, config, ours.Session, theirs.Session, was, bulletStyle}.merge(configFields())
	}
	for i := range ours.Agents {
		id := ours.Agents[i].ID
		edited, err := theirs.Agent(id)
		if err != nil {
			continue
		}
		was, err := base.Agent(id)
		if err != nil {
			was = Agent{ID: id}
		}
		three[Agent]{m.ours, m.ours.agent(id), &ours.Agents[i], &edited, &was, agentStyle}.merge(agentFields())
	}
}

// three is one value in its three forms and the section it stands in.
type three[T any] struct {
	d                  *Document
	in                 *section
	ours, theirs, base *T
	style              style
}

func (t three[T]) merge(fields []field[T]) {
	for i, f := range fields {
		was, _ := f.print(t.base)
		own, _ := f.print(t.ours)
		edited, shown := f.print(t.theirs)
		if edited == was || edited == own {
			continue
		}
		if own != was {
			t.quote(f.name, edited)
			continue
		}
		n := t.in.field(f.key())
		switch {
		case n != nil && shown:
			n.setValue(edited)
		case n != nil:
			t.in.remove(func(other *node) bool { return other == n })
		case shown:
			rewrite[T]{d: t.d, in: t.in, style: t.style}.insert(fields, i, edited)
		}
	}
}

// quote keeps an edit that was not taken where its writer will see it.
func (t three[T]) quote(name, edited string) {
	text := "> An edit of " + name + " was not taken, because it changed at the same time: " + edited
	if !slices.Contains(plainTexts(t.in), text) {
		t.in.insert(t.in.end(), t.d.line(text))
	}
}

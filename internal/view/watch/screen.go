package watch

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"delegate/internal/text/ui"
	"delegate/registry"
)

// View is the screen, with the cursor where a person types.
func (m *model) View() tea.View {
	if m.drawn == nil {
		v := m.draw()
		m.drawn = &v
	}
	return *m.drawn
}

func (m *model) draw() tea.View {
	lines := m.screen()
	v := tea.NewView(m.out.encode(strings.Join(lines, "\n")))
	v.AltScreen = true
	if m.mode == typing && m.current.need >= maybe {
		label := m.label()
		_, column := m.entry.view(m.width - ui.Columns(label))
		v.Cursor = tea.NewCursor(min(ui.Columns(label)+column, m.width-1), len(lines)-1)
		v.Cursor.Blink = false
	}
	return v
}

// screen is as many lines as there are rows, none wider than the terminal.
func (m *model) screen() []string {
	var lines []string
	switch {
	case m.mode == helping:
		lines = m.helpScreen()
	case !m.seen && m.fault == nil:
		lines = m.filled(m.header(), nil)
	case m.shot.Session == nil:
		lines = m.filled(m.header(), m.emptiness())
	default:
		lines = m.sessionScreen()
	}
	lines = append(lines, m.foot()...)
	if extra := len(lines) - m.height; extra > 0 {
		lines = lines[extra:] // what is typed, and where, is at the end
	}
	for i, l := range lines {
		lines[i] = ui.Cut(l, m.width)
	}
	return lines
}

// filled is a beginning and a text, with blank lines down to the foot.
func (m *model) filled(head, text []string) []string {
	room := max(0, m.height-len(m.foot()))
	lines := slices.Concat(head, text)
	if len(lines) > room {
		return lines[:room]
	}
	return append(lines, make([]string, room-len(lines))...)
}

func (m *model) emptiness() []string {
	if !m.seen {
		return nil
	}
	return []string{"", "No session is active. Start one at another terminal:", "", "  delegate -f PLAN.md", "",
		m.o.Style.Dim("It is shown here as soon as it is there.")}
}

// Room on the screen.
const (
	leastPane  = 4  // lines of the pane for which the lists above it are shortened,
	paneShare  = 3  // and this part of a higher screen
	lowScreen  = 16 // rows below which what can be left out is
	tallScreen = 30 // rows from which on there are blank lines
	roomyTabs  = 64 // columns below which tabs are their keys
)

// sessionScreen is the head, what waits, the agents, and below them the pane.
func (m *model) sessionScreen() []string {
	head := m.header()
	room := m.height - len(head) - len(m.foot()) - 1 // the line of tabs
	if m.height >= tallScreen {
		room -= 3
	}
	var waiting, table []string
	if !m.zoomed {
		least := max(leastPane, room/paneShare)
		need := len(m.shot.Waiting) + 1
		waiting = m.waiting(min(need, max(2, (room-least)/2)))
		if m.height < lowScreen {
			waiting = m.waiting(min(need, max(1, room/3)))
		}
		table = m.table(max(1, min(len(m.shot.Agents)+1, room-least-len(waiting))))
		if len(m.shot.Agents) == 0 {
			table = nil
		}
	}
	if m.height >= tallScreen && !m.zoomed {
		head, waiting, table = append(head, ""), append(waiting, ""), append(table, "")
	}
	lines := slices.Concat(head, waiting, table)
	pane := max(0, m.height-len(m.foot())-len(lines)-1)
	text := m.pane.draw(m.width, pane)
	return m.filled(append(lines, m.tabLine()), text)
}

// header is the top of the screen: the session, its state, and notes for the person.
func (m *model) header() []string {
	style := m.o.Style
	lines := []string{style.Bold("delegate watch")}
	if s := m.shot.Session; s != nil {
		status := clean(s.Status)
		if s.Over {
			status += " (ended)"
		}
		lines[0] = style.Bold(clean(s.Title)) + "  " + m.sessionStatus(status) + "  " + style.Dim(clean(s.ID))
		if m.height >= lowScreen {
			facts := slices.Concat([]string{short(s.Elapsed)}, m.counts(), []string{"merges into " + clean(s.Target)})
			if s.Used != "" {
				facts = append(facts, clean(s.Used))
			}
			lines = append(lines, style.Dim(strings.Join(facts, " · ")))
		}
	} else if !m.seen && m.fault == nil {
		lines[0] += "  " + style.Dim("looking …")
	}
	if m.fault != nil {
		lines = append(lines, style.Red(clean(ui.ErrorText(m.fault))))
	}
	for _, n := range m.shot.Notes {
		if m.height >= lowScreen {
			lines = append(lines, style.Yellow(clean(n)))
		}
	}
	return lines
}

func (m *model) sessionStatus(status string) string {
	if m.shot.Session.Over {
		return m.o.Style.Yellow(status)
	}
	return m.o.Style.Green(status)
}

// counts is how many agents are in which state.
func (m *model) counts() []string {
	order := []registry.Status{registry.Running, registry.Spawning, registry.Checkpoint, registry.Complete,
		registry.Failed, registry.Pending, registry.Merged, registry.Aborted}
	var all []string
	for _, s := range order {
		n := map[string]int{}
		for _, a := range m.shot.Agents {
			if a.Status == s {
				n[a.Word]++
			}
		}
		for _, word := range slices.Sorted(maps.Keys(n)) {
			all = append(all, fmt.Sprintf("%d %s", n[word], word))
		}
	}
	return all
}

// mostNumbered is how many things that wait have a key of their own.
const mostNumbered = 9

// waiting lists the decisions that wait for the person in so many rows, the title among them where there are two.
func (m *model) waiting(rows int) []string {
	all := m.shot.Waiting
	style := m.o.Style
	if len(all) == 0 {
		if m.height < lowScreen || m.shot.Session.Over {
			return nil
		}
		words := "Nothing waits for you."
		if m.allEnded() {
			words = "Every agent has ended: C closes the session."
		}
		return []string{style.Dim(words)}
	}
	var lines []string
	if rows > 1 {
		lines = append(lines, style.Yellow(style.Bold("Waiting for you")))
	}
	room := rows - len(lines)
	for i, w := range all[:min(len(all), room)] {
		if i > 0 && i == room-1 && len(all) > room {
			lines = append(lines, style.Dim(fmt.Sprintf("  … %d more; r walks through all of them", len(all)-i)))
			break
		}
		lines = append(lines, m.waitingLine(i, w))
	}
	return lines
}

// allEnded reports whether no agent of the session will do anything more.
func (m *model) allEnded() bool {
	return len(m.shot.Agents) > 0 && !slices.ContainsFunc(m.shot.Agents, func(a Agent) bool {
		return a.Status != registry.Merged && a.Status != registry.Aborted
	})
}

// waitingLine is one thing that waits, and at the end of the line the keys that answer it.
func (m *model) waitingLine(i int, w Waiting) string {
	style := m.o.Style
	number := " "
	if i < mostNumbered {
		number = fmt.Sprint(i + 1)
	}
	who := "session"
	if w.Agent != "" {
		who = m.nameOf(w.Agent)
	}
	var keys []string
	for _, k := range w.Keys {
		if a, known := actionOf(k); known {
			keys = append(keys, style.Bold(a.key)+" "+a.name)
		}
	}
	begin := "  " + style.Bold(number) + " " + who + "  "
	end := strings.Join(keys, style.Dim(" · "))
	for len(keys) > 1 && ui.Columns(begin)+ui.Columns(end) > m.width/2 {
		keys = keys[:len(keys)-1]
		end = strings.Join(keys, style.Dim(" · "))
	}
	room := m.width - ui.Columns(begin) - ui.Columns(end) - gap
	if room < len("is ready") { // too narrow for both; the number does what its first key does
		return begin + clean(w.Text)
	}
	return begin + pad(ui.Cut(clean(w.Text), room), min(room, max(ui.Columns(clean(w.Text)), m.widestWaiting()))) +
		strings.Repeat(" ", gap) + end
}

// nameOf is what people call the agent with an id.
func (m *model) nameOf(id string) string {
	if at := m.agentAt(id); at >= 0 {
		return m.shot.Agents[at].shown()
	}
	return clean(id)
}

// widestWaiting is where the keys of what waits stand, below each other.
func (m *model) widestWaiting() int {
	widest := 0
	for _, w := range m.shot.Waiting {
		widest = max(widest, ui.Columns(clean(w.Text)))
	}
	return widest
}

// tabLine says whose pane it is and which tab, and what of it is seen.
func (m *model) tabLine() string {
	style := m.o.Style
	if m.chosen == "" {
		return style.Dim(strings.Repeat("─", m.width))
	}
	line := style.Dim("── ") + style.Bold(m.nameOf(m.chosen)) + " "
	for i, name := range tabs() {
		switch {
		case Tab(i) == m.tab:
			line += style.Reverse("["+name+"]") + " "
		case m.width < roomyTabs:
			line += style.Bold(name[:1]) + " "
		default:
			line += " " + style.Bold(name[:1]) + name[1:] + "  "
		}
	}
	place := ""
	switch from, to, of, part := m.pane.place(); {
	case !m.pane.known:
		place = " looking …"
	case part:
		place = fmt.Sprintf(" %d–%d of %d", from, to, of)
	}
	if place != "" {
		place += " ──"
	}
	if free := m.width - ui.Columns(line) - ui.Columns(place); free >= 0 {
		return line + style.Dim(strings.Repeat("─", free)+place)
	}
	return line
}

// label stands before what is typed.
func (m *model) label() string {
	name := m.current.name
	if m.current.ofAgent() {
		name += " " + m.nameOf(m.subject)
	}
	if m.width < 2*ui.Columns(name) {
		return "> "
	}
	return name + "> "
}

// foot is the last lines: the keys, or what is typed with what it will run.
func (m *model) foot() []string {
	style := m.o.Style
	if m.mode == helping {
		if from, to, of, part := m.help.place(); part {
			return []string{style.Dim(fmt.Sprintf("%d–%d of %d lines; PgDn and PgUp scroll. Any other key goes back.",
				from, to, of))}
		}
		return []string{style.Dim("Any other key goes back.")}
	}
	if m.mode != typing {
		if m.said != "" {
			return []string{style.Yellow(m.said)}
		}
		return []string{m.keys()}
	}
	text := m.entry.String()
	if text == "" && m.current.need == words {
		text = "…"
	}
	command := line(m.current.command(m.subject, text))
	about := style.Dim(command + "   Enter runs it, Esc leaves")
	if m.said != "" {
		about = style.Yellow(m.said)
	}
	if m.current.need == sureness {
		return []string{about, style.Bold(m.label()) + "Enter?"}
	}
	shown, _ := m.entry.view(m.width - ui.Columns(m.label()))
	return []string{about, style.Bold(m.label()) + shown}
}

// keys are those that matter for what is seen, in one line.
func (m *model) keys() string {
	style := m.o.Style
	tail := style.Bold("?") + " keys  " + style.Bold("q") + " leave"
	var offered []string
	if at := m.agentAt(m.chosen); at >= 0 && !m.shot.Session.Over {
		for _, a := range actions() {
			agent := m.shot.Agents[at]
			if slices.Contains(a.when, agent.Status) && !slices.Contains(agent.Without, a.key) {
				offered = append(offered, style.Bold(a.key)+" "+a.name)
			}
		}
		offered = append(offered, style.Bold("↑↓")+" agent", style.Bold("z")+" zoom")
	}
	line := ""
	for _, o := range offered {
		if ui.Columns(line)+ui.Columns(o)+ui.Columns(tail)+2 > m.width {
			break
		}
		line += o + "  "
	}
	return line + tail
}

// The columns of the keys, and from how many columns of the terminal on what a key does has its command beside it.
const keyColumn, wordsColumn, wideHelp = 13, 45, 120

// helpScreen lists every key with the command that it runs.
func (m *model) helpScreen() []string {
	if m.help.width != m.width {
		m.help.set("keys", m.helpText())
	}
	room := max(0, m.height-len(m.foot()))
	return m.filled(nil, m.help.draw(m.width, room))
}

func (m *model) helpText() string {
	style := m.o.Style
	var b strings.Builder
	part := func(title string, rows [][3]string) {
		fmt.Fprintf(&b, "%s\n", style.Bold(title))
		for _, r := range rows {
			key := "  " + pad(style.Bold(r[0]), keyColumn) + " "
			if m.width >= wideHelp {
				fmt.Fprintf(&b, "%s%s %s\n", key, pad(r[1], wordsColumn), style.Dim(r[2]))
				continue
			}
			lines, margin := ui.Wrap(key, r[1], ui.Columns(key), m.width), ui.Columns(key)
			if r[2] != "" {
				lines = append(lines, ui.Wrap(strings.Repeat(" ", margin), r[2], margin+2, m.width)...)
			}
			b.WriteString(strings.Join(lines, "\n") + "\n")
		}
		b.WriteString("\n")
	}
	part("Looking", [][3]string{
		{"↑ ↓  k j", "the agent above, below"},
		{"o d c f  Tab", "its output, diff, checkpoint, findings"},
		{"PgUp PgDn", "a screen up, down (b and Space too)"},
		{"[ ]  g G", "a line up, down; the beginning, the end"},
		{"z", "the pane on the whole screen, and back"},
		{"1 … 9", "answer what waits for you, by its number"},
		{"^L", "read everything again"},
		{"^Z", "stop; your shell's fg goes on"},
		{"q  ^C", "leave"},
	})
	var rows [][3]string
	for _, a := range actions() {
		args := make([]string, 0, len(a.args))
		for _, word := range a.args {
			args = append(args, strings.Replace(word, placeholder, "…", 1))
		}
		rows = append(rows, [3]string{a.key, a.does, "delegate " + strings.Join(args, " ")})
	}
	part("Actions: each key runs its command at the terminal", rows)
	b.WriteString("Nothing is merged without your yes to the question of \"delegate sync merge\".\n")
	return b.String()
}

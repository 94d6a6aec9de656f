package watch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/internal/text/ui"
	"delegate/registry"
)

// column is one of the table of agents.
type column struct {
	title string
	from  int // of how many columns of the terminal on it is shown
	most  int // as wide as its widest cell, at most; 0 shares what is left
	cell  func(m *model, a Agent) string
}

// columns are those that fit a width.
func columns(width int) []column {
	all := []column{
		{"Agent", 0, min(32, max(12, width*3/10)), func(_ *model, a Agent) string { return a.shown() }},
		{"ID", 100, 8, func(m *model, a Agent) string { return m.o.Style.Dim(clean(a.ID)) }},
		{"Status", 20, 10, func(m *model, a Agent) string { return State(m.o.Style, a.Status, a.Word) }},
		{"Now", 36, 0, func(_ *model, a Agent) string { return clean(cmp.Or(a.Now, a.Subtask)) }},
		{"Done", 130, 5, func(_ *model, a Agent) string { return percent(a.Progress) }},
		{"Files", 60, 16, func(_ *model, a Agent) string { return files(a) }},
		{"Tests", 130, 8, func(m *model, a Agent) string { return Tests(m.o.Style, a.Tests) }},
		{"Time", 52, 7, func(_ *model, a Agent) string { return short(a.Elapsed) }},
		{"Left", 110, 7, func(_ *model, a Agent) string { return short(a.Left) }},
		{"Cost", 80, 8, func(_ *model, a Agent) string { return clean(a.Cost) }},
		{"Seen", 150, 7, func(_ *model, a Agent) string { return short(a.Idle) }},
		{"Notes", 110, 0, func(_ *model, a Agent) string { return clean(strings.Join(a.Notes, "; ")) }},
	}
	var fit []column
	for _, c := range all {
		if width >= c.from {
			fit = append(fit, c)
		}
	}
	return fit
}

// shown is what people call the agent.
func (a Agent) shown() string { return clean(cmp.Or(a.Name, a.ID)) }

func percent(n int) string {
	if n < 0 {
		return "–"
	}
	return fmt.Sprintf("%d%%", n)
}

func files(a Agent) string {
	if a.Files == 0 {
		return "–"
	}
	return fmt.Sprintf("%d +%d −%d", a.Files, a.Added, a.Removed)
}

// State is the word for an agent's state in its colour, as the screen and the tables of commands show it.
func State(style ui.Style, s registry.Status, word string) string {
	switch s {
	case registry.Failed, registry.Aborted:
		return style.Red(word)
	case registry.Checkpoint:
		return style.Yellow(word)
	case registry.Complete, registry.Merged:
		return style.Green(word)
	case registry.Pending:
		return style.Dim(word)
	}
	return word
}

// Tests is what the verify commands said of an agent's work, as both show it: a dash where they were not run.
func Tests(style ui.Style, result string) string {
	switch result {
	case "fail":
		return style.Red(result)
	case "pass":
		return style.Green(result)
	case "not_run":
		return "–"
	}
	return clean(result)
}

// short is a time in at most six letters; one below 0 is none.
func short(d time.Duration) string {
	switch {
	case d < 0:
		return "–"
	case d < 100*time.Hour:
		return ui.Elapsed(d)
	}
	return fmt.Sprintf("%dd", int(d.Hours())/24)
}

// gap is what stands between two columns, and marker before the rows.
const (
	gap    = 2
	marker = 2
)

// table is the agents in so many rows, the header among them where there is room for it; the chosen
// one is always there.
func (m *model) table(rows int) []string {
	agents, hidden := m.window(rows)
	fit := slices.DeleteFunc(columns(m.width), func(c column) bool { // what nobody has anything to say of
		return !slices.ContainsFunc(agents, func(a Agent) bool { return c.cell(m, a) != "" })
	})
	cells := make([][]string, 0, len(agents)+1)
	header := make([]string, len(fit))
	for i, c := range fit {
		header[i] = m.o.Style.Dim(c.title)
	}
	cells = append(cells, header)
	for _, a := range agents {
		row := make([]string, len(fit))
		for i, c := range fit {
			row[i] = c.cell(m, a)
		}
		cells = append(cells, row)
	}
	widths := share(fit, cells, m.width-marker)
	var all []string
	for i, row := range cells {
		line := "  "
		if i > 0 && agents[i-1].ID == m.chosen {
			line, row[0] = m.o.Style.Bold("▸ "), m.o.Style.Bold(row[0])
		}
		for n, cell := range row {
			line += pad(ui.Cut(cell, widths[n]), widths[n]+gap)
		}
		all = append(all, ui.Cut(strings.TrimRight(line, " "), m.width))
	}
	if rows <= len(agents) {
		all = all[1:]
	}
	if hidden > 0 && len(all) < rows {
		all = append(all, m.o.Style.Dim(fmt.Sprintf("  … %d more", hidden)))
	}
	return all
}

// window is the agents that are seen in so many rows, and how many are not.
func (m *model) window(rows int) ([]Agent, int) {
	all := m.shot.Agents
	room := rows - 1 // the header
	if len(all) > room {
		room-- // how many are not seen
	}
	room = min(max(1, room), len(all))
	from := min(max(0, m.agentAt(m.chosen)-room/2), len(all)-room)
	return all[from : from+room], len(all) - room
}

// share is how wide the columns are: as their cells where that is little, and what is left for the
// others, of which the first gets what the last do not need.
func share(fit []column, cells [][]string, width int) []int {
	widths := make([]int, len(fit))
	left := width - gap*(len(fit)-1)
	open := 0
	for i, c := range fit {
		for _, row := range cells {
			widths[i] = max(widths[i], ui.Columns(row[i]))
		}
		if c.most > 0 {
			widths[i] = min(widths[i], c.most)
			left -= widths[i]
		} else {
			open++
		}
	}
	for i, c := range slices.Backward(fit) {
		if c.most == 0 {
			widths[i] = max(0, min(widths[i], left/open))
			left -= widths[i]
			open--
		}
	}
	return widths
}

// pad fills a text up to so many columns.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-ui.Columns(text)))
}

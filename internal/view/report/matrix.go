package report

import (
	"fmt"
	"slices"
	"strings"

	"delegate/conflict"
)

// matrix shows the pairs of agents with findings.
type matrix struct {
	Names  []string
	Clean  int // names without a finding, which are left out
	Rows   []matrixRow
	Pairs  []pair
	Hidden int // findings that are not on the page
}

type matrixRow struct {
	Name  string
	Link  string
	Cells []cell
}

// cell is one pair as the matrix shows it.
type cell struct {
	Self  bool
	N     int
	Worst string
	Link  string
}

// pair is the findings of two.
type pair struct {
	A, B     string
	Anchor   string
	Worst    string
	Findings []findingView
}

type findingView struct {
	conflict.Finding
	Where []placeView
}

// placeView is one side of a finding, with the anchor of the file if it is on the page.
type placeView struct {
	conflict.Place
	Link string
}

func newMatrix(d Data, agents []agentView) matrix {
	m := matrix{Names: d.Compared}
	findings := d.Findings
	if len(findings) > mostFindings {
		m.Hidden, findings = len(findings)-mostFindings, findings[:mostFindings]
	}
	for _, f := range findings {
		if len(f.Agents) < 2 {
			continue
		}
		p := m.pair(f.Agents[0], f.Agents[1])
		shown := findingView{Finding: f}
		for _, place := range f.Places {
			shown.Where = append(shown.Where, placeView{place, fileAnchor(agents, place)})
		}
		p.Findings = append(p.Findings, shown)
		if p.Worst == "" || severity(string(f.Severity)) < severity(p.Worst) {
			p.Worst = string(f.Severity)
		}
	}
	if len(m.Names) > mostMatrix {
		all := len(m.Names)
		m.Names = slices.DeleteFunc(slices.Clone(m.Names), func(name string) bool {
			return !slices.ContainsFunc(m.Pairs, func(p pair) bool { return p.A == name || p.B == name })
		})
		m.Clean = all - len(m.Names)
	}
	m.fill(d)
	return m
}

// pair finds the pair of two names, whichever comes first.
func (m *matrix) pair(a, b string) *pair {
	for i, p := range m.Pairs {
		if p.A == a && p.B == b || p.A == b && p.B == a {
			return &m.Pairs[i]
		}
	}
	m.Pairs = append(m.Pairs, pair{A: a, B: b, Anchor: fmt.Sprintf("pair-%d", len(m.Pairs)+1)})
	return &m.Pairs[len(m.Pairs)-1]
}

func (m *matrix) fill(d Data) {
	for _, name := range m.Names {
		r := matrixRow{Name: name, Link: anchor(d.Agents, name)}
		for _, other := range m.Names {
			c := cell{Self: name == other}
			for _, p := range m.Pairs {
				if p.A == name && p.B == other || p.A == other && p.B == name {
					c.N, c.Worst, c.Link = len(p.Findings), p.Worst, p.Anchor
				}
			}
			r.Cells = append(r.Cells, c)
		}
		m.Rows = append(m.Rows, r)
	}
}

func severity(s string) int {
	return slices.Index([]string{string(conflict.Error), string(conflict.Warning), string(conflict.Info)}, s)
}

func fileAnchor(agents []agentView, p conflict.Place) string {
	for _, a := range agents {
		if a.ID != p.Agent {
			continue
		}
		for _, f := range a.Files {
			if f.Path == p.Path || f.OldPath == p.Path && strings.TrimSpace(p.Path) != "" {
				return f.Anchor
			}
		}
	}
	return ""
}

package report

import (
	"slices"

	"delegate/internal/text/shorten"
	"delegate/registry"
)

// planView is the subtasks in the order in which they can run.
type planView struct {
	Groups        int
	Steps         []step
	Graph         bool // there is an order worth drawing
	Width, Height int
	Boxes         []box
	Lines         []line
}

// step is a subtask with the group in which it can run.
type step struct {
	registry.Agent
	Anchor string
	Group  int
	Needs  []link
}

type link struct{ Anchor, Name string }

type box struct {
	X, Y                 int
	ID, Name, Tone, Mark string
	Anchor               string
}

type line struct{ X1, Y1, X2, Y2, Bend int }

// The sizes of the drawing, in its own units.
const (
	boxWidth  = 220
	boxHeight = 52
	boxGap    = 16
	colGap    = 70
	boxEdge   = 2 // around all of them, for their lines
)

func newPlan(agents []Agent) planView {
	group := groupsOf(agents)
	p := planView{}
	for i, a := range agents {
		s := step{Agent: a.Agent, Anchor: anchor(agents, a.ID), Group: group[i] + 1}
		for _, id := range a.Dependencies {
			s.Needs = append(s.Needs, link{anchor(agents, id), id})
		}
		p.Groups = max(p.Groups, s.Group)
		p.Steps = append(p.Steps, s)
	}
	p.draw()
	slices.SortStableFunc(p.Steps, func(x, y step) int { return x.Group - y.Group })
	return p
}

// groupsOf counts how many others must be done one after the other before each agent.
// A missing dependency delays no subtask, and a circle ends.
func groupsOf(agents []Agent) []int {
	group := make([]int, len(agents))
	for range agents {
		changed := false
		for i, a := range agents {
			for j, other := range agents {
				if slices.Contains(a.Dependencies, other.ID) && group[i] <= group[j] && group[j]+1 < len(agents) {
					group[i], changed = group[j]+1, true
				}
			}
		}
		if !changed {
			break
		}
	}
	return group
}

// draw places a box for each subtask, a column for each group, and a line for each dependency.
func (p *planView) draw() {
	const most = 40 // beyond that the table is easier to read
	if p.Graph = p.Groups > 1 && len(p.Steps) <= most; !p.Graph {
		return
	}
	filled := make([]int, p.Groups)
	at := map[string]box{}
	for _, s := range p.Steps {
		b := box{
			X: (s.Group - 1) * (boxWidth + colGap), Y: filled[s.Group-1] * (boxHeight + boxGap), ID: s.ID,
			Name: shorten.Runes(oneLine(s.Subtask), 30),
			Tone: tone(s.Status), Anchor: s.Anchor,
		}
		b.Mark = mark(b.Tone)
		filled[s.Group-1]++
		at[s.ID] = b
		p.Boxes = append(p.Boxes, b)
	}
	for _, s := range p.Steps {
		for _, n := range s.Needs {
			from, to := at[n.Name], at[s.ID]
			if from.ID == "" {
				continue
			}
			l := line{X1: from.X + boxWidth, Y1: from.Y + boxHeight/2, X2: to.X, Y2: to.Y + boxHeight/2}
			l.Bend = (l.X1 + l.X2) / 2
			p.Lines = append(p.Lines, l)
		}
	}
	p.Width = p.Groups*(boxWidth+colGap) - colGap + 2*boxEdge
	p.Height = slices.Max(filled)*(boxHeight+boxGap) - boxGap + 2*boxEdge
}

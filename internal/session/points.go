package session

import (
	"slices"
	"time"

	"delegate/internal/channel"
	"delegate/internal/project"
	"delegate/registry"
)

// PointKind says what a person has to decide.
type PointKind string

// The kinds of points.
const (
	PlanPoint       PointKind = "plan"       // a stored plan waits for approval
	OrderPoint      PointKind = "command"    // a line of COMMANDS.md waits for confirmation
	PausePoint      PointKind = "pause"      // the session is paused
	StalledPoint    PointKind = "stalled"    // an agent shows no sign of life and goes on
	CheckpointPoint PointKind = "checkpoint" // an agent waits for its review
	FailedPoint     PointKind = "failed"     // an agent cannot go on by itself
	CompletePoint   PointKind = "complete"   // an agent's work waits for a landing
	ConflictPoint   PointKind = "conflict"   // two agents' work clashes
	SupervisorPoint PointKind = "supervisor" // agents need a supervisor, and none is running or it does not answer
	FailurePoint    PointKind = "failure"    // the supervisor cannot do something
	ViolationPoint  PointKind = "violation"  // an agent changed what it may not; it may go on
)

// Point is one thing that waits for a person.
type Point struct {
	Kind  PointKind        `json:"kind"`
	Agent string           `json:"agent"` // "" if it is of the whole session
	Since time.Time        `json:"since"`
	Text  string           `json:"text"`
	Next  string           `json:"next"` // what to type
	Order *channel.Command `json:"-"`
	// Key names a conflict, whatever lines it stands at.
	Key string `json:"-"`
	// Outside are the changes of a violation.
	Outside []Outside `json:"-"`
}

// Line is the point in one line.
func (p Point) Line() string {
	line := p.Text
	if p.Agent != "" {
		line = p.Agent + ": " + line
	}
	if p.Next != "" {
		line += " → " + p.Next
	}
	return line
}

// Points is everything that waits for a person, oldest first.
func Points(p *project.Project, state registry.State) ([]Point, error) {
	if state.Session == nil {
		return nil, nil
	}
	book, err := readBook(p, state.Session.ID)
	if err != nil {
		return nil, err
	}
	var all []Point
	if Unapproved(state) {
		all = append(all, Point{Kind: PlanPoint, Since: state.Session.Created, Text: "the plan waits for your yes",
			Next: "delegate approve"})
	}
	if state.Session.Paused != "" {
		all = append(all, Point{Kind: PausePoint, Since: since(state, "", registry.EventInterrupted),
			Text: "the session is paused by " + state.Session.Paused, Next: "delegate resume"})
	}
	for _, c := range book.Waiting {
		at := state.Session.Created
		for _, a := range book.Answers {
			if a.Line == c.Raw {
				at = a.At
			}
		}
		all = append(all, Point{Kind: OrderPoint, Agent: c.Agent, Since: at, Text: fromFile + " says " + orderText(c),
			Next: "delegate review", Order: &c})
	}
	for _, a := range state.Agents {
		if p, ok := agentPoint(state, a); ok {
			all = append(all, p)
		}
	}
	all = append(all, violationPoints(p, state)...)
	all = append(all, conflictPoints(p, state)...)
	slices.SortStableFunc(all, func(x, y Point) int { return x.Since.Compare(y.Since) })
	return all, nil
}

// agentPoint is what an agent waits for, by its state.
func agentPoint(state registry.State, a registry.Agent) (Point, bool) {
	p := Point{Agent: a.ID, Next: Next(a)}
	switch {
	case a.Status == registry.Checkpoint:
		p.Kind, p.Since, p.Text = CheckpointPoint, since(state, a.ID, registry.EventCheckpoint), "waits for your review"
		if a.Question != "" {
			p.Text = "asks: " + shortened(a.Question)
		}
	case a.Status == registry.Failed:
		p.Kind, p.Since, p.Text = FailedPoint, since(state, a.ID, registry.EventFailed), "FAILED: "+a.LastError
	case a.Status == registry.Complete:
		p.Kind, p.Since, p.Text = CompletePoint,
			since(state, a.ID, registry.EventComplete, registry.EventForced, registry.EventRolledBack),
			"is complete and waits for its landing"
	case a.Status == registry.Running && a.Flags.Has(registry.FlagStalled):
		p.Kind, p.Since, p.Text = StalledPoint, since(state, a.ID, registry.EventEscalated),
			"shows no sign of life; it goes on"
	default:
		return p, false
	}
	if len(a.Flags) > 0 && p.Kind != StalledPoint {
		p.Text += " (" + a.Flags.String() + ")"
	}
	return p, true
}

// shortened is the agent's question as far as one line has room.
func shortened(text string) string {
	const most = 160
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + " …"
	}
	return text
}

// since is when the agent's last event of these kinds was; the session's beginning if its row went to the archive.
func since(state registry.State, agent string, kinds ...registry.Kind) time.Time {
	for _, e := range slices.Backward(state.Events) {
		if e.Agent == agent && slices.Contains(kinds, e.Kind) {
			return e.Time
		}
	}
	return state.Session.Created
}

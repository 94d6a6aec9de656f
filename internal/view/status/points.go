package status

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/conflict"
	"delegate/internal/control/session"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/text/channel"
	"delegate/internal/turn/agentdir"
	"delegate/registry"
)

// Conflicts are the open conflicts between agents as far as the supervisor knows them, by their names.
func Conflicts(p *project.Project, state registry.State) []Point {
	open, err := session.ReadConflicts(p, state.Session.ID)
	if err != nil {
		return nil // a landing finds them again
	}
	heads := session.ReadCompared(p, state.Session.ID)
	var all []Point
	for key, c := range open {
		a, err := state.Agent(c.Agent)
		blocks := c.Target
		if other, otherErr := state.Agent(c.Other(c.Agent)); err == nil && otherErr == nil {
			if a.Status == registry.Merged {
				a, other = other, a
			}
			blocks = blocks || other.Status == registry.Merged // it is in the target by now
		}
		if err != nil || a.Status.Ended() {
			continue
		}
		old := a.Status != registry.Running && heads[a.ID] != "" && heads[a.ID] != a.Head
		if old {
			c.Text += " Its newest work is " + Comparing(p) + "."
		}
		all = append(all, Point{Kind: ConflictPoint, Agent: a.ID, Since: c.Since, Text: key + ": " + c.Text,
			Next: "delegate conflicts", Key: key, With: openOther(state, c, a.ID), Seen: c.Seen,
			Blocks: blocks && !old})
	}
	slices.SortFunc(all, func(x, y Point) int { return strings.Compare(x.Key, y.Key) })
	return all
}

// openOther is the agent on the other side of a conflict, "" where that is the target or has ended.
func openOther(state registry.State, c session.OpenConflict, agent string) string {
	for _, id := range c.Agents {
		if a, err := state.Agent(id); err == nil && a.ID != agent && !a.Status.Ended() {
			return a.ID
		}
	}
	return ""
}

// Holding is what may keep finished work from being merged: open conflicts, and changes outside of a scope that nobody
// has answered.
func Holding(p *project.Project, state registry.State) []Point {
	return slices.Concat(Conflicts(p, state), violationPoints(p, state), notIntegrated(p, state))
}

// notIntegrated is the finished work that was tried on the session's integration branch and is not on it.
func notIntegrated(p *project.Project, state registry.State) (all []Point) {
	if state.Session.Integration == "" {
		return nil
	}
	for id, u := range session.ReadNotIntegrated(p, state.Session.ID) {
		a, err := state.Agent(id)
		if err != nil || a.Head != u.Head || a.Status != registry.Complete || a.Flags.Has(registry.FlagIntegrated) {
			continue
		}
		text := "left out of the integration branch: " + u.Why
		if len(u.With) > 0 {
			text = fmt.Sprintf("left out of the integration branch (tried with %s): %s", strings.Join(u.With, ", "),
				u.Why)
		}
		all = append(all, Point{Kind: IntegrationPoint, Agent: id, Text: text,
			Next: "delegate sync merge " + strings.Join(state.NamesOf(append(slices.Clone(u.With), id)), " ")})
	}
	return all
}

// leftOut is the point of the agent among them, false if it has none.
func leftOut(a registry.Agent, holding []Point) (Point, bool) {
	i := slices.IndexFunc(holding, func(p Point) bool { return p.Kind == IntegrationPoint && p.Agent == a.ID })
	if i < 0 {
		return Point{}, false
	}
	return holding[i], true
}

// BlockedOnTarget are the agents whose work findings keep from being merged, as points that hold it.
func BlockedOnTarget(found []conflict.Finding) (all []Point) {
	for _, f := range found {
		if !f.Blocking || !slices.Contains(f.Agents, project.TargetName) {
			continue
		}
		for _, id := range f.Agents {
			if id != project.TargetName {
				all = append(all, Point{Kind: ConflictPoint, Agent: id, Text: f.Message, Next: "delegate conflicts",
					Blocks: true})
			}
		}
	}
	return all
}

// HeldBy is what keeps an agent's finished work from being merged as it is, as far as that is known; false for nothing.
func HeldBy(a registry.Agent, holding []Point) (Point, bool) {
	i := slices.IndexFunc(holding, func(p Point) bool {
		return p.Agent == a.ID && (p.Kind == ViolationPoint || p.Blocks)
	})
	switch {
	case a.Status == registry.Complete && i >= 0:
		return holding[i], true
	case a.IsUnsaved():
		return Point{Kind: UnsavedPoint, Agent: a.ID, Blocks: true, Next: "look at it in " + a.Worktree +
			", then delegate sync merge " + a.Name + " | delegate message " + a.Name + ` "WHAT TO DO"`}, true
	}
	return Point{}, false
}

// IsReady says that an agent's finished work can be merged, as far as is known.
func IsReady(a registry.Agent, holding []Point) bool {
	_, held := HeldBy(a, holding)
	_, left := leftOut(a, holding)
	return a.Status == registry.Complete && !a.HasNoChanges() && !a.IsPublished() && !held && !left
}

// NotCompared says that an agent's finished work as it is now was not looked at together with that of the others.
func NotCompared(p *project.Project, state registry.State, a registry.Agent) bool {
	if a.Status != registry.Complete || a.HasNoChanges() {
		return false
	}
	others := slices.ContainsFunc(state.Agents, func(other registry.Agent) bool {
		return other.ID != a.ID && other.Turns > 0 && other.Head != "" && other.Status != registry.Aborted
	})
	return others && session.ReadCompared(p, state.Session.ID)[a.ID] != a.Head
}

// Comparing is what becomes of work that was not compared: the supervisor compares it by itself.
func Comparing(p *project.Project) string {
	if session.FindSupervisor(p) != nil {
		return "being compared now"
	}
	return "not compared yet"
}

// Unwell is what is wrong with the supervision of the session: nobody supervises, the supervisor
// does not answer, or it cannot do something.
func Unwell(p *project.Project, state registry.State) []Point {
	if session.SupervisorMissing(p, state) {
		return []Point{{Kind: SupervisorPoint, Since: LastSign(state),
			Text: "the supervisor is not running; the agents' output is kept", Next: "delegate resume"}}
	}
	s := session.FindSupervisor(p)
	if s == nil || state.Session == nil {
		return nil
	}
	var all []Point
	var silent *session.SilentError
	if err := s.Answers(p); errors.As(err, &silent) {
		all = append(all, Point{Kind: SupervisorPoint, Since: p.Now().Add(-silent.For), Text: silent.Error(),
			Next: silent.Next()})
	}
	for _, f := range s.Failures {
		all = append(all, Point{Kind: FailurePoint, Agent: f.Agent, Since: f.Since, Text: f.String(), Next: f.Next})
	}
	return all
}

// Locks are the locks of git that keep the session's target from being changed.
func Locks(p *project.Project, state registry.State) (all []Point) {
	if state.Session == nil || journal.Unfinished(p) { // then a merge holds them, or left them, which is said
		return nil
	}
	for _, lock := range p.Repo.Locks("refs/heads/" + state.Session.Target) {
		all = append(all, Point{Kind: FailurePoint, Since: lock.Since(), Text: lock.Error(), Next: lock.Next()})
	}
	return all
}

// LastSign is when something was recorded last.
func LastSign(state registry.State) time.Time {
	if n := len(state.Events); n > 0 {
		return state.Events[n-1].Time
	}
	return state.Session.Created
}

// Asks is what the program of an agent at work asks, the oldest first.
func Asks(p *project.Project, state registry.State, a registry.Agent) []agentdir.Question {
	if a.Status != registry.Running || state.Session == nil {
		return nil
	}
	return agentdir.Dir(p.AgentDir(state.Session.ID, a.ID)).OpenQuestions(p.Now())
}

// AskPoints are the questions of programs at work.
func AskPoints(p *project.Project, state registry.State) []Point {
	var all []Point
	for _, a := range state.Agents {
		for _, q := range Asks(p, state, a) {
			all = append(all, Point{Kind: AskPoint, Agent: a.ID, Since: q.Asked, Text: AskText(p, q), Key: q.ID,
				Next: "delegate review " + a.ID, Question: q})
		}
	}
	return all
}

// AskText is a question in one line.
func AskText(p *project.Project, q agentdir.Question) string {
	left := q.Until.Sub(p.Now()).Round(time.Second)
	if q.Text == "" {
		return fmt.Sprintf("asks to use %s (%s; refused in %s)", q.Line, q.Verdict(), left)
	}
	text := "asks: " + q.Text
	if len(q.Choices) > 0 {
		text += " [" + strings.Join(q.Choices, " | ") + "]"
	}
	return text
}

// violationPoints are the agents whose work holds such changes, also while they go on.
func violationPoints(p *project.Project, state registry.State) []Point {
	var all []Point
	for _, a := range state.Agents {
		if point := violationPoint(p, state, a); len(point.Outside) > 0 {
			all = append(all, point)
		}
	}
	return all
}

// violationPoint are an agent's changes outside of its scope that nobody has answered; without any, nothing is Outside.
func violationPoint(p *project.Project, state registry.State, a registry.Agent) Point {
	point := Point{Kind: ViolationPoint, Agent: a.ID, Next: "delegate review"}
	if a.Turns == 0 || a.Status.Ended() {
		return point
	}
	open, err := session.ReadBreaches(p, state.Session.ID, a)
	if err != nil {
		return point // a landing finds them again
	}
	for path, o := range open {
		if o.Answered {
			continue
		}
		point.Outside = append(point.Outside, session.Outside{Path: path, Reason: o.Reason, Allowable: o.Allowable})
		if point.Since.IsZero() || o.Since.Before(point.Since) {
			point.Since = o.Since
		}
	}
	if len(point.Outside) == 0 {
		return point
	}
	slices.SortFunc(point.Outside, func(x, y session.Outside) int { return strings.Compare(x.Path, y.Path) })
	point.Text = "changed outside its scope: " + point.Outside[0].String()
	if more := len(point.Outside) - 1; more > 0 {
		point.Text += fmt.Sprintf(" (and %d more)", more)
	}
	return point
}

// PointKind says what a person has to decide.
type PointKind string

// The kinds of points.
const (
	PlanPoint       PointKind = "plan"       // a stored plan, or an agent that was added, waits for approval
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
	AskPoint        PointKind = "asking"     // an agent's program asks within its turn, and waits
	// finished work fails on the integration branch, or lacks files; neither is ever a point by itself
	IntegrationPoint PointKind = "integration"
	UnsavedPoint     PointKind = "unsaved"
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
	// With is the other agent of a conflict between two whose work has not landed.
	With string `json:"-"`
	// Seen says that a person has looked at a conflict, which is open all the same.
	Seen bool `json:"-"`
	// Blocks says that the agent cannot be merged before a conflict with the target is resolved.
	Blocks bool `json:"-"`
	// Outside are the changes of a violation.
	Outside []session.Outside `json:"-"`
	// Question is what a program asks.
	Question agentdir.Question `json:"-"`
}

// Words is the point in words behind the name of its agent: of a conflict what happens, and not its key.
func (p Point) Words() string {
	if p.Kind != ConflictPoint {
		return p.Text
	}
	said := strings.TrimPrefix(p.Text, p.Key+": ")
	if own, is := strings.CutPrefix(said, p.Agent+" "); is {
		return own
	}
	return "has a conflict: " + said
}

// Line is the point in one line.
func (p Point) Line() string {
	line := p.Text
	switch {
	case p.Agent == "":
	case p.Kind == ConflictPoint, p.Kind == FailurePoint:
		line = p.Agent + ": " + line
	default:
		line = p.Agent + " " + line
	}
	if p.Next != "" {
		line += " → " + p.Next
	}
	return line
}

// Points is everything that waits for a person: conflicts, which decide about the rest, then oldest first.
func Points(p *project.Project, state registry.State) ([]Point, error) {
	if state.Session == nil {
		return nil, nil
	}
	book, err := session.ReadCommands(p, state.Session.ID)
	if err != nil {
		return nil, err
	}
	var all []Point
	if session.Unapproved(state) {
		all = append(all, Point{Kind: PlanPoint, Since: state.Session.Created, Text: "the plan waits for your yes",
			Next: "delegate approve"})
	}
	if state.Session.Paused != "" {
		all = append(all, Point{Kind: PausePoint, Since: since(state, "", registry.EventInterrupted),
			Text: "the session is paused by " + state.Session.Paused, Next: session.ResumeNext(*state.Session)})
	}
	for _, c := range book.Waiting {
		at := state.Session.Created
		for _, a := range book.Answers {
			if a.Line == c.Raw {
				at = a.At
			}
		}
		all = append(
			all,
			Point{
				Kind:  OrderPoint,
				Agent: c.Agent,
				Since: at,
				Text:  session.FromFile + " says " + session.CommandText(c),
				Next:  "delegate review",
				Order: &c,
			},
		)
	}
	conflicts, outside, left := Conflicts(p, state), violationPoints(p, state), notIntegrated(p, state)
	for _, a := range state.Agents {
		if point, ok := AgentPoint(p, state, a, slices.Concat(conflicts, outside, left)); ok {
			all = append(all, point)
		}
	}
	all = append(all, AskPoints(p, state)...)
	all = append(all, outside...)
	slices.SortStableFunc(all, func(x, y Point) int { return x.Since.Compare(y.Since) })
	return append(slices.DeleteFunc(conflicts, func(c Point) bool { return c.Seen }), all...), nil
}

// AgentPoint is what an agent waits for, by its state and what holds finished work back; false if it does not wait for
// a person.
func AgentPoint(of *project.Project, state registry.State, a registry.Agent, holding []Point) (Point, bool) {
	p := Point{Agent: a.ID, Next: Next(of, a, holding)}
	switch {
	case a.Status == registry.Pending && a.NeedsApproval():
		p.Kind, p.Since, p.Text, p.Next = PlanPoint, a.Approval.At, "waits for your yes", "delegate approve "+a.Name
		if !a.Approval.Pending() {
			p.Since, p.Text = a.Added, "was added to the session, and the registry has no Approval of it any more: "+
				"it does not start without a yes"
		}
	case a.Status == registry.Checkpoint:
		p.Kind, p.Since, p.Text = CheckpointPoint, since(state, a.ID,
			registry.EventCheckpoint), NeedOf(a).Line()
	case a.Status == registry.Failed:
		p.Kind, p.Since, p.Text = FailedPoint, since(state, a.ID, registry.EventFailed), "failed: "+failedText(a)
	case a.InReview() && a.PullRequest.State == registry.PullRequestOpen:
		return p, false // others decide
	case a.Status == registry.Complete:
		p.Kind, p.Since, p.Text = CompletePoint,
			since(state, a.ID, registry.EventComplete, registry.EventForced, registry.EventRolledBack),
			readyText(of, state, a, holding)
		if a.Flags.Has(registry.FlagNoNewWork) {
			p.Text = Idle + "; " + p.Text
		}
	case a.Status == registry.Running && a.Flags.Has(registry.FlagStalled):
		p.Kind, p.Since, p.Text = StalledPoint, since(state, a.ID, registry.EventEscalated),
			noSign+"; it goes on"
		if placeOf(of, state, a).unreached() {
			p.Text, p.Next = awayText(a), "delegate doctor --engine "+a.On
		}
	default:
		return p, false
	}
	omitted := []registry.FlagKind{registry.FlagNoChanges, registry.FlagNoNewWork}
	if a.Status == registry.Checkpoint { // its text says so
		omitted = append(omitted, registry.FlagUnreadBlock, registry.FlagCorrectionAsked)
		if a.Question == "" {
			omitted = append(omitted, registry.FlagInterrupted)
		}
	}
	if a.IsUnsaved() { // its text says so
		omitted = append(omitted, registry.FlagSnapshotIncomplete)
	}
	if words := a.Flags.Without(omitted...).Words(); len(words) > 0 && p.Kind != StalledPoint {
		p.Text += " (" + strings.Join(words, "; ") + ")"
	}
	return p, true
}

// failedText is why an agent failed: what it was refused to write comes first, since the rest often follows from that.
func failedText(a registry.Agent) string {
	if len(a.Refused) == 0 {
		return a.LastError
	}
	return "it was refused to write " + session.FilesText(a.Refused) + "; " + a.LastError
}

// readyText is what is so of finished work.
func readyText(of *project.Project, state registry.State, a registry.Agent, holding []Point) string {
	failed := session.ReadFailedTests(of, state.Session.ID, a)
	by, held := HeldBy(a, holding)
	left, isLeft := leftOut(a, holding)
	switch r := a.PullRequest; {
	case held && by.Kind == ConflictPoint:
		return "conflicts with " + state.Session.Target + " and has to be adapted to it"
	case a.HasNoChanges():
		return "is done and changed nothing; there is nothing to merge"
	case held && by.Kind == UnsavedPoint:
		return "is done, and cannot be merged: " + registry.Flag{Kind: registry.FlagSnapshotIncomplete,
			Text: a.Flags.Text(registry.FlagSnapshotIncomplete)}.Words()
	case held:
		return "is done, and cannot be merged while what it changed outside of its scope is not answered"
	case failed.Command != "" && failed.Is(session.ReadFailingTarget(of, state.Session.ID)):
		return fmt.Sprintf("is done; %s failed its own tests at %.7s, without this work: %s",
			state.Session.Target, failed.Tip, shortened(failed.Command))
	case failed.Command != "":
		return fmt.Sprintf("is done, but the tests failed on a trial merge with %s at %.7s: %s",
			state.Session.Target, failed.Tip, shortened(failed.Command))
	case isLeft:
		return "is done, but " + left.Text
	case a.IsPublished():
		return "is in a pull request that was " + string(r.State) + ": " + r.String()
	case r.State == registry.PullRequestOpen:
		return "has newer work than its pull request " + r.String()
	}
	ready := "is ready to merge"
	if a.RolledBack != "" {
		ready = "is ready to merge again; its merge was rolled back"
	}
	if NotCompared(of, state, a) {
		ready += "; " + Comparing(of)
	}
	return ready
}

// Idle says of an agent that its last turn came to nothing.
const Idle = "did not do what you asked: nothing changed in its last turn"

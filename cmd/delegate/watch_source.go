package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"delegate/conflict"
	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/land/pullrequest"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/internal/turn/keeper"
	"delegate/internal/view/overview"
	"delegate/internal/view/status"
	"delegate/internal/view/watch"
	"delegate/registry"
)

// watchSource tells the screen of `delegate watch` what the other reading commands would print.
// It is asked every second, so what costs more than reading a few small files is done only when something moved:
// the registry is parsed when its file changed, and git looks at a running agent's worktree when
// the agent printed something, or after a long while.
type watchSource struct {
	app *app
	p   *project.Project

	// Of the calls for a snapshot, of which there is one at a time.
	stats map[string]worktreeStats

	mu    sync.Mutex
	anew  bool
	known sessionSeen
	panes map[paneKey]watch.Pane // the last text of each tab that was shown
}

// sessionSeen is what was seen last, for the panes.
type sessionSeen struct {
	state registry.State
	over  bool              // the session ended
	file  session.Signature // the registry's
	heads map[string]string // of the agents, as far as they were looked at
}

// worktreeStats is what git found in a running agent's worktree.
type worktreeStats struct {
	at      time.Time
	took    time.Duration
	turn    int
	printed session.Signature // its transcript before
	view    status.AgentView
}

// How often git looks at a running agent's worktree. Looks rest for many times as long as they
// take, so that they cost little in a large repository as well.
const (
	activeRest, activeShare = 3 * time.Second, 20
	quietRest, quietShare   = time.Minute, 400
)

// due says whether to look again.
func (l worktreeStats) due(now time.Time, turn int, printed session.Signature) bool {
	rest := max(quietRest, quietShare*l.took)
	if l.printed != printed {
		rest = max(activeRest, activeShare*l.took)
	}
	return l.turn != turn || now.Sub(l.at) >= rest
}

// Refresh makes the next calls look at everything.
func (o *watchSource) Refresh() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.anew, o.panes = true, nil
}

// Snapshot is the session as `delegate status` and `delegate review` would tell it.
func (o *watchSource) Snapshot(ctx context.Context) (watch.Snapshot, error) {
	o.mu.Lock()
	k, anew := o.known, o.anew
	o.anew = false
	o.mu.Unlock()
	k, err := o.reread(ctx, k, anew)
	if err != nil || k.state.Session == nil {
		return watch.Snapshot{}, err
	}
	published := func(ag registry.Agent) bool { return ag.PullRequest.State != "" }
	if !k.over && slices.ContainsFunc(k.state.Agents, published) && insideAgent() == nil {
		// what cannot be seen now stays as it is recorded, and is asked for again
		if changed, _ := pullrequest.Peek(ctx, o.p, k.state); len(changed) > 0 {
			if k, err = o.reread(ctx, k, true); err != nil {
				return watch.Snapshot{}, err
			}
		}
	}
	views := o.views(ctx, k, anew)
	k.heads = map[string]string{}
	for _, v := range views {
		k.heads[v.ID] = v.Head
	}
	o.mu.Lock()
	o.known = k
	o.mu.Unlock()
	return o.snapshotOf(k, views)
}

// reread takes the registry in if it changed. A session that ended meanwhile is told from what is kept of it.
func (o *watchSource) reread(ctx context.Context, k sessionSeen, anew bool) (sessionSeen, error) {
	file := session.SignatureOf(o.p.RegistryFile())
	if k.state.Session != nil && file == k.file && !anew {
		return k, nil
	}
	state, err := o.p.Store.View(ctx)
	if err != nil {
		return k, err
	}
	over := false
	if state.Session == nil && k.state.Session != nil {
		over = true
		if state, err = o.p.Store.History(ctx, k.state.Session.ID); err != nil {
			return k, err
		}
	}
	return sessionSeen{state: state, over: over, file: file}, nil
}

// statsLimit is about how long git may keep one snapshot waiting.
const statsLimit = 500 * time.Millisecond

// views are the agents, with what git found of them last.
func (o *watchSource) views(ctx context.Context, k sessionSeen, anew bool) []status.AgentView {
	all := make([]status.AgentView, 0, len(k.state.Agents))
	for _, ag := range k.state.Agents {
		all = append(all, status.Peek(o.p, k.state, ag))
	}
	if k.over {
		return all
	}
	o.renew(ctx, k, all, anew)
	for i, ag := range k.state.Agents {
		if l, looked := o.stats[statsOf(k, ag)]; looked && ag.Status == registry.Running && l.turn == ag.Turns {
			v := &all[i]
			v.Head, v.FilesChanged, v.Insertions, v.Deletions = l.view.Head, l.view.FilesChanged, l.view.Insertions,
				l.view.Deletions
		}
	}
	return all
}

// renew has git look where that is due: at whom it never saw first, then where it looked longest
// ago. What takes too long waits for the next snapshot, so that many agents are on the screen at
// once and their numbers follow.
func (o *watchSource) renew(ctx context.Context, k sessionSeen, views []status.AgentView, anew bool) {
	if o.stats == nil {
		o.stats = map[string]worktreeStats{}
	}
	now := time.Now()
	var due []int
	for i, ag := range k.state.Agents {
		l := o.stats[statsOf(k, ag)]
		if anew {
			l.at = time.Time{}
			o.stats[statsOf(k, ag)] = l
		}
		if ag.Status == registry.Running && l.due(now, ag.Turns, session.SignatureOf(views[i].Output)) {
			due = append(due, i)
		}
	}
	last := func(i int) time.Time { return o.stats[statsOf(k, k.state.Agents[i])].at }
	slices.SortStableFunc(due, func(a, b int) int { return last(a).Compare(last(b)) })
	for _, i := range due {
		begun := time.Now()
		if begun.Sub(now) >= statsLimit {
			return
		}
		ag := k.state.Agents[i]
		l := worktreeStats{at: begun, turn: ag.Turns, printed: session.SignatureOf(views[i].Output),
			view: status.View(ctx, o.p, k.state, ag)}
		l.took = time.Since(begun)
		o.stats[statsOf(k, ag)] = l
	}
}

// statsOf names an agent among all sessions; a later one has agents of the same ids.
func statsOf(k sessionSeen, ag registry.Agent) string { return k.state.Session.ID + ag.ID }

// snapshotOf puts what is known into the screen's words.
func (o *watchSource) snapshotOf(k sessionSeen, views []status.AgentView) (watch.Snapshot, error) {
	s, now := k.state.Session, o.p.Now()
	shot := watch.Snapshot{Session: &watch.Session{
		ID: s.ID, Title: s.ParentTask, Status: s.Status.Word(), Target: strings.TrimPrefix(s.Target, "refs/heads/"),
		Elapsed: now.Sub(s.Created), Over: k.over,
	}}
	if k.over && len(k.state.Events) > 0 {
		shot.Session.Elapsed = k.state.Events[len(k.state.Events)-1].Time.Sub(s.Created)
	}
	var used status.UsageView
	for i, v := range views {
		used = status.UsageOf(used.Usage.Plus(v.Usage))
		row := rowOf(v, now)
		row.Now = k.state.WithNames(status.Now(k.state.Agents[i], v))
		if (control.Control{P: o.p}).MayTakeOver(s.ID, k.state.Agents[i]) != nil {
			row.Without = append(row.Without, watch.KeyTakeOver)
		}
		shot.Agents = append(shot.Agents, row)
	}
	shot.Session.Used = used.Short()
	if limit := session.Budget(o.p.Config, *s); shot.Session.Used != "" && !limit.Off() {
		shot.Session.Used += " of " + limit.String()
	}
	if k.over {
		return shot, nil
	}
	shot.Notes = slices.Clone(k.state.Notices)
	points, err := overview.Waiting(o.p, k.state)
	for _, p := range points {
		words := k.state.WithNames(p.Text)
		if p.Kind == status.ConflictPoint {
			words = forPeople(k.state, p.Text)
		}
		shot.Waiting = append(shot.Waiting, watch.Waiting{Agent: p.Agent, Text: words, Keys: answers(k.state, p)})
	}
	return shot, err
}

func rowOf(v status.AgentView, now time.Time) watch.Agent {
	w := watch.Agent{
		ID: v.ID, Name: v.Name, Subtask: v.Subtask,
		Cost: v.UsageView.Short(), Status: v.Status, Word: v.Word(), Progress: v.Progress, Idle: -1,
		Elapsed: time.Duration(v.ElapsedSeconds) * time.Second, Left: -1,
		Files: v.FilesChanged, Added: v.Insertions, Removed: v.Deletions, Tests: v.Tests, Notes: notesOf(v),
	}
	if v.Turns == 0 {
		w.Elapsed = -1
	}
	if v.LastActivity != nil {
		w.Idle = max(0, now.Sub(*v.LastActivity))
	}
	if v.RemainingSeconds != nil && (v.Status == registry.Running || v.Status == registry.Spawning) {
		w.Left = time.Duration(*v.RemainingSeconds) * time.Second
	}
	return w
}

// answers are the keys for what waits, the likeliest first.
func answers(state registry.State, p status.Point) []string {
	switch p.Kind {
	case overview.LandingPoint:
		return []string{watch.KeyFinish, watch.KeyUndo}
	case status.PlanPoint:
		return []string{watch.KeyApprove}
	case status.PausePoint, status.SupervisorPoint:
		return []string{watch.KeyResume}
	case status.StalledPoint:
		return []string{watch.KeyMessageNow, watch.KeyInterrupt, watch.KeyExtend, watch.KeyAbort}
	case status.CheckpointPoint:
		keys := []string{watch.KeyContinue, watch.KeyAdapt, watch.KeyForce, watch.KeyAbort}
		if ag, err := state.Agent(p.Agent); err == nil {
			first := slices.Index(keys, map[string]string{"complete": watch.KeyForce,
				"abort": watch.KeyAbort}[status.NeedOf(ag).First])
			if first > 0 {
				keys = slices.Insert(slices.Delete(keys, first, first+1), 0, keys[first])
			}
		}
		return keys
	case status.CompletePoint:
		if ag, err := state.Agent(p.Agent); err == nil && ag.HasNoChanges() {
			return []string{watch.KeyMessage, watch.KeyAbort}
		}
		return []string{watch.KeyLand, watch.KeyMessage, watch.KeyAdapt, watch.KeyAbort}
	case status.AskPoint:
		return []string{watch.KeyReview}
	case status.ViolationPoint:
		return []string{watch.KeyReview, watch.KeyAllow, watch.KeyDrop}
	case status.FailedPoint:
		keys := []string{watch.KeyRetry, watch.KeyReassign, watch.KeyAbort}
		ag, err := state.Agent(p.Agent)
		if err == nil && len(ag.FilesModified) > 0 {
			keys = slices.Insert(keys, 1, watch.KeyLand)
		}
		if err == nil && ag.Flags.Has(registry.FlagTimeout) {
			keys = slices.Insert(keys, 0, watch.KeyExtend, watch.KeyForce)
		}
		return keys
	}
	return []string{watch.KeyReview}
}

// Pane is what `delegate logs`, `diff`, `show` or `conflicts` would print about the agent.
func (o *watchSource) Pane(ctx context.Context, id string, tab watch.Tab) (watch.Pane, error) {
	o.mu.Lock()
	k, old := o.known, o.panes[paneKey{id, tab}]
	o.mu.Unlock()
	ag, err := k.state.Agent(id)
	if err != nil {
		return watch.Pane{}, err
	}
	pane := &agentPane{watchSource: o, known: k, agent: ag}
	version := pane.version(tab)
	if old.Stamp == version {
		return old, nil
	}
	words, err := pane.text(ctx, tab)
	if err != nil {
		return watch.Pane{}, err
	}
	if strings.TrimSpace(words) == "" {
		words = o.app.term.Dim(emptyTab(tab))
	}
	made := watch.Pane{Stamp: version, Text: shortened(words)}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.panes == nil {
		o.panes = map[paneKey]watch.Pane{}
	}
	o.panes[paneKey{id, tab}] = made
	return made, nil
}

// paneKey names a tab of an agent.
type paneKey struct {
	agent string
	tab   watch.Tab
}

// mostPane is how much of a text is on the screen; its own command shows all of it.
const mostPane = 512 << 10

func shortened(words string) string {
	if len(words) <= mostPane {
		return words
	}
	end := strings.LastIndexByte(words[:mostPane], '\n') + 1
	return words[:end] + "… and more: leave the screen for the command itself\n"
}

func emptyTab(tab watch.Tab) string {
	switch tab {
	case watch.Output:
		return "It has printed nothing yet."
	case watch.Diff:
		return "It has changed nothing."
	case watch.Findings:
		return "It conflicts with no other agent."
	}
	return "There is nothing to show."
}

// agentPane is one agent as it is known at one moment.
type agentPane struct {
	*watchSource
	known sessionSeen
	agent registry.Agent
}

func (s *agentPane) transcript() string {
	turn := keeper.Turn{Dir: s.p.TurnDir(s.known.state.Session.ID, s.agent.ID, s.agent.Turns)}
	return turn.Readable()
}

// version differs when the tab's text can.
func (s *agentPane) version(tab watch.Tab) string {
	var of []any
	switch tab {
	case watch.Output:
		of = []any{s.agent.Turns, session.SignatureOf(s.transcript())}
	case watch.Diff:
		of = []any{s.known.heads[s.agent.ID], s.agent.Base, s.agent.Status}
	case watch.Checkpoint:
		of = []any{s.known.heads[s.agent.ID], s.known.file}
	case watch.Findings:
		for _, a := range s.known.state.Agents {
			of = append(of, s.known.heads[a.ID], a.Status)
		}
	}
	return fmt.Sprint(s.agent.ID, tab, s.known.over, of)
}

// shownLines is how much of a transcript is on the screen.
const shownLines = 400

func (s *agentPane) text(ctx context.Context, tab watch.Tab) (string, error) {
	var out bytes.Buffer
	printer := *s.app
	printer.out, printer.state, printer.opened = &out, s.known.state, s.p
	switch tab {
	case watch.Output:
		if s.known.over {
			return ui.Clean(overview.Tail(s.p, s.known.state, s.agent, shownLines)), nil
		}
		return ui.Clean(project.Tail(s.transcript(), shownLines)), nil
	case watch.Diff:
		changed, err := overview.Changed(ctx, s.p, s.known.state, s.agent)
		if err != nil {
			return "", err
		}
		patch, err := s.app.patchOf(ctx, s.p, changed.Files)
		return string(patch), err
	case watch.Checkpoint:
		s.printSummary(&printer, showOf(ctx, s.p, s.known.state, s.agent))
		if !s.known.over {
			markCollected(s.p, s.known.state, s.agent)
		}
	case watch.Findings:
		found, err := s.findings(ctx)
		if err != nil {
			return "", err
		}
		s.printFindingsOf(&printer, found)
	}
	return out.String(), nil
}

// findings are looked for in a process of their own while the session continues.
func (s *agentPane) findings(ctx context.Context) ([]conflict.Finding, error) {
	if !s.known.over {
		return findingsInBackground(s.p)(ctx)
	}
	compared, err := overview.Compare(ctx, s.p, s.known.state)
	return compared.Findings, err
}

func (s *agentPane) printSummary(printer *app, v showView) {
	printer.printWait(v, s.agent) // what a person wants to read first
	printer.printReport(v.Report)
	printer.printAgentFields(v, s.agent)
	printer.printEvents(v.Events)
}

func (s *agentPane) printFindingsOf(printer *app, found []conflict.Finding) {
	printer.printFindings(named(s.known.state, slices.DeleteFunc(found, func(f conflict.Finding) bool {
		return !slices.Contains(f.Agents, s.agent.ID)
	})))
}

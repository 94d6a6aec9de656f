package supervise

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"delegate/checkpoint"
	"delegate/internal/control/session"
	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/internal/supervise/scopemonitor"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/text/shorten"
	"delegate/internal/text/ui"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/transcript"
	"delegate/internal/turn/turnsetup"
	"delegate/registry"
)

// endTurn closes an ended turn: the rest of its transcript, its head, its breaches, the verdict,
// and the state that follows.
func (s snapshot) endTurn(ctx context.Context, a registry.Agent, turn keeper.Turn, w *watch) error {
	record := *s.state.Session
	if err := s.readToEnd(ctx, a, w); err != nil {
		return err
	}
	target, err := s.p.Target(ctx, record)
	if err != nil {
		return err
	}
	work, err := s.work(ctx, record.ID, a, target)
	if errors.Is(err, takeover.ErrGone) {
		return s.fail(ctx, a, s.withoutWorktree(ctx, record.ID, a), session.AddRunTime(w.Clock.Worked, s.p.Now()))
	}
	if err != nil {
		return err
	}
	turnsetup.Tidy(turn)
	if err := s.compareSurroundings(ctx, a); err != nil {
		return err
	}
	s.p.Step(stepSnapshot)
	e, err := s.gather(ctx, a, turn, w, work)
	if err != nil {
		return err
	}
	v := decide(e)
	output, err := s.keepOutput(ctx, record.ID, a, turn)
	if err != nil {
		return err
	}
	if err := s.keepReport(turn, e, work); err != nil {
		return err
	}
	if err := s.prepareNext(ctx, a, turn, e, v); err != nil {
		return err
	}
	s.p.Step(stepReported)
	past, unread := s.pastBreaches(ctx, a, work)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c := turnRecord{work: work, output: output, ended: e.exit.Ended, worked: s.workedIn(a, w),
		usage:       w.KeepUsage(agentdir.Dir(s.p.AgentDir(record.ID, a.ID))),
		interrupted: e.interrupted, unread: unread, met: metLimits(turn, e.exit.Met),
		refused: s.saidRefused(a, w),
		summary: shorten.Runes(e.summary(), transcript.MostSummary), subject: e.commitSubject()}
	rows := c.addPast(past)
	if err := s.writeVerdict(ctx, a, v, c); err != nil {
		return err
	}
	if err := session.AddRecordedRows(ctx, s.p, record.ID, a, rows); err != nil {
		return err
	}
	return s.keepForOthers(ctx, a, v)
}

// prepareNext queues what the agent's next turn is given, and holds the turn back if it has to wait.
func (s snapshot) prepareNext(ctx context.Context, a registry.Agent, turn keeper.Turn, e turnFacts,
	v outcome) error {
	if v.correct {
		if err := s.askCorrection(ctx, s.state.Session.ID, a, e.malformed); err != nil {
			return err
		}
	}
	if err := forgetUnanswered(turn, e); err != nil || v.hold.IsZero() {
		return err
	}
	return s.hold(a, turn, e, v.hold)
}

// forgetUnanswered has the next turn begin anew where this one began a conversation in which the model has said nothing
// yet: not every program keeps such a one.
func forgetUnanswered(turn keeper.Turn, e turnFacts) error {
	spec, err := turn.Spec()
	if errors.Is(err, fs.ErrNotExist) { // the private folder was removed: nothing is left to go on with
		return nil
	}
	if err != nil || e.progressed || spec.Conversation != "" {
		return err
	}
	return turn.ForgetSessionID()
}

// readToEnd records what the turn printed and what was refused to it.
func (s snapshot) readToEnd(ctx context.Context, a registry.Agent, w *watch) error {
	if err := w.Finish(); err != nil {
		return err
	}
	w.NoteUsage(agentdir.Dir(s.p.AgentDir(s.state.Session.ID, a.ID)))
	if w.Pending() {
		if err := w.Record(ctx); err != nil {
			return err
		}
	}
	if err := s.takeKernelRefusals(ctx, a, w.Turn); err != nil {
		return err
	}
	if agentdir.Dir(s.p.AgentDir(s.state.Session.ID, a.ID)).HasRefusals() {
		return s.takeRefusals(ctx, a)
	}
	return nil
}

// keepForOthers takes what the agent left to others, only now: until the verdict stands it is evidence.
func (s snapshot) keepForOthers(ctx context.Context, a registry.Agent, v outcome) error {
	return s.whileActive(ctx, func() error {
		err := s.takeInbox(ctx, a)
		if v.kind == registry.EventFailed {
			err = errors.Join(err, s.learn(ctx, a, v.details))
		}
		return err
	})
}

// whileActive calls write unless the session has ended: what it writes is committed by then.
func (s snapshot) whileActive(ctx context.Context, write func() error) error {
	return session.WhileActive(ctx, s.p, s.state.Session.ID, func(registry.State) error { return write() })
}

// turnRecord is what a turn's end adds to its agent, whatever the verdict.
type turnRecord struct {
	work   project.Work
	output string
	ended  time.Time
	worked time.Duration
	usage  agentdir.Usage
	// interrupted says who interrupted the turn, "" if nobody did.
	interrupted string
	violations  []string // what its commits hide
	summary     string
	subject     string         // as registry.Agent.CommitSubject
	refused     []string       // paths outside of its scope that its output says were refused
	met         registry.Flags // limits of the machine's resources that its processes met
	unread      error          // why nobody knows what its commits hide, as in a clone that lacks objects
}

// addPast adds what the agent's commits hide to the violations, and returns the rows by path.
func (c *turnRecord) addPast(past []project.PastBreach) map[string]int {
	rows := map[string]int{}
	for _, b := range past {
		rows[b.Path]++
		c.violations = append(c.violations, fmt.Sprintf(
			"committed outside its scope (commit %.12s, %q): its head does not have it, its history does",
			b.Commit, b.Path))
	}
	return rows
}

func (c turnRecord) apply(a *registry.Agent) {
	session.AddRunTime(c.worked, c.ended)(a)
	session.AddUsage(a, c.usage)
	a.Output = c.output
	a.Tests, a.Summary, a.CommitSubject = "not_run", c.summary, c.subject
	addRefused(a, c.refused)
	a.Flags = a.Flags.AfterTurn()
	session.SetWork(a, c.work)
	a.Flags = a.Flags.With(c.met...)
	if c.work.Rewritten {
		a.Flags = a.Flags.With(registry.FlagHistoryRewritten.Flag())
	}
	if c.unread != nil {
		a.Flags = a.Flags.With(
			registry.Flag{Kind: registry.FlagHistoryUnread, Text: transcript.FirstLine(c.unread.Error())},
		)
	}
}

// writeVerdict puts the end of the turn and the state that follows into the registry, in one write.
func (s snapshot) writeVerdict(ctx context.Context, a registry.Agent, v outcome, c turnRecord) error {
	open, err := session.ReadBreaches(s.p, s.state.Session.ID, a)
	if err != nil {
		return err
	}
	found := scopemonitor.Scan(s.p, a, c.work, fmt.Sprintf("found at the end of turn %d", a.Turns))
	fresh := found.NewSince(open, a.Turns)
	if err := found.Announce(ctx, s.p, s.state.Session.ID, a, fresh); err != nil {
		return err
	}
	s.p.Step(stepOutside)
	// Whoever queues a message holds the queue before the registry, too.
	lock, err := session.LockQueue(ctx, s.p, s.state.Session.ID, a.ID)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	_, err = s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		waiting, err := session.Queue(s.p, s.state.Session.ID, a.ID) // what came since the evidence was gathered
		if err != nil {
			return err
		}
		v := v.withMessages(len(waiting))
		if err := found.Record(tx, s.p, a, fresh); err != nil {
			return err
		}
		if v.late != "" {
			if err := tx.Record(registry.Event{Kind: registry.EventLate, Agent: a.ID, By: session.BySupervisor,
				Details: v.late}, nil); err != nil {
				return err
			}
		}
		for _, text := range c.violations {
			e := registry.Event{Kind: registry.EventViolation, Agent: a.ID, By: session.BySupervisor,
				Details: s.p.Recorded(a, text)}
			if err := tx.Record(e, (*registry.Agent).AddViolationPath); err != nil {
				return err
			}
		}
		if c.interrupted != "" {
			e := registry.Event{Kind: registry.EventInterrupted, Agent: a.ID, By: c.interrupted,
				Details: fmt.Sprintf("turn %d", a.Turns)}
			if err := tx.Record(e, nil); err != nil {
				return err
			}
		}
		return s.transition(tx, a, v, c)
	})
	if err != nil {
		return err
	}
	s.p.Step(stepJudged)
	return found.Remember(ctx, s.p, s.state.Session.ID, a, fresh)
}

func (s snapshot) transition(tx *registry.Tx, a registry.Agent, v outcome, c turnRecord) error {
	for _, words := range []*string{&v.details, &v.asks, &c.summary} {
		*words = s.p.Recorded(a, *words)
	}
	e := registry.Event{Kind: v.kind, Agent: a.ID, By: session.BySupervisor, Details: v.details}
	if v.kind == registry.EventMessage {
		return tx.Record(e, func(a *registry.Agent) {
			c.apply(a)
			a.Turns++
			a.RunningSince = s.p.Now().UTC()
			if v.correct {
				a.Flags = a.Flags.With(registry.FlagCorrectionAsked.Flag())
			}
			if !v.hold.IsZero() {
				a.Flags = a.Flags.With(v.flags...)
			}
		})
	}
	if err := tx.Transition(a.ID, e, registry.Supervisor, func(a *registry.Agent) {
		c.apply(a)
		a.Flags = a.Flags.With(v.flags...)
		a.LastError, a.Question, a.Request = "", v.asks, string(v.request)
		if v.kind == registry.EventFailed {
			a.LastError = v.details
			a.Errors++
		}
	}); err != nil || !v.respawn {
		return err
	}
	again := registry.Event{Kind: registry.EventRespawned, Agent: a.ID, By: session.BySupervisor,
		Details: fmt.Sprintf("attempt %d, by itself, once", a.Attempt+1)}
	return tx.Transition(a.ID, again, registry.Supervisor, func(a *registry.Agent) {
		a.Respawns++
		base, head := a.Base, a.Head
		if session.Place(s.p, a, a.Attempt+1); v.goesOn {
			a.Base, a.Head = base, head
		}
		session.StartOver(a)
	})
}

// gather collects what the outcome is decided from.
func (s snapshot) gather(ctx context.Context, a registry.Agent, turn keeper.Turn, w *watch,
	work project.Work) (turnFacts, error) {
	sessionID := s.state.Session.ID
	exit, err := turn.Exit()
	if err != nil {
		return turnFacts{}, err
	}
	begun, err := session.LastEvent(ctx, s.p, sessionID, a.ID, registry.EventSpawned, registry.EventContinued,
		registry.EventSentBack, registry.EventResumed)
	if err != nil {
		return turnFacts{}, err
	}
	e := turnFacts{
		exit: exit, echoed: w.Echoed, tail: checkpointFree(project.Tail(turn.Readable(), 5)), changes: len(work.Files),
		files: work.Paths(), lacks: len(work.Files) == 0 && !work.ChangedNothing(),
		newWork: work.Head != a.Head && len(work.Files) > 0, mayRespawn: a.Respawns == 0,
		sentBack: begun.Kind == registry.EventSentBack,
	}
	e.reason, e.why = whyStopped(turn, exit)
	e.corrected, e.closing = a.Flags.Has(registry.FlagCorrectionAsked), w.Closing()
	if limit := s.p.Config.ScopeLimit; !limit.Off() && e.changes > limit.Value() {
		e.overLimit = fmt.Sprintf("%d of %d", e.changes, limit.Value())
	}
	if w.Broken != nil {
		e.malformed = w.Broken.Reason
	}
	if exit.Cause != keeper.NotStarted { // whoever started it may have died before it took them out of the queue
		if err := s.deliver(sessionID, a, turn); err != nil {
			return turnFacts{}, err
		}
	}
	messages, err := session.Queue(s.p, sessionID, a.ID)
	if err != nil {
		return turnFacts{}, err
	}
	e.waiting = len(messages)
	if e.exit.Cause == keeper.Interrupted {
		e.interrupted, e.deliver = session.ReadInterruption(turn)
	}
	s.whyItEnded(&e, a, w)
	if e.violations, err = s.limitCount(ctx, a); err != nil {
		return turnFacts{}, err
	}
	folder := s.p.AgentDir(sessionID, a.ID)
	e.newWork = e.newWork || leftNotes(folder, turn)
	fresh := false
	e.missing, fresh = outputs(a, turn)
	e.newWork = e.newWork || fresh
	if e.person = takenOverBy(a); e.person != "" {
		tidyTakeover(folder, turn)
		return e, nil
	}
	if w.Last != nil {
		block := w.Last.Block
		e.block = &block
	}
	readCompletion(&e, folder, turn, w.LastAt)
	err = s.compare(ctx, a, work, w.TestsSeen(), &e)
	return e, err
}

// whyStopped returns why this program stopped a turn, as it noted; nothing where the turn ended by itself just before.
func whyStopped(turn keeper.Turn, exit keeper.Exit) (reason, words string) {
	var why stop
	if exit.Cause != keeper.Stopped || atomicfile.ReadJSON(filepath.Join(turn.Dir, stopFile), &why) != nil {
		return "", ""
	}
	return why.Reason, why.Words
}

// whyItEnded takes in why the program says that it gave up.
func (s snapshot) whyItEnded(e *turnFacts, a registry.Agent, w *watch) {
	e.gaveUp = w.GaveUp()
	if e.gaveUp == dialect.BudgetUsedUp {
		used, reason := s.spent(a, w)
		e.reason, e.why = reason, used.Words
	}
	e.fault, e.progressed = w.Fault(), w.Progressed()
	if words := s.hopeless(a, w); words != "" {
		e.gaveUp = words
	}
	switch e.fault {
	case dialect.ProviderLimit:
		if e.until = w.LimitEnd(); !e.until.After(s.p.Now()) {
			e.holds = s.holdsBefore(a, limitFile)
			e.until = s.p.Now().Add(transcript.LimitPause << min(e.holds, 3))
		}
	case dialect.Passing:
		if !e.progressed {
			e.holds = s.holdsBefore(a, faultFile)
		}
		e.until = s.p.Now().Add(s.pauseAfter(e.holds))
	}
}

// hopeless are the words for what the program gave up for, or tries again in vain, where only a person can mend it;
// "" for all else.
func (s snapshot) hopeless(a registry.Agent, w *watch) string {
	var words, mend string
	profile, err := agent.Find(s.p.Config, a.Profile)
	switch w.Fault() {
	case dialect.NoLogin:
		words = "its login is missing, or its provider refuses it: "
		if err == nil && profile.Login != "" {
			mend = " (" + profile.Login + ")"
		}
	case dialect.EmptyAccount:
		words = "its provider says that the account has nothing left; everything it did is kept: "
	case dialect.NoModel:
		words = "its provider has no such model, or not for this account: "
		if err == nil && profile.CanChoose("another", "") == nil {
			mend = " (model in profiles." + a.Profile + " of .delegate.yaml names another)"
		}
	default:
		return ""
	}
	return words + transcript.FirstLine(w.GaveUp()) + mend
}

// keepOutput writes the end of the transcript where people review it; it answers with the path from
// the repository's root.
func (s snapshot) keepOutput(ctx context.Context, id string, a registry.Agent, turn keeper.Turn) (string,
	error) {
	text, err := transcript.End(turn.Readable(), mostOutput, "delegate logs "+a.Name)
	if err != nil {
		return "", fmt.Errorf("keep last output of %s: %w", a.ID, err)
	}
	return s.p.RecordPath(id, a.ID, "last-output.md"), s.whileActive(ctx, func() error {
		if err := s.p.PlaceRecordFile(ctx, id, a.ID, "last-output.md"); err != nil {
			return err
		}
		path := s.p.RecordFile(id, a.ID, "last-output.md")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("keep last output of %s: %w", a.ID, err)
		}
		return atomicfile.WriteFile(path, []byte(s.p.Recorded(a, text)), 0o644)
	})
}

// mostOutput is how many bytes of a transcript's end are kept where people review it.
const mostOutput = 128 << 10

func (s snapshot) keepReport(turn keeper.Turn, e turnFacts, work project.Work) error {
	r := session.TurnReport{
		Differences: []string{},
		Claims:      append([]checkpoint.Row{}, e.claims...),
		Breaches:    []string{},
		Missing:     append([]string{}, e.missing...),
		ExitCode:    e.exit.Code,
		Tail:        e.tail,
		Summary:     agent.Cut(e.summary(), mostOutput),
	}
	if e.block != nil {
		r.Block = e.block.String()
	}
	if e.file != nil {
		r.Completion = strings.TrimSpace(e.file.Summary + "\n" + e.file.Caveats)
	}
	for _, d := range e.differ {
		r.Differences = append(r.Differences, d.String())
	}
	for _, b := range work.Breaches {
		r.Breaches = append(r.Breaches, b.String())
	}
	return r.Keep(turn)
}

// askCorrection queues the one request for a block that can be read.
func (s snapshot) askCorrection(ctx context.Context, sessionID string, a registry.Agent, fault string) error {
	waiting, err := session.Queue(s.p, sessionID, a.ID)
	if err != nil {
		return err
	}
	text := "Your last checkpoint block could not be read: " + fault +
		". Print it once more, exactly in the form you were given, and nothing else."
	for _, m := range waiting {
		if m.From == session.BySupervisor && m.Text == text {
			return nil // asked by a supervisor that died before it wrote the verdict
		}
	}
	return session.Enqueue(
		ctx,
		s.p,
		sessionID,
		a.ID,
		session.Message{From: session.BySupervisor, Text: text, Time: s.p.Now().UTC()},
		func() error {
			return nil
		},
	)
}

// checkpointFree drops the rules of blocks from a tail that is quoted in one line.
func checkpointFree(text string) string {
	var kept []string
	for line := range strings.SplitSeq(ui.Clean(text), "\n") {
		if trimmed := strings.Trim(line, " ═=─-"); trimmed != "" {
			kept = append(kept, trimmed)
		}
	}
	return strings.Join(kept, " / ")
}

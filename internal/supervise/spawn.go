package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/turnsetup"
	"delegate/registry"
	"delegate/scope"
)

// spawn takes an agent from PENDING or SPAWNING to RUNNING, or to FAILED with the reason. Taken up
// again after a crash, it goes on where it was.
func (s snapshot) spawn(ctx context.Context, a registry.Agent) error {
	record := *s.state.Session
	unused := a.Status == registry.Pending && len(s.p.Config.Setup) == 0
	if a.Status == registry.Pending {
		var err error
		if a, err = s.announceSpawn(ctx, a); err != nil {
			return err
		}
	}
	s.p.Step(stepAnnounced)
	turn := keeper.Turn{Dir: s.p.TurnDir(record.ID, a.ID, a.Turns+1)}
	err := s.makeAndStart(ctx, record, a, turn, unused)
	if errors.Is(err, atomicfile.ErrLocked) {
		return err // somebody writes for long: that is no fault of the agent's, and the next try goes on from here
	}
	if err != nil {
		return errors.Join(err, s.fail(ctx, a, "could not be started: "+ui.ErrorText(err), nil))
	}
	s.p.Step(stepStarted)
	started := s.p.Now().UTC()
	_, err = s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		e := registry.Event{Kind: registry.EventSpawned, Agent: a.ID, By: session.BySupervisor,
			Details: fmt.Sprintf("attempt %d, turn %d, %s", a.Attempt, a.Turns+1, a.Profile)}
		return tx.Transition(a.ID, e, registry.Supervisor, func(a *registry.Agent) {
			a.Turns++
			if a.Spawned.IsZero() {
				a.Spawned = started
			}
			a.RunningSince, a.LastActivity = started, started
		})
	})
	if err != nil {
		return errors.Join(err, s.unwanted(ctx, a, turn))
	}
	return nil
}

// announceSpawn writes PENDING → SPAWNING with everything that is about to be made.
func (s snapshot) announceSpawn(ctx context.Context, a registry.Agent) (registry.Agent, error) {
	// Where it is not known yet, decideBase says why.
	base, baseErr := session.FirstBase(ctx, s.p, s.state, a)
	state, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		current, err := tx.State().Agent(a.ID)
		if err != nil {
			return err
		}
		if !session.MayStart(tx.State(), current) || !session.HasRoom(s.p.Config, tx.State(), current) {
			return fmt.Errorf("%s may not start any more", a.ID)
		}
		e := registry.Event{Kind: registry.EventSpawning, Agent: a.ID, By: session.BySupervisor, Details: "attempt 1"}
		return tx.Transition(a.ID, e, registry.Supervisor, func(a *registry.Agent) {
			session.Place(s.p, a, 1)
			if baseErr == nil {
				a.Base, a.Head = base, base
			}
		})
	})
	if err != nil {
		return a, err
	}
	return state.Agent(a.ID)
}

// makeAndStart makes worktree and folder, prepares the first turn and starts it under a keeper.
// A turn that was prepared before is only started, if it has not been: its program may be at work
// in the worktree already. Of an agent that is unused nothing has run, so there is nothing to end before.
func (s snapshot) makeAndStart(ctx context.Context, session registry.Session, a registry.Agent, turn keeper.Turn,
	unused bool) error {
	if !turn.Whole() {
		if err := s.makeFirst(ctx, session, a, turn); err != nil {
			return err
		}
	}
	s.p.Step(stepPrepared)
	if !unused {
		if err := s.clearWorktree(a, turn); err != nil {
			return err
		}
	}
	if err := s.startKeeper(ctx, turn); err != nil {
		return err
	}
	return s.deliver(session.ID, a, turn)
}

// deliver takes what a turn that has begun was told out of the queue. Until then it waits for the
// next turn, in case this one cannot begin.
func (s snapshot) deliver(sessionID string, a registry.Agent, turn keeper.Turn) error {
	spec, err := turn.Spec()
	if err == nil {
		err = session.Dequeue(s.p, sessionID, a.ID, spec.Messages)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil // with the private folder, in which the queue is too
	}
	s.p.Step(stepDelivered)
	return err
}

// makeFirst makes everything that an attempt's first turn needs.
func (s snapshot) makeFirst(ctx context.Context, session registry.Session, a registry.Agent,
	turn keeper.Turn) error {
	profile, err := agent.Find(s.p.Config, a.Profile)
	if err != nil {
		return err
	}
	if a.Base == "" {
		if a, err = s.decideBase(ctx, a); err != nil {
			return err
		}
	}
	checkout, err := s.create(ctx, a)
	if err != nil {
		return err
	}
	s.p.Step(stepWorktree)
	place, err := turnsetup.MakeDirs(ctx, s.p, session, a, turn)
	if err != nil {
		return err
	}
	f := turnsetup.Setup{Turn: turn, Profile: profile, Place: place}
	if isRemote(a) {
		return s.prepareFirst(ctx, session, a, f)
	}
	if err := s.equip(ctx, a, f, checkout); err != nil {
		return err
	}
	if err := s.confine(ctx, a, &f); err != nil {
		return err
	}
	return s.prepareFirst(ctx, session, a, f)
}

// create makes the worktree. Several are made at once beside a person's own git commands, which may
// hold a lock for a moment; so a git command that fails is tried again, and what it had begun is
// taken up or away by then.
func (s snapshot) create(ctx context.Context, a registry.Agent) (*takeover.Checkout, error) {
	request := takeover.Request{Path: a.Worktree, Branch: a.Branch, Commit: cmp.Or(a.Head, a.Base)}
	repo, err := s.p.Unfiltered(ctx)
	if err != nil {
		return nil, err
	}
	// Nobody else starts a program that an agent left there with the rights of its owner.
	if err := os.MkdirAll(s.p.WorktreeRoot(), 0o700); err != nil {
		return nil, fmt.Errorf("make folder of the worktrees: %w", err)
	}
	for pause := 100 * time.Millisecond; ; pause *= 3 {
		checkout, err := takeover.Create(ctx, repo, request)
		var exit *run.ExitError
		switch {
		case err == nil:
			return checkout, os.Chmod(a.Worktree, 0o700)
		case !errors.As(err, &exit) || pause > time.Second:
			return nil, err
		}
		s.note("make worktree of "+a.ID+", will be tried again", err)
		time.Sleep(pause)
	}
}

// prepareFirst writes the turn's folder: the brief, and behind it what was queued for the agent before it ran.
func (s snapshot) prepareFirst(ctx context.Context, record registry.Session, a registry.Agent,
	f turnsetup.Setup) error {
	messages, err := session.LockedQueue(ctx, s.p, record.ID, a.ID)
	if err != nil {
		return err
	}
	brief := s.brief(ctx, record, a)
	brief.Message = session.MessageTexts(messages)
	prompt := brief.Prompt()
	if isRemote(a) {
		return s.prepareRemote(ctx, a, f, prompt, messages)
	}
	if err := turnsetup.WriteConfig(ctx, s.p, a, &f); err != nil {
		return err
	}
	f.Place.Budget = s.budgetLeft(a)
	id, _ := session.Conversation(s.p, record.ID, a)
	in := f.Profile.Invoke(f.Profile.Command, agent.Values{
		Prompt: prompt, PromptFile: f.Turn.PromptFile(), SessionID: id, Place: f.Place,
	})
	spec := s.spec(a, f, in)
	spec.Messages, spec.Said = session.MessageNumbers(messages), brief.Message
	_, err = keeper.Prepare(f.Turn.Dir, prompt, spec)
	return err
}

// spec is what a turn runs, without what it is told.
func (s snapshot) spec(a registry.Agent, f turnsetup.Setup, in agent.Invocation) keeper.Spec {
	return keeper.Spec{
		Args: in.Args, Stdin: in.Stdin, Conversation: in.Conversation, Dir: a.Worktree, Env: f.Place.Environ(f.Profile),
		Mark:      agentdir.Dir(f.Place.AgentDir).Mark(),
		StopGrace: s.grace(),
		Attempt:   a.Attempt, Output: f.Profile.Output, Fence: f.Fence,
	}
}

// clearWorktree ends what earlier turns left running, unless a keeper has this one already.
func (s snapshot) clearWorktree(a registry.Agent, turn keeper.Turn) error {
	state, err := turn.State()
	if err != nil || state != keeper.Prepared {
		return err
	}
	return s.killLeftovers(a)
}

// startKeeper starts the keeper of a prepared turn, whose worktree is free of earlier processes, unless one has it
// already.
func (s snapshot) startKeeper(ctx context.Context, turn keeper.Turn) error {
	state, err := turn.State()
	if err != nil {
		return err
	}
	if state == keeper.Prepared {
		if err := turn.Start(run.Program(), s.wake); err != nil {
			return err
		}
		s.p.Step(stepKept)
	}
	ctx, cancel := context.WithTimeout(ctx, keeper.StartLimit)
	defer cancel()
	return turn.AwaitStart(ctx)
}

// decideBase records where an agent starts from before its worktree is made.
func (s snapshot) decideBase(ctx context.Context, a registry.Agent) (registry.Agent, error) {
	base, err := session.FirstBase(ctx, s.p, s.state, a)
	if err != nil {
		return a, err
	}
	state, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		return tx.Edit(a.ID, func(a *registry.Agent) { a.Base, a.Head = base, base })
	})
	if err != nil {
		return a, err
	}
	return state.Agent(a.ID)
}

// equip copies the listed files in and runs the setup commands, whose output is kept.
func (s snapshot) equip(ctx context.Context, a registry.Agent, f turnsetup.Setup,
	checkout *takeover.Checkout) error {
	session := s.state.Session.ID
	list, err := s.p.CopyList(ctx)
	if err != nil {
		return err
	}
	copied, err := checkout.CopyInto(ctx, s.p.Main, list)
	if err != nil {
		return err
	}
	if err := s.p.RememberCopied(session, a, copied); err != nil {
		return err
	}
	if len(s.p.Config.Setup) == 0 {
		return nil
	}
	place := f.Place // whose turn has a fence of its own
	var fence *keeper.Fence
	if s.state.Session.Sandbox == "" {
		r := turnsetup.FenceRequest{Project: s.p, Session: session, Agent: a, Support: s.p.Support()}
		if fence, err = turnsetup.FenceSetup(ctx, r, &place); err != nil {
			return err
		}
	}
	path := filepath.Join(s.p.AgentState(session, a.ID), fmt.Sprintf("setup-%d.log", a.Attempt))
	in := turnsetup.Setup{Profile: f.Profile, Place: place, Fence: fence}
	err = in.RunCommands(ctx, s.p.Config.Setup, path, func(line string, err error) {
		s.note(fmt.Sprintf("setup %q of %s", line, a.ID), err)
	})
	return errors.Join(err, checkout.Repo.RepairPointer()) // with Landlock alone they could write it
}

// brief is what the agent is told.
func (s snapshot) brief(ctx context.Context, record registry.Session, a registry.Agent) agent.Brief {
	b := agent.Brief{
		Session: record.ID, Agent: a.ID, Name: a.Subtask, Task: a.Description, Context: a.Context, Allowed: a.Allowed,
		Verify: record.Verify, ExpectedOutputs: a.ExpectedOutputs, Interval: record.CheckpointInterval,
		TimeLimit: session.TimeLimit(record.AgentTimeout, a), AgentDir: s.p.AgentDir(record.ID, a.ID),
		Unfetched: s.p.Repo.Unfetched(ctx),
	}
	if limits, err := s.p.Scope(a); err == nil {
		b.Forbidden = limits.Forbidden()
	}
	for _, fixed := range scope.AlwaysForbidden() {
		if !slices.Contains(b.Forbidden, fixed) {
			b.Forbidden = append(b.Forbidden, fixed)
		}
	}
	ports := s.p.KeptPorts(record.ID, a.ID)
	b.PortBase, b.PortCount = ports.First, ports.Count
	for _, id := range a.Dependencies {
		if d, err := s.state.Agent(id); err == nil {
			b.Dependencies = append(b.Dependencies,
				fmt.Sprintf("- %s (%s, %s): %s", d.ID, d.Subtask, d.Status, session.FilesText(d.FilesModified)))
		}
	}
	if a.Attempt > 1 && a.LastError != "" {
		work := fmt.Sprintf("Its work, if any, is the commit %s; yours begins fresh.",
			project.HeadRef(record.ID, a.ID, a.Turns))
		if a.Head != a.Base {
			work = "Its work is in your worktree: go on from there."
		}
		b.Notes = fmt.Sprintf("Attempt %d ended like this: %s\n%s", a.Attempt-1, a.LastError, work)
	}
	s.remember(&b, record.ID, a)
	return b
}

// fail writes the transition to FAILED with its reason.
func (s snapshot) fail(ctx context.Context, a registry.Agent, reason string, edit func(*registry.Agent)) error {
	reason = s.p.Recorded(a, reason)
	_, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		e := registry.Event{Kind: registry.EventFailed, Agent: a.ID, By: session.BySupervisor, Details: reason}
		return tx.Transition(a.ID, e, registry.Supervisor, func(a *registry.Agent) {
			a.LastError = reason
			a.Errors++
			if edit != nil {
				edit(a)
			}
		})
	})
	return err
}

// work is what an agent did in its worktree. Without one it is takeover.ErrGone (wrapped): what it was known to have
// before a turn is not what it did in it.
func (s snapshot) work(ctx context.Context, id string, a registry.Agent, target string) (project.Work, error) {
	if _, err := takeover.Open(s.p.Repo, a.Worktree, a.Branch); err != nil {
		return project.Work{}, err
	}
	work, err := s.p.Work(ctx, id, a, target)
	if err == nil && work.Incomplete != "" {
		err = s.p.CheckWritable()
	}
	if err != nil && !errors.Is(err, takeover.ErrGone) {
		err = &session.UnsavedError{Why: err}
	}
	return work, err
}

// withoutWorktree says of an agent whose worktree is gone where its commits are.
func (s snapshot) withoutWorktree(ctx context.Context, sessionID string, a registry.Agent) string {
	var left []string
	for _, ref := range []string{"refs/heads/" + a.Branch, project.LookRef(sessionID, a.ID)} {
		if id, found, err := s.p.Repo.Ref(ctx, ref); err == nil && found && id != a.Head {
			left = append(left, fmt.Sprintf("%s at %.12s", ref, id))
		}
	}
	reason := "its worktree is gone"
	if len(left) > 0 {
		reason += "; what was seen of its work: " + strings.Join(left, ", ")
	}
	return reason
}

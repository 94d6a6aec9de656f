package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"delegate/internal/agent"
	"delegate/internal/agentdir"
	"delegate/internal/keeper"
	"delegate/internal/project"
	"delegate/internal/run"
	"delegate/internal/takeover"
	"delegate/registry"
)

// spawn takes an agent from PENDING or SPAWNING to RUNNING, or to FAILED with the reason. Taken up
// again after a crash, it goes on where it was.
func (s *supervisor) spawn(ctx context.Context, a registry.Agent) error {
	session := *s.state.Session
	if a.Status == registry.Pending {
		var err error
		if a, err = s.announceSpawn(ctx, session, a); err != nil {
			return err
		}
	}
	s.p.Step(stepAnnounced)
	turn := keeper.Turn{Dir: s.p.TurnDir(session.ID, a.ID, a.Turns+1)}
	err := s.makeAndStart(ctx, session, a, turn)
	if err != nil {
		return errors.Join(err, s.fail(ctx, a, "could not be started: "+err.Error(), nil))
	}
	s.p.Step(stepStarted)
	started := s.p.Now().UTC()
	_, err = s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		e := registry.Event{Kind: registry.EventSpawned, Agent: a.ID, By: bySupervisor,
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
func (s *supervisor) announceSpawn(ctx context.Context, session registry.Session, a registry.Agent) (registry.Agent,
	error) {
	state, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		current, err := tx.State().Agent(a.ID)
		if err != nil {
			return err
		}
		if !MayStart(tx.State(), current) {
			return fmt.Errorf("%s may not start any more", a.ID)
		}
		e := registry.Event{Kind: registry.EventSpawning, Agent: a.ID, By: bySupervisor, Details: "attempt 1"}
		return tx.Transition(a.ID, e, registry.Supervisor, func(a *registry.Agent) { s.place(session, a, 1) })
	})
	if err != nil {
		return a, err
	}
	return state.Agent(a.ID)
}

// place fills in where an attempt works. Its base is found when the worktree is made.
func (s *supervisor) place(session registry.Session, a *registry.Agent, attempt int) {
	Place(s.p, session, a, attempt)
}

// Place fills in where an attempt works; the base is decided when the worktree is made, the head begins there.
func Place(p *project.Project, session registry.Session, a *registry.Agent, attempt int) {
	a.Attempt = attempt
	a.Branch = project.Branch(session.ID, a.ID, attempt)
	a.Worktree = p.WorkPath(session.ID, a.ID, attempt)
	a.Base, a.Head = "", ""
}

// makeAndStart makes worktree and desk, prepares the first turn and starts it under a keeper.
// A turn that was prepared before is only started, if it has not been: its program may be at work
// in the worktree already.
func (s *supervisor) makeAndStart(ctx context.Context, session registry.Session, a registry.Agent,
	turn keeper.Turn) error {
	if !turn.Whole() {
		if err := s.makeFirst(ctx, session, a, turn); err != nil {
			return err
		}
	}
	s.p.Step(stepPrepared)
	if err := s.keep(ctx, a, turn); err != nil {
		return err
	}
	return s.deliver(session.ID, a, turn)
}

// deliver takes what a turn that has begun was told out of the queue. Until then it waits for the
// next turn, in case this one cannot begin.
func (s *supervisor) deliver(session string, a registry.Agent, turn keeper.Turn) error {
	spec, err := turn.Spec()
	if err == nil {
		err = delivered(s.p, session, a.ID, spec.Messages)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil // with the private folder, in which the queue is too
	}
	s.p.Step(stepDelivered)
	return err
}

// makeFirst makes everything that an attempt's first turn needs.
func (s *supervisor) makeFirst(ctx context.Context, session registry.Session, a registry.Agent, turn keeper.Turn) error {
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
	place, err := furnish(ctx, s.p, session, a, turn)
	if err != nil {
		return err
	}
	f := setting{turn: turn, profile: profile, place: place}
	if err := s.equip(ctx, a, f, checkout); err != nil {
		return err
	}
	if err := s.confine(ctx, a, &f); err != nil {
		return err
	}
	return s.prepareFirst(ctx, session, a, f)
}

// create makes the worktree. Several are made at once beside a person's own git commands, which may
// hold a lock for a moment;
// so a git command that fails is tried again, and what it had begun is taken up or away by then.
func (s *supervisor) create(ctx context.Context, a registry.Agent) (*takeover.Checkout, error) {
	request := takeover.Request{Path: a.Worktree, Branch: a.Branch, Commit: a.Base}
	repo, err := s.p.Unfiltered(ctx)
	if err != nil {
		return nil, err
	}
	for pause := 100 * time.Millisecond; ; pause *= 3 {
		checkout, err := takeover.Create(ctx, repo, request)
		var exit *run.ExitError
		if !errors.As(err, &exit) || pause > time.Second {
			return checkout, err
		}
		s.note("make worktree of "+a.ID+", will be tried again", err)
		time.Sleep(pause)
	}
}

// setting is what a turn runs in.
type setting struct {
	turn    keeper.Turn
	profile agent.Profile
	place   agent.Place
	fence   *keeper.Fence // nil where nothing of the kernel holds the turn
}

// prepareFirst writes the turn's folder: the brief, and behind it what was queued for the agent before it ran.
func (s *supervisor) prepareFirst(ctx context.Context, session registry.Session, a registry.Agent, f setting) error {
	messages, err := awaiting(ctx, s.p, address{session.ID, a.ID})
	if err != nil {
		return err
	}
	brief := s.brief(session, a)
	brief.Message = texts(messages)
	if err := s.provide(ctx, a, f); err != nil {
		return err
	}
	prompt := brief.Prompt()
	in := f.profile.Invoke(f.profile.Command, agent.Values{
		Prompt: prompt, PromptFile: f.turn.PromptFile(), SessionID: s.programSession(session.ID, a), Place: f.place,
	})
	spec := s.spec(a, f, in)
	spec.Messages, spec.Said = numbers(messages), brief.Message
	_, err = keeper.Prepare(f.turn.Dir, prompt, spec)
	return err
}

// spec is what a turn runs, without what it is told.
func (s *supervisor) spec(a registry.Agent, f setting, in agent.Invocation) keeper.Spec {
	return keeper.Spec{
		Args: in.Args, Stdin: in.Stdin, Dir: a.Worktree, Env: f.place.Environ(f.profile), Mark: agentdir.Dir(f.place.AgentDir).Mark(),
		StopGrace: s.grace(),
		Attempt:   a.Attempt, Output: f.profile.Output, Fence: f.fence,
	}
}

// keep starts the keeper of a prepared turn, once the worktree is free of earlier processes, unless one has it already.
func (s *supervisor) keep(ctx context.Context, a registry.Agent, turn keeper.Turn) error {
	state, err := turn.State()
	if err != nil {
		return err
	}
	if state == keeper.Prepared {
		if err := s.clearStrays(a); err != nil {
			return err
		}
		if err := turn.Start(run.Program()); err != nil {
			return err
		}
		s.p.Step(stepKept)
	}
	ctx, cancel := context.WithTimeout(ctx, keeper.StartLimit)
	defer cancel()
	return turn.AwaitStart(ctx)
}

// decideBase records where an agent starts from before its worktree is made.
func (s *supervisor) decideBase(ctx context.Context, a registry.Agent) (registry.Agent, error) {
	base, err := newBase(ctx, s.p, s.state, a)
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

// furnish makes the agent's folders outside its worktree.
func furnish(ctx context.Context, p *project.Project, session registry.Session, a registry.Agent,
	turn keeper.Turn) (agent.Place, error) {
	folder := p.AgentRoot(session.ID, a.ID)
	place := agent.Place{
		Session: session.ID, Agent: a.ID, Worktree: a.Worktree, AgentDir: p.AgentDir(session.ID, a.ID),
		Home: filepath.Join(folder, "home"), Tmp: filepath.Join(folder, "tmp"), PromptFile: turn.PromptFile(),
		Turn: turn.Dir, Git: p.Repo.CommonDir, Branch: a.Branch, Allowed: a.Allowed, Forbidden: a.Forbidden,
	}
	// Nobody else starts a program that an agent left there with the rights of its owner.
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return place, fmt.Errorf("make folders of %s: %w", a.ID, err)
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		return place, fmt.Errorf("close folder of %s: %w", a.ID, err)
	}
	for _, dir := range []string{place.AgentDir, place.Home, place.Tmp} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return place, fmt.Errorf("make folders of %s: %w", a.ID, err)
		}
	}
	if err := agentdir.Dir(place.AgentDir).Folder("inbox"); err != nil {
		return place, err
	}
	ports, err := p.Ports(ctx, session.ID, a)
	if err != nil {
		return place, err
	}
	place.PortBase, place.PortCount, place.Name = ports.First, ports.Count, p.UniqueName(session.ID, a.ID)
	author, err := p.Repo.Author(ctx)
	if err != nil {
		return place, err
	}
	committer, err := p.Repo.Committer(ctx)
	if err != nil {
		return place, err
	}
	place.AuthorName, place.AuthorEmail = author.Name, author.Email
	place.CommitterName, place.CommitterMail = committer.Name, committer.Email
	return place, nil
}

// equip copies the listed files in and runs the setup commands, whose output is kept.
func (s *supervisor) equip(ctx context.Context, a registry.Agent, f setting, checkout *takeover.Checkout) error {
	session := s.state.Session.ID
	copied, err := checkout.CopyInto(ctx, s.p.Main, s.p.Config.Copy)
	if err != nil {
		return err
	}
	if err := s.p.RememberCopied(session, a, copied); err != nil {
		return err
	}
	if len(s.p.Config.Setup) == 0 {
		return nil
	}
	place := f.place // whose turn has a fence of its own
	fence, err := s.fenceSetup(a, &place)
	if err != nil {
		return err
	}
	path := filepath.Join(s.p.AgentState(session, a.ID), fmt.Sprintf("setup-%d.log", a.Attempt))
	output, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keep setup output: %w", err)
	}
	defer output.Close()
	for _, line := range s.p.Config.Setup {
		fmt.Fprintf(output, "$ %s\n", line)
		command := run.Shell(line)
		command.Dir, command.Env, command.Stdout, command.Stderr = a.Worktree, place.Environ(f.profile), output, output
		err := fence.Group(ctx, command)
		s.note(fmt.Sprintf("setup %q of %s", line, a.ID), err)
		if err != nil {
			return fmt.Errorf("setup command %q (output in %s): %w", line, path, err)
		}
	}
	return nil
}

// brief is what the agent is told.
func (s *supervisor) brief(session registry.Session, a registry.Agent) agent.Brief {
	b := agent.Brief{
		Session: session.ID, Agent: a.ID, Name: a.Subtask, Task: a.Description, Context: a.Context, Allowed: a.Allowed,
		Verify: session.Verify, ExpectedOutputs: a.ExpectedOutputs, Interval: session.CheckpointInterval,
		TimeLimit: timeLimit(session.AgentTimeout, a), AgentDir: s.p.AgentDir(session.ID, a.ID),
	}
	if limits, err := s.p.Scope(a); err == nil {
		b.Forbidden = limits.Forbidden()
	}
	for _, fixed := range alwaysForbidden() {
		if !slices.Contains(b.Forbidden, fixed) {
			b.Forbidden = append(b.Forbidden, fixed)
		}
	}
	ports := s.p.KeptPorts(session.ID, a.ID)
	b.PortBase, b.PortCount = ports.First, ports.Count
	for _, id := range a.Dependencies {
		if d, err := s.state.Agent(id); err == nil {
			b.Dependencies = append(b.Dependencies,
				fmt.Sprintf("- %s (%s, %s): %s", d.ID, d.Subtask, d.Status, filesText(d.FilesModified)))
		}
	}
	if a.Attempt > 1 && a.LastError != "" {
		b.Notes = fmt.Sprintf("Attempt %d ended like this: %s\nIts work, if any, is on the branch %s; yours begins fresh.",
			a.Attempt-1, a.LastError, project.Branch(session.ID, a.ID, a.Attempt-1))
	}
	s.remember(&b, session.ID, a)
	return b
}

// fail writes the transition to FAILED with its reason.
func (s *supervisor) fail(ctx context.Context, a registry.Agent, reason string, edit func(*registry.Agent)) error {
	_, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		e := registry.Event{Kind: registry.EventFailed, Agent: a.ID, By: bySupervisor, Details: reason}
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

package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"delegate/conflict"
	"delegate/internal/atomicfile"
	"delegate/internal/channel"
	"delegate/internal/config"
	"delegate/internal/project"
	"delegate/internal/run"
	"delegate/internal/sandbox"
	"delegate/registry"
)

// SupervisorVerb is the hidden command under which this program is its own supervisor.
const SupervisorVerb = "__supervise"

// tick is how often the supervisor looks. A look that finds nothing new costs a few file stats.
const tick = 200 * time.Millisecond

// Launch starts a supervisor in the background if none lives, and waits until it has taken over.
// It answers whether one was started. A *SilentError if one lives and does nothing.
func Launch(ctx context.Context, p *project.Project) (bool, error) {
	if s := FindSupervisor(p); s != nil {
		return false, s.Answers(p)
	}
	if err := os.MkdirAll(p.Private, 0o700); err != nil {
		return false, fmt.Errorf("start supervisor: %w", err)
	}
	command := run.Command{Path: run.Program(), Args: []string{SupervisorVerb, p.Repo.Worktree}, Dir: "/"}
	started, err := run.Detach(command, supervisorLog(p))
	if err != nil {
		return false, err
	}
	over := make(chan struct{})
	// ends with the supervisor; its owner is this process, which must not collect zombies
	go func() { started.Wait(); close(over) }()
	patience := time.After(10 * time.Second)
	for {
		if FindSupervisor(p) != nil {
			return true, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-over: // for one that was there and is just leaving, or because it cannot work
			over, patience = nil, time.After(2*time.Second)
		case <-patience:
			return false, NotRunning(p, "it did not take over")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// NotRunning is the error of a supervisor that is not there: that its note has no room, else its own last words.
func NotRunning(p *project.Project, why string) error {
	try := supervisorFile(p) + ".try"
	err := errors.Join(os.WriteFile(try, make([]byte, noteRoom), 0o600), os.Remove(try))
	if err == nil {
		err = errors.New(orElse(project.Tail(supervisorLog(p), 1), "it left no word"))
	}
	return fmt.Errorf("start supervisor: %s: %w (%s)", why, err, supervisorLog(p))
}

// Options are what a supervisor is given from outside.
type Options struct {
	// Log gets a line for each operation after it happened.
	Log io.Writer
	// Conflicts looks for clashes between the session's agents, at low priority; nil: nobody does.
	Conflicts func(context.Context) ([]conflict.Finding, error)
	// Integrate gathers finished work on the integration branch of a semi-autonomous session; nil: nobody does.
	Integrate func(context.Context) error
	// Obey carries out a line of COMMANDS.md and answers what came of it.
	Obey func(context.Context, *project.Project, channel.Command) (string, error)
	// Hint is what to type after an error, "" if nothing is known; nil: nothing is.
	Hint func(error) string
}

// Supervise is the life of a supervisor: it ends when the session has ended, or when ctx does.
// A second one for the same repository ends at once.
func Supervise(ctx context.Context, p *project.Project, o Options) error {
	lock, err := takeOver(ctx, p)
	if errors.Is(err, atomicfile.ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	s := &supervisor{locks: []*atomicfile.Guard{lock}, p: p, o: o, mono: steady(), kernel: sandbox.Detect(ctx),
		lookedOut: -lookoutEvery, busy: map[string]*operation{}, watches: map[string]*watch{},
		settled: map[string]string{}}
	defer s.leave()
	for {
		if err := s.announce(); err != nil {
			return err
		}
		over, err := s.loop(ctx)
		if err != nil || !over {
			return err
		}
		if again, err := s.retire(ctx); err != nil || !again {
			return err
		}
	}
}

// takeOver gets the lock of the one supervisor. One that is just leaving, which shows by its note
// being gone, is waited for.
func takeOver(ctx context.Context, p *project.Project) (*atomicfile.Guard, error) {
	for {
		lock, err := atomicfile.TryLock(supervisorLock(p))
		if !errors.Is(err, atomicfile.ErrLocked) || FindSupervisor(p) != nil {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(tick / 10):
		}
	}
}

// retire takes the note away and only then looks once more: a session begun before that relies on this supervisor,
// one begun after it starts a supervisor of its own.
func (s *supervisor) retire(ctx context.Context) (again bool, err error) {
	if err := os.Remove(supervisorFile(s.p)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("take supervisor's note away: %w", err)
	}
	state, err := s.p.Store.View(ctx)
	s.seen = signature{}
	return state.Session != nil, err
}

// supervisor holds what one process knows. Everything in it can be found again from the registry and the disk.
type supervisor struct {
	p *project.Project

	o      Options
	mono   func() time.Duration // only goes forward
	kernel sandbox.Support      // what this machine can hold agents with

	seen       signature // of the registry that state was read from
	configured signature // of the configuration in p
	state      registry.State
	busy       map[string]*operation // agent id → what is being done for it
	watches    map[string]*watch     // agent id → reader of its running turn
	settled    map[string]string     // agent id → the status in which its processes were found gone

	noted    Supervisor // what stands on disk of this process
	noteFile *os.File
	beatAt   time.Duration
	locks    []*atomicfile.Guard
	failing  map[attempt]*failing

	last       registry.State // while there was a session
	ordersSeen signature      // of COMMANDS.md
	ordersOpen bool           // its last line may still be being typed
	stateSeen  [2]signature   // of the registry and the answers that the state file tells of
	toldAt     signature      // of the registry up to which a person was told
	lookedAt   string         // the work that was looked at for conflicts
	lookedOut  time.Duration
	integrated string // the finished work that was looked at for gathering
	gathering  string // the finished work whose gathering was begun last
	gatherAt   time.Duration
}

// operation is one long step for one agent, in a goroutine of its own that the loop waits for.
type operation struct {
	name   string
	done   chan error
	after  time.Time // an operation that went wrong is not tried again before
	silent bool      // it changes nothing and is not worth a line
	then   func()    // what the loop does when it went well
	cancel func()    // has it end early, nil if it cannot
}

// signature tells a registry file apart from an older one without reading it.
type signature struct {
	size int64
	time time.Time
}

// loop looks until the session is over or ctx is.
func (s *supervisor) loop(ctx context.Context) (over bool, err error) {
	timer := time.NewTicker(tick)
	defer timer.Stop()
	steps := context.WithoutCancel(ctx) // what is begun is brought to its end, also when this process was asked to go
	for {
		over, err := s.look(steps)
		s.outcome(attempt{"look at the registry", ""}, err)
		if over {
			s.note("session ended, supervisor ends", nil)
			return true, nil
		}
		if err := s.beat(); errors.Is(err, errReplaced) {
			s.note("supervise", err)
			return false, nil
		} else {
			s.outcome(attempt{"note that it lives", ""}, err)
		}
		select {
		case <-ctx.Done():
			return false, nil
		case <-timer.C:
		}
	}
}

// look reads the registry if it changed and takes one step for each agent.
func (s *supervisor) look(ctx context.Context) (over bool, err error) {
	s.collect()
	if _, err := os.Stat(s.p.Repo.CommonDir); errors.Is(err, fs.ErrNotExist) {
		return true, nil // the repository was deleted; writing its registry would bring folders back
	}
	s.reload()
	now := s.signature()
	if now != s.seen || now == (signature{}) {
		state, err := s.p.Store.View(ctx)
		if err != nil {
			return false, err
		}
		if len(state.Notices) > 0 { // it vanished or jumped back: writing restores it
			if state, err = s.p.Store.Update(ctx, func(*registry.Tx) error { return nil }); err != nil {
				return false, err
			}
			if err := keepNotices(s.p, state.Notices); err != nil {
				return false, err
			}
		}
		s.state, s.seen = state, now
	}
	if s.state.Session == nil {
		if len(s.busy) > 0 {
			return false, nil
		}
		return true, s.writeLastState()
	}
	s.last = s.state
	for _, a := range inTurn(s.state.Agents) {
		if op := s.busy[a.ID]; op == nil {
			s.step(ctx, a)
		} else {
			s.beside(a, op)
		}
	}
	s.takeOrders(ctx)
	s.announceRows(ctx)
	s.lookOut(ctx)
	s.integrate(ctx)
	return false, nil
}

func (s *supervisor) signature() signature {
	return signatureOf(filepath.Join(s.p.Main, filepath.FromSlash(project.RegistryPath)))
}

func signatureOf(path string) signature {
	info, err := os.Stat(path)
	if err != nil {
		return signature{}
	}
	return signature{size: info.Size(), time: info.ModTime()}
}

// reload takes in a changed configuration, so that a program a person adds can be used at once. One
// with faults is left alone:
// every command says what is wrong with it.
func (s *supervisor) reload() {
	now := signatureOf(filepath.Join(s.p.Main, config.FileName))
	if now == s.configured {
		return
	}
	s.configured = now
	read, err := config.Load(s.p.Main)
	if s.outcome(attempt{"read the changed configuration", ""}, err); err != nil {
		return
	}
	changed := *s.p // steps under way go on with the old one
	changed.Config = read
	s.p = &changed
}

// begin runs a long step for an agent beside the loop. The step works with the state in which it was decided,
// since the loop's own goes on, and has no session any more when that has ended.
func (s *supervisor) begin(a registry.Agent, name string, work func(*supervisor) error) *operation {
	op := &operation{name: name, done: make(chan error, 1)}
	s.busy[a.ID] = op
	fixed := &supervisor{p: s.p, o: s.o, state: s.state, mono: s.mono, kernel: s.kernel}
	go func() { op.done <- work(fixed) }()
	return op
}

// collect takes in finished steps. One that went wrong keeps its agent quiet for a while, so that a
// fault does not spin.
func (s *supervisor) collect() {
	for id, op := range s.busy {
		if !op.after.IsZero() {
			if time.Now().After(op.after) {
				delete(s.busy, id)
			}
			continue
		}
		select {
		case err := <-op.done:
			if op.then != nil && err == nil {
				op.then()
			}
			if op.silent && err == nil {
				s.outcome(attempt{op.name, id}, nil)
				delete(s.busy, id)
				continue
			}
			s.outcome(attempt{op.name, id}, err)
			s.seen = signature{}
			if err == nil {
				s.note(op.name+" "+id, nil)
				delete(s.busy, id)
				continue
			}
			op.after = time.Now().Add(3 * time.Second)
		default:
		}
	}
}

// leave lets running steps end, which the supervisor owns, and then lets another one supervise.
func (s *supervisor) leave() {
	for id, op := range s.busy {
		if op.after.IsZero() {
			s.note(op.name+" "+id, <-op.done)
		}
	}
	if s.noteFile != nil {
		_ = s.noteFile.Close()
	}
	for _, lock := range s.locks {
		_ = lock.Unlock()
	}
}

// note logs an operation after it happened, with its outcome.
func (s *supervisor) note(what string, err error) {
	outcome := "ok (exit status 0)"
	if err != nil {
		outcome = err.Error()
		if code := run.ExitCode(err); code > 0 {
			outcome += fmt.Sprintf(" (exit status %d)", code)
		}
	}
	fmt.Fprintf(s.o.Log, "%s %s: %s\n", s.p.Now().UTC().Format(time.RFC3339), what, outcome)
}

// inParallel counts the agents that hold a slot.
func inParallel(state registry.State) int {
	n := 0
	for _, a := range state.Agents {
		if a.Status == registry.Spawning || a.Status == registry.Running {
			n++
		}
	}
	return n
}

// waitsFor lists the dependencies that are not met: those not MERGED, or not even COMPLETE where
// that is enough by configuration.
func waitsFor(state registry.State, a registry.Agent) []registry.Agent {
	var open []registry.Agent
	for _, other := range state.Agents {
		if !slices.Contains(a.Dependencies, other.ID) || other.Status == registry.Merged {
			continue
		}
		if state.Session.Dependencies == "complete" && other.Status == registry.Complete {
			continue
		}
		open = append(open, other)
	}
	return open
}

// MayStart says whether a PENDING agent could be started now: plan approved, session not paused, a
// slot free, dependencies met.
func MayStart(state registry.State, a registry.Agent) bool {
	if a.Status != registry.Pending || state.Session.PlanApproved == "" || state.Session.Paused != "" ||
		state.Session.Status != registry.SessionActive {
		return false
	}
	free := state.Session.MaxParallel == 0 || inParallel(state) < state.Session.MaxParallel
	return free && len(waitsFor(state, a)) == 0
}

package session

import (
	"context"
	"encoding/json"
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

// Supervisor is who supervises, as noted on disk.
type Supervisor struct {
	run.Identity
	Started time.Time `json:"started_at"`
}

func supervisorFile(p *project.Project) string { return filepath.Join(p.Private, "supervisor.json") }
func supervisorLock(p *project.Project) string { return filepath.Join(p.Private, "supervisor.lock") }

// FindSupervisor is the living supervisor of the repository, or nil.
func FindSupervisor(p *project.Project) *Supervisor {
	data, err := os.ReadFile(supervisorFile(p))
	if err != nil {
		return nil
	}
	var s Supervisor
	if err := json.Unmarshal(data, &s); err != nil || !s.Alive() {
		return nil
	}
	return &s
}

// Launch starts a supervisor in the background if none lives, and waits until it has taken over.
// It answers whether one was started.
func Launch(ctx context.Context, p *project.Project) (bool, error) {
	if FindSupervisor(p) != nil {
		return false, nil
	}
	if err := os.MkdirAll(p.Private, 0o700); err != nil {
		return false, fmt.Errorf("start supervisor: %w", err)
	}
	command := run.Command{Path: run.Program(), Args: []string{SupervisorVerb, p.Repo.Worktree}, Dir: "/"}
	if _, err := run.Detach(command, filepath.Join(p.Private, "supervisor.log")); err != nil {
		return false, err
	}
	for range 500 {
		if FindSupervisor(p) != nil {
			return true, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return false, fmt.Errorf("start supervisor: it did not take over within 10 s, see %s", filepath.Join(p.Private, "supervisor.log"))
}

// Options are what a supervisor is given from outside.
type Options struct {
	// Log gets a line for each operation after it happened.
	Log io.Writer
	// Conflicts looks for clashes between the session's agents, at low priority; nil: nobody does.
	Conflicts func(context.Context) ([]conflict.Finding, error)
	// Integrate gathers finished work on the integration branch of a semi-autonomous session; nil: nobody does.
	Integrate func(context.Context) error
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
	defer lock.Unlock()
	s := &supervisor{p: p, o: o, mono: steady(), kernel: sandbox.Detect(ctx), lookedOut: -lookoutEvery, busy: map[string]*operation{}, watches: map[string]*watch{}, settled: map[string]string{}}
	defer s.wait()
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

// takeOver gets the lock of the one supervisor. One that is just leaving, which shows by its note being gone, is waited for.
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

// announce notes on disk who supervises.
func (s *supervisor) announce() error {
	data, err := json.Marshal(Supervisor{Identity: run.Self(), Started: s.p.Now().UTC()})
	if err != nil {
		return fmt.Errorf("note supervisor: %w", err)
	}
	return atomicfile.WriteFile(supervisorFile(s.p), data, 0o600)
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
		if err != nil {
			s.note("look at the registry", err)
		}
		if over {
			s.note("session ended, supervisor ends", nil)
			return true, nil
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

// reload takes in a changed configuration, so that a program a person adds can be used at once. One with faults is left alone:
// every command says what is wrong with it.
func (s *supervisor) reload() {
	now := signatureOf(filepath.Join(s.p.Main, config.FileName))
	if now == s.configured {
		return
	}
	s.configured = now
	read, err := config.Load(s.p.Main)
	if err != nil {
		s.note("read the changed configuration", err)
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

// collect takes in finished steps. One that went wrong keeps its agent quiet for a while, so that a fault does not spin.
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
				delete(s.busy, id)
				continue
			}
			s.note(op.name+" "+id, err)
			s.seen = signature{}
			if err == nil {
				delete(s.busy, id)
				continue
			}
			op.after = time.Now().Add(3 * time.Second)
		default:
		}
	}
}

// wait lets running steps end; the supervisor owns them.
func (s *supervisor) wait() {
	for id, op := range s.busy {
		if op.after.IsZero() {
			s.note(op.name+" "+id, <-op.done)
		}
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

// waitsFor lists the dependencies that are not met: those not MERGED, or not even COMPLETE where that is enough by configuration.
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

// MayStart says whether a PENDING agent could be started now: plan approved, session not paused, a slot free, dependencies met.
func MayStart(state registry.State, a registry.Agent) bool {
	if a.Status != registry.Pending || state.Session.PlanApproved == "" || state.Session.Paused != "" || state.Session.Status != registry.SessionActive {
		return false
	}
	free := state.Session.MaxParallel == 0 || inParallel(state) < state.Session.MaxParallel
	return free && len(waitsFor(state, a)) == 0
}

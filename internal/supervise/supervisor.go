package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/conflict"
	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/supervise/scopemonitor"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/text/channel"
	"delegate/internal/turn/transcript"
	"delegate/registry"
)

// The supervisor looks again soon where a look began something, and less and less often while nothing happens. A look
// that finds nothing new costs a few file stats.
const (
	tick      = 200 * time.Millisecond
	firstTick = 10 * time.Millisecond
)

// Options are what a supervisor is given from outside.
type Options struct {
	// Log gets a line for each operation after it happened.
	Log io.Writer
	// Conflicts looks for clashes between the session's agents, at low priority; nil: nobody does.
	Conflicts func(context.Context) ([]conflict.Finding, session.Compared, error)
	// Integrate gathers finished work on the integration branch of a semi-autonomous session; nil: nobody does.
	Integrate func(context.Context) error
	// End ends a session in which nothing waits for anybody; nil: only a person does.
	End func(context.Context) error
	// Obey carries out a line of COMMANDS.md and answers what came of it.
	Obey func(context.Context, *project.Project, channel.Command) (string, error)
	// FaultPause is the first pause after a fault of the network; 0 is the usual one.
	FaultPause time.Duration
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
	go p.Support() // it takes a process, and the first step of an agent that needs it waits for it
	ended := make(chan struct{}, 1)
	wake := func() {
		select {
		case ended <- struct{}{}:
		default: // the loop knows
		}
	}
	s := &supervisor{
		snapshot: snapshot{p: p, o: o, mono: transcript.Steady(), wake: wake},
		locks:    []*atomicfile.Guard{lock},
		lastScan: -scanEvery,
		busy:     map[lane]*operation{},
		ended:    ended,
		watches:  map[string]*watch{},
		idle:     map[string]string{},
	}
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
		lock, err := atomicfile.TryLock(session.SupervisorLock(p))
		if !errors.Is(err, atomicfile.ErrLocked) || session.FindSupervisor(p) != nil {
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
	if err := os.Remove(session.SupervisorFile(s.p)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("take supervisor's note away: %w", err)
	}
	state, err := s.p.Store.View(ctx)
	s.seen = session.Signature{}
	return state.Session != nil, err
}

// snapshot is what a step works with: the registry and the configuration as they were when the step was decided.
type snapshot struct {
	p     *project.Project
	o     Options
	state registry.State
	mono  func() time.Duration // only goes forward
	wake  func()               // has the loop look at once: a step or a turn's keeper has ended
}

// supervisor holds what one process knows. Everything in it can be found again from the registry and the disk.
type supervisor struct {
	snapshot // as the loop last read it

	seen       session.Signature   // of the registry that state was read from
	configured session.Signature   // of the configuration in p
	busy       map[lane]*operation // what is being done
	begins     int                 // how many operations were begun
	ended      chan struct{}       // has something in it when an operation or a keeper ended
	watches    map[string]*watch   // agent id → reader of its running turn
	processes  scopemonitor.Processes
	idle       map[string]string // agent id → the status in which its processes were found gone

	noted    session.Supervisor // what stands on disk of this process
	noteFile *os.File
	beatAt   time.Duration
	locks    []*atomicfile.Guard
	failing  map[attempt]*failing

	commandsSeen session.Signature    // of COMMANDS.md
	commandsOpen bool                 // its last line may still be being typed
	stateSeen    [2]session.Signature // of the registry and the answers that the state file tells of
	announcedAt  session.Signature    // of the registry up to which a person was told
	scanned      string               // the work that was looked at for conflicts
	moved        string               // the work that was seen last
	movedAt      time.Duration        // when it was seen first
	unscanned    time.Duration        // since when there is work that was not looked at
	lastScan     time.Duration
	integrated   string // the finished work that was looked at for gathering
	gathering    string // the finished work whose gathering was begun last
	gatherAt     time.Duration
	endTried     session.Signature // of the registry with which the session was to end last
}

// lane is where steps follow each other, one at a time: an agent's work, or another matter of an agent or the session.
type lane struct {
	agent  string // "" for the session
	matter matter
}

type matter string

const (
	ofWork        matter = ""
	ofTimeLimit   matter = "time limit"
	ofNews        matter = "events"
	ofBudget      matter = "budget"
	ofConflicts   matter = "conflicts"
	ofIntegration matter = "integration"
	ofSession     matter = "session"
)

// of returns the lane of an agent's work.
func of(a registry.Agent) lane { return lane{a.ID, ofWork} }

func (l lane) String() string { return strings.TrimSpace(string(l.matter) + " " + l.agent) }

// operation is one long step, in a goroutine of its own that the loop waits for.
type operation struct {
	name   string
	done   chan error
	after  time.Time // an operation that went wrong is not tried again before
	silent bool      // it changes nothing and is not worth a line
	then   func()    // what the loop does when it went well
	cancel func()    // has it end early, nil if it cannot
}

// loop looks until the session is over or ctx is.
func (s *supervisor) loop(ctx context.Context) (over bool, err error) {
	steps := context.WithoutCancel(ctx) // what is begun is brought to its end, also when this process was asked to go
	for pause := firstTick; ; pause = min(2*pause, tick) {
		begins := s.begins
		over, err := s.look(steps)
		if s.begins > begins {
			pause = firstTick
		}
		if !errors.Is(err, errReplaced) {
			s.noteAttempt(attempt{"look at the registry", lane{}}, err)
			if over {
				s.note("session ended, supervisor ends", nil)
				return true, nil
			}
			err = s.renew()
		}
		if errors.Is(err, errReplaced) {
			s.note("supervise", err)
			return false, nil
		}
		select {
		case <-ctx.Done():
			return false, nil
		case <-s.ended:
			pause = firstTick / 2
		case <-time.After(pause):
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
	if now != s.seen || now == (session.Signature{}) {
		state, err := s.p.Store.View(ctx)
		if err != nil {
			return false, err
		}
		if len(state.Notices) > 0 && !slices.Equal(state.Notices, s.state.Notices) {
			// it vanished or jumped back, and the next write, of whomever, restores it
			if err := session.KeepNotices(s.p, state.Notices); err != nil {
				return false, err
			}
		}
		s.seen = now
		s.takeState(state)
	}
	if s.state.Session == nil {
		if len(s.busy) > 0 {
			return false, nil
		}
		return true, nil
	}
	s.keepSessionBudget(ctx)
	for _, a := range inTurn(s.state.Agents) {
		if err := s.renew(); err != nil { // many agents on a busy machine can take longer than a command waits
			return false, err
		}
		if op := s.busy[of(a)]; op == nil {
			s.step(ctx, a)
		} else {
			s.duringStep(a, op)
		}
	}
	s.takeCommands(ctx)
	s.announceRows(ctx)
	s.tellUnsaved(ctx)
	s.scanConflicts(ctx)
	s.integrate(ctx)
	s.finish(ctx)
	return false, nil
}

// takeState takes in the registry as it was read. Agents that are being started have their slots before it says so.
func (s *supervisor) takeState(state registry.State) {
	s.state = state
	for in, op := range s.busy {
		if a, err := state.Agent(in.agent); err == nil && a.Status == registry.Pending && op.name == spawning &&
			op.after.IsZero() {
			s.countSlot(a.ID)
		}
	}
}

func (s *supervisor) signature() session.Signature {
	return session.SignatureOf(s.p.RegistryFile())
}

// reload takes in a changed configuration, so that a program a person adds can be used at once. One
// with faults is left alone: every command says what is wrong with it.
func (s *supervisor) reload() {
	now := session.SignatureOf(filepath.Join(s.p.Main, config.FileName))
	if now == s.configured {
		return
	}
	s.configured = now
	read, err := config.Load(s.p.Main)
	if s.noteAttempt(attempt{"read the changed configuration", lane{}}, err); err != nil {
		return
	}
	changed := *s.p // steps under way go on with the old one
	changed.Config = read
	s.p = &changed
}

// begin runs a long step beside the loop, in a lane that is free. The step works with the snapshot in which it was
// decided, since the loop's own goes on, and has no session any more when that has ended.
func (s *supervisor) begin(in lane, name string, work func(snapshot) error) *operation {
	op := &operation{name: name, done: make(chan error, 1)}
	s.busy[in] = op
	decided := s.snapshot
	s.begins++
	go func() {
		op.done <- work(decided)
		decided.wake()
	}()
	return op
}

// collect takes in finished steps. One that went wrong keeps its agent quiet for a while, so that a
// fault does not spin.
func (s *supervisor) collect() {
	for in, op := range s.busy {
		if !op.after.IsZero() {
			if time.Now().After(op.after) {
				delete(s.busy, in)
			}
			continue
		}
		select {
		case err := <-op.done:
			if op.then != nil && err == nil {
				op.then()
			}
			if op.silent && err == nil {
				s.noteAttempt(attempt{op.name, in}, nil)
				delete(s.busy, in)
				continue
			}
			s.noteAttempt(attempt{op.name, in}, err)
			s.seen = session.Signature{}
			if err == nil {
				s.note(op.name+" "+in.String(), nil)
				delete(s.busy, in)
				continue
			}
			op.after = time.Now().Add(3 * time.Second)
		default:
		}
	}
}

// leave lets running steps end, which the supervisor owns, and then lets another one supervise.
func (s *supervisor) leave() {
	for in, op := range s.busy {
		if op.after.IsZero() {
			s.note(op.name+" "+in.String(), <-op.done)
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
func (s snapshot) note(what string, err error) {
	outcome := "ok (exit status 0)"
	if err != nil {
		outcome = err.Error()
		if code := run.ExitCode(err); code > 0 {
			outcome += fmt.Sprintf(" (exit status %d)", code)
		}
	}
	fmt.Fprintf(s.o.Log, "%s %s: %s\n", s.p.Now().UTC().Format(time.RFC3339), what, outcome)
}

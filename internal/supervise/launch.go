package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/registry"
)

// SupervisorVerb is the hidden command under which this program is its own supervisor.
const SupervisorVerb = "__supervise"

// Launch starts a supervisor in the background if none lives, and waits until it has taken over.
// It answers whether one was started. A *SilentError if one lives and does nothing.
func Launch(ctx context.Context, p *project.Project) (bool, error) {
	if s := session.FindSupervisor(p); s != nil {
		return false, s.Answers(p)
	}
	if err := os.MkdirAll(p.Private, 0o700); err != nil {
		return false, fmt.Errorf("start supervisor: %w", err)
	}
	p.KeepSupport()
	command := run.Command{Path: run.Program(), Args: []string{SupervisorVerb, p.Repo.Worktree}, Dir: "/"}
	started, err := run.Detach(command, session.SupervisorLog(p))
	if err != nil {
		return false, err
	}
	over := make(chan struct{})
	// ends with the supervisor; its owner is this process, which must not collect zombies
	go func() { started.Wait(); close(over) }()
	patience := time.After(10 * time.Second)
	for {
		if session.FindSupervisor(p) != nil {
			return true, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-over: // for one that was there and is just leaving, or because it cannot work
			over, patience = nil, time.After(2*time.Second)
		case <-patience:
			return false, notRunning(p, "it did not take over")
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// notRunning is the error of a supervisor that is not there: that its note has no room, else its own last words.
func notRunning(p *project.Project, why string) error {
	try := session.SupervisorFile(p) + ".try"
	err := errors.Join(os.WriteFile(try, make([]byte, session.NoteRoom), 0o600), os.Remove(try))
	if err == nil {
		err = errors.New(cmp.Or(strings.TrimSpace(project.Tail(session.SupervisorLog(p), 1)), "it left no word"))
	}
	return fmt.Errorf("start supervisor: %s: %w (%s)", why, err, session.SupervisorLog(p))
}

// AwaitStart waits until every agent that can start has started or failed, or the supervisor cannot start one.
func AwaitStart(ctx context.Context, p *project.Project) (registry.State, error) {
	for {
		before := session.SignatureOf(p.RegistryFile())
		state, err := p.Active(ctx)
		if err != nil {
			return state, err
		}
		if !slices.ContainsFunc(state.Agents, func(ag registry.Agent) bool { return startsNext(p, state, ag) }) {
			return state, nil
		}
		s := session.FindSupervisor(p)
		if s == nil {
			return state, notRunning(p, "it ended before the agents were started")
		}
		if at := slices.IndexFunc(s.Failures, func(f session.Failure) bool {
			ag, err := state.Agent(f.Agent)
			return err == nil && startsNext(p, state, ag)
		}); at >= 0 {
			return state, &session.StuckError{Failure: s.Failures[at]}
		}
		if err := s.Answers(p); err != nil {
			return state, err
		}
		if err := session.AwaitChange(ctx, p, before, 50*time.Millisecond); err != nil {
			return state, err
		}
	}
}

func startsNext(p *project.Project, state registry.State, ag registry.Agent) bool {
	return ag.Status == registry.Spawning || session.MayStart(state, ag) && session.HasRoom(p.Config, state, ag)
}

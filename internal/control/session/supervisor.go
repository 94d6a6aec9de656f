package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agentdir"
	"delegate/registry"
)

// Failure is an operation of the supervisor that goes wrong again and again. It is gone once the
// operation works, or is not needed any more.
type Failure struct {
	Since     time.Time `json:"since"`
	Operation string    `json:"operation"`
	Agent     string    `json:"agent"` // "" if it is of the whole session
	Error     string    `json:"error"`
	Next      string    `json:"next"`              // what to type
	Unsaved   bool      `json:"unsaved,omitempty"` // what the agent changed is in its worktree and not in git
}

// UnsavedError says that what an agent changed could not be saved, and why. Its worktree has it.
type UnsavedError struct{ Why error }

func (e *UnsavedError) Error() string { return e.Why.Error() }

func (e *UnsavedError) Unwrap() error { return e.Why }

func (f Failure) String() string {
	if f.Unsaved {
		return fmt.Sprintf("what %s changed is not saved, and stays in its worktree until it is: %s", f.Agent, f.Error)
	}
	what := f.Operation
	if f.Agent != "" {
		what += " " + f.Agent
	}
	return fmt.Sprintf("the supervisor cannot %s, and tries again: %s", what, f.Error)
}

// StuckError says what keeps the supervisor from starting agents.
type StuckError struct{ Failure Failure }

func (e *StuckError) Error() string { return e.Failure.String() }

// Unsaved returns why what the agent changed in its last turn is not saved; the zero Failure if it is.
func (s *Supervisor) Unsaved(id string) Failure {
	if s != nil {
		for _, f := range s.Failures {
			if f.Agent == id && f.Unsaved {
				return f
			}
		}
	}
	return Failure{}
}

// FailsFor says whether the supervisor cannot do what the agent needs next.
func (s *Supervisor) FailsFor(id string) bool {
	return s != nil && slices.ContainsFunc(s.Failures, func(f Failure) bool { return f.Agent == id })
}

// Supervisor is who supervises, as noted on disk.
type Supervisor struct {
	run.Identity
	Started  time.Time `json:"started_at"`
	Failures []Failure `json:"failures,omitempty"`
}

func SupervisorFile(p *project.Project) string { return filepath.Join(p.Private, "supervisor.json") }

func SupervisorLock(p *project.Project) string { return filepath.Join(p.Private, "supervisor.lock") }

func SupervisorLog(p *project.Project) string { return filepath.Join(p.Private, "supervisor.log") }

// FindSupervisor is the living supervisor of the repository, or nil.
func FindSupervisor(p *project.Project) *Supervisor {
	for range 3 {
		data, err := os.ReadFile(SupervisorFile(p))
		if err != nil {
			return nil
		}
		var s Supervisor
		if json.Unmarshal(data, &s) == nil {
			if !s.Alive() {
				return nil
			}
			return &s
		}
		time.Sleep(5 * time.Millisecond) // it is being written over
	}
	return nil
}

// AwaitLeave waits until no supervisor lives, at most for patience: one whose session just ended is on its way out.
func AwaitLeave(ctx context.Context, p *project.Project, patience time.Duration) error {
	for deadline := time.Now().Add(patience); FindSupervisor(p) != nil && time.Now().Before(deadline); {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

const (
	BeatEvery = time.Second
	// SilentAfter is how old the note of a supervisor that lives may be before it counts as one that does not answer.
	SilentAfter = 30 * time.Second
	// NoteRoom is how large the note is from the beginning: what the supervisor cannot do is written over it,
	// which needs no room on a full disk.
	NoteRoom = 8 << 10
)

// SilentError says that a supervisor lives and does nothing.
type SilentError struct {
	PID     int
	For     time.Duration
	Stopped bool // by a signal, as with Ctrl-Z or kill -STOP
}

func (e *SilentError) Error() string {
	if e.Stopped {
		return fmt.Sprintf("the supervisor (process %d) was stopped by a signal and does not answer", e.PID)
	}
	return fmt.Sprintf("the supervisor (process %d) has not answered for %s", e.PID, e.For.Round(time.Second))
}

// Next is what a person types then.
func (e *SilentError) Next() string {
	return fmt.Sprintf("kill -CONT %d, or kill -9 %d, then delegate resume", e.PID, e.PID)
}

// Answers is a *SilentError if the supervisor is stopped, or its note has not been renewed for long. The clock may have
// been set, and the machine may have slept: so what counts in the end is that it is not renewed while this waits.
func (s *Supervisor) Answers(p *project.Project) error {
	info, err := os.Stat(SupervisorFile(p))
	if err != nil {
		return nil // it just ended
	}
	age := time.Since(info.ModTime()).Abs()
	if s.Stopped() {
		return &SilentError{s.PID, age, true}
	}
	if age < SilentAfter {
		return nil
	}
	for deadline := time.Now().Add(3 * BeatEvery); time.Now().Before(deadline); time.Sleep(BeatEvery / 20) {
		if now, err := os.Stat(SupervisorFile(p)); err != nil || !now.ModTime().Equal(info.ModTime()) {
			return nil
		}
	}
	return &SilentError{s.PID, age, false}
}

// Note is what stands on disk: as long as it ever gets, without the newest failures if there are too many.
func (v Supervisor) Note() ([]byte, error) {
	for {
		data, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("note supervisor: %w", err)
		}
		if left := NoteRoom - len(data); left >= 0 || len(v.Failures) == 0 {
			return append(data, bytes.Repeat([]byte(" "), max(0, left))...), nil
		}
		v.Failures = v.Failures[:len(v.Failures)-1]
	}
}

// SupervisorMissing says whether agents need a supervisor and none lives. Inside of a turn, where its process is not to
// be seen, nobody can say so.
func SupervisorMissing(p *project.Project, state registry.State) bool {
	if p.Inside || state.Session == nil || state.Session.PlanApproved == "" || FindSupervisor(p) != nil {
		return false
	}
	return slices.ContainsFunc(state.Agents, func(a registry.Agent) bool {
		return a.Status == registry.Running || a.Status == registry.Spawning || MayStart(state, a)
	})
}

// HeartbeatFile is the file that an agent touches to say that it is alive.
func HeartbeatFile(p *project.Project, session, id string) string {
	return filepath.Join(p.AgentDir(session, id), agentdir.Heartbeat(id))
}

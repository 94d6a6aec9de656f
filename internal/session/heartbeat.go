package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"delegate/internal/atomicfile"
	"delegate/internal/project"
	"delegate/internal/run"
	"delegate/registry"
)

// Supervisor is who supervises, as noted on disk.
type Supervisor struct {
	run.Identity
	Started  time.Time `json:"started_at"`
	Failures []Failure `json:"failures,omitempty"`
}

func supervisorFile(p *project.Project) string { return filepath.Join(p.Private, "supervisor.json") }
func supervisorLock(p *project.Project) string { return filepath.Join(p.Private, "supervisor.lock") }
func supervisorLog(p *project.Project) string  { return filepath.Join(p.Private, "supervisor.log") }

// FindSupervisor is the living supervisor of the repository, or nil.
func FindSupervisor(p *project.Project) *Supervisor {
	for range 3 {
		data, err := os.ReadFile(supervisorFile(p))
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

const (
	beatEvery = time.Second
	// silentAfter is how old the note of a supervisor that lives may be before it counts as one that does not answer.
	silentAfter = 30 * time.Second
	// noteRoom is how large the note is from the beginning: what the supervisor cannot do is written over it,
	// which needs no room on a full disk.
	noteRoom = 8 << 10
)

// SilentError says that a supervisor lives and does nothing.
type SilentError struct {
	PID int
	For time.Duration
}

func (e *SilentError) Error() string {
	return fmt.Sprintf("the supervisor (process %d) has not answered for %s", e.PID, e.For.Round(time.Second))
}

// Next is what a person types then.
func (e *SilentError) Next() string {
	return fmt.Sprintf("kill -CONT %d, or kill -9 %d, then delegate resume", e.PID, e.PID)
}

// Answers is a *SilentError if the supervisor's note has not been renewed for long. The clock may
// have been set, and the machine may have slept:
// so what counts in the end is that it is not renewed while this waits.
func (s *Supervisor) Answers(p *project.Project) error {
	info, err := os.Stat(supervisorFile(p))
	if err != nil {
		return nil // it just ended
	}
	age := time.Since(info.ModTime()).Abs()
	if age < silentAfter {
		return nil
	}
	for deadline := time.Now().Add(3 * beatEvery); time.Now().Before(deadline); time.Sleep(beatEvery / 20) {
		if now, err := os.Stat(supervisorFile(p)); err != nil || !now.ModTime().Equal(info.ModTime()) {
			return nil
		}
	}
	return &SilentError{s.PID, age}
}

// announce notes on disk who supervises.
func (s *supervisor) announce() error {
	s.noted = Supervisor{Identity: run.Self(), Started: s.p.Now().UTC()}
	data, err := s.noted.note()
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(supervisorFile(s.p), data, 0o600); err != nil {
		return err
	}
	file, err := os.OpenFile(supervisorFile(s.p), os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("note supervisor: %w", err)
	}
	if s.noteFile != nil {
		_ = s.noteFile.Close() // of a note that is gone
	}
	s.noteFile = file
	return nil
}

// note is what stands on disk: as long as it ever gets, without the newest failures if there are too many.
func (v Supervisor) note() ([]byte, error) {
	for {
		data, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("note supervisor: %w", err)
		}
		if room := noteRoom - len(data); room >= 0 || len(v.Failures) == 0 {
			return append(data, bytes.Repeat([]byte(" "), max(0, room))...), nil
		}
		v.Failures = v.Failures[:len(v.Failures)-1]
	}
}

var errReplaced = errors.New("another supervisor has taken over")

// beat renews the note now and then, with what goes wrong. A note that is gone, as with the whole
// private folder, is made anew together with the lock;
// errReplaced if another supervisor was faster.
func (s *supervisor) beat() error {
	now := s.mono()
	if s.beatAt > 0 && now < s.beatAt+beatEvery {
		return nil
	}
	s.beatAt = now
	s.noted.Failures = s.lasting()
	data, err := s.noted.note()
	if err != nil {
		return err
	}
	there, err := os.Stat(supervisorFile(s.p))
	mine, mineErr := s.noteFile.Stat()
	if err == nil && mineErr == nil && os.SameFile(there, mine) {
		if _, err := s.noteFile.WriteAt(data, 0); err != nil {
			return fmt.Errorf("note supervisor: %w", err)
		}
		return nil
	}
	if _, err := os.Stat(s.p.Repo.CommonDir); err != nil {
		return nil // the repository was deleted, as the next look finds
	}
	if other := FindSupervisor(s.p); other != nil && other.PID != os.Getpid() {
		return errReplaced
	}
	lock, err := atomicfile.TryLock(supervisorLock(s.p))
	if err == nil {
		s.locks = append(s.locks, lock) // the one before is of a file that is gone
	} else if !errors.Is(err, atomicfile.ErrLocked) {
		return err
	}
	return s.announce()
}

// Unwell is what is wrong with the supervision of the session: nobody supervises, the supervisor
// does not answer, or it cannot do something.
func Unwell(p *project.Project, state registry.State) []Point {
	if SupervisorMissing(p, state) {
		return []Point{{Kind: SupervisorPoint, Since: LastSign(state),
			Text: "the supervisor is not running; the agents' output is kept", Next: "delegate resume"}}
	}
	s := FindSupervisor(p)
	if s == nil || state.Session == nil {
		return nil
	}
	var all []Point
	var silent *SilentError
	if err := s.Answers(p); errors.As(err, &silent) {
		all = append(all, Point{Kind: SupervisorPoint, Since: p.Now().Add(-silent.For), Text: silent.Error(),
			Next: silent.Next()})
	}
	for _, f := range s.Failures {
		all = append(all, Point{Kind: FailurePoint, Agent: f.Agent, Since: f.Since, Text: f.String(), Next: f.Next})
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

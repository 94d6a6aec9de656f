package supervise

import (
	"errors"
	"fmt"
	"os"

	"delegate/internal/control/session"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
)

// announce notes on disk who supervises.
func (s *supervisor) announce() error {
	s.noted = session.Supervisor{Identity: run.Self(), Started: s.p.Now().UTC()}
	data, err := s.noted.Note()
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(session.SupervisorFile(s.p), data, 0o600); err != nil {
		return err
	}
	file, err := os.OpenFile(session.SupervisorFile(s.p), os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("note supervisor: %w", err)
	}
	if s.noteFile != nil {
		_ = s.noteFile.Close() // of a note that is gone
	}
	s.noteFile = file
	return nil
}

var errReplaced = errors.New("another supervisor has taken over")

// renew has others see that it lives, and notes why they do not; errReplaced if it is to end.
func (s *supervisor) renew() error {
	err := s.beat()
	if errors.Is(err, errReplaced) {
		return err
	}
	s.noteAttempt(attempt{"note that it lives", lane{}}, err)
	return nil
}

// beat renews the note now and then, with what goes wrong. A note that is gone, as with the whole
// private folder, is made anew together with the lock; errReplaced if another supervisor was
// faster.
func (s *supervisor) beat() error {
	now := s.mono()
	if s.beatAt > 0 && now < s.beatAt+session.BeatEvery {
		return nil
	}
	s.beatAt = now
	s.noted.Failures = s.lasting()
	data, err := s.noted.Note()
	if err != nil {
		return err
	}
	there, err := os.Stat(session.SupervisorFile(s.p))
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
	if other := session.FindSupervisor(s.p); other != nil && other.PID != os.Getpid() {
		return errReplaced
	}
	lock, err := atomicfile.TryLock(session.SupervisorLock(s.p))
	if err == nil {
		s.locks = append(s.locks, lock) // the one before is of a file that is gone
	} else if !errors.Is(err, atomicfile.ErrLocked) {
		return err
	}
	return s.announce()
}

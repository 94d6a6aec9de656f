package supervise

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"delegate/internal/control/session"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/turnsetup"
	"delegate/registry"
)

// noteSurroundings notes what is around an agent before a turn in which the kernel does not keep it from the
// repository's references and settings.
func (s snapshot) noteSurroundings(ctx context.Context, a registry.Agent, f turnsetup.Setup) error {
	if f.Place.Confinement == agent.FencedLayered {
		return nil
	}
	if _, err := fmt.Sscanf(filepath.Base(f.Turn.Dir), "turn-%d", &a.Turns); err != nil {
		return fmt.Errorf("note what is around %s: %w", a.ID, err)
	}
	around, err := s.p.Surroundings(ctx, s.state, a)
	if err != nil {
		return err
	}
	return s.p.RememberSurroundings(s.state.Session.ID, a.ID, around)
}

// compareSurroundings records what changed around the agent in its turn: a violation where the
// agent's own commits were put on a reference that nobody landed them on, and where settings that
// make git run programs changed; a note in the log for everything else, which a person may have
// done.
func (s snapshot) compareSurroundings(ctx context.Context, a registry.Agent) error {
	id := s.state.Session.ID
	before, err := s.p.RememberedSurroundings(id, a)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the kernel held it
	}
	if err != nil {
		return err
	}
	now, err := s.p.Surroundings(ctx, s.state, a)
	if err != nil {
		return err
	}
	intrusions, err := s.p.Intruded(ctx, before.Refs, now.Refs, s.landedElsewhere(a))
	if err != nil {
		return err
	}
	var rows []string
	for _, i := range intrusions {
		if i.Agent != a.ID {
			s.note("around "+a.ID+", not by it as far as anybody can tell: "+i.String(), nil)
			continue
		}
		rows = append(rows, "reference "+i.String())
	}
	for _, c := range before.Settings.Changed(now.Settings) {
		if c.Dangerous {
			rows = append(rows, "settings of the repository changed while it worked: "+c.String())
			continue
		}
		s.note("around "+a.ID+": "+c.String(), nil)
	}
	if len(rows) > 0 {
		_, err = s.p.Store.Update(ctx, func(tx *registry.Tx) error {
			for _, details := range rows {
				e := registry.Event{
					Kind:    registry.EventViolation,
					Agent:   a.ID,
					By:      session.BySupervisor,
					Details: details,
				}
				if err := tx.Record(e, (*registry.Agent).AddViolation); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return errors.Join(err, s.p.RememberSurroundings(id, a.ID, now)) // what was said is not said again
}

// landedElsewhere are the agents whose commits nobody put on a reference by a landing.
func (s snapshot) landedElsewhere(a registry.Agent) []registry.Agent {
	if s.state.Session.Status == registry.SessionMerging {
		return nil // a landing is under way, and whose it is the next turn's end can tell
	}
	return []registry.Agent{a}
}

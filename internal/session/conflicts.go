package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/atomicfile"
	"delegate/internal/project"
	"delegate/registry"
)

// openConflict is a clash between agents' work that has a row and still is in their work.
type openConflict struct {
	Agent string    `json:"agent"`
	Text  string    `json:"text"`
	Since time.Time `json:"since"`
	Seen  bool      `json:"seen"` // a person knows it
}

func conflictsFile(p *project.Project, session string) string {
	return filepath.Join(p.AgentState(session, ""), "conflicts.json")
}

// readConflicts are the open conflicts of a session by their names. If they are lost, they are
// found and recorded again.
func readConflicts(p *project.Project, session string) (map[string]openConflict, error) {
	open := map[string]openConflict{}
	data, err := os.ReadFile(conflictsFile(p, session))
	if errors.Is(err, fs.ErrNotExist) {
		return open, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &open)
	}
	if err != nil {
		return nil, fmt.Errorf("read open conflicts: %w", err)
	}
	return open, nil
}

// changeConflicts changes them under their lock: the supervisor and a person's commands do.
func changeConflicts(ctx context.Context, p *project.Project, session string,
	change func(map[string]openConflict) error) error {
	path := conflictsFile(p, session)
	lock, err := atomicfile.Lock(ctx, path+".lock")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	open, err := readConflicts(p, session)
	if err != nil {
		return err
	}
	before, err := json.Marshal(open)
	if err == nil {
		err = change(open)
	}
	if err != nil {
		return err
	}
	data, err := json.Marshal(open)
	if err != nil || string(data) == string(before) {
		return err
	}
	return atomicfile.WriteFile(path, data, 0o600)
}

// conflictPoints are the open conflicts that no person has seen, oldest first.
func conflictPoints(p *project.Project, state registry.State) []Point {
	open, err := readConflicts(p, state.Session.ID)
	if err != nil {
		return nil // a landing finds them again
	}
	var all []Point
	for key, c := range open {
		if a, err := state.Agent(c.Agent); err == nil && !a.Status.Ended() && !c.Seen {
			all = append(all, Point{Kind: ConflictPoint, Agent: c.Agent, Since: c.Since, Text: key + ": " + c.Text,
				Next: "delegate conflicts", Key: key})
		}
	}
	slices.SortFunc(all, func(x, y Point) int { return strings.Compare(x.Key, y.Key) })
	return all
}

// Seen closes a conflict that was found while agents worked: the person knows it; landings show it again.
func (c Control) Seen(ctx context.Context, key string) error {
	state, err := c.Current(ctx)
	if err != nil {
		return err
	}
	return changeConflicts(ctx, c.P, state.Session.ID, func(open map[string]openConflict) error {
		_, err := c.P.Store.Update(ctx, func(tx *registry.Tx) error {
			return tx.Record(registry.Event{Kind: registry.EventResolved,
				Details: key + ": seen; it is shown again before a landing", By: c.Who}, nil)
		})
		if o, is := open[key]; is && err == nil {
			o.Seen = true
			open[key] = o
		}
		return err
	})
}

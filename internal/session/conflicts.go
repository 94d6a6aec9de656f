package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"delegate/internal/atomicfile"
	"delegate/internal/project"
)

// OpenConflict is a clash between agents' work that has a row and still is in their work.
type OpenConflict struct {
	Agent string    `json:"agent"`
	Text  string    `json:"text"`
	Since time.Time `json:"since"`
	Seen  bool      `json:"seen"` // a person knows it
}

func conflictsFile(p *project.Project, session string) string {
	return filepath.Join(p.AgentState(session, ""), "conflicts.json")
}

// ReadConflicts are the open conflicts of a session by their names. If they are lost, they are
// found and recorded again.
func ReadConflicts(p *project.Project, session string) (map[string]OpenConflict, error) {
	open := map[string]OpenConflict{}
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

// ChangeConflicts changes them under their lock: the supervisor and a person's commands do.
func ChangeConflicts(ctx context.Context, p *project.Project, session string,
	change func(map[string]OpenConflict) error) error {
	path := conflictsFile(p, session)
	lock, err := atomicfile.Lock(ctx, path+".lock")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	open, err := ReadConflicts(p, session)
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

package session

import (
	"context"
	"path/filepath"
	"time"

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
	return readFile[map[string]OpenConflict](conflictsFile(p, session))
}

// ChangeConflicts changes them under their lock.
func ChangeConflicts(ctx context.Context, p *project.Project, session string,
	change func(map[string]OpenConflict) error) error {
	return changeMap(ctx, conflictsFile(p, session), change)
}

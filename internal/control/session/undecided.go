package session

import (
	"context"
	"fmt"
	"path/filepath"

	"delegate/internal/project"
	"delegate/registry"
)

// Undecided are the files in which an agent's work and what was merged into it conflicted without markers, each with
// the commit of that merge: while the file is as it is there, nobody has said which side is right. Where they are lost
// with the private folder, that is not told.
func Undecided(p *project.Project, session string, a registry.Agent) (map[string]string, error) {
	return readFile[map[string]string](undecidedFile(p, session, a))
}

func undecidedFile(p *project.Project, session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), fmt.Sprintf("undecided-%d.json", a.Attempt))
}

// AddUndecided notes such files of a merge.
func AddUndecided(ctx context.Context, p *project.Project, session string, a registry.Agent, commit string,
	paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return changeMap(ctx, undecidedFile(p, session, a), func(all map[string]string) error {
		for _, path := range paths {
			all[path] = commit
		}
		return nil
	})
}

package session

import (
	"path/filepath"

	"delegate/internal/project"
)

// Ungathered tells why an agent's finished work is not on the session's integration branch.
type Ungathered struct {
	Head string   `json:"head"` // the agent's
	With []string `json:"with"` // the agents whose work was on the branch when this was tried
	Why  string   `json:"why"`
}

func ungatheredFile(p *project.Project, session string) string {
	return filepath.Join(p.AgentState(session, ""), "ungathered.json")
}

// ReadUngathered are those of the last gathering, by their agents. Where it is lost, the next gathering finds them.
func ReadUngathered(p *project.Project, session string) map[string]Ungathered {
	all, err := readFile[map[string]Ungathered](ungatheredFile(p, session))
	if err != nil {
		return nil
	}
	return all
}

// KeepUngathered remembers what a gathering left out.
func KeepUngathered(p *project.Project, session string, all map[string]Ungathered) error {
	return writeFile(ungatheredFile(p, session), all)
}

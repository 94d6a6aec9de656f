package session

import (
	"path/filepath"

	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
)

// NotIntegrated tells why an agent's finished work is not on the session's integration branch.
type NotIntegrated struct {
	Head string   `json:"head"` // the agent's
	With []string `json:"with"` // the agents whose work was on the branch when this was tried
	Why  string   `json:"why"`
}

func notIntegratedFile(p *project.Project, session string) string {
	return filepath.Join(p.AgentState(session, ""), "not-integrated.json")
}

// ReadNotIntegrated are those of the last try, by their agents. Where the file is lost, the next try finds them.
func ReadNotIntegrated(p *project.Project, session string) map[string]NotIntegrated {
	all, err := readFile[map[string]NotIntegrated](notIntegratedFile(p, session))
	if err != nil {
		return nil
	}
	return all
}

// WriteNotIntegrated remembers what the last try left out.
func WriteNotIntegrated(p *project.Project, session string, all map[string]NotIntegrated) error {
	return atomicfile.WriteJSON(notIntegratedFile(p, session), all)
}

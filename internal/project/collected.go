package project

import (
	"fmt"
	"os"
	"path/filepath"

	"delegate/internal/atomicfile"
	"delegate/registry"
)

func (p *Project) collectedFile(session, agent string) string {
	return filepath.Join(p.AgentState(session, agent), "collected")
}

// result names the end of a turn whose result can be fetched.
func result(a registry.Agent) string { return fmt.Sprintf("attempt %d, turn %d", a.Attempt, a.Turns) }

// Collect notes that somebody was given the agent's last result. It is comfort and never fails a reading command.
func (p *Project) Collect(session string, a registry.Agent) {
	if a.Turns > 0 && !p.Collected(session, a) {
		_ = atomicfile.WriteFile(p.collectedFile(session, a.ID), []byte(result(a)), 0o600)
	}
}

// Collected reports whether somebody was given the agent's last result, or decided on it: an agent
// that is MERGED was reviewed. An agent that never ran has no result.
func (p *Project) Collected(session string, a registry.Agent) bool {
	if a.Turns == 0 || a.Status == registry.Merged {
		return true
	}
	data, err := os.ReadFile(p.collectedFile(session, a.ID))
	return err == nil && string(data) == result(a)
}

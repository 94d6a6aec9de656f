package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"delegate/internal/atomicfile"
	"delegate/internal/project"
	"delegate/registry"
)

// rateLimit is a turn that must not begin before a time.
type rateLimit struct {
	Until time.Time `json:"until"`
}

func RateLimitFile(p *project.Project, session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), "hold.json")
}

func SetRateLimit(p *project.Project, session string, a registry.Agent, until time.Time) error {
	data, err := json.Marshal(rateLimit{until})
	if err != nil {
		return fmt.Errorf("hold %s back: %w", a.ID, err)
	}
	return atomicfile.WriteFile(RateLimitFile(p, session, a), data, 0o600)
}

// RateLimited reports whether the agent's next turn waits for the end of a rate limit.
func RateLimited(p *project.Project, session string, a registry.Agent) bool {
	data, err := os.ReadFile(RateLimitFile(p, session, a))
	var h rateLimit
	if err != nil || json.Unmarshal(data, &h) != nil {
		return false
	}
	return h.Until.After(p.Now())
}

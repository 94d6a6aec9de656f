package session

import (
	"path/filepath"
	"time"

	"delegate/internal/project"
	"delegate/registry"
)

// rateLimit is a turn that must not begin before a time.
type rateLimit struct {
	Until time.Time `json:"until"`
}

// RateLimitFile is there while the agent's next turn waits for the end of a rate limit.
func RateLimitFile(p *project.Project, session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), "hold.json")
}

// SetRateLimit holds the agent's next turn back until a time.
func SetRateLimit(p *project.Project, session string, a registry.Agent, until time.Time) error {
	return writeFile(RateLimitFile(p, session, a), rateLimit{until})
}

// RateLimited reports whether the agent's next turn waits for the end of a rate limit.
func RateLimited(p *project.Project, session string, a registry.Agent) bool {
	limit, err := readFile[rateLimit](RateLimitFile(p, session, a))
	return err == nil && limit.Until.After(p.Now())
}

package session

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"delegate/internal/project"
	"delegate/registry"
)

// OpenBreach is a breach that stands in the registry and still is in the agent's work.
type OpenBreach struct {
	Turn      int       `json:"turn"`  // in which its last row was written
	State     string    `json:"state"` // what the path has, by mode and id
	Reason    string    `json:"reason"`
	Allowable bool      `json:"allowable"`
	Since     time.Time `json:"since"`
	Answered  bool      `json:"told"` // a person sent it back to the agent
}

// ReadBreaches are the open breaches of an agent's attempt by their paths. If they are lost, they
// are found and recorded again.
func ReadBreaches(p *project.Project, session string, a registry.Agent) (map[string]OpenBreach, error) {
	return readFile[map[string]OpenBreach](breachesFile(p, session, a))
}

func breachesFile(p *project.Project, session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), fmt.Sprintf("violations-%d.json", a.Attempt))
}

// ChangeBreaches changes them under their lock.
func ChangeBreaches(ctx context.Context, p *project.Project, session string, a registry.Agent,
	change func(map[string]OpenBreach)) error {
	return changeMap(ctx, breachesFile(p, session, a), func(open map[string]OpenBreach) error {
		change(open)
		return nil
	})
}

// RecordedPaths are the paths outside of its scope of which a row of the agent's attempt tells, mended or not.
func RecordedPaths(p *project.Project, session string, a registry.Agent) (map[string]bool, error) {
	return readFile[map[string]bool](recordedFile(p, session, a))
}

func recordedFile(p *project.Project, session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), fmt.Sprintf("violations-%d-paths.json", a.Attempt))
}

// AddRecordedPaths notes that rows tell of the paths. If that is lost, they may be told once more.
func AddRecordedPaths(ctx context.Context, p *project.Project, session string, a registry.Agent, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return changeMap(ctx, recordedFile(p, session, a), func(recorded map[string]bool) error {
		for _, path := range paths {
			recorded[path] = true
		}
		return nil
	})
}

// Outside is a change outside of an agent's scope that a person has not answered.
type Outside struct {
	Path, Reason string
	Allowable    bool // the scope can be widened by it
}

func (o Outside) String() string { return project.Breach{Path: o.Path, Reason: o.Reason}.String() }

// MonitorIndex is the file in which git remembers what the base of an attempt looks like in the worktree.
func MonitorIndex(p *project.Project, session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), fmt.Sprintf("index-watch-%d", a.Attempt))
}

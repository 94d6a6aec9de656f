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

// ReadBreaches are the open breaches of an agent's attempt by their paths. If they are lost, they are
// found and recorded again.
func ReadBreaches(p *project.Project, session string, a registry.Agent) (map[string]OpenBreach, error) {
	open := map[string]OpenBreach{}
	data, err := os.ReadFile(breachesFile(p, session, a))
	if errors.Is(err, fs.ErrNotExist) {
		return open, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &open)
	}
	if err != nil {
		return nil, fmt.Errorf("read open violations of %s: %w", a.ID, err)
	}
	return open, nil
}

func breachesFile(p *project.Project, session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), fmt.Sprintf("violations-%d.json", a.Attempt))
}

// ChangeBreaches changes them under their lock: the supervisor and a person's commands do.
func ChangeBreaches(ctx context.Context, p *project.Project, session string, a registry.Agent,
	change func(map[string]OpenBreach)) error {
	path := breachesFile(p, session, a)
	lock, err := atomicfile.Lock(ctx, path+".lock")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	open, err := ReadBreaches(p, session, a)
	if err != nil {
		return err
	}
	before := len(open)
	change(open)
	if before+len(open) == 0 {
		return nil
	}
	data, err := json.Marshal(open)
	if err != nil {
		return fmt.Errorf("note open violations of %s: %w", a.ID, err)
	}
	return atomicfile.WriteFile(path, data, 0o600)
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

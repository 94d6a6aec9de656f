package supervise

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"delegate/internal/turn/agent"
	"delegate/internal/turn/agentdir"
	"delegate/registry"
)

// hookPatience is how long after the first result of a tool a program's hook may have been silent.
const hookPatience = 5 * time.Second

// unguarded reports whether the program used a tool and its hook was not asked. It says so once for each turn.
func (s *supervisor) unguarded(a registry.Agent, w *watch) bool {
	if !w.UsedTool() || w.guardLooked {
		return false
	}
	if w.toolAt == 0 {
		w.toolAt = w.Clock.Worked
	}
	if w.Clock.Worked-w.toolAt < hookPatience {
		return false
	}
	w.guardLooked = true
	profile, err := agent.Find(s.p.Config, a.Profile)
	if err != nil || profile.Hook == nil {
		return false
	}
	record, err := w.Turn.Record()
	if err != nil {
		return false
	}
	info, err := os.Lstat(filepath.Join(s.p.AgentDir(s.state.Session.ID, a.ID), agentdir.HookSeen))
	return err != nil || info.ModTime().Before(record.Started)
}

// tellUnguarded records that a program's own layer does not hold.
func (s snapshot) tellUnguarded(ctx context.Context, a registry.Agent) error {
	return s.flag(ctx, a, registry.EventViolation,
		"unguarded: its program used a tool without asking the pre-tool hook; the other layers hold it",
		registry.FlagUnguarded)
}

package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"delegate/internal/agent"
	"delegate/internal/agentdir"
	"delegate/internal/atomicfile"
	"delegate/internal/guard"
	"delegate/internal/project"
	"delegate/internal/run"
	"delegate/registry"
)

// provide gives the program its login and its configuration.
func (s *supervisor) provide(ctx context.Context, a registry.Agent, f setting) error {
	return provide(ctx, s.p, a, f)
}

// provide gives a turn's program its login and its configuration. Where it asks before it uses a
// tool, its question is tried first.
func provide(ctx context.Context, p *project.Project, a registry.Agent, f setting) error {
	if f.profile.Hook != "" {
		if err := proveHook(ctx, f.profile.Hook, policy(p, a, f.place), f.place.Turn); err != nil {
			return fmt.Errorf("%s is not started: its pre-tool hook does not hold: %w", f.profile.Name, err)
		}
	}
	return f.profile.WriteConfig(f.place)
}

// proveHook asks the hook, as the program will, about a write that it must refuse. What it reports
// of that goes to a desk of its own.
func proveHook(ctx context.Context, dialect string, policy guard.Policy, turn string) error {
	desk, err := os.MkdirTemp(turn, "probe-")
	if err != nil {
		return fmt.Errorf("try the hook: %w", err)
	}
	defer os.RemoveAll(desk)
	policy.AgentDir = desk
	file := filepath.Join(turn, "probe.json")
	if err := policy.Write(file); err != nil {
		return err
	}
	defer os.Remove(file)
	payload, err := guard.Probe(dialect, policy)
	if err != nil {
		return err
	}
	out, err := run.Output(ctx, run.Command{Path: run.Program(), Args: []string{"hook", dialect, file}, Dir: turn,
		Stdin: bytes.NewReader(payload)})
	if err != nil {
		return err
	}
	if !bytes.Contains(out, []byte(`"deny"`)) {
		return fmt.Errorf("it let a write outside of the worktree pass, and said %q", out)
	}
	return nil
}

// policy is what the pre-tool hook decides by in the next turn.
func policy(p *project.Project, a registry.Agent, place agent.Place) guard.Policy {
	return guard.Policy{
		Agent: a.ID, Base: a.Base, Worktree: place.Worktree, AgentDir: place.AgentDir, Home: place.Home, Tmp: place.Tmp,
		Allowed: a.Allowed, Forbidden: slices.Concat(a.Forbidden, p.Config.Forbidden), Roots: p.Config.AllowedRoots,
		Restricted: p.Config.Restricted,
	}
}

// hookPatience is how long after its first use of a tool a program's hook may have been silent.
const hookPatience = 5 * time.Second

// unguarded reports whether the program used a tool and its hook was not asked. It says so once for each turn.
func (s *supervisor) unguarded(a registry.Agent, w *watch) bool {
	if w.hearing == nil || w.hearing.tools == 0 || w.guardLooked {
		return false
	}
	if w.toolAt == 0 {
		w.toolAt = w.clock.worked
	}
	if w.clock.worked-w.toolAt < hookPatience {
		return false
	}
	w.guardLooked = true
	profile, err := agent.Find(s.p.Config, a.Profile)
	if err != nil || profile.Hook == "" {
		return false
	}
	record, err := w.turn.Record()
	if err != nil {
		return false
	}
	info, err := os.Lstat(filepath.Join(s.p.AgentDir(s.state.Session.ID, a.ID), agentdir.HookSeen))
	return err != nil || info.ModTime().Before(record.Started)
}

// tellUnguarded records that a program's own layer does not hold.
func (s *supervisor) tellUnguarded(ctx context.Context, a registry.Agent) error {
	return s.flag(ctx, a, asked{registry.EventViolation,
		"unguarded: its program used a tool without asking the pre-tool hook; the other layers hold it",
		registry.FlagUnguarded})
}

// hold is a turn that must not begin before a time.
type hold struct {
	Until time.Time `json:"until"`
}

// limitPause is how long a provider that names no end of its limit is left alone.
const limitPause = 5 * time.Minute

func holdFile(p *project.Project, at seat) string {
	return filepath.Join(p.AgentState(at.session, at.agent.ID), "hold.json")
}

func (s *supervisor) putHold(a registry.Agent, until time.Time) error {
	data, err := json.Marshal(hold{until})
	if err != nil {
		return fmt.Errorf("hold %s back: %w", a.ID, err)
	}
	return atomicfile.WriteFile(holdFile(s.p, s.seat(a)), data, 0o600)
}

// held reports whether the agent's next turn waits for the end of a rate limit.
func held(p *project.Project, at seat) bool {
	data, err := os.ReadFile(holdFile(p, at))
	var h hold
	if err != nil || json.Unmarshal(data, &h) != nil {
		return false
	}
	return h.Until.After(p.Now())
}

// release takes the hold and its flag away once the turn begins.
func (s *supervisor) release(ctx context.Context, a registry.Agent) error {
	if err := os.Remove(holdFile(s.p, s.seat(a))); err != nil {
		return nil // there was none
	}
	_, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		return tx.Edit(a.ID, func(a *registry.Agent) { a.Flags = a.Flags.Without(registry.FlagRateLimited) })
	})
	return err
}

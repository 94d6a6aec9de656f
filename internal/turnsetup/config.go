package turnsetup

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"delegate/internal/agent"
	"delegate/internal/guard"
	"delegate/internal/project"
	"delegate/internal/run"
	"delegate/registry"
)

// WriteConfig gives a turn's program its login and its configuration. Where it asks before it uses a
// tool, its question is tried first.
func WriteConfig(ctx context.Context, p *project.Project, a registry.Agent, f Setup) error {
	if f.Profile.Hook != nil {
		if err := checkHook(ctx, f.Profile.Name, hookPolicy(p, a, f.Place), f.Place.Turn); err != nil {
			return fmt.Errorf("%s is not started: its pre-tool hook does not hold: %w", f.Profile.Name, err)
		}
	}
	return f.Profile.WriteConfig(f.Place)
}

// checkHook asks the hook, as the program will, about a write that it must refuse. What it reports
// of that goes to a folder of its own.
func checkHook(ctx context.Context, dialect string, policy guard.Policy, turn string) error {
	probe, err := os.MkdirTemp(turn, "probe-")
	if err != nil {
		return fmt.Errorf("try the hook: %w", err)
	}
	defer os.RemoveAll(probe)
	policy.AgentDir = probe
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

// hookPolicy is what the pre-tool hook decides by in the next turn.
func hookPolicy(p *project.Project, a registry.Agent, place agent.Place) guard.Policy {
	return guard.Policy{
		Agent: a.ID, Base: a.Base, Worktree: place.Worktree, AgentDir: place.AgentDir, Home: place.Home, Tmp: place.Tmp,
		Allowed: a.Allowed, Forbidden: slices.Concat(a.Forbidden, p.Config.Forbidden), Roots: p.Config.AllowedRoots,
		Restricted: p.Config.Restricted,
	}
}

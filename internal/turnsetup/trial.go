package turnsetup

import (
	"context"
	"fmt"
	"os"

	"delegate/internal/agent"
	"delegate/internal/keeper"
	"delegate/internal/project"
	"delegate/internal/run"
	"delegate/internal/sandbox"
	"delegate/registry"
)

// Trial is a place in which a command runs as an agent's program would.
type Trial struct {
	Fence *keeper.Fence // nil where nothing of the kernel holds the agents of the session
	place agent.Place
	env   []string
}

// Try prepares a trial. The agent's own turns and messages are not touched; what the command does
// in its worktree is done.
func Try(ctx context.Context, p *project.Project, state registry.State, a registry.Agent) (*Trial, error) {
	profile, err := agent.Find(p.Config, a.Profile)
	if err != nil {
		return nil, err
	}
	folder := p.AgentState(state.Session.ID, a.ID)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("prepare trial: %w", err)
	}
	turn, err := os.MkdirTemp(folder, "try-")
	if err != nil {
		return nil, fmt.Errorf("prepare trial: %w", err)
	}
	t := &Trial{}
	if t.place, err = MakeDirs(ctx, p, *state.Session, a, keeper.Turn{Dir: turn}); err == nil {
		err = WriteHooks(ctx, p, a, &t.place)
	}
	if err == nil && state.Session.Sandbox == "" {
		r := FenceRequest{Project: p, Session: state.Session.ID, Agent: a, Support: sandbox.Detect(ctx),
			Busy: a.Status == registry.Running}
		t.Fence, err = FenceTurn(ctx, r, &t.place)
	}
	if err != nil {
		t.place.Turn = turn
		t.Close()
		return nil, err
	}
	t.env = t.place.Environ(profile)
	return t, nil
}

// Run runs the command to its end and answers with its exit status. Beside streams and words,
// everything of it is the agent's.
func (t *Trial) Run(c run.Command) (int, error) {
	program, err := run.Which(c.Path, t.place.Worktree, os.Getenv("PATH"))
	if err != nil {
		return sandbox.StartFault, err
	}
	c.Path, c.Dir, c.Env = program, t.place.Worktree, t.env
	return t.Fence.Run(c)
}

// Close takes the trial's private folder away.
func (t *Trial) Close() {
	Tidy(keeper.Turn{Dir: t.place.Turn})
	_ = os.RemoveAll(t.place.Turn)
}

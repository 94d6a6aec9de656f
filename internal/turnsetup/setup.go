package turnsetup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"delegate/internal/agent"
	"delegate/internal/agentdir"
	"delegate/internal/keeper"
	"delegate/internal/project"
	"delegate/registry"
)

// Setup is what a turn runs in.
type Setup struct {
	Turn    keeper.Turn
	Profile agent.Profile
	Place   agent.Place
	Fence   *keeper.Fence // nil where nothing of the kernel holds the turn
}

// MakeDirs makes the agent's folders outside its worktree.
func MakeDirs(ctx context.Context, p *project.Project, session registry.Session, a registry.Agent,
	turn keeper.Turn) (agent.Place, error) {
	folder := p.AgentRoot(session.ID, a.ID)
	place := agent.Place{
		Session: session.ID, Agent: a.ID, Worktree: a.Worktree, AgentDir: p.AgentDir(session.ID, a.ID),
		Home: filepath.Join(folder, "home"), Tmp: filepath.Join(folder, "tmp"), PromptFile: turn.PromptFile(),
		Turn: turn.Dir, Git: p.Repo.CommonDir, Branch: a.Branch, Allowed: a.Allowed, Forbidden: a.Forbidden,
	}
	// Nobody else starts a program that an agent left there with the rights of its owner.
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return place, fmt.Errorf("make folders of %s: %w", a.ID, err)
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		return place, fmt.Errorf("close folder of %s: %w", a.ID, err)
	}
	for _, dir := range []string{place.AgentDir, place.Home, place.Tmp} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return place, fmt.Errorf("make folders of %s: %w", a.ID, err)
		}
	}
	if err := agentdir.Dir(place.AgentDir).Folder("inbox"); err != nil {
		return place, err
	}
	ports, err := p.Ports(ctx, session.ID, a)
	if err != nil {
		return place, err
	}
	place.PortBase, place.PortCount, place.Name = ports.First, ports.Count, p.UniqueName(session.ID, a.ID)
	author, err := p.Repo.Author(ctx)
	if err != nil {
		return place, err
	}
	committer, err := p.Repo.Committer(ctx)
	if err != nil {
		return place, err
	}
	place.AuthorName, place.AuthorEmail = author.Name, author.Email
	place.CommitterName, place.CommitterMail = committer.Name, committer.Email
	return place, nil
}

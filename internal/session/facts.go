package session

import (
	"context"

	"delegate/internal/plan"
	"delegate/internal/project"
)

// Facts are what the repository says at the base about how a task can be split.
func Facts(ctx context.Context, p *project.Project, base string) (plan.Facts, error) {
	files, err := p.Repo.Files(ctx, base)
	if err != nil {
		return plan.Facts{}, err
	}
	return plan.Facts{Files: files, ScopeLimit: p.Config.ScopeLimit.Value(), MaxParallel: p.Config.MaxParallelAgents.Value()}, nil
}

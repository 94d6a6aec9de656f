package planner

import (
	"context"

	"delegate/internal/land/suite"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/turn/agent"
)

// Analyze is the analysis of a plan against the commit it would start from.
func Analyze(ctx context.Context, p *project.Project, whole *plan.Plan, base string) (plan.Analysis, error) {
	o := PlanOptions(p)
	o.Whole = true // a plan file with such a scope is refused where it is read
	facts, err := Facts(ctx, p, base)
	if err != nil {
		return plan.Analysis{}, err
	}
	return plan.Analyze(whole, o, facts)
}

// Facts returns which files are at the commit that a plan would start from, and the bounds of the configuration.
func Facts(ctx context.Context, p *project.Project, base string) (plan.Facts, error) {
	entries, err := p.Repo.Entries(ctx, base)
	if err != nil {
		return plan.Facts{}, err
	}
	f := plan.Facts{ScopeLimit: p.Config.ScopeLimit.Value(), MaxParallel: p.Config.MaxParallelAgents.Value(),
		ContextCap: agent.ContextCap}
	for _, e := range entries {
		f.Files = append(f.Files, e.Path)
		if suite.IsTest(e.Path) {
			f.Tests = append(f.Tests, e.Path)
		}
	}
	f.NoNamespaces = p.Config.Sandbox.Level != config.SandboxOff && !p.Support().Namespaces && p.Support().Landlock > 0
	return f, nil
}

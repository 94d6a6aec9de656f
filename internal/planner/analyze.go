package planner

import (
	"context"

	"delegate/internal/agent"
	"delegate/internal/config"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/survey"
)

// Analyze is the analysis of a plan against the commit it would start from.
// Code and history are read for the files in its scopes alone, or not at all where the facts of the
// whole commit are known without a gap.
func Analyze(ctx context.Context, p *project.Project, whole *plan.Plan, at Ground) (plan.Analysis, error) {
	o := PlanOptions(p)
	o.Whole = true // a plan file with such a scope is refused where it is read
	if at.Facts != nil && len(at.Facts.Gaps) == 0 {
		return plan.Analyze(whole, o, *at.Facts)
	}
	within, err := plan.Within(whole, o)
	if err != nil {
		return plan.Analysis{}, err
	}
	facts, err := facts(ctx, p, survey.Request{Base: at.Base, Within: within})
	if err != nil {
		return plan.Analysis{}, err
	}
	return plan.Analyze(whole, o, facts)
}

// Ground is what a plan would start from.
type Ground struct {
	// Base is the commit.
	Base string
	// Facts are what Facts said of it, nil where nobody asked.
	Facts *plan.Facts
}

// Facts are what the repository says at the commit that a plan would start from, and the bounds of the configuration.
func Facts(ctx context.Context, p *project.Project, base string) (plan.Facts, error) {
	return facts(ctx, p, survey.Request{Base: base})
}

func facts(ctx context.Context, p *project.Project, r survey.Request) (plan.Facts, error) {
	f, err := survey.Read(ctx, p.Repo, r)
	f.ScopeLimit, f.MaxParallel, f.ContextCap = p.Config.ScopeLimit.Value(), p.Config.MaxParallelAgents.Value(),
		agent.ContextCap
	f.NoNamespaces = p.Config.Sandbox.Level != config.SandboxOff && !p.Support().Namespaces && p.Support().Landlock > 0
	return f, err
}

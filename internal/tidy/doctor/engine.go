package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"delegate/internal/engine"
	"delegate/internal/engine/remote"
	"delegate/internal/fence/sandbox"
	"delegate/internal/plan/setup"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/turn/agent"
)

// EngineReport is what was measured of an engine. Without a job that is only which one it is.
type EngineReport struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Node string `json:"node"` // where the job ran, "" without one
	// Submitted, Running and Answered are milliseconds until the engine had the job, until it ran, and until the
	// program in it was heard.
	Submitted int64 `json:"submitted_ms"`
	Running   int64 `json:"running_ms"`
	Answered  int64 `json:"answered_ms"`
	// Repository is how many bytes the last commit is with all of its history, and Sent how many of them are sent with
	// a turn that starts from it.
	Repository int64 `json:"repository_bytes"`
	Sent       int64 `json:"sent_bytes"`
}

// Trying says whether an engine is asked alone, or also tried by a job.
type Trying int

// The two ways to look at an engine.
const (
	AskOnly Trying = iota
	WithJob
)

// ExamineEngine looks at an engine of the configuration as Examine looks at this machine. What is said of programs and
// layers is what this same program finds where the job runs.
func ExamineEngine(ctx context.Context, p *project.Project, name string, how Trying, version string,
	hint func(error) string) (Report, error) {
	settings, err := remote.Engine(p, name)
	if err != nil {
		return Report{}, err
	}
	e := &examination{hint: hint, Report: Report{Layers: []sandbox.Layer{}, Programs: []agent.Inspection{},
		Credentials: []string{}, Engine: &EngineReport{Name: settings.Name, Kind: settings.Kind}}}
	e.ClosedNetwork = p.Config.Sandbox.Network == config.NetworkHosts
	if profile, err := agent.Find(p.Config, ""); err == nil {
		e.Default = profile.Name
	}
	if !e.addAnswers(ctx, engine.Inspect(settings)) {
		return e.Report, nil
	}
	e.addJobs(ctx, p, engine.Inspect(settings))
	if how == WithJob {
		e.try(ctx, p, settings, version)
	}
	return e.Report, nil
}

// addAnswers adds what the engine says of itself; false where it does not answer.
func (e *examination) addAnswers(ctx context.Context, asked engine.Inspector) (reached bool) {
	for _, a := range asked.Inspect(ctx) {
		switch {
		case a.Err != nil:
			e.add(a.About, Fault, a.Err.Error(), a.Next)
		case a.Warns:
			e.add(a.About, Warning, a.Text, a.Next)
		default:
			e.add(a.About, OK, a.Text, "")
			reached = reached || a.About == engine.Reach
		}
	}
	return reached
}

// addJobs looks for jobs that were submitted from here and that no turn waits for.
func (e *examination) addJobs(ctx context.Context, p *project.Project, asked engine.Inspector) {
	jobs, err := asked.Jobs(ctx)
	var left []engine.Named
	if err == nil {
		left, err = remote.Unclaimed(p, jobs)
	}
	if err != nil {
		e.diagnose("jobs", "", err)
		return
	}
	for _, j := range left {
		e.add("jobs", Warning, j.Name+" belongs to no turn that is under way", j.Away)
	}
	if len(left) == 0 {
		e.add("jobs", OK, "none that belongs to no turn", "")
	}
}

// try adds what a job finds out.
func (e *examination) try(ctx context.Context, p *project.Project, settings config.Engine, version string) {
	err := remote.Try(ctx, p, settings, func(ctx context.Context, t remote.Trial) {
		to := e.Engine
		to.Node, to.Submitted = t.Node, t.Submitted.Milliseconds()
		to.Running, to.Answered = t.Running.Milliseconds(), t.Answered.Milliseconds()
		e.add("job", OK, fmt.Sprintf("on %s: submitted after %d ms, running after %d ms, its first output here after "+
			"%d ms", t.Node, to.Submitted, to.Running, to.Answered), "")
		e.addThere(ctx, t, version)
		more := "ask the cluster's administrator for user namespaces"
		if settings.Kind == config.Kubernetes {
			more = "a pod whose seccomp profile allows namespaces: delegate init --engine kubernetes"
		}
		e.judgeSandbox(p.Config, t.Support, more)
		e.addMoved(ctx, p, settings, t)
	})
	if err != nil {
		e.add("job", Fault, err.Error(), "")
	}
}

// addThere adds what this program finds where the job runs, where nothing is known of profiles of the person's own.
func (e *examination) addThere(ctx context.Context, t remote.Trial, version string) {
	var built struct{ Version, Commit string }
	var there Report
	if err := errors.Join(t.Ask(ctx, &built, "version"), t.Ask(ctx, &there, "doctor")); err != nil {
		e.diagnose("delegate", "", err)
		return
	}
	text := fmt.Sprintf("%s, commit %.12s", built.Version, cmp.Or(built.Commit, "unknown"))
	if built.Version == version {
		e.add("delegate", OK, text, "")
	} else {
		e.add("delegate", Warning, text+"; here it is "+version, "have the same version there")
	}
	for _, c := range there.Checks {
		if c.Name == "git" {
			e.add(c.Name, c.State, c.Text, c.Next)
		}
	}
	e.Layers, e.Programs = there.Layers, there.Programs
	at := slices.IndexFunc(e.Programs, func(i agent.Inspection) bool { return i.Name == e.Default })
	switch {
	case e.Default == "":
	case at < 0:
		e.add("profile "+e.Default, Warning, "a profile of your own: only a turn tells whether its program is there",
			"")
	case e.Programs[at].Program == "":
		e.add("profile "+e.Default, Fault, "its program is not on "+t.Node, "install it there, or name another: agent")
	}
}

// addMoved measures what a turn that starts from the last commit sends.
func (e *examination) addMoved(ctx context.Context, p *project.Project, settings config.Engine, t remote.Trial) {
	_, head, err := p.Repo.Head(ctx)
	if err == nil {
		e.Engine.Repository, err = p.Repo.Weight(ctx, head, nil)
	}
	switch {
	case err != nil:
	case t.Mirrored:
		e.Engine.Sent, err = p.Repo.Weight(ctx, head, t.Tips)
	default:
		e.Engine.Sent, err = p.Repo.OwnWeight(ctx, head)
	}
	whole, sent := setup.Bytes(e.Engine.Repository), setup.Bytes(e.Engine.Sent)
	switch {
	case err != nil:
		e.diagnose("mirror", "", err)
	case t.Mirrored:
		e.add("mirror", OK, fmt.Sprintf("%s has the rest: %s of %s are sent with a turn", settings.Mirror, sent, whole),
			"")
	case settings.Mirror != "":
		e.add("mirror", Fault, fmt.Sprintf("%s is no repository on %s: %s of %s are sent with each turn",
			settings.Mirror, t.Node, sent, whole), "git clone --mirror, there")
	default:
		e.add("mirror", OK, "none: "+sent+" of "+whole+", the last commit without those before it, are sent with each "+
			"turn", "")
	}
}

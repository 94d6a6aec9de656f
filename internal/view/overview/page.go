package overview

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"delegate/change"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/internal/turn/turnsetup"
	"delegate/internal/view/report"
	"delegate/internal/view/status"
	"delegate/registry"
)

// page looks up what a page of a session says. What cannot be read is a gap on the page and no error.
type page struct {
	p       *project.Project
	state   registry.State
	objects *objects.Reader
	commits *git.Blobs
	data    report.Data
}

// Page is all that a report says of a session, active or ended.
func Page(ctx context.Context, p *project.Project, state registry.State) (report.Data, error) {
	commits := p.Repo.OpenBlobs(ctx)
	defer commits.Close()
	g := &page{p: p, state: state, objects: objects.New(p.Repo), commits: commits}
	defer g.objects.Close()
	g.data = report.Data{Made: p.Now(), Repository: filepath.Base(p.Main), Session: *state.Session,
		Events: state.Events, Used: session.UsageWords(session.AllUsed(p, state))}
	for _, a := range state.Agents {
		g.data.Agents = append(g.data.Agents, g.agent(ctx, a))
		if err := ctx.Err(); err != nil {
			return report.Data{}, err
		}
	}
	if !Ended(state) {
		points, err := Waiting(p, state)
		for _, p := range points {
			g.data.Waiting = append(g.data.Waiting,
				report.Waiting{Agent: p.Agent, Since: p.Since, Text: p.Words(), Next: p.Next})
		}
		g.gap("what waits for a person", err)
	}
	compared, err := Compare(ctx, p, state)
	g.data.Findings, g.data.Compared = compared.Findings, compared.Names
	g.data.Gaps = append(g.data.Gaps, compared.Gaps...)
	g.gap("the conflicts", err)
	if result := state.Session.FinalTests; result != "" {
		g.data.Tests = append(g.data.Tests, report.Test{Of: "The tree at the end of the session", Result: result})
	}
	return g.data, ctx.Err()
}

// gap notes what could not be read, if there was an error.
func (g *page) gap(what string, err error) {
	if err != nil {
		g.data.Gaps = append(g.data.Gaps, what+": "+ui.ErrorText(err))
	}
}

// tailLines is how much of what was printed is on a page.
const tailLines = 60

func (g *page) agent(ctx context.Context, a registry.Agent) report.Agent {
	out := About(ctx, g.p, g.state, a)
	out.Tail = Tail(g.p, g.state, a, tailLines)
	if a.Base == "" {
		return out // never started
	}
	g.gap("the changes of "+a.ID, g.changes(ctx, &out))
	g.tests(ctx, &out)
	return out
}

// About is what a page says of an agent beside its changes and what it printed.
func About(ctx context.Context, p *project.Project, state registry.State, a registry.Agent) report.Agent {
	kept := status.ReportOf(p, state, a)
	out := report.Agent{
		Agent: a, Elapsed: a.RunTime, Used: session.UsageWords(session.Used(a).Plus(session.RunningUsage(p,
			state.Session.ID, a))), Block: kept.Block, Summary: kept.Summary, Differ: kept.Differences,
		Claims: kept.Claims, Breaches: kept.Breaches,
	}
	if Ended(state) {
		return out
	}
	out.Elapsed = session.Elapsed(p, state.Session.ID, a)
	out.Next = status.Next(p, a, status.Holding(p, state))
	if a.Turns > 0 {
		layers, _ := turnsetup.Layers(ctx, p, state, a)
		for _, l := range layers {
			out.Layers = append(out.Layers, report.Layer{Name: l.Name, State: string(l.State), Detail: l.Detail})
		}
	}
	return out
}

// changes fills in what the agent changed, and as which commit it landed.
func (g *page) changes(ctx context.Context, out *report.Agent) error {
	changed, err := Changed(ctx, g.p, g.state, out.Agent)
	if err != nil {
		return err
	}
	out.Patch = changed.Patch
	if changed.Head != "" {
		out.Head = changed.Head
	}
	for _, f := range changed.Files {
		out.Files = append(out.Files, g.file(ctx, f))
	}
	if out.Status == registry.Merged && out.MergeCommit != "" {
		return g.landing(out)
	}
	return nil
}

func (g *page) file(ctx context.Context, f change.File) report.File {
	old, err := Side(ctx, g.objects, f.OldMode, f.OldID)
	if err != nil {
		return report.Unread(f, err)
	}
	now, err := Side(ctx, g.objects, f.NewMode, f.NewID)
	if err != nil {
		return report.Unread(f, err)
	}
	return report.NewFile(f, old, now, report.Brief())
}

// landing adds the commit of a landing, and who said yes to it.
func (g *page) landing(out *report.Agent) error {
	top, err := g.commit(out.MergeCommit)
	if err != nil {
		return err
	}
	said := project.ReadTrailers(top.message)
	out.Landings = append(out.Landings, report.Landing{
		Commit: out.MergeCommit, Digest: said.Digest, Approved: said.Approved, Override: said.Override,
	})
	out.Patch = fmt.Sprintf("git diff %.12s %.12s", cmp.Or(out.MergedOnto, top.parent), top.id)
	return nil
}

// commitText is a commit as git stores it, as far as a page needs it.
type commitText struct{ id, parent, message string }

func (g *page) commit(id string) (commitText, error) {
	id, data, err := g.commits.Commit(id)
	if err != nil {
		return commitText{}, err
	}
	head, message, _ := strings.Cut(string(data), "\n\n")
	c := commitText{id: id, message: message}
	for line := range strings.Lines(head) {
		if parent, is := strings.CutPrefix(line, "parent "); is && c.parent == "" {
			c.parent = strings.TrimSpace(parent)
		}
	}
	return c, nil
}

// tests adds what is known of the agent's verification, and what is kept of it.
func (g *page) tests(ctx context.Context, out *report.Agent) {
	if out.Tests == "" || out.Tests == "not_run" {
		return
	}
	t := report.Test{Of: out.Name + ", " + out.Subtask, Result: out.Tests}
	if out.Status == registry.Merged {
		t.Of += fmt.Sprintf(", on %s as %.12s", strings.TrimPrefix(g.state.Session.Target, "refs/heads/"),
			out.MergeCommit)
		if o, passed := g.p.Passed(ctx, out.MergeCommit, g.state.Session.Verify); passed &&
			out.Tests == string(project.Pass) {
			t.Took, t.Output = o.Took, project.Tail(o.Output, tailLines)
			for _, f := range o.Flaky {
				t.Flaky = append(t.Flaky, f.String())
			}
		}
	}
	g.data.Tests = append(g.data.Tests, t)
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/git"
	"delegate/internal/merge"
	"delegate/internal/objects"
	"delegate/internal/project"
	"delegate/internal/report"
	"delegate/internal/status"
	"delegate/internal/turnsetup"
	"delegate/registry"
)

// gatherer looks up what a page of a session says. What cannot be read is a gap on the page and no error.
type gatherer struct {
	p       *project.Project
	state   registry.State
	over    bool // the session ended
	objects *objects.Reader
	commits *git.Blobs
	data    report.Data
}

// openGatherer is closed by its close.
func openGatherer(ctx context.Context, p *project.Project, state registry.State) (*gatherer, error) {
	commits, err := p.Repo.OpenBlobs(ctx)
	if err != nil {
		return nil, err
	}
	s := state.Session.Status
	over := s == registry.SessionComplete || s == registry.SessionAborted
	return &gatherer{p: p, state: state, over: over, objects: objects.New(p.Repo), commits: commits}, nil
}

func (g *gatherer) close() {
	g.objects.Close()
	g.commits.Close()
}

func gather(ctx context.Context, p *project.Project, state registry.State) (report.Data, error) {
	g, err := openGatherer(ctx, p, state)
	if err != nil {
		return report.Data{}, err
	}
	defer g.close()
	g.data = report.Data{Made: p.Now(), Repository: filepath.Base(p.Main), Session: *state.Session,
		Events: state.Events}
	for _, a := range state.Agents {
		g.data.Agents = append(g.data.Agents, g.agent(ctx, a))
		if err := ctx.Err(); err != nil {
			return report.Data{}, err
		}
	}
	if err := g.waiting(); err != nil {
		g.gap("what waits for a person", err)
	}
	if err := g.compare(ctx); err != nil {
		g.gap("the conflicts", err)
	}
	g.finalTests()
	return g.data, ctx.Err()
}

func (g *gatherer) gap(what string, err error) {
	g.data.Gaps = append(g.data.Gaps, what+": "+err.Error())
}

func (g *gatherer) waiting() error {
	if g.over {
		return nil
	}
	points, err := waiting(g.p, g.state)
	for _, p := range points {
		g.data.Waiting = append(g.data.Waiting,
			report.Waiting{Agent: p.Agent, Since: p.Since, Text: p.Text, Next: p.Next})
	}
	return err
}

// tailLines is how much of what was printed is on a page.
const tailLines = 60

func (g *gatherer) agent(ctx context.Context, a registry.Agent) report.Agent {
	kept := status.ReportOf(g.p, g.state, a)
	out := report.Agent{
		Agent: a, Elapsed: a.RunTime, Block: kept.Block, Summary: kept.Summary, Differ: kept.Differences,
		Breaches: kept.Breaches,
		Tail:     g.tail(a, tailLines),
	}
	if !g.over {
		v := status.View(ctx, g.p, g.state, a)
		out.Elapsed, out.Tokens, out.Next = time.Duration(v.ElapsedSeconds)*time.Second, v.Tokens, status.Next(a)
		if a.Turns > 0 {
			layers, _ := turnsetup.Layers(ctx, g.p, g.state, a)
			for _, l := range layers {
				out.Layers = append(out.Layers, report.Layer{Name: l.Name, State: string(l.State), Detail: l.Detail})
			}
		}
	}
	if a.Base == "" {
		return out // never started
	}
	if err := g.changes(ctx, &out); err != nil {
		g.gap("the changes of "+a.ID, err)
	}
	g.tests(ctx, &out)
	return out
}

// tail is the end of what an agent printed, as it is kept beside the record.
func (g *gatherer) tail(a registry.Agent, lines int) string {
	return project.Tail(filepath.Join(g.p.Logs(g.state.Session.ID), a.ID, "last-output.md"), lines)
}

// changes fills in what the agent changed.
func (g *gatherer) changes(ctx context.Context, out *report.Agent) error {
	files, err := g.changed(ctx, out)
	if err != nil {
		return err
	}
	for _, f := range files {
		out.Files = append(out.Files, g.file(ctx, f))
	}
	return nil
}

// changed is of landed work what landed, of other work what lies between its fork point and its head.
func (g *gatherer) changed(ctx context.Context, out *report.Agent) ([]change.File, error) {
	switch {
	case out.Status == registry.Merged && out.MergeCommit != "":
		return g.landed(ctx, out)
	case g.over:
		return g.left(ctx, out)
	}
	return g.current(ctx, out)
}

func (g *gatherer) file(ctx context.Context, f change.File) report.File {
	old, err := side(ctx, g.objects, f.OldMode, f.OldID)
	if err != nil {
		return report.Unread(f, err)
	}
	now, err := side(ctx, g.objects, f.NewMode, f.NewID)
	if err != nil {
		return report.Unread(f, err)
	}
	return report.NewFile(f, old, now)
}

// current is work that has not landed yet, committed or not.
func (g *gatherer) current(ctx context.Context, out *report.Agent) ([]change.File, error) {
	target, err := g.p.Target(ctx, *g.state.Session)
	if err != nil {
		return nil, err
	}
	work, err := g.p.Seen(ctx, g.state.Session.ID, out.Agent, target)
	if err != nil {
		return nil, err
	}
	out.Head, out.Patch = work.Head, "delegate diff "+out.ID
	return work.Files, nil
}

// left is work that had not landed when the session ended.
func (g *gatherer) left(ctx context.Context, out *report.Agent) ([]change.File, error) {
	if out.Head == "" {
		return nil, nil
	}
	fork, err := g.p.Repo.MergeBase(ctx, out.Base, out.Head)
	if err != nil {
		return nil, err
	}
	out.Patch = fmt.Sprintf("git diff %.12s %.12s", fork, out.Head)
	return g.p.Repo.Changes(ctx, fork, out.Head, git.DetectRenames)
}

// landed is what came to the target, as its commits tell.
func (g *gatherer) landed(ctx context.Context, out *report.Agent) ([]change.File, error) {
	top, err := g.commit(out.MergeCommit)
	if err != nil {
		return nil, err
	}
	out.Landings = append(out.Landings, report.Landing{
		Commit: out.MergeCommit, Digest: top.trailer("Delegate-Digest"), Approved: top.trailer("Approved-by"),
		Override: top.trailer("Delegate-Override"),
	})
	below := cmp.Or(out.MergedOnto, top.parent)
	if below == "" {
		return nil, fmt.Errorf("commit %.12s has no parent", top.id)
	}
	out.Patch = fmt.Sprintf("git diff %.12s %.12s", below, top.id)
	return g.p.Repo.Changes(ctx, below, top.id, git.DetectRenames)
}

// commitText is a commit as git stores it, as far as a page needs it.
type commitText struct{ id, parent, message string }

func (g *gatherer) commit(id string) (commitText, error) {
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

// trailer is the last value of that name in the block that ends the message, so that an agent's
// words above it count for nothing.
func (c commitText) trailer(name string) (value string) {
	message := strings.TrimSpace(c.message)
	for line := range strings.SplitSeq(message[strings.LastIndex(message, "\n\n")+1:], "\n") {
		if found, is := strings.CutPrefix(line, name+": "); is {
			value = strings.TrimSpace(found)
		}
	}
	return value
}

// tests adds what is known of the agent's verification, and what is kept of it.
func (g *gatherer) tests(ctx context.Context, out *report.Agent) {
	if out.Tests == "" || out.Tests == "not_run" {
		return
	}
	t := report.Test{Of: out.ID + ", " + out.Subtask, Result: out.Tests}
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

// finalTests are those of the tree that the session ended with, which its last row tells.
func (g *gatherer) finalTests() {
	for _, e := range g.state.Events {
		_, result, found := strings.Cut(e.Details, "tests ")
		if e.Kind == registry.EventSessionComplete && found &&
			slices.Contains([]string{"pass", "fail", "none"}, result) {
			g.data.Tests = append(g.data.Tests, report.Test{Of: "The tree at the end of the session", Result: result})
		}
	}
}

// compare looks for conflicts: between all agents with work, landed or not, and of what has not landed with the target.
func (g *gatherer) compare(ctx context.Context) error {
	b := merge.NewBuilder(g.p)
	defer b.Close()
	var target []merge.Tip
	tips, err := g.tips(ctx)
	if err != nil {
		return err
	}
	open := len(tips)
	if n := len(tips); n > 0 && tips[n-1].Name == merge.TargetName {
		open, target, tips = n-1, tips[n-1:], tips[:n-1]
	}
	for _, a := range g.state.Agents {
		named := func(t merge.Tip) bool { return t.Name == a.ID }
		if a.Head == "" || a.Base == "" || slices.ContainsFunc(tips, named) || a.Status == registry.Aborted {
			continue
		}
		_, err := g.objects.Commit(ctx, a.Head)
		if errors.Is(err, git.ErrNoCommit) {
			g.data.Gaps = append(g.data.Gaps,
				fmt.Sprintf("conflicts of %s: its head %.12s is not in the repository any more", a.ID, a.Head))
			continue
		}
		if err != nil {
			return err
		}
		tips = append(tips, merge.Tip{Name: a.ID, Head: a.Head})
	}
	found, err := b.Compare(ctx, tips, merge.Checked)
	if err != nil {
		return err
	}
	for _, t := range tips[:open] {
		if len(target) == 0 {
			break
		}
		more, err := b.Compare(ctx, append([]merge.Tip{t}, target...), merge.Checked)
		if err != nil {
			return err
		}
		found = append(found, more...)
	}
	g.data.Findings = conflict.Sorted(found)
	g.nameCompared(slices.Concat(tips, target))
	return nil
}

// tips are the agents with work that has not landed, and the target behind them, while the session goes on.
func (g *gatherer) tips(ctx context.Context) ([]merge.Tip, error) {
	if g.over {
		return nil, nil
	}
	return merge.SessionTips(ctx, g.p, g.state)
}

// nameCompared lists who was compared, in the order of the ids with the target last.
func (g *gatherer) nameCompared(tips []merge.Tip) {
	if len(tips) < 2 {
		return
	}
	for _, a := range g.state.Agents {
		if slices.ContainsFunc(tips, func(t merge.Tip) bool { return t.Name == a.ID }) {
			g.data.Compared = append(g.data.Compared, a.ID)
		}
	}
	if tips[len(tips)-1].Name == merge.TargetName {
		g.data.Compared = append(g.data.Compared, merge.TargetName)
	}
}

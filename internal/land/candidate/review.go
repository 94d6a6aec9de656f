package candidate

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/intake/takeover"
	"delegate/internal/land/analyze"
	"delegate/internal/land/compare"
	"delegate/internal/land/review"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/registry"
)

// review applies the rules to the candidate, and what needs git or a process as well: its
// history, a hook, the standards commands.
func (b *Builder) review(ctx context.Context, c Candidate, probe string) ([]review.Remark, error) {
	if c.Kind == Rollback {
		return nil, nil
	}
	remarks, err := b.remarks(ctx, c)
	if err != nil {
		return nil, err
	}
	hidden, err := b.history(ctx, c)
	if err != nil {
		return nil, err
	}
	refused, err := hookOn(ctx, b.Project, probe)
	if err != nil {
		return nil, err
	}
	failed, err := b.standards(ctx, probe)
	if err != nil {
		return nil, err
	}
	undecided, err := b.undecided(ctx, c)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(remarks, hidden, refused, failed, undecided, overLimit(c.Members, b.Project.Config.ScopeLimit))
	review.Sort(all)
	return all, nil
}

// remarks are what the rules say. They are the same for the same trees, rules, tasks and commits, and are remembered.
func (b *Builder) remarks(ctx context.Context, c Candidate) ([]review.Remark, error) {
	brought, err := b.brought(ctx, c)
	if err != nil {
		return nil, err
	}
	r := review.Request{Changes: c.Changes, Rules: b.Project.Config.Review, Asked: asked(c), History: brought}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("tell this review from others: %w", err)
	}
	key := fmt.Sprintf("%s %s %x", c.Tip, c.Tree, sha256.Sum256(text))
	if known, found := b.compare.Reviewed(key); found {
		return known, nil
	}
	var stopped *analyze.Stopped
	r.Cycles = func() ([]conflict.Cycle, error) {
		found, err := b.compare.Cycles(ctx, c.Tip, c.Tree, c.Changes)
		if errors.As(err, &stopped) {
			err = nil
		}
		return found, err
	}
	r.Before, r.After = b.compare.Tree(ctx, c.Tip), b.compare.Tree(ctx, c.Tree)
	remarks, err := review.Run(ctx, r)
	switch {
	case err != nil:
		return nil, err
	case stopped == nil:
		b.compare.KeepReviewed(key, remarks)
		return remarks, nil
	}
	return append(remarks, review.Remark{Severity: review.Critical, Rule: "import cycle", Path: stopped.At,
		Text: "it is not known which cycles of imports it closes: " + stopped.Error()}), nil
}

// overLimit says which agents changed more files than the limit of a scope, so that what is to be read stays readable.
func overLimit(members []Member, limit config.Count) (all []review.Remark) {
	for _, m := range members {
		if n := len(m.Work.Files); !limit.Off() && n > limit.Value() {
			all = append(all, review.Remark{Severity: review.Warning, Rule: "size",
				Text: fmt.Sprintf("%s changes %d files; scope_limit is %d", m.Agent.ID, n, limit.Value())})
		}
	}
	return all
}

// undecided says which files conflicted without markers when the target was merged into an agent's work, and are still
// as that merge left them.
func (b *Builder) undecided(ctx context.Context, c Candidate) (all []review.Remark, err error) {
	for _, m := range c.Members {
		merges, err := session.Undecided(b.Project, c.Session.ID, m.Agent)
		if err != nil {
			return nil, err
		}
		for _, path := range slices.Sorted(maps.Keys(merges)) {
			changed, err := b.Project.Repo.Changes(ctx, merges[path], m.Head, git.RawEntries)
			switch {
			case errors.Is(err, git.ErrNoObject):
				continue
			case err != nil:
				return nil, err
			case slices.ContainsFunc(changed, func(f change.File) bool { return f.Path == path }):
				continue
			}
			all = append(all, review.Remark{Severity: review.Warning, Rule: "undecided", Path: path,
				Text: fmt.Sprintf("conflicted without markers when %s was merged in, and is as that merge left it",
					c.TargetName())})
		}
	}
	return all, nil
}

// brought is the history that the target gets beside the result.
func (b *Builder) brought(ctx context.Context, c Candidate) (all review.History, err error) {
	for _, m := range c.Members {
		if !c.KeepsCommits(m) {
			continue
		}
		own, err := b.Project.Brings(ctx, m.Base, m.Head)
		if err != nil {
			return all, err
		}
		for i := range own.Commits {
			if len(m.Replayed) > 0 { // as the landing writes them
				own.Commits[i].Message = review.AsCode(own.Commits[i].Message)
			}
		}
		all = review.History{Commits: append(own.Commits, all.Commits...), Person: own.Person, Cut: all.Cut || own.Cut}
	}
	return all, nil
}

// asked is what the candidate's agents were told to do.
func asked(c Candidate) string {
	var parts []string
	for _, m := range c.Members {
		a := m.Agent
		parts = append(parts, a.Subtask, a.Description, a.Context, a.Task)
		parts = append(parts, a.ExpectedOutputs...)
	}
	return strings.Join(parts, "\n")
}

// mostHidden bounds how many paths are named that only the history has.
const mostHidden = 20

// history names what is outside of a scope and in the commits alone: the result does not have it,
// but it comes into the target's history with it.
func (b *Builder) history(ctx context.Context, c Candidate) ([]review.Remark, error) {
	var all []review.Remark
	for _, m := range c.Members {
		if !c.KeepsCommits(m) {
			continue
		}
		hidden, err := b.Project.PastBreaches(ctx, m.Agent, m.Base, m.Head, m.Changes)
		if err != nil {
			return nil, err
		}
		for i, h := range hidden[:min(len(hidden), mostHidden+1)] {
			text := fmt.Sprintf("is outside of the scope, not in the result, and in commit %.12s of its history, which"+
				" %s gets too; to keep it out, send the agent back to rewrite its commits", h.Commit, c.TargetName())
			if i == mostHidden {
				text = "more paths outside of the scope are in its history alone"
			}
			all = append(all, review.Remark{Severity: review.Warning, Rule: "history", Path: h.Path, Text: text})
		}
	}
	return all, nil
}

// shownLines is how much of the output of a command that says no is shown beside the remark.
const shownLines = 12

// standards runs the configured commands on the candidate.
func (b *Builder) standards(ctx context.Context, probe string) ([]review.Remark, error) {
	if len(b.Project.Config.Review.Standards) == 0 {
		return nil, nil
	}
	log := filepath.Join(b.Project.Private, "verified", "standards.log")
	outcome, err := b.Project.RunOn(ctx, probe, b.Project.Config.Review.Standards, log)
	if err != nil || outcome.Result != project.Fail {
		return nil, err
	}
	text := fmt.Sprintf("%q says no (%s), see %s", outcome.Command, outcome.Reason, log)
	return []review.Remark{{Severity: review.Warning, Rule: "standards", Text: text,
		Detail: project.Tail(log, shownLines)}}, nil
}

// others compares the candidate's agents with every other one that has work and has not landed.
func (b *Builder) others(ctx context.Context, state registry.State, c Candidate) ([]conflict.Finding, error) {
	inside := c.IDs()
	others := slices.DeleteFunc(compare.WithWork(state), func(a registry.Agent) bool {
		return slices.Contains(inside, a.ID)
	})
	var pairs [][2]objects.Span
	var unread []conflict.Finding
	add := func(other objects.Span) {
		for _, m := range c.Members {
			if m.Head != "" {
				own := objects.Span{Name: m.Agent.ID, Base: m.Work.Fork, Head: m.Head}
				pairs = append(pairs, [2]objects.Span{own, other})
			}
		}
	}
	others = slices.DeleteFunc(others, func(a registry.Agent) bool { // what was read for the sequence is not read again
		seen, found := b.seen[a.ID]
		if found = found && seen.head == a.Head && a.Status != registry.Running; found {
			add(objects.Span{Name: a.ID, Base: seen.Base, Head: seen.Head})
		}
		return found
	})
	for i, work := range project.ReadEach(ctx, b.Project.Preview, c.Session.ID, others, c.Tip) {
		other := others[i]
		switch {
		case errors.Is(work.Err, takeover.ErrGone):
			continue
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case work.Err != nil:
			unread = append(unread, compare.Unread(other.ID, work.Err))
			continue
		}
		add(objects.Span{Name: other.ID, Base: work.Fork, Head: work.Head})
	}
	found, err := b.compare.Pairs(ctx, pairs, analyze.Checked)
	return append(found, unread...), err
}

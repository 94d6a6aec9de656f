package merge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"delegate/conflict"
	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/registry"
	"delegate/worktree"
)

// Tip is one line of work that takes part in a comparison.
type Tip struct {
	Name string // agent id, reference as typed, or TargetName
	Base string // commit its work begins at; "" means the merge base of each pair
	Head string
}

// TargetName is how the target is called in findings.
const TargetName = "target"

// Compare reports on every pair of the tips. Git's own merge decides about files; nothing of the repository's references or checkouts changes.
func (b *Builder) Compare(ctx context.Context, tips []Tip) ([]conflict.Finding, error) {
	var pairs []conflict.Pair
	for i, x := range tips {
		for _, y := range tips[i+1:] {
			if x.Head == y.Head {
				continue
			}
			pair, err := b.pair(ctx, x, y)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, pair)
		}
	}
	return conflict.Run(ctx, pairs, conflict.Analyzers())
}

func (b *Builder) pair(ctx context.Context, x, y Tip) (conflict.Pair, error) {
	merged, mergeErr := b.p.Repo.Merge(ctx, x.Head, y.Head)
	if errors.Is(mergeErr, git.ErrNoMergeBase) {
		return conflict.Pair{A: named(x), B: named(y), Merge: conflict.Merge{Err: mergeErr}}, nil
	}
	if mergeErr != nil {
		return conflict.Pair{}, mergeErr
	}
	shared, err := b.p.Repo.MergeBase(ctx, x.Head, y.Head)
	if err != nil {
		return conflict.Pair{}, err
	}
	pair := conflict.Pair{}
	if pair.A, err = b.objects.Changes(ctx, worktree.Span{Name: x.Name, Base: orElse(x.Base, shared), Head: x.Head}); err != nil {
		return conflict.Pair{}, err
	}
	if pair.B, err = b.objects.Changes(ctx, worktree.Span{Name: y.Name, Base: orElse(y.Base, shared), Head: y.Head}); err != nil {
		return conflict.Pair{}, err
	}
	pair.Merge, err = b.mergeData(ctx, merged)
	return pair, err
}

// mergeData hands git's result on as the data that conflict works with.
func (b *Builder) mergeData(ctx context.Context, m git.Merged) (conflict.Merge, error) {
	tree, err := b.objects.Tree(ctx, m.Tree)
	if err != nil {
		return conflict.Merge{}, err
	}
	data := conflict.Merge{Clean: m.Clean, FS: tree}
	for _, message := range m.Messages {
		for _, path := range message.Paths {
			one := conflict.PathConflict{Path: path, Kind: message.Type, Message: message.Text}
			for _, stage := range m.Stages {
				if stage.Path == path && stage.Number >= 1 && stage.Number <= 3 {
					one.Modes[stage.Number-1], one.IDs[stage.Number-1] = stage.Mode, stage.ID
				}
			}
			data.Conflicts = append(data.Conflicts, one)
		}
	}
	return data, nil
}

// againstTarget compares the agent with what the target has got since the agent's work began.
func (b *Builder) againstTarget(ctx context.Context, c Candidate, merged git.Merged, mergeErr error) ([]conflict.Finding, error) {
	x, y := Tip{c.Agent.ID, c.Work.Fork, c.Theirs}, Tip{TargetName, c.Work.Fork, c.Tip}
	if mergeErr == nil && c.Work.Fork == c.Tip {
		return []conflict.Finding{}, nil // the target has not moved
	}
	pair := conflict.Pair{A: named(x), B: named(y), Merge: conflict.Merge{Err: mergeErr}}
	if mergeErr == nil {
		var err error
		if pair, err = b.pair(ctx, x, y); err != nil {
			return nil, err
		}
		if c.Prior != "" { // what counts is the merge that would land
			if pair.Merge, err = b.mergeData(ctx, merged); err != nil {
				return nil, err
			}
		}
	}
	return conflict.Run(ctx, []conflict.Pair{pair}, conflict.Analyzers())
}

// others compares the agent with every other one that has work and has not landed.
func (b *Builder) others(ctx context.Context, state registry.State, c Candidate) ([]conflict.Finding, error) {
	all := []conflict.Finding{}
	for _, other := range state.Agents {
		if other.ID == c.Agent.ID || !hasWork(other) {
			continue
		}
		work, err := b.p.Work(ctx, c.Session.ID, other, c.Tip)
		if errors.Is(err, worktree.ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found, err := b.Compare(ctx, []Tip{{c.Agent.ID, c.Work.Fork, c.Theirs}, {other.ID, work.Fork, work.Head}})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func hasWork(a registry.Agent) bool {
	switch a.Status {
	case registry.Running, registry.Checkpoint, registry.Complete, registry.Failed:
		return a.Turns > 0
	}
	return false
}

// SessionTips are the agents with work, also uncommitted and also while they run, and the target.
func SessionTips(ctx context.Context, p *project.Project, state registry.State) ([]Tip, error) {
	target, err := p.Target(ctx, *state.Session)
	if err != nil {
		return nil, err
	}
	var tips []Tip
	for _, a := range state.Agents {
		if !hasWork(a) {
			continue
		}
		work, err := p.Work(ctx, state.Session.ID, a, target)
		if errors.Is(err, worktree.ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		tips = append(tips, Tip{Name: a.ID, Base: work.Fork, Head: work.Head})
	}
	return append(tips, Tip{Name: TargetName, Head: target}), nil
}

// NamedTips resolves references, commits or worktree folders, with their uncommitted work, for a comparison without a session.
func NamedTips(ctx context.Context, p *project.Project, names []string, base string) ([]Tip, error) {
	if base != "" {
		var err error
		if base, err = p.Repo.Resolve(ctx, base); err != nil {
			return nil, err
		}
	}
	var tips []Tip
	for _, name := range names {
		head, err := resolveTip(ctx, p, name)
		if err != nil {
			return nil, err
		}
		tips = append(tips, Tip{Name: name, Base: base, Head: head})
	}
	return tips, nil
}

func resolveTip(ctx context.Context, p *project.Project, name string) (string, error) {
	head, err := p.Repo.Resolve(ctx, name)
	if err == nil {
		return head, nil
	}
	if info, statErr := os.Stat(name); statErr != nil || !info.IsDir() {
		return "", err
	}
	repo, err := git.Open(ctx, name)
	if err != nil {
		return "", err
	}
	if repo.CommonDir != p.Repo.CommonDir {
		return "", fmt.Errorf("resolve %q: it is a worktree of another repository", name)
	}
	head, err = repo.Resolve(ctx, "HEAD")
	if err != nil {
		return "", err
	}
	temporary, err := os.MkdirTemp("", "delegate-index-")
	if err != nil {
		return "", fmt.Errorf("look at %q: %w", name, err)
	}
	defer os.RemoveAll(temporary)
	tree, err := repo.Snapshot(ctx, filepath.Join(temporary, "index"), head, nil)
	if err != nil {
		return "", err
	}
	clean, err := repo.TreeOf(ctx, head)
	if err != nil || clean == tree {
		return head, err
	}
	return repo.CommitTree(ctx, tree, "Work in "+name+"\n", head)
}

// SharedBase is the commit that a report names as the base: the given one, else the merge base of the first two tips, "" if there is none.
func (b *Builder) SharedBase(ctx context.Context, tips []Tip, given string) (string, error) {
	if given != "" {
		return b.p.Repo.Resolve(ctx, given)
	}
	if len(tips) < 2 {
		return "", nil
	}
	shared, err := b.p.Repo.MergeBase(ctx, tips[0].Head, tips[1].Head)
	if errors.Is(err, git.ErrNoMergeBase) {
		return "", nil
	}
	return shared, err
}

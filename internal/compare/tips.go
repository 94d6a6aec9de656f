package compare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"delegate/internal/git"
	"delegate/internal/objects"
	"delegate/internal/project"
	"delegate/internal/takeover"
	"delegate/registry"
)

// NamedTips resolves references, commits or worktree folders, with their uncommitted work, for a
// comparison without a session.
func (r *Comparer) NamedTips(ctx context.Context, names []string, base string) ([]objects.Span, error) {
	err := r.open()
	if err == nil && base != "" {
		base, err = r.pairs.Commit(ctx, base)
	}
	if err != nil {
		return nil, err
	}
	tips := make([]objects.Span, len(names))
	for i, name := range names {
		head, err := r.resolveTip(ctx, name)
		if err != nil {
			return nil, err
		}
		tips[i] = objects.Span{Name: name, Base: base, Head: head}
	}
	return tips, nil
}

func (r *Comparer) resolveTip(ctx context.Context, name string) (string, error) {
	head, err := r.pairs.Commit(ctx, name)
	if !errors.Is(err, git.ErrNoCommit) {
		return head, err
	}
	if info, statErr := os.Stat(name); statErr != nil || !info.IsDir() {
		return "", err
	}
	repo, err := git.Open(ctx, name)
	if err != nil {
		return "", err
	}
	if repo.CommonDir != r.p.Repo.CommonDir {
		return "", fmt.Errorf("resolve %q: it is a worktree of another repository", name)
	}
	if head, err = repo.Resolve(ctx, "HEAD"); err != nil {
		return "", err
	}
	return r.withUncommitted(ctx, repo, name, head)
}

// withUncommitted is a commit of the worktree as it is, in the quarantine; the head if nothing in it is uncommitted.
func (r *Comparer) withUncommitted(ctx context.Context, repo *git.Repo, name, head string) (string, error) {
	held, err := repo.Quarantine(r.scratch)
	if err != nil {
		return "", err
	}
	index, err := os.MkdirTemp(r.scratch, "index-")
	if err != nil {
		return "", fmt.Errorf("look at %q: %w", name, err)
	}
	tree, err := held.Snapshot(ctx, filepath.Join(index, "index"), head, nil)
	if err != nil {
		return "", err
	}
	clean, err := held.TreeOf(ctx, head)
	if err != nil || clean == tree {
		return head, err
	}
	return held.CommitTree(ctx, tree, "Work in "+name+"\n", head)
}

// SharedBase is the commit that a report names as the base: the given one, else the merge base of
// the first two tips, "" if there is none.
func (r *Comparer) SharedBase(ctx context.Context, tips []objects.Span, given string) (string, error) {
	if err := r.open(); err != nil {
		return "", err
	}
	if given != "" {
		return r.pairs.Commit(ctx, given)
	}
	if len(tips) < 2 {
		return "", nil
	}
	if known := r.bases[[2]string{tips[0].Head, tips[1].Head}]; known != "" {
		return known, nil
	}
	shared, err := r.held.MergeBase(ctx, tips[0].Head, tips[1].Head)
	if errors.Is(err, git.ErrNoMergeBase) {
		return "", nil
	}
	return shared, err
}

// HasWork reports whether there is work of an agent that has not landed.
func HasWork(a registry.Agent) bool {
	switch a.Status {
	case registry.Running, registry.Checkpoint, registry.Complete, registry.Failed:
		return a.Turns > 0
	}
	return false
}

// SessionTips are the agents with work, also uncommitted and also while they run, and the target.
func SessionTips(ctx context.Context, p *project.Project, state registry.State) ([]objects.Span, error) {
	target, err := p.Target(ctx, *state.Session)
	if err != nil {
		return nil, err
	}
	var tips []objects.Span
	for _, a := range state.Agents {
		if !HasWork(a) {
			continue
		}
		work, err := p.Seen(ctx, state.Session.ID, a, target)
		if errors.Is(err, takeover.ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		tips = append(tips, objects.Span{Name: a.ID, Base: work.Fork, Head: work.Head})
	}
	return append(tips, objects.Span{Name: project.TargetName, Head: target}), nil
}

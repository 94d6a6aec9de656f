package merge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"delegate/internal/git"
)

// NamedTips resolves references, commits or worktree folders, with their uncommitted work, for a comparison without a session.
func (b *Builder) NamedTips(ctx context.Context, names []string, base string) ([]Tip, error) {
	if base != "" {
		var err error
		if base, err = b.p.Repo.Resolve(ctx, base); err != nil {
			return nil, err
		}
	}
	heads, err := b.p.Repo.ResolveAll(ctx, names)
	if errors.Is(err, git.ErrNoCommit) {
		heads, err = b.eachTip(ctx, names)
	}
	if err != nil {
		return nil, err
	}
	tips := make([]Tip, len(names))
	for i, name := range names {
		tips[i] = Tip{Name: name, Base: base, Head: heads[i]}
	}
	return tips, nil
}

// eachTip resolves names of which one at least is no reference.
func (b *Builder) eachTip(ctx context.Context, names []string) ([]string, error) {
	var heads []string
	for _, name := range names {
		head, err := b.resolveTip(ctx, name)
		if err != nil {
			return nil, err
		}
		heads = append(heads, head)
	}
	return heads, nil
}

func (b *Builder) resolveTip(ctx context.Context, name string) (string, error) {
	head, err := b.p.Repo.Resolve(ctx, name)
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
	if repo.CommonDir != b.p.Repo.CommonDir {
		return "", fmt.Errorf("resolve %q: it is a worktree of another repository", name)
	}
	if head, err = repo.Resolve(ctx, "HEAD"); err != nil {
		return "", err
	}
	return b.withUncommitted(ctx, repo, name, head)
}

// withUncommitted is a commit of the worktree as it is, in the quarantine; the head if nothing in it is uncommitted.
func (b *Builder) withUncommitted(ctx context.Context, repo *git.Repo, name, head string) (string, error) {
	if err := b.open(); err != nil {
		return "", err
	}
	held, err := repo.Quarantine(b.scratch)
	if err != nil {
		return "", err
	}
	index, err := os.MkdirTemp(b.scratch, "index-")
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

// SharedBase is the commit that a report names as the base: the given one, else the merge base of the first two tips, "" if there is none.
func (b *Builder) SharedBase(ctx context.Context, tips []Tip, given string) (string, error) {
	if given != "" {
		return b.p.Repo.Resolve(ctx, given)
	}
	if len(tips) < 2 {
		return "", nil
	}
	if err := b.open(); err != nil {
		return "", err
	}
	shared, err := b.held.MergeBase(ctx, tips[0].Head, tips[1].Head)
	if errors.Is(err, git.ErrNoMergeBase) {
		return "", nil
	}
	return shared, err
}

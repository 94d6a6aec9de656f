package merge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"delegate/internal/git"
)

// NamedTips resolves references, commits or worktree folders, with their uncommitted work, for a
// comparison without a session.
func (b *Builder) NamedTips(ctx context.Context, names []string, base string) ([]Tip, error) {
	err := b.open()
	if err == nil && base != "" {
		base, err = b.pairs.Commit(ctx, base)
	}
	if err != nil {
		return nil, err
	}
	tips := make([]Tip, len(names))
	for i, name := range names {
		head, err := b.resolveTip(ctx, name)
		if err != nil {
			return nil, err
		}
		tips[i] = Tip{Name: name, Base: base, Head: head}
	}
	return tips, nil
}

func (b *Builder) resolveTip(ctx context.Context, name string) (string, error) {
	head, err := b.pairs.Commit(ctx, name)
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

// SharedBase is the commit that a report names as the base: the given one, else the merge base of
// the first two tips, "" if there is none.
func (b *Builder) SharedBase(ctx context.Context, tips []Tip, given string) (string, error) {
	if err := b.open(); err != nil {
		return "", err
	}
	if given != "" {
		return b.pairs.Commit(ctx, given)
	}
	if len(tips) < 2 {
		return "", nil
	}
	if known := b.bases[[2]string{tips[0].Head, tips[1].Head}]; known != "" {
		return known, nil
	}
	shared, err := b.held.MergeBase(ctx, tips[0].Head, tips[1].Head)
	if errors.Is(err, git.ErrNoMergeBase) {
		return "", nil
	}
	return shared, err
}

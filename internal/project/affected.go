package project

import (
	"context"
	"fmt"
	"io/fs"

	"delegate/internal/git"
	"delegate/internal/suite"
)

// VerifyAffected runs of the verify commands what the changes from onto to commit can affect, to
// see early which of several merges breaks something. NoCommands if nothing narrower than
// everything is known; a pass is no more than a quick look.
func (p *Project) VerifyAffected(ctx context.Context, commit, onto string) (Outcome, error) {
	all, err := p.Commands(ctx, commit)
	if err != nil || len(all) == 0 {
		return Outcome{Result: NoCommands}, err
	}
	tree, err := p.Repo.TreeOf(ctx, commit)
	if err != nil {
		return Outcome{}, err
	}
	if known, open := p.known(tree, suite.Lines(all)); len(open) == 0 {
		return known, nil
	}
	changed, err := p.ChangedPaths(ctx, onto, commit)
	if err != nil {
		return Outcome{}, err
	}
	narrowed, err := p.Narrowed(ctx, commit, all, changed)
	if err != nil {
		return Outcome{}, err
	}
	return p.VerifyOnly(ctx, commit, narrowed)
}

// ChangedPaths are the paths that differ between two commits, also those that are gone.
func (p *Project) ChangedPaths(ctx context.Context, from, to string) ([]string, error) {
	files, err := p.Repo.Changes(ctx, from, to, git.RawEntries)
	if err != nil {
		return nil, err
	}
	paths := make([]string, 0, len(files))
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return paths, nil
}

// Narrowed are the commands, narrowed to what the changed paths can affect in the commit; see suite.Affected.
func (p *Project) Narrowed(ctx context.Context, commit string, all []suite.Command,
	changed []string) (narrowed []suite.Command, err error) {
	err = p.onTree(ctx, commit, func(tree fs.FS) error {
		narrowed, err = suite.Affected(tree, all, changed)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find what is affected in %.12s: %w", commit, err)
	}
	return narrowed, nil
}

package checkout

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// mend writes those files of a move again that the index has and the checkout lacks, in part or
// whole, as after a power cut that took them. A file with any other content is a person's by now:
// it stays as it is, and is answered.
func (m *Move) mend(ctx context.Context) (left []string, err error) {
	ids, err := m.hashed(ctx)
	if err != nil {
		return nil, err
	}
	entries, err := m.repo.IndexEntries(ctx, m.index, m.paths())
	if err != nil {
		return nil, err
	}
	differ, err := m.edited(ctx) // a file that a sparse checkout leaves out is not among them
	if err != nil {
		return nil, err
	}
	var torn, lost []string
	for _, f := range m.files {
		if e := entries[f.Path]; e.ID != f.NewID || e.Mode != f.NewMode || f.NewMode == 0 ||
			f.NewMode == modeSubmodule {
			continue // nothing to write, or staged otherwise by the person
		}
		content, err := m.look(ctx, f, ids[f.Path])
		switch {
		case err != nil:
			return nil, err
		case content == holdsPart:
			torn = append(torn, f.Path)
		case content == holdsNothing && slices.Contains(differ, f.Path):
			lost = append(lost, f.Path)
		case content != holdsNothing && content != holdsNew:
			left = append(left, f.Path)
		}
	}
	if len(torn)+len(lost) == 0 {
		return left, nil
	}
	for _, path := range torn {
		if err := os.Remove(filepath.Join(m.repo.Worktree, filepath.FromSlash(path))); err != nil {
			return nil, fmt.Errorf("write %q again: %w", path, err)
		}
	}
	if err := m.copyIndex(ctx); err != nil {
		return nil, err
	}
	if err := m.repo.RestorePaths(ctx, m.copy, append(torn, lost...)); err != nil {
		return nil, err
	}
	return left, m.putIndex()
}

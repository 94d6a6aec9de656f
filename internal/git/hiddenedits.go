package git

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/sys/run"
)

// HiddenEditError lists edited files in a checkout that stand in the way of an update, and in which git was told to
// look for no edits; nothing was changed.
type HiddenEditError struct {
	Worktree         string
	Assumed, Skipped []string // by assume-unchanged, and by skip-worktree
}

func (e *HiddenEditError) Error() string {
	return fmt.Sprintf("edits of yours in %s that git status passes over (assume-unchanged, skip-worktree) stand in "+
		"the way: %s", e.Worktree, strings.Join(slices.Concat(e.Assumed, e.Skipped), ", "))
}

// Next has git look at the files again.
func (e *HiddenEditError) Next() string {
	var commands []string
	for _, path := range e.Assumed {
		commands = append(commands, "git update-index --no-assume-unchanged "+run.Quote(path))
	}
	for _, path := range e.Skipped {
		commands = append(commands, "git update-index --no-skip-worktree "+run.Quote(path))
	}
	return strings.Join(commands, "; ")
}

// HiddenEdits are those of the paths in which git was told to look for no edits, nil for none.
func (r *Repo) HiddenEdits(ctx context.Context, index string, paths []string) (*HiddenEditError, error) {
	out, err := r.do(ctx, call{args: []string{"ls-files", "-z", "-v", "--full-name"},
		env: []string{"GIT_INDEX_FILE=" + index}, reads: true})
	if err != nil {
		return nil, fmt.Errorf("read index of %q: %w", r.Worktree, err)
	}
	e := &HiddenEditError{Worktree: r.Worktree}
	for _, line := range fields(out) {
		tag, path, _ := strings.Cut(line, " ")
		if !slices.Contains(paths, path) {
			continue
		}
		if tag != strings.ToUpper(tag) {
			e.Assumed = append(e.Assumed, path)
		}
		if strings.EqualFold(tag, "s") {
			e.Skipped = append(e.Skipped, path)
		}
	}
	if len(e.Assumed)+len(e.Skipped) == 0 {
		return nil, nil
	}
	return e, nil
}

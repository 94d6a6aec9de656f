package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/run"
)

// MadeHere are the commits that were made in this checkout, as far as git keeps a record of what its HEAD was moved to:
// not those that it was only set to, as by a reset, a checkout or a merge without a commit of its own.
// A process that can write the checkout's git folder can remove the record; then no commit is known.
func (r *Repo) MadeHere(ctx context.Context) ([]string, error) {
	out, err := r.read(ctx, "log", "--walk-reflogs", "--no-show-signature", "--no-notes", "--format=%H %gs", "HEAD",
		"--")
	if run.ExitCode(err) > 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the record of HEAD in %q: %w", r.Worktree, err)
	}
	var made []string
	for line := range strings.Lines(string(out)) {
		id, what, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !isFullID(id) {
			return nil, fmt.Errorf("read the record of HEAD in %q: %w", r.Worktree, odd([]string{"log"}, line))
		}
		if makes(what) {
			made = append(made, id)
		}
	}
	return made, nil
}

// makes says whether an entry in the record of HEAD stands for a new commit.
func makes(entry string) bool {
	what, detail, _ := strings.Cut(entry, ": ")
	action, how, _ := strings.Cut(what, " ")
	switch action {
	case "commit", "cherry-pick", "revert", "am":
		return !strings.EqualFold(detail, "fast-forward")
	case "rebase":
		switch strings.TrimPrefix(how, "-i ") {
		case "(pick)", "(reword)", "(edit)", "(squash)", "(fixup)", "(continue)", "(merge)":
			return !strings.EqualFold(detail, "fast-forward")
		}
	case "merge", "pull":
		return strings.HasPrefix(detail, "Merge made by")
	}
	return false
}

// ReflogIDs are the commits that a reference was at, as far as git keeps a record of that, the newest
// first. They may be gone.
func (r *Repo) ReflogIDs(ref string) []string {
	data, err := os.ReadFile(filepath.Join(r.CommonDir, "logs", filepath.FromSlash(ref)))
	if err != nil {
		return nil
	}
	var all []string
	for line := range strings.Lines(string(data)) {
		if words := strings.Fields(line); len(words) > 1 {
			all = append(all, words[0], words[1])
		}
	}
	all = slices.DeleteFunc(all, func(id string) bool { return !isFullID(id) || strings.Trim(id, "0") == "" })
	slices.Reverse(all)
	return slices.Compact(all)
}

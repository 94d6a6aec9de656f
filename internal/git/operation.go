package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// InProgress names the operation a person has under way in this checkout (merge, rebase, …), or "".
func (r *Repo) InProgress() string {
	for _, sign := range []struct{ file, name string }{
		{"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(r.GitDir, sign.file)); err == nil {
			return sign.name
		}
	}
	return ""
}

// Rebasing is the full name of the branch that a rebase under way in this checkout will move, or "".
func (r *Repo) Rebasing() string {
	for _, folder := range []string{"rebase-merge", "rebase-apply"} {
		if data, err := os.ReadFile(filepath.Join(r.GitDir, folder, "head-name")); err == nil {
			return strings.TrimSpace(string(data))
		}
	}
	return ""
}

// QuitOperation forgets the merge, rebase, cherry-pick or revert that is under way in this
// checkout, as its own --quit does: commits, references, index and files stay as they are. It
// writes.
func (r *Repo) QuitOperation(ctx context.Context) error {
	for r.InProgress() != "" && r.InProgress() != "bisect" {
		name := r.InProgress()
		verb := name
		if isThere(filepath.Join(r.GitDir, "rebase-apply", "applying")) &&
			!isThere(filepath.Join(r.GitDir, "rebase-merge")) {
			verb = "am"
		}
		if _, err := r.do(ctx, call{args: []string{verb, "--quit"}}); err != nil {
			return fmt.Errorf("quit the %s in %q: %w", name, r.Worktree, err)
		}
		if r.InProgress() == name {
			return fmt.Errorf("quit the %s in %q: it is still under way", name, r.Worktree)
		}
	}
	return nil
}

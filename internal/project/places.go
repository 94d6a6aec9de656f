package project

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"delegate/internal/run"
)

// PlaceError says why no session can start in this repository as it lies, and what would make one
// possible.
type PlaceError struct{ Why, Next string }

func (e *PlaceError) Error() string { return e.Why }

// CheckPlaces is a *PlaceError where agents could be given neither worktree nor branch, or nothing
// could be recorded.
func (p *Project) CheckPlaces(ctx context.Context) error {
	for _, path := range []string{p.Main, p.Repo.CommonDir, p.WorktreeRoot()} {
		switch {
		case strings.ContainsAny(path, "\r\n"):
			return &PlaceError{fmt.Sprintf(
				"the path %q has a line break in it, which git cannot have in its configuration", path),
				"move or rename that folder (or name another one: worktree_dir in .delegate.yaml)"}
		case !utf8.ValidString(path):
			return &PlaceError{fmt.Sprintf("the path %q is not UTF-8, and what agents may write is noted in UTF-8",
				path), "move or rename that folder (or name another one: worktree_dir in .delegate.yaml)"}
		}
	}
	if blocked(p.WorktreeRoot()) {
		return &PlaceError{fmt.Sprintf("%q is no folder, and agents' worktrees belong in one of that name",
			p.WorktreeRoot()), "move it away, or name another folder: worktree_dir in .delegate.yaml"}
	}
	for _, name := range []string{"docs", "docs/logs"} {
		if path := filepath.Join(p.Main, filepath.FromSlash(name)); blocked(path) {
			return &PlaceError{fmt.Sprintf("%q is no folder, and the registry belongs into %s", path, RegistryPath),
				"git mv " + run.Quote(name) + " " + run.Quote(name+".txt") +
					", or move it away otherwise, and commit that"}
		}
	}
	_, found, err := p.Repo.Ref(ctx, "refs/heads/delegate")
	if err == nil && found {
		err = &PlaceError{`a branch is named "delegate", and git then takes no branch "delegate/…", which agents work on`, "git branch -m delegate NEW-NAME"}
	}
	return err
}

// blocked says that something which is no folder lies at the path.
func blocked(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		info, err = os.Lstat(path) // a link to nowhere
	}
	return err == nil && info.Mode()&fs.ModeDir == 0
}

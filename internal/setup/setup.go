// Package setup says what a repository needs to delegate work in it: the configuration that fits what lies there,
// and the files by which agent programs learn to call this program.
//
// It owns the decisions what of an ignored file a new worktree needs, which command installs what a lock file names,
// and in which words and at which paths each agent program takes its own commands.
// It looks and makes texts; only Write changes anything, one file at a time that is not there yet.
package setup

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"delegate/internal/suite"
)

// Request says where to look, and what others found out already.
type Request struct {
	Root     string   // the checkout that holds the configuration, absolute
	Ignored  []string // what git ignores in it, wholly ignored folders with a slash at their end
	Programs []string // profiles of the installed agent programs, the preferred one first
	Own      string   // folder of the worktrees below Root, with slashes; "" where they lie elsewhere
}

// Found is what was seen of a repository and its machine.
type Found struct {
	Programs []string
	Verify   []suite.Command
	Copy     []Item // what a worktree needs and git does not have
	Spare    []Item // what would save it time alone
	Setup    []Step
}

// Item is an ignored file or folder, or a pattern for several of one name.
type Item struct {
	Path  string // from the root, with slashes; a glob if Count is more than one
	Count int    // how many files and folders it stands for
	Size  Size
}

// Step is a command that installs what a lock file names.
type Step struct {
	Line string
	Lock string // the lock file, from the root
}

// Look finds out how the repository is tested, what its worktrees need, and what of that is not
// installed. It changes nothing. Errors say that the checkout could not be read, or that ctx ended.
func Look(ctx context.Context, r Request) (Found, error) {
	tree := os.DirFS(r.Root)
	found := Found{Programs: r.Programs}
	var err error
	if found.Verify, err = suite.Detect(tree); err != nil {
		return Found{}, fmt.Errorf("look how %q is tested: %w", r.Root, err)
	}
	if found.Copy, found.Spare, err = items(ctx, r, tree); err != nil {
		return Found{}, fmt.Errorf("look what worktrees of %q need: %w", r.Root, err)
	}
	if found.Setup, err = steps(tree); err != nil {
		return Found{}, fmt.Errorf("look for lock files in %q: %w", r.Root, err)
	}
	return found, nil
}

// has says whether the tree has one of the names.
func has(tree fs.FS, names ...string) bool {
	for _, name := range names {
		if _, err := fs.Stat(tree, name); err == nil {
			return true
		}
	}
	return false
}

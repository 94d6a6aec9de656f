package git

import (
	"errors"
	"os"
	"path/filepath"

	"delegate/internal/run"
)

// Bounds limit what is read of a checkout's files, and how much a tree may hold, where somebody
// else made them. 0 is no limit.
type Bounds struct {
	File    int64 // bytes of one file
	Work    int64 // bytes of all new and changed files together
	Entries int   // new and changed files, and entries by which two trees differ
}

// Bounded is the same repository with these bounds.
func (r *Repo) Bounded(b Bounds) *Repo {
	other := *r
	other.bounds = b
	return &other
}

// At is another checkout of the same repository, addressed by its own folders and not by what its `.git` file says.
func (r *Repo) At(gitDir, worktree string) *Repo {
	other := *r
	other.GitDir, other.Worktree, other.stagedIndex, other.opener = gitDir, worktree, "", nil
	return &other
}

// IndexPath is the checkout's own index file.
func (r *Repo) IndexPath() string { return filepath.Join(r.GitDir, "index") }

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

type enclosure struct {
	around func(run.Command) run.Command
}

// Within is the same checkout, for calls whose git opens files of it inside of what around makes of the command:
// where others change the files meanwhile, what is opened may lie elsewhere than what was listed.
func (r *Repo) Within(around func(run.Command) run.Command) *Repo {
	held := *r
	held.opener = &enclosure{around}
	return &held
}

// Faults of a repository that callers tell apart.
var (
	ErrNotRepository = errors.New("not a git repository")
	ErrBare          = errors.New("bare repository without a checkout here")
	ErrUnborn        = errors.New("no commit yet")
	ErrDetached      = errors.New("HEAD is detached")
	ErrNoWorktree    = errors.New("git knows no worktree there")
	ErrNoCommit      = errors.New("no such commit")
	ErrNoMergeBase   = errors.New("no common history")
	ErrNoIdentity    = errors.New("no git identity")
	ErrNoObject      = errors.New("no such object here")
	ErrTooLarge      = errors.New("object is larger than asked for")
	ErrBroken        = errors.New("the reference is there, but names no commit that can be read")
)

// Repo is one checkout of a repository: its own git folder, the common one, and the worktree's root.
// All three are absolute paths.
type Repo struct {
	GitDir    string
	CommonDir string
	Worktree  string

	objects         string     // the folder that new objects go to; "" is the repository's own
	stagedIndex     string     // the index that says what is staged; "" is the checkout's own
	opener          *enclosure // what git runs in where it opens the checkout's files, nil for nothing
	disabledFilters string     // filter drivers that are not run, one a line
	bounds          Bounds     // of what is read of the checkout's files
	// what is known of objects, shared with the repository's other checkouts; nil keeps nothing
	facts *factCache
}

package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/sys/run"
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
	other.GitDir, other.Worktree, other.stagedIndex, other.around = gitDir, worktree, "", nil
	return &other
}

// IndexPath is the checkout's own index file.
func (r *Repo) IndexPath() string { return filepath.Join(r.GitDir, "index") }

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Within is the same checkout, for calls whose git opens files of it inside of what around makes of the command:
// where others change the files meanwhile, what is opened may lie elsewhere than what was listed. It is asked for each
// command, and not at all where no file has to be opened.
func (r *Repo) Within(around func(run.Command) (run.Command, error)) *Repo {
	held := *r
	held.around = around
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

	objects     string   // the folder that new objects go to; "" is the repository's own
	outer       []string // those of the quarantines around, which are read
	stagedIndex string   // the index that says what is staged; "" is the checkout's own
	// what git runs in where it opens the checkout's files, nil for nothing
	around          func(run.Command) (run.Command, error)
	disabledFilters string  // filter drivers that are not run, one a line
	bounds          Bounds  // of what is read of the checkout's files
	common          *common // shared with the repository's other checkouts; nil keeps nothing
	shallow         string  // the file that says where history begins, "" for the repository's own
	carrier         string  // the command line that joins git here with git there, "" for git's own ways
}

// Quarantined says whether objects are written to a folder of their own.
func (r *Repo) Quarantined() bool { return r.objects != "" }

// Alternates is a list of object folders as git reads it from a variable.
func Alternates(folders ...string) string {
	all := make([]string, len(folders))
	for i, f := range folders {
		all[i] = quoted(f)
	}
	return strings.Join(all, ":")
}

// Quarantine is the same checkout for calls whose objects are not wanted for long: they go to the
// folder "objects" inside folder, which is made, and the repository's own objects stay readable.
// Removing the folder removes all of them.
//
// So that nothing of it outlives folder and nothing comes in unasked, a quarantine refuses two things:
// no reference can be moved (it could name a commit that is about to vanish), and an object that a partial clone
// lacks is not fetched but missing. A private index for Snapshot must be as short-lived as the quarantine.
// A quarantine of a quarantine reads the objects of the other too.
func (r *Repo) Quarantine(folder string) (*Repo, error) {
	full, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("make quarantine %q: %w", folder, err)
	}
	held := *r
	if r.Quarantined() {
		held.outer = append(slices.Clone(r.outer), r.objects)
	}
	held.objects = filepath.Join(full, "objects")
	if err := os.MkdirAll(held.objects, 0o700); err != nil {
		return nil, fmt.Errorf("make quarantine %q: %w", folder, err)
	}
	return &held, nil
}

// quarantined is the part of a quarantine's environment that the repository's has not.
// Two entries keep git from fetching, because versions before 2.39.4 do not know the first.
// The second allows a protocol that does not exist and thereby no other.
// Author, committer and time are always the same, so that equal content makes equal commits and
// nobody needs a name in git for a look.
//
// With bounds the objects are another's: one that is longer than all that comes in has git end before it makes room
// for it, as a few bytes of a pack can say.
func (r *Repo) quarantined() []string {
	env := []string{
		"GIT_OBJECT_DIRECTORY=" + r.objects,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" +
			Alternates(append([]string{filepath.Join(r.CommonDir, "objects")}, r.outer...)...),
		"GIT_QUARANTINE_PATH=" + r.objects,
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
		"GIT_AUTHOR_NAME=delegate", "GIT_AUTHOR_EMAIL=delegate@localhost", "GIT_AUTHOR_DATE=@0 +0000",
		"GIT_COMMITTER_NAME=delegate", "GIT_COMMITTER_EMAIL=delegate@localhost", "GIT_COMMITTER_DATE=@0 +0000",
	}
	if r.bounds.File > 0 {
		env = append(env, fmt.Sprintf("GIT_ALLOC_LIMIT=%d", r.bounds.File+mostRoom))
	}
	return env
}

// mostRoom is what git may need at once beside a file: for the lists of a million objects, and for trees.
const mostRoom = 256 << 20

// ObjectFolder is the folder of a quarantine that its new objects go to, "" for a checkout that is in none.
func (r *Repo) ObjectFolder() string { return r.objects }

// Open finds the repository and checkout that hold dir. It returns ErrNotRepository outside of any
// and ErrBare inside a bare one; if git refuses to look, a *run.ExitError (wrapped) has its words.
// The folder alone decides: GIT_DIR and its like, which are set inside git's hooks and aliases, do
// not point it elsewhere.
func Open(ctx context.Context, dir string) (*Repo, error) {
	if r := openPlain(ctx, dir); r != nil {
		return r, nil
	}
	answer, err := ask(ctx, dir, "--is-inside-work-tree", "--git-dir", "--git-common-dir", "--show-toplevel")
	if lines := strings.Split(answer, "\n"); err == nil && len(lines) == 4 && lines[0] == "true" {
		return &Repo{GitDir: lines[1], CommonDir: lines[2], Worktree: lines[3], common: newCommon()},
			nil
	}
	return openOdd(ctx, dir)
}

// openOdd asks one question at a time: to learn which one git refuses, and because a path may itself hold a line break.
func openOdd(ctx context.Context, dir string) (*Repo, error) {
	inside, err := ask(ctx, dir, "--is-inside-work-tree")
	switch {
	case isOutside(err):
		return nil, fmt.Errorf("open %q: %w", dir, ErrNotRepository)
	case err != nil:
		return nil, fmt.Errorf("open %q: %w", dir, err)
	case inside != "true":
		return nil, fmt.Errorf("open %q: %w", dir, whyBare(ctx, dir))
	}
	r := Repo{common: newCommon()}
	for _, part := range []struct {
		option string
		path   *string
	}{{"--git-dir", &r.GitDir}, {"--git-common-dir", &r.CommonDir}, {"--show-toplevel", &r.Worktree}} {
		if *part.path, err = ask(ctx, dir, part.option); err != nil {
			return nil, fmt.Errorf("open %q: %w", dir, err)
		}
	}
	return &r, nil
}

// SharedPlaceError is an ErrBare of a worktree, in which git does not work as the shared configuration says for all of
// them that they have no files, or have them elsewhere.
type SharedPlaceError struct{ Dir, Config, Key, Value string }

func (e *SharedPlaceError) Error() string {
	return fmt.Sprintf("git does not work in %q: %s of %q is for all worktrees (extensions.worktreeConfig)", e.Dir,
		e.Key, e.Config)
}

func (e *SharedPlaceError) Unwrap() error { return ErrBare }

// Next makes the setting one of the main worktree alone.
func (e *SharedPlaceError) Next() string {
	return run.AsTyped([]string{"git", "config", "--file", e.Config + ".worktree", e.Key, e.Value}) + " && " +
		run.AsTyped([]string{"git", "config", "--file", e.Config, "--unset", e.Key})
}

// whyBare is why git has no files in a folder of a repository: a *SharedPlaceError, or ErrBare.
func whyBare(ctx context.Context, dir string) error {
	own, ownErr := ask(ctx, dir, "--git-dir")
	common, err := ask(ctx, dir, "--git-common-dir")
	if errors.Join(ownErr, err) != nil || own == common {
		return ErrBare
	}
	file := filepath.Join(common, "config")
	for _, key := range []string{"core.bare", "core.worktree"} {
		value, err := oneLine(ctx, run.Command{Path: "git", Dir: dir, Env: plainEnviron(), Limit: readLimit,
			Args: []string{"config", "--file", file, "--get", key}})
		if err == nil && value != "false" {
			return &SharedPlaceError{Dir: dir, Config: file, Key: key, Value: value}
		}
	}
	return ErrBare
}

// OpenBare opens a bare repository by its folder, or one inside of it. Its git folder stands for a worktree, and holds
// no files that are anybody's.
func OpenBare(ctx context.Context, dir string) (*Repo, error) {
	at, err := ask(ctx, dir, "--git-common-dir")
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", dir, err)
	}
	return &Repo{GitDir: at, CommonDir: at, Worktree: at, common: newCommon()}, nil
}

// isOutside says whether git found no repository in the folder or above it. Its status is the same
// for everything that keeps it from opening one (another owner, a configuration that does not
// parse), so its sentence decides, which LC_ALL=C keeps in English. A `.git` file that leads
// nowhere has another one.
func isOutside(err error) bool {
	var exit *run.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	for line := range strings.Lines(exit.Stderr) {
		if strings.HasPrefix(line, "fatal: not a git repository (or any ") {
			return true
		}
	}
	return false
}

func ask(ctx context.Context, dir string, options ...string) (string, error) {
	return oneLine(ctx, run.Command{
		Path: "git", Dir: dir, Env: append(plainEnviron(), "LC_ALL=C"),
		Args:  append([]string{"rev-parse", "--path-format=absolute"}, options...),
		Limit: readLimit,
	})
}

// Program tells whether a git program of the needed version is installed, and names what it found.
func Program(ctx context.Context) (string, error) {
	out, err := oneLine(ctx, run.Command{Path: "git", Args: []string{"version"}, Limit: readLimit})
	if err != nil {
		return "", fmt.Errorf("run git: %w", err)
	}
	version := strings.TrimPrefix(out, "git version ")
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil {
		return version, fmt.Errorf("read git version %q: %w", version, err)
	}
	if major < 2 || major == 2 && minor < 38 {
		return version, fmt.Errorf("git %s is too old: 2.38 or newer is needed", version)
	}
	return version, nil
}

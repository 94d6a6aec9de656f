// Package git is git as a library: typed operations, never argument lists.
//
// Only this package knows git's flags, its -z formats and its exit codes. It runs the git program
// (2.39 or newer) with every
// folder named explicitly and without the repository's hooks, file-system monitor and automatic gc,
// so that a file an agent could write (a worktree's `.git` pointer, a hook) does not decide what runs.
// Calls that only read take no optional locks; calls that write say so in their comment.
// Every git has a time limit, after which the error is a *run.TimeoutError. What it answers is
// taken strictly (*AnswerError).
package git

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/run"
)

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

	objects string     // the folder that new objects go to; "" is the repository's own
	staged  string     // the index that says what is staged; "" is the checkout's own
	within  *enclosure // what git runs in where it opens the checkout's files, nil for nothing
	plain   string     // filter drivers that are not run, one a line
	bounds  Bounds     // of what is read of the checkout's files
	facts   *facts     // what is known of objects, shared with the repository's other checkouts; nil keeps nothing
}

// Open finds the repository and checkout that hold dir.
// It returns ErrNotRepository outside of any and ErrBare inside a bare one; if git refuses to look,
// a *run.ExitError (wrapped) has its words.
// The folder alone decides: GIT_DIR and its like, which are set inside git's hooks and aliases, do
// not point it elsewhere.
func Open(ctx context.Context, dir string) (*Repo, error) {
	answer, err := ask(ctx, dir, "--is-inside-work-tree", "--git-dir", "--git-common-dir", "--show-toplevel")
	if lines := strings.Split(answer, "\n"); err == nil && len(lines) == 4 && lines[0] == "true" {
		return &Repo{GitDir: lines[1], CommonDir: lines[2], Worktree: lines[3], facts: &facts{known: map[string]any{}}},
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
		return nil, fmt.Errorf("open %q: %w", dir, ErrBare)
	}
	r := Repo{facts: &facts{known: map[string]any{}}}
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

// isOutside says whether git found no repository in the folder or above it. Its status is the same
// for everything that keeps it from opening one (another owner, a configuration that does not
// parse), so its sentence decides, which LC_ALL=C keeps in English.
// A `.git` file that leads nowhere has another one.
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

// At is another checkout of the same repository, addressed by its own folders and not by what its `.git` file says.
func (r *Repo) At(gitDir, worktree string) *Repo {
	return &Repo{GitDir: gitDir, CommonDir: r.CommonDir, Worktree: worktree, objects: r.objects, plain: r.plain,
		bounds: r.bounds, facts: r.facts}
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

// settings keep configuration of the repository from running programs or changing formats.
func (r *Repo) settings() []string {
	all := []string{
		"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "core.quotePath=false",
		"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "submodule.recurse=false",
		"-c", "core.splitIndex=false", "-c", "advice.addEmbeddedRepo=false", "-c", "advice.graftFileDeprecated=false",
		"-c", "core.safecrlf=false",
	}
	for driver := range strings.SplitSeq(r.plain, "\n") {
		if driver == "" {
			break
		}
		all = append(all, "-c", "filter."+driver+".clean=", "-c", "filter."+driver+".smudge=", "-c",
			"filter."+driver+".process=", "-c", "filter."+driver+".required=false")
	}
	return all
}

// How long one git may take before it is ended, so that none holds up a command or the supervisor
// for ever.
const (
	// readLimit is for short answers: seconds at the most, a minute on a machine that has other
	// things to do.
	readLimit = 2 * time.Minute
	// workLimit is for what writes, merges, fetches or answers at length: a checkout of a million
	// files, all of a long history.
	// It is for the whole answer and not for silence, because the content of a hostile repository
	// can make an answer without end.
	workLimit = 10 * time.Minute
)

// call is one run of git.
type call struct {
	args  []string
	stdin io.Reader
	env   []string
	reads bool          // takes no optional locks, may take readLimit, and is asked once more where a signal ended it
	mixed bool          // what git says on standard error is part of the answer, and not of the *run.ExitError
	bound bool          // ends with this process
	limit time.Duration // in place of the usual one
}

// Within is the same checkout, for calls whose git opens files of it inside of what around makes of the command:
// where others change the files meanwhile, what is opened may lie elsewhere than what was listed.
func (r *Repo) Within(around func(run.Command) run.Command) *Repo {
	held := *r
	held.within = &enclosure{around}
	return &held
}

type enclosure struct {
	around func(run.Command) run.Command
}

// open runs git where it opens files of the checkout.
func (r *Repo) open(ctx context.Context, c call) ([]byte, error) {
	return output(ctx, c, r.inside(c))
}

func (r *Repo) inside(c call) run.Command {
	command := r.command(c)
	if r.within != nil {
		command = r.within.around(command)
	}
	return command
}

// do runs git on this checkout and returns its standard output.
func (r *Repo) do(ctx context.Context, c call) ([]byte, error) {
	return output(ctx, c, r.command(c))
}

func output(ctx context.Context, c call, command run.Command) ([]byte, error) {
	if !c.reads {
		return answered(ctx, c, command)
	}
	return again(func() ([]byte, error) {
		if input, isThere := c.stdin.(io.Seeker); isThere {
			if _, err := input.Seek(0, io.SeekStart); err != nil {
				return nil, err
			}
		}
		return answered(ctx, c, command)
	})
}

func answered(ctx context.Context, c call, command run.Command) ([]byte, error) {
	if !c.mixed {
		return run.Output(ctx, command)
	}
	var all bytes.Buffer
	command.Stdout, command.Stderr = &all, &all
	err := run.Do(ctx, command)
	return all.Bytes(), err
}

// again asks a question that changes nothing once more if git was ended by a signal, as by a system
// that is out of memory.
// Its own end is none: that of the context and the time limit are other errors.
func again[T any](ask func() (T, error)) (T, error) {
	answer, err := ask()
	var exit *run.ExitError
	if errors.As(err, &exit) && exit.Signal != "" {
		return ask()
	}
	return answer, err
}

func (r *Repo) command(c call) run.Command {
	env, limit := append(r.environ(), c.env...), workLimit
	if c.reads {
		env, limit = append(env, "GIT_OPTIONAL_LOCKS=0"), readLimit
	}
	return run.Command{
		Path: "git", Args: slices.Concat(r.settings(), r.durability(c), c.args), Dir: r.dir(), Stdin: c.stdin, Env: env,
		Bound: c.bound, Limit: cmp.Or(c.limit, limit),
	}
}

// stream is do for an answer that is taken apart while it comes. Where read finds it cut off, the
// way git ended is the error.
func (r *Repo) stream(ctx context.Context, c call, read func(answer) error) error {
	return streamed(ctx, r.command(c), read)
}

func streamed(ctx context.Context, command run.Command, read func(answer) error) error {
	var cutOff error
	err := run.Stream(ctx, command, func(out io.Reader) error {
		err := read(answer{bufio.NewReaderSize(out, 64<<10)})
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			cutOff = err
			return nil
		}
		return err
	})
	if err == nil && cutOff != nil {
		return fmt.Errorf("%s: the answer ends too early: %w", command.Name(), cutOff)
	}
	return err
}

func (r *Repo) read(ctx context.Context, args ...string) ([]byte, error) {
	return r.do(ctx, call{args: args, reads: true})
}

func (r *Repo) dir() string {
	if r.Worktree != "" {
		if _, err := os.Stat(r.Worktree); err == nil {
			return r.Worktree
		}
	}
	return r.CommonDir
}

// environ is this process's environment without anything that would point git elsewhere.
// References under refs/replace and grafts are not followed: a commit's id stands for its own
// content and history, as a person approved it.
func (r *Repo) environ() []string {
	env := append(plainEnviron(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_GRAFT_FILE="+os.DevNull, "GIT_DIR="+r.GitDir, "GIT_COMMON_DIR="+r.CommonDir)
	if r.Worktree != "" {
		env = append(env, "GIT_WORK_TREE="+r.Worktree)
	}
	if r.objects != "" {
		env = append(env, r.quarantined()...)
	}
	return env
}

func plainEnviron() []string {
	env := make([]string, 0, len(os.Environ())+8)
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !redirects(name) {
			env = append(env, entry)
		}
	}
	return env
}

func redirects(name string) bool {
	switch name {
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES",
		"GIT_NAMESPACE", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
		"GIT_LITERAL_PATHSPECS",
		"GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS",
		"LC_ALL",
		"GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE", "GIT_NO_REPLACE_OBJECTS",
		"GIT_IMPLICIT_WORK_TREE",
		"GIT_INTERNAL_SUPER_PREFIX", "GIT_ATTR_SOURCE", "GIT_CONFIG", "GIT_DEFAULT_HASH", "GIT_REF_PARANOIA":
		return true
	}
	return strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_") ||
		strings.HasPrefix(name, "GIT_TRACE")
}

// records joins fields for git's -z input.
func records(all []string) io.Reader {
	if len(all) == 0 {
		return strings.NewReader("")
	}
	return strings.NewReader(strings.Join(all, "\x00") + "\x00")
}

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

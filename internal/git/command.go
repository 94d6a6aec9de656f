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
	"syscall"
	"time"

	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
)

// settings keep configuration of the repository from running programs or changing formats.
func (r *Repo) settings() []string {
	all := []string{
		"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "core.quotePath=false",
		"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "submodule.recurse=false",
		"-c", "core.splitIndex=false", "-c", "advice.addEmbeddedRepo=false", "-c", "advice.graftFileDeprecated=false",
		"-c", "core.safecrlf=false", "-c", "core.trustctime=true", "-c", "core.checkStat=default",
	}
	for _, setting := range r.noFilters() {
		all = append(all, "-c", setting)
	}
	return all
}

// noFilters are the settings by which the filters run nothing that are not to.
func (r *Repo) noFilters() (all []string) {
	for driver := range strings.SplitSeq(r.disabledFilters, "\n") {
		if driver != "" {
			all = append(all, "filter."+driver+".clean=", "filter."+driver+".smudge=", "filter."+driver+".process=",
				"filter."+driver+".required=false")
		}
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
	// files, all of a long history. It is for the whole answer and not for silence, because the
	// content of a hostile repository can make an answer without end.
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

// open runs git where it opens files of the checkout.
func (r *Repo) open(ctx context.Context, c call) ([]byte, error) {
	command, err := r.inside(c)
	if err != nil {
		return nil, err
	}
	out, err := output(ctx, c, command)
	return out, r.full(c, err)
}

func (r *Repo) inside(c call) (run.Command, error) {
	command := r.command(c)
	if r.around == nil {
		return command, nil
	}
	return r.around(command)
}

// do runs git on this checkout and returns its standard output.
func (r *Repo) do(ctx context.Context, c call) ([]byte, error) {
	out, err := output(ctx, c, r.command(c))
	return out, r.full(c, err)
}

// leastRoom is so little that what git keeps beside a file while it writes, and removes where it
// fails, does not hide that the disk is full: a few blocks.
const leastRoom = 64 << 10

// full says of a git that could not write that the disk has no room, where that is so: git leaves
// it out for a reference ("couldn't write 'refs/heads/main.lock'").
func (r *Repo) full(c call, err error) error {
	var exit *run.ExitError
	if c.reads || !errors.As(err, &exit) {
		return err
	}
	for _, folder := range []string{r.CommonDir, r.dir()} {
		if left, freeErr := atomicfile.Free(folder); freeErr == nil && left < leastRoom {
			return fmt.Errorf("%w (%q: %w)", err, folder, syscall.ENOSPC)
		}
	}
	return err
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
// that is out of memory. Its own end is none: that of the context and the time limit are other
// errors.
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
func (r *Repo) stream(ctx context.Context, c call, read func(*answer)) error {
	return streamed(ctx, r.command(c), read)
}

func streamed(ctx context.Context, command run.Command, read func(*answer)) error {
	var cutOff error
	err := run.Stream(ctx, command, func(out io.Reader) error {
		a := &answer{Reader: bufio.NewReaderSize(out, 64<<10)}
		read(a)
		if errors.Is(a.err, io.EOF) || errors.Is(a.err, io.ErrUnexpectedEOF) {
			cutOff = a.err
			return nil
		}
		return a.err
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
	if r.shallow != "" {
		env = append(env, "GIT_SHALLOW_FILE="+r.shallow)
	}
	if r.carrier != "" {
		env = append(env, "GIT_SSH_COMMAND="+r.carrier, "GIT_SSH_VARIANT=simple", "GIT_ALLOW_PROTOCOL=ssh")
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

// durability says what git has on the disk before it gives it a name, whatever the configuration
// says: objects and references, so that after a power cut no name stands for an empty file. Many
// objects cost one wait (the method batch) where a file system keeps the order of what it writes.
// An index of this program's own is made anew where it is lost, and what a quarantine holds need
// not outlive a crash.
func (r *Repo) durability(c call) []string {
	kinds := "loose-object,reference"
	own := "GIT_INDEX_FILE=" + r.IndexPath()
	switch {
	case r.Quarantined():
		// what is thrown away soon is not worth being pressed, nor being linked before it is renamed
		return []string{"-c", "core.fsync=none", "-c", "core.looseCompression=0", "-c", "core.createObject=rename"}
	case !slices.ContainsFunc(c.env, func(e string) bool {
		return strings.HasPrefix(e, "GIT_INDEX_FILE=") && e != own
	}):
		kinds += ",index"
	}
	// in addition to packs and their indexes, which git always syncs
	method := "fsync"
	if oneWaitHolds(r.CommonDir) {
		method = "batch"
	}
	return []string{"-c", "core.fsync=" + kinds, "-c", "core.fsyncMethod=" + method}
}

// Sync returns once everything in the repository is on the disk: also names that git gave, for which it does not wait,
// and what another git wrote, such as that of an agent without a fence. Where only Linux has a call
// for that, git's own waiting is all.
func (r *Repo) Sync() error { return atomicfile.SyncAll(r.CommonDir) }

// isShallow says whether the repository's history was cut off.
func (r *Repo) isShallow() bool { return isThere(filepath.Join(r.CommonDir, "shallow")) }

// id is the one object id that git answers with.
func (r *Repo) id(ctx context.Context, c call) (string, error) {
	out, err := r.do(ctx, c)
	if err != nil {
		return "", err
	}
	id, ended := strings.CutSuffix(string(out), "\n")
	if !ended || !isFullID(id) {
		return "", odd(c.args, string(out))
	}
	return id, nil
}

// readID is id for a call that changes nothing.
func (r *Repo) readID(ctx context.Context, args ...string) (string, error) {
	return r.id(ctx, call{args: args, reads: true})
}

// line is read for an answer of one line, which may be an empty line but not nothing.
func (r *Repo) line(ctx context.Context, args ...string) (string, error) {
	return oneLine(ctx, r.command(call{args: args, reads: true}))
}

func oneLine(ctx context.Context, c run.Command) (string, error) {
	out, err := output(ctx, call{reads: true}, c)
	if err != nil {
		return "", err
	}
	line, ended := strings.CutSuffix(string(out), "\n")
	if !ended {
		return "", odd(c.Args, string(out))
	}
	return line, nil
}

// lines is read for an answer of lines, or of none.
func (r *Repo) lines(ctx context.Context, args ...string) ([]string, error) {
	out, err := r.read(ctx, args...)
	if err != nil {
		return nil, err
	}
	return split(args, out)
}

// ids is lines for object ids.
func (r *Repo) ids(ctx context.Context, c call) ([]string, error) {
	out, err := r.do(ctx, c)
	if err != nil {
		return nil, err
	}
	all, err := split(c.args, out)
	for _, id := range all {
		if !isFullID(id) {
			return nil, odd(c.args, id)
		}
	}
	return all, err
}

// fields are those of a -z answer that cannot be empty.
func (r *Repo) fields(ctx context.Context, c call) ([]string, error) {
	out, err := r.do(ctx, c)
	all := fields(out)
	if err == nil && len(all) == 0 {
		err = odd(c.args, string(out))
	}
	return all, err
}

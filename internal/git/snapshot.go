package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/run"
)

// IncompleteError says that a snapshot lacks files which git could not add, in git's own words.
type IncompleteError struct {
	Worktree, Detail string
	Left             []Skipped // files that were left out unread; Detail says nothing of them
}

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("snapshot of %q lacks files: %s %v", e.Worktree, e.Detail, e.Left)
}

// Snapshot writes the checkout's files, tracked and untracked but not ignored, as a tree. A file
// that git cannot add (unreadable, a repository without a commit, a filter that fails), or that is
// beyond the bounds, makes an *IncompleteError beside the tree of all others. It works on an index
// of its own (the file index, kept between calls for speed), starting from the commit from; the
// checkout's index is not touched and no flag in it can hide a file; it only adds files that are
// staged although they are ignored. Paths in leave are taken back out unless the commit has them.
// It writes objects only.
func (r *Repo) Snapshot(ctx context.Context, index, from string, leave []string) (string, error) {
	env := []string{"GIT_INDEX_FILE=" + index}
	if err := r.startIndex(ctx, index, from); err != nil {
		return "", err
	}
	committed, err := r.IndexEntries(ctx, index, leave)
	if err != nil {
		return "", err
	}
	leave = slices.DeleteFunc(slices.Clone(leave), func(p string) bool { return committed[p].ID != "" })
	left, err := r.beyond(ctx, index)
	if err != nil {
		return "", fmt.Errorf("snapshot of %q: %w", r.Worktree, err)
	}
	missing, err := r.addFiles(ctx, env, &left)
	if err != nil {
		return "", fmt.Errorf("snapshot of %q: %w", r.Worktree, err)
	}
	if len(leave) > 0 {
		c := call{args: []string{"update-index", "--force-remove", "-z", "--stdin"}, stdin: records(leave), env: env}
		if _, err := r.do(ctx, c); err != nil {
			return "", fmt.Errorf("snapshot of %q: %w", r.Worktree, err)
		}
	}
	tree, err := r.writeTree(ctx, env)
	if err != nil {
		return "", fmt.Errorf("snapshot of %q: %w", r.Worktree, err)
	}
	if missing != "" || len(left) > 0 {
		return tree, &IncompleteError{Worktree: r.Worktree, Detail: missing, Left: left}
	}
	return tree, nil
}

// addFiles brings the index to the files of the checkout, without those that are left out, and
// answers with what git said of others.
func (r *Repo) addFiles(ctx context.Context, env []string, left *[]Skipped) (string, error) {
	if len(*left) > 0 && (*left)[0].Why == BeyondEntries {
		return "", nil
	}
	missing, err := r.addAll(ctx, env, *left)
	if err != nil {
		return "", err
	}
	staged, err := r.addStaged(ctx, env, left)
	return strings.TrimSpace(missing + "\n" + staged), err
}

// StagedIn is the same checkout for snapshots that take what is staged from another index file,
// which nobody else writes. The file may be hostile.
func (r *Repo) StagedIn(index string) *Repo {
	other := *r
	other.stagedIndex = index
	return &other
}

// addStaged takes in files that are staged although --all leaves them out because they are ignored,
// and answers with what git said if it refused. Those beyond the bounds are left out as well.
func (r *Repo) addStaged(ctx context.Context, env []string, left *[]Skipped) (string, error) {
	asked := call{args: []string{"ls-files", "-z", "--cached", "--ignored", "--exclude-standard"}, reads: true}
	if r.stagedIndex != "" {
		asked.env = []string{"GIT_INDEX_FILE=" + r.stagedIndex}
	}
	staged, err := r.do(ctx, asked)
	if err != nil {
		return r.refused(err)
	}
	paths := slices.DeleteFunc(fields(staged), func(p string) bool {
		if !filepath.IsLocal(filepath.FromSlash(p)) {
			return true // an index can hold any name
		}
		at := filepath.Join(r.Worktree, filepath.FromSlash(p))
		if size, leased := look(at); leased || r.bounds.File > 0 && size > r.bounds.File {
			if !slices.ContainsFunc(*left, func(l Skipped) bool { return l.Path == p }) {
				*left = append(*left, Skipped{p, size, leftWhy(leased)})
			}
			return true
		}
		_, err := os.Lstat(at)
		return err != nil
	})
	if len(paths) == 0 {
		return "", nil
	}
	_, err = r.open(ctx, call{args: []string{"add", "--force", "--sparse", "--pathspec-from-file=-",
		"--pathspec-file-nul"}, stdin: records(paths), env: append(env, "GIT_LITERAL_PATHSPECS=1")})
	if err != nil {
		return r.refused(err)
	}
	return "", nil
}

// refused makes git's words of an error that only says that git did not want to, where the index is another's work.
func (r *Repo) refused(err error) (string, error) {
	var exit *run.ExitError
	if r.stagedIndex == "" || !errors.As(err, &exit) || exit.Code <= 0 {
		return "", err
	}
	return exit.Stderr, nil
}

// startIndex fills the private index from the commit. One that git cannot read is only a cache: it is made anew.
func (r *Repo) startIndex(ctx context.Context, index, from string) error {
	c := call{args: []string{"read-tree", "--reset", from}, env: []string{"GIT_INDEX_FILE=" + index}}
	_, err := r.do(ctx, c)
	if run.ExitCode(err) > 0 && os.Remove(index) == nil {
		_, err = r.do(ctx, c)
	}
	return wrap(err, "snapshot of %q", r.Worktree)
}

// addAll brings the index to the files of the checkout and answers with what git said of those that it could not add.
func (r *Repo) addAll(ctx context.Context, env []string, left []Skipped) (string, error) {
	sparse, err := r.sparse(ctx)
	if err != nil {
		return "", err
	}
	a := adder{repo: r, env: env, left: left}
	if sparse { // what lies outside of the patterns is left out by --all; if it is absent, nobody deleted it
		present, err := r.differing(ctx, env, "--diff-filter=d")
		if err != nil {
			return "", err
		}
		if err := a.pieces(ctx, present); err != nil {
			return "", err
		}
	}
	said, err := r.open(ctx, call{
		args:  []string{"add", "--all", "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul"},
		stdin: records(excluding(left)), env: env, mixed: true,
	})
	if err == nil { // a folder that it cannot open is no fault to git
		a.said = append(a.said, warnings(string(said))...)
		return a.missing(), nil
	}
	var exit *run.ExitError
	if !errors.As(err, &exit) || exit.Code < 0 {
		return "", err
	}
	if _, statErr := os.Stat(r.Worktree); statErr != nil {
		return "", err
	}
	if exit.Code == 1 { // all others are in
		a.said = append(a.said, strings.TrimSpace(string(said)))
		return a.missing(), nil
	}
	// One file stopped git before it wrote anything: add in pieces to find which.
	paths, err := r.differing(ctx, env)
	if err != nil {
		return "", err
	}
	if err := a.pieces(ctx, paths); err != nil {
		return "", err
	}
	return a.missing(), nil
}

// sparse says whether the checkout leaves files out. Without a list of patterns git leaves out
// none, whatever the configuration says.
func (r *Repo) sparse(ctx context.Context) (bool, error) {
	if !isThere(filepath.Join(r.GitDir, "info", "sparse-checkout")) {
		return false, nil
	}
	return r.isSet(ctx, "core.sparseCheckout")
}

// warnings are the lines in which git itself speaks; a filter's words are left out.
func warnings(said string) []string {
	var all []string
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "warning: ") {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// adder collects what git says of files that it cannot add.
type adder struct {
	repo *Repo
	env  []string
	left []Skipped // what is not to be added
	said []string
}

func (a *adder) missing() string { return strings.Join(a.said, "\n") }

// pieces adds the paths, halving a list in which one of them stops git, so that all others are in.
func (a *adder) pieces(ctx context.Context, paths []string) error {
	const most = 100 // so many single failures have another cause than the files
	paths = slices.DeleteFunc(paths, func(p string) bool {
		return slices.ContainsFunc(a.left, func(l Skipped) bool { return l.Path == p })
	})
	if len(paths) == 0 {
		return nil
	}
	args := []string{"--literal-pathspecs", "add", "--all", "--sparse", "--ignore-errors", "--pathspec-from-file=-",
		"--pathspec-file-nul"}
	_, err := a.repo.open(ctx, call{args: args, stdin: records(paths), env: a.env})
	var exit *run.ExitError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &exit) || exit.Code < 0 || len(a.said) >= most:
		return err
	case exit.Code == 1 || len(paths) == 1:
		a.said = append(a.said, exit.Stderr)
		return nil
	}
	half := len(paths) / 2
	if err := a.pieces(ctx, paths[:half]); err != nil {
		return err
	}
	return a.pieces(ctx, paths[half:])
}

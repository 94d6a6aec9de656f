package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/atomicfile"
	"delegate/internal/run"
)

// Resolve is the commit that a revision names; ErrNoCommit (wrapped) if none.
func (r *Repo) Resolve(ctx context.Context, revision string) (string, error) {
	id, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if run.ExitCode(err) > 0 {
		return "", fmt.Errorf("resolve %q: %w", revision, ErrNoCommit)
	}
	if err != nil {
		return "", fmt.Errorf("resolve %q: %w", revision, err)
	}
	return id, nil
}

// TreeOf is the tree of a commit.
func (r *Repo) TreeOf(ctx context.Context, commit string) (string, error) {
	id, err := fact(r, "tree", []string{commit}, func() (string, error) {
		return r.line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", commit+"^{tree}")
	})
	if run.ExitCode(err) > 0 {
		return "", fmt.Errorf("tree of %q: %w", commit, ErrNoCommit)
	}
	if err != nil {
		return "", fmt.Errorf("tree of %q: %w", commit, err)
	}
	return id, nil
}

// TreeAndParents are the tree of a commit and its parents in their order; ErrNoCommit (wrapped) if it is none.
// It is asked for each time, since callers learn by it that a commit is not there any more.
func (r *Repo) TreeAndParents(ctx context.Context, commit string) (tree string, parents []string, err error) {
	out, err := r.line(ctx, "rev-list", "--max-count=1", "--no-commit-header", "--format=%T %P", "--end-of-options", commit, "--")
	ids := strings.Fields(out)
	if run.ExitCode(err) > 0 || err == nil && len(ids) == 0 {
		return "", nil, fmt.Errorf("parents of %q: %w", commit, ErrNoCommit)
	}
	if err != nil {
		return "", nil, fmt.Errorf("parents of %q: %w", commit, err)
	}
	return ids[0], ids[1:], nil
}

// Parents are the parents of a commit in their order; ErrNoCommit (wrapped) if it is none.
func (r *Repo) Parents(ctx context.Context, commit string) ([]string, error) {
	_, parents, err := r.TreeAndParents(ctx, commit)
	return parents, err
}

// Head is the branch this checkout is on (short name) and its commit.
// ErrDetached: HEAD names no branch (commit is still set). ErrUnborn: the branch has no commit.
func (r *Repo) Head(ctx context.Context) (branch, commit string, err error) {
	ref, err := r.line(ctx, "symbolic-ref", "--quiet", "HEAD")
	if run.ExitCode(err) == 1 {
		commit, err := r.Resolve(ctx, "HEAD")
		if err != nil {
			return "", "", err
		}
		return "", commit, ErrDetached
	}
	if err != nil {
		return "", "", fmt.Errorf("read HEAD: %w", err)
	}
	branch = strings.TrimPrefix(ref, "refs/heads/")
	commit, found, err := r.Ref(ctx, ref)
	if err != nil {
		return "", "", err
	}
	if !found {
		return branch, "", fmt.Errorf("branch %q: %w", branch, ErrUnborn)
	}
	return branch, commit, nil
}

// Ref is the value of a full reference name and whether it exists.
func (r *Repo) Ref(ctx context.Context, ref string) (string, bool, error) {
	id, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref)
	if run.ExitCode(err) == 1 {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read %q: %w", ref, err)
	}
	return id, true, nil
}

// Tip is the commit of a branch (short name), "" if there is none, and whether this checkout is on it.
func (r *Repo) Tip(ctx context.Context, branch string) (commit string, here bool, err error) {
	out, err := r.line(ctx, "for-each-ref", "--format=%(objectname) %(HEAD)", "refs/heads/"+branch)
	if err != nil {
		return "", false, fmt.Errorf("read branch %q: %w", branch, err)
	}
	commit, sign, _ := strings.Cut(out, " ")
	return commit, sign == "*", nil
}

// RefsUnder are the references below a prefix such as `refs/heads/delegate/`, name to value.
func (r *Repo) RefsUnder(ctx context.Context, prefix string) (map[string]string, error) {
	out, err := r.line(ctx, "for-each-ref", "--format=%(refname) %(objectname)", prefix)
	if err != nil {
		return nil, fmt.Errorf("list references below %q: %w", prefix, err)
	}
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[name] = id
	}
	return refs, nil
}

// ValidBranch says whether git accepts the name for a branch.
func (r *Repo) ValidBranch(ctx context.Context, branch string) bool {
	name, err := r.line(ctx, "check-ref-format", "--branch", branch)
	return err == nil && name == branch // an abbreviation such as @{-1} is answered with what it stands for
}

// RefUpdate moves one reference from Old to New. An empty Old means that it must not exist, an empty New deletes it.
type RefUpdate struct {
	Ref, Old, New string
}

// MovedError says that a reference was not where the caller last saw it; nothing was changed.
type MovedError struct {
	Ref, Want, Found string
}

func (e *MovedError) Error() string {
	if e.Found == "" {
		return fmt.Sprintf("%s is gone (it was at %.12s)", e.Ref, e.Want)
	}
	if e.Want == "" {
		return fmt.Sprintf("%s exists already (at %.12s)", e.Ref, e.Found)
	}
	return fmt.Sprintf("%s moved from %.12s to %.12s", e.Ref, e.Want, e.Found)
}

// UpdateRefs moves all the references in one transaction, or none (*MovedError). It writes.
func (r *Repo) UpdateRefs(ctx context.Context, reason string, updates ...RefUpdate) error {
	script := []string{"start"}
	for _, u := range updates {
		switch {
		case u.New == "" && u.Old == "": // git takes a deletion without an old value for one at any value
			script = append(script, "verify "+u.Ref, "")
		case u.New == "":
			script = append(script, "delete "+u.Ref, u.Old)
		case u.Old == "":
			script = append(script, "create "+u.Ref, u.New)
		default:
			script = append(script, "update "+u.Ref, u.New, u.Old)
		}
	}
	script = append(script, "prepare", "commit")
	_, err := r.do(ctx, call{args: []string{"update-ref", "-z", "--stdin", "-m", reason}, stdin: records(script)})
	if err == nil {
		return nil
	}
	for _, u := range updates {
		found, _, readErr := r.Ref(ctx, u.Ref)
		if readErr == nil && found != u.Old {
			return &MovedError{Ref: u.Ref, Want: u.Old, Found: found}
		}
	}
	return fmt.Errorf("update references: %w", err)
}

// DropRefLocks removes the locks that a git left behind which was killed, or lost its power, in the middle of these updates:
// such a lock holds the new value. The caller is the only one who makes them. It writes.
func (r *Repo) DropRefLocks(updates ...RefUpdate) error {
	for _, u := range updates {
		lock := filepath.Join(r.CommonDir, filepath.FromSlash(u.Ref)+".lock")
		held, err := atomicfile.ReadRegular(lock, 1<<10)
		if err != nil || u.New == "" || strings.TrimSpace(string(held)) != u.New {
			continue // none, as usual, or another's, which git names
		}
		if err := os.Remove(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("update %q: %w", u.Ref, err)
		}
	}
	return nil
}

// IsAncestor says whether the history of b contains a.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	return fact(r, "ancestor", []string{a, b}, func() (bool, error) {
		_, err := r.read(ctx, "merge-base", "--is-ancestor", a, b)
		switch run.ExitCode(err) {
		case 0:
			return true, nil
		case 1:
			return false, nil
		}
		return false, fmt.Errorf("compare history of %.12s and %.12s: %w", a, b, err)
	})
}

// Held says whether the history of some reference contains the commit. The heads of worktrees are none.
func (r *Repo) Held(ctx context.Context, commit string) (bool, error) {
	out, err := r.line(ctx, "for-each-ref", "--count=1", "--contains="+commit)
	if err != nil {
		return false, fmt.Errorf("look what holds %.12s: %w", commit, err)
	}
	return out != "", nil
}

// MergeBase is the best common ancestor; ErrNoMergeBase (wrapped) if there is none.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	id, err := fact(r, "base", []string{a, b}, func() (string, error) { return r.line(ctx, "merge-base", a, b) })
	if run.ExitCode(err) == 1 {
		return "", fmt.Errorf("merge base of %.12s and %.12s: %w", a, b, ErrNoMergeBase)
	}
	if err != nil {
		return "", fmt.Errorf("merge base of %.12s and %.12s: %w", a, b, err)
	}
	return id, nil
}

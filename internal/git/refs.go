package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
)

// References are all references of the repository, and HEAD of its main checkout, by their full
// names: the id of the object that each names, and for a symbolic one "ref: " and the name it
// stands for.
func (r *Repo) References(ctx context.Context) (map[string]string, error) {
	main := r.At(r.CommonDir, "")
	all, err := main.refs(ctx, "%(symref)")
	if err != nil {
		return nil, fmt.Errorf("list references: %w", err)
	}
	refs := make(map[string]string, len(all)+1)
	for _, found := range all {
		if refs[found.name] = found.id; found.more != "" {
			refs[found.name] = "ref: " + found.more
		}
	}
	branch, commit, err := main.Head(ctx)
	switch {
	case err == nil || errors.Is(err, ErrUnborn):
		refs["HEAD"] = "ref: refs/heads/" + branch
	case errors.Is(err, ErrDetached):
		refs["HEAD"] = commit
	default:
		return nil, fmt.Errorf("list references: %w", err)
	}
	return refs, nil
}

// SetHead puts this checkout's HEAD on a branch, by its full name, or on a commit; files and index
// stay as they are. It writes.
func (r *Repo) SetHead(ctx context.Context, to, reason string) error {
	args := []string{"update-ref", "-m", reason, "--no-deref", "HEAD", to}
	if strings.HasPrefix(to, "refs/heads/") {
		args = []string{"symbolic-ref", "-m", reason, "HEAD", to}
	}
	_, err := r.do(ctx, call{args: args})
	return wrap(err, "set HEAD to %q", to)
}

// LooseRefs says whether references are kept as files, one each, which is not so with the format "reftable".
func (r *Repo) LooseRefs() bool {
	_, err := os.Lstat(filepath.Join(r.CommonDir, "reftable"))
	return errors.Is(err, fs.ErrNotExist)
}

// RefFile is the file in which a reference lies by itself, whatever it says, "" for none.
func (r *Repo) RefFile(ref string) string {
	path := filepath.Join(r.CommonDir, filepath.FromSlash(ref))
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// Resolve is the commit that a revision names; ErrNoCommit (wrapped) if none.
// A reference that is there and whose commit cannot be read is ErrBroken (wrapped), with git's
// words of a damaged object.
func (r *Repo) Resolve(ctx context.Context, revision string) (string, error) {
	name := revision
	if revision == "HEAD" {
		name = cmp.Or(r.headRef(), revision)
	}
	if found, ok := r.lookUp(ctx, name+"^{commit}"); ok {
		return found.id, nil
	}
	id, err := r.readID(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if code := run.ExitCode(err); code > 0 && strings.HasPrefix(revision, "refs/") {
		return r.resolveRef(ctx, revision)
	} else if code == 1 { // more is a fault, as of a damaged object
		err = ErrNoCommit
	}
	return id, wrap(err, "resolve %q", revision)
}

// resolveRef tells a reference that is gone from one whose commit is.
func (r *Repo) resolveRef(ctx context.Context, ref string) (string, error) {
	id, found, err := r.Ref(ctx, ref)
	if err == nil && !found {
		err = ErrNoCommit
	}
	if err != nil {
		return "", fmt.Errorf("resolve %q: %w", ref, err)
	}
	commit, err := r.Resolve(ctx, id)
	if errors.Is(err, ErrNoCommit) {
		return "", fmt.Errorf("resolve %q at %.12s: %w", ref, id, ErrBroken)
	}
	if run.ExitCode(err) > 0 {
		return "", fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return commit, err
}

// TreeOf is the tree of a commit.
func (r *Repo) TreeOf(ctx context.Context, commit string) (string, error) {
	if found, ok := r.lookUp(ctx, commit+"^{tree}"); ok {
		return found.id, nil
	}
	id, err := r.readID(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", commit+"^{tree}")
	if run.ExitCode(err) == 1 {
		return "", fmt.Errorf("tree of %q: %w", commit, ErrNoCommit)
	}
	return id, wrap(err, "tree of %q", commit)
}

// Head is the branch this checkout is on (short name) and its commit.
// ErrDetached: HEAD names no branch (commit is still set). ErrUnborn: the branch has no commit.
func (r *Repo) Head(ctx context.Context) (branch, commit string, err error) {
	ref := r.headRef()
	if ref == "" {
		ref, err = r.line(ctx, "symbolic-ref", "--quiet", "HEAD")
	}
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
	branch, named := strings.CutPrefix(ref, "refs/heads/")
	if !named && !strings.HasPrefix(ref, "refs/") {
		return "", "", fmt.Errorf("read HEAD: %w", odd([]string{"symbolic-ref"}, ref))
	}
	commit, found, err := r.Ref(ctx, ref)
	if err != nil {
		return "", "", err
	}
	if !found {
		return branch, "", fmt.Errorf("branch %q: %w", branch, ErrUnborn)
	}
	return branch, commit, nil
}

// Ref is the value of a full reference name and whether it exists. One whose file is there and
// names nothing, as after a power cut, is ErrBroken (wrapped): git takes it for none.
func (r *Repo) Ref(ctx context.Context, ref string) (string, bool, error) {
	if r.isAbsent(ref) {
		return "", false, nil
	}
	if found, ok := r.lookUp(ctx, ref); ok {
		return found.id, true, nil
	}
	ask := func() (string, bool, error) {
		id, err := r.readID(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref)
		file, statErr := os.Lstat(filepath.Join(r.CommonDir, filepath.FromSlash(ref)))
		return id, statErr == nil && file.Mode().IsRegular(), err
	}
	id, isFile, err := ask()
	if isFile && run.ExitCode(err) == 1 { // broken, or made a moment ago
		if id, isFile, err = ask(); isFile && run.ExitCode(err) == 1 {
			err = ErrBroken
		}
	}
	if run.ExitCode(err) == 1 {
		return "", false, nil
	}
	return id, err == nil, wrap(err, "read %q", ref)
}

// isAbsent says that nothing is there of a full reference name: no file, not even a broken one, but a folder of other
// references, and no line in the file of packed references. False says only that git knows better.
func (r *Repo) isAbsent(ref string) bool {
	if !r.LooseRefs() || !isEverywhere(ref) {
		return false
	}
	info, err := os.Lstat(filepath.Join(r.CommonDir, filepath.FromSlash(ref)))
	if err == nil && !info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	packed, err := os.ReadFile(filepath.Join(r.CommonDir, "packed-refs"))
	return errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Contains(packed, []byte(" "+ref+"\n"))
}

// Tip is the commit of a branch (short name), "" if there is none, and whether this checkout is on it.
func (r *Repo) Tip(ctx context.Context, branch string) (commit string, here bool, err error) {
	ref := "refs/heads/" + branch
	if head, err := atomicfile.ReadRegular(filepath.Join(r.GitDir, "HEAD"), 1<<10); err == nil && r.LooseRefs() {
		if found, ok := r.lookUp(ctx, ref); ok {
			return found.id, strings.TrimSpace(string(head)) == "ref: "+ref, nil
		}
	}
	all, err := r.refs(ctx, "%(HEAD)", ref)
	if err != nil {
		return "", false, fmt.Errorf("read branch %q: %w", branch, err)
	}
	for _, found := range all { // git lists those below the name as well
		if found.name == ref {
			return found.id, found.more == "*", nil
		}
	}
	commit, _, err = r.Ref(ctx, ref) // which says more surely that there is none
	return commit, false, err
}

// ref is one line of git's list of references.
type ref struct{ name, id, more string }

// refs lists references with one more thing of each.
func (r *Repo) refs(ctx context.Context, more string, patterns ...string) ([]ref, error) {
	args := append([]string{"for-each-ref", "--format=%(refname) %(objectname) " + more}, patterns...)
	lines, err := r.lines(ctx, args...)
	all := make([]ref, len(lines))
	for i, line := range lines {
		words := strings.SplitN(line, " ", 3)
		if len(words) != 3 || !isFullID(words[1]) {
			return nil, odd(args, line)
		}
		all[i] = ref{words[0], words[1], words[2]}
	}
	return all, err
}

// RefsUnder are the references below a prefix such as `refs/heads/delegate/`, name to value.
func (r *Repo) RefsUnder(ctx context.Context, prefix string) (map[string]string, error) {
	all, err := r.refs(ctx, "", prefix)
	if err != nil {
		return nil, fmt.Errorf("list references below %q: %w", prefix, err)
	}
	refs := make(map[string]string, len(all))
	for _, found := range all {
		refs[found.name] = found.id
	}
	return refs, nil
}

// RefsWithin names the references below a prefix whose commits the history of a commit contains.
func (r *Repo) RefsWithin(ctx context.Context, prefix, commit string) ([]string, error) {
	names, err := r.lines(ctx, "for-each-ref", "--format=%(refname)", "--merged="+commit, prefix)
	return names, wrap(err, "list references below %q that are in %.12s", prefix, commit)
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
	for _, lock := range r.locksOf(refNames(updates)...) {
		if isThere(lock) {
			return fmt.Errorf("update references: %w", &LockedError{Path: lock})
		}
	}
	return fmt.Errorf("update references: %w", err)
}

func refNames(updates []RefUpdate) (names []string) {
	for _, u := range updates {
		names = append(names, u.Ref)
	}
	return names
}

// DropRefLocks removes the locks that a git left behind which was killed, or lost its power, in the
// middle of these updates: such a lock holds the new value. The caller is the only one who makes
// them. It writes.
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

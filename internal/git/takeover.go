package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"delegate/internal/run"
)

// TakeOverError says in git's own words why objects that somebody else wrote do not become part of the repository:
// one is missing, is not what its name says, or is not formed as git would form it. No reference was moved.
type TakeOverError struct{ Detail string }

func (e *TakeOverError) Error() string { return "git objects are not sound: " + e.Detail }

// unsound makes a *TakeOverError of git's refusal; any other error stays what it is, and so does a
// git that was ended before it could tell.
func unsound(err error) error {
	var exit *run.ExitError
	if !errors.As(err, &exit) || exit.Code < 0 {
		return err
	}
	detail := exit.Stderr
	if detail == "" {
		detail = exit.Error()
	}
	return &TakeOverError{Detail: detail}
}

// Intake is commits that are to become part of the repository with all they need.
type Intake struct {
	Tips     []string // commits, by their full ids
	Unproven string   // folder of references, such as `refs/heads/delegate/`, that may name what nobody has checked
}

// walk are the arguments that list what the tips need and no proven reference has.
// A reference whose commit is missing proves nothing; whether the tips are there is asked before.
func (in Intake) walk(options ...string) []string {
	args := append([]string{"rev-list", "--objects", "--ignore-missing", "--exclude-promisor-objects"}, options...)
	args = append(args, in.Tips...)
	return append(args, "--not", "--exclude="+in.Unproven+"*", "--glob=refs/*")
}

// offline keeps git from fetching what a partial clone lacks: the ids come from somebody else.
func offline() []string { return []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"} }

// asLines is the input that names objects.
func asLines(ids []string) io.Reader { return strings.NewReader(strings.Join(ids, "\n") + "\n") }

// Lacking are those of the ids that the repository has no object for, in their order. Nothing is fetched.
func (r *Repo) Lacking(ctx context.Context, ids []string) ([]string, error) {
	kinds, err := r.kinds(ctx, ids)
	if err != nil {
		return nil, err
	}
	var lacking []string
	for i, kind := range kinds {
		if kind == "" {
			lacking = append(lacking, ids[i])
		}
	}
	return lacking, nil
}

// kinds are the types of objects, "" for one that is not here.
func (r *Repo) kinds(ctx context.Context, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	c := call{args: []string{"cat-file", "--batch-check=%(objecttype)"}, stdin: asLines(ids), env: offline(),
		reads: true}
	out, err := r.do(ctx, c)
	// a partial clone that knows of an object without having it: git wants to fetch it, and ends
	if run.ExitCode(err) > 0 {
		return r.kindsInPart(ctx, ids)
	}
	if err != nil {
		return nil, fmt.Errorf("look for %d objects: %w", len(ids), err)
	}
	kinds, err := split(c.args, out, "\n")
	if err != nil || len(kinds) != len(ids) {
		return nil, fmt.Errorf("look for %d objects: %w", len(ids), cmp.Or(err, odd(c.args, string(out))))
	}
	for i, kind := range kinds {
		switch kind {
		case "commit", "tree", "blob", "tag":
		case ids[i] + " missing":
			kinds[i] = ""
		default:
			return nil, fmt.Errorf("look for %d objects: %w", len(ids), odd(c.args, kind))
		}
	}
	return kinds, nil
}

// kindsInPart is kinds for a partial clone: what is not a commit, and not known to be here without
// asking for it, counts as missing.
func (r *Repo) kindsInPart(ctx context.Context, ids []string) ([]string, error) {
	args := []string{"rev-list", "--no-walk=unsorted", "--missing=allow-any", "--ignore-missing", "--stdin"}
	found, err := r.ids(ctx, call{args: args, stdin: asLines(ids), env: offline(), reads: true})
	if err != nil {
		return nil, fmt.Errorf("look for %d objects in a partial clone: %w", len(ids), err)
	}
	commits := map[string]bool{}
	for _, id := range found {
		commits[id] = true
	}
	kinds := make([]string, len(ids))
	for i, id := range ids {
		if commits[id] {
			kinds[i] = "commit"
		}
	}
	return kinds, nil
}

// Connected finds out whether the repository has the tips, each a commit, and all they need down to
// what proven references have.
// If not, the answer is a *TakeOverError.
func (r *Repo) Connected(ctx context.Context, in Intake) error {
	kinds, err := r.kinds(ctx, in.Tips)
	if err != nil {
		return err
	}
	for i, kind := range kinds {
		switch kind {
		case "commit":
		case "":
			return &TakeOverError{Detail: fmt.Sprintf("commit %s is missing", in.Tips[i])}
		default:
			return &TakeOverError{Detail: fmt.Sprintf("%s is a %s and no commit", in.Tips[i], kind)}
		}
	}
	if _, err := r.do(ctx, call{args: in.walk("--quiet"), env: offline(), reads: true, limit: workLimit}); err != nil {
		return unsound(err)
	}
	return nil
}

// IndexPack makes the index of a pack that lies in the objects of this quarantine, from the pack's content alone.
// A pack that is not sound is a *TakeOverError. It writes.
func (r *Repo) IndexPack(ctx context.Context, pack string) error {
	if _, err := r.do(ctx, call{args: []string{"index-pack", pack}}); err != nil {
		return unsound(err)
	}
	return nil
}

// Import copies what the tips need and the repository does not have from the quarantine held into the repository.
// Every object gets the id that its content has and passes git's strict checks, so what claimed
// another id is still missing afterwards:
// Connected tells. A *TakeOverError says what is not sound. No reference moves. It writes objects.
func (r *Repo) Import(ctx context.Context, held *Repo, in Intake) error {
	list, err := held.ids(ctx, call{args: in.walk("--no-object-names"), reads: true, limit: workLimit})
	if err != nil {
		return unsound(err)
	}
	if len(list) == 0 {
		return nil
	}
	if r.bounds != (Bounds{}) {
		if err := r.admit(ctx, held, list); errors.Is(err, ErrNoObject) || errors.Is(err, ErrTooLarge) {
			return &TakeOverError{Detail: err.Error()}
		} else if err != nil {
			return err
		}
	}
	intake, err := r.intake(ctx, len(list))
	if err != nil {
		return err
	}
	args := []string{"pack-objects", "--stdout", "--delta-base-offset", "-q"}
	pack := held.command(call{args: args, stdin: asLines(list)})
	talk, err := run.Converse(ctx, pack)
	if err != nil {
		return fmt.Errorf("take over %d tips: %w", len(in.Tips), err)
	}
	_, err = r.do(ctx, call{args: intake, stdin: talk.Out, env: offline()})
	packed := talk.Close()
	var exit *run.ExitError
	refused := err != nil && errors.As(packed, &exit) && exit.Signal == syscall.SIGPIPE.String()
	if packed != nil && !refused {
		err = packed // the reader only says that the rest did not come
	}
	return unsound(err)
}

// unpackMost is up to how many objects come as single files, as when git fetches; more stay one pack.
const unpackMost = 100

// intake is the command that reads a pack and checks it. In a partial clone the strict one would
// ask for what is not here for good reason.
func (r *Repo) intake(ctx context.Context, objects int) ([]string, error) {
	partial, err := r.isPartial(ctx)
	switch {
	case err != nil:
		return nil, err
	case partial:
		return []string{"index-pack", "--stdin", "--fsck-objects"}, nil
	case objects <= unpackMost:
		return []string{"unpack-objects", "--strict", "-q"}, nil
	}
	return []string{"index-pack", "--stdin", "--strict"}, nil
}

func (r *Repo) isPartial(ctx context.Context) (bool, error) {
	all, err := r.configured(ctx, `^(extensions\.partialclone|remote\..*\.promisor)$`)
	return len(all) > 0, err
}

// LooseRefs says whether references are kept as files, one each, which is not so with the format "reftable".
func (r *Repo) LooseRefs() bool {
	_, err := os.Lstat(filepath.Join(r.CommonDir, "reftable"))
	return errors.Is(err, fs.ErrNotExist)
}

// SetHead puts this checkout's HEAD on a branch, by its full name, or on a commit; files and index
// stay as they are. It writes.
func (r *Repo) SetHead(ctx context.Context, to, reason string) error {
	args := []string{"update-ref", "-m", reason, "--no-deref", "HEAD", to}
	if strings.HasPrefix(to, "refs/heads/") {
		args = []string{"symbolic-ref", "-m", reason, "HEAD", to}
	}
	if _, err := r.do(ctx, call{args: args}); err != nil {
		return fmt.Errorf("set HEAD to %q: %w", to, err)
	}
	return nil
}

// FollowIndex takes this checkout's index from one commit to another, so that what differs in the
// files is an unstaged change.
// Where something is staged, it stays as it is. A *IndexLockedError says that somebody works on it
// right now. Files are never touched. It writes.
func (r *Repo) FollowIndex(ctx context.Context, from, to string) error {
	_, err := r.read(ctx, "diff-index", "--cached", "--quiet", from, "--")
	if run.ExitCode(err) > 1 {
		if _, goneErr := r.Resolve(ctx, from); errors.Is(goneErr, ErrNoCommit) {
			return nil // and nobody can tell
		}
	}
	if run.ExitCode(err) == 1 { // something is staged
		return nil
	}
	if err == nil {
		_, err = r.do(ctx, call{args: []string{"read-tree", "--reset", to}})
	}
	if err == nil {
		return nil
	}
	if lock := r.IndexPath() + ".lock"; isThere(lock) {
		return &IndexLockedError{Path: lock}
	}
	return fmt.Errorf("take the index of %q to %.12s: %w", r.Worktree, to, err)
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

package git

import (
	"context"
	"errors"
	"fmt"
	"math"
	"syscall"

	"delegate/internal/sys/run"
)

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

// ImportRequest is commits that are to become part of the repository with all they need.
type ImportRequest struct {
	Tips     []string // commits, by their full ids
	Unproven string   // folder of references, such as `refs/heads/delegate/`, that may name unchecked commits
}

// walk are the arguments that list what the tips need and no proven reference has.
// A reference whose commit is missing proves nothing; whether the tips are there is asked before.
func (in ImportRequest) walk(options ...string) []string {
	args := append([]string{"rev-list", "--objects", "--ignore-missing", "--exclude-promisor-objects"}, options...)
	args = append(args, in.Tips...)
	return append(args, "--not", "--exclude="+in.Unproven+"*", "--glob=refs/*")
}

// Connected finds out whether the repository has the tips, each a commit, and all they need down to
// what proven references have. If not, the answer is a *TakeOverError.
func (r *Repo) Connected(ctx context.Context, in ImportRequest) error {
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
	_, err = r.do(ctx, call{args: in.walk("--quiet"), env: offline(), reads: true, limit: workLimit})
	return unsound(err)
}

// IsWhole finds out whether the repository has a commit and all it needs that another commit, which is there, does not
// have. If not, the answer is a *TakeOverError.
func (r *Repo) IsWhole(ctx context.Context, tip, since string) error {
	_, err := r.do(ctx, call{args: []string{"rev-list", "--objects", "--exclude-promisor-objects", "--quiet", tip,
		"^" + since}, env: offline(), reads: true, limit: workLimit})
	return unsound(err)
}

// IndexPack makes the index of a pack that lies in the objects of this quarantine, from the pack's content alone.
// A pack that is not sound is a *TakeOverError. It writes.
func (r *Repo) IndexPack(ctx context.Context, pack string) error {
	_, err := r.do(ctx, call{args: []string{"index-pack", pack}})
	return unsound(err)
}

// Import copies what the tips need and the repository does not have from the quarantine held into
// the repository. Every object gets the id that its content has and passes git's strict checks, so
// what claimed another id is still missing afterwards: Connected tells. A *TakeOverError says what
// is not sound. No reference moves. It writes objects.
func (r *Repo) Import(ctx context.Context, held *Repo, in ImportRequest) error {
	list, err := held.ids(ctx, call{args: in.walk("--no-object-names"), reads: true, limit: workLimit})
	if err != nil {
		return unsound(err)
	}
	if len(list) == 0 {
		return nil
	}
	if r.bounds != (Bounds{}) {
		if err := r.checkLimits(ctx, held, list); errors.Is(err, ErrNoObject) || errors.Is(err, ErrTooLarge) {
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
	talk, err := run.StartPiped(ctx, pack)
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

// TakeOverError says in git's own words why objects that an agent wrote do not become part of the repository:
// one is missing, is not what its name says, or is not formed as git would form it. No reference was moved.
type TakeOverError struct{ Detail string }

func (e *TakeOverError) Error() string { return "git objects are not sound: " + e.Detail }

// checkLimits returns a *TakeOverError if an agent's objects are more than the bounds allow: by
// sizes, or because a few trees that are in one another many times stand for millions of paths,
// which every git that lists them would fill its memory with. ids are the objects that are new.
func (r *Repo) checkLimits(ctx context.Context, held *Repo, ids []string) error {
	heads, err := held.heads(ctx, ids) // one that is missing is found by who reads it
	if err != nil {
		return err
	}
	fresh, total := map[string]bool{}, int64(0)
	for _, h := range heads {
		total += h.size
		if h.kind == "blob" && r.bounds.File > 0 && h.size > r.bounds.File {
			return &TakeOverError{Detail: fmt.Sprintf(
				"the file %s has %d bytes, and %d are the most (limits.file_size)", h.id, h.size, r.bounds.File)}
		}
		fresh[h.id] = h.kind == "tree" || h.kind == "commit"
	}
	if r.bounds.Work > 0 && total > r.bounds.Work {
		return &TakeOverError{Detail: fmt.Sprintf("its commits have %d bytes, and %d are the most (limits.work_size)",
			total, r.bounds.Work)}
	}
	if r.bounds.Entries == 0 {
		return nil
	}
	blobs := held.OpenBlobs(ctx)
	defer blobs.Close()
	c := &treeCounter{blobs: blobs, fresh: fresh, trees: map[string][]string{}, counts: map[string]int{}}
	for _, id := range ids {
		if fresh[id] {
			if err := c.check(ctx, r, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostTree bounds one tree or commit that is counted.
const mostTree = 64 << 20

// treeCounter counts the entries of trees. Each tree is read once.
type treeCounter struct {
	blobs  *Blobs
	fresh  map[string]bool     // the new trees and commits
	trees  map[string][]string // the ids of the folders in a tree, and "" for each file
	counts map[string]int
	allow  int // entries that a whole tree may have, 0 before it was needed
}

// check holds the tree of a new commit against the bounds. Where no folder is in it twice, the new
// trees themselves are its size, and no other is read.
func (c *treeCounter) check(ctx context.Context, r *Repo, commit string) error {
	data, kind, err := c.blobs.Read(commit, mostTree)
	if err != nil || kind != "commit" {
		return err
	}
	root, err := ParseCommitTree(data)
	if err != nil {
		return err
	}
	seen, entries := map[string]bool{}, 0
	once, err := c.once(root, seen, &entries)
	if err != nil || once && entries <= r.bounds.Entries {
		return err
	}
	if c.allow == 0 {
		c.allow = r.bounds.Entries
		if base, err := r.TreeOf(ctx, "HEAD"); err == nil {
			known, err := c.count(base)
			if err != nil {
				return err
			}
			c.allow += known
		}
	}
	n, err := c.count(root)
	if err == nil && n > c.allow {
		err = &TakeOverError{Detail: fmt.Sprintf("commit %s has more than %d files (limits.entries)", commit, c.allow)}
	}
	return err
}

// once reports whether no folder is below the tree twice, as far as it is new.
func (c *treeCounter) once(tree string, seen map[string]bool, entries *int) (bool, error) {
	if seen[tree] {
		return false, nil
	}
	seen[tree] = true
	if !c.fresh[tree] {
		return true, nil
	}
	folders, err := c.read(tree)
	if err != nil {
		return false, err
	}
	*entries += len(folders)
	for _, id := range folders {
		if id == "" {
			continue
		}
		if once, err := c.once(id, seen, entries); err != nil || !once {
			return false, err
		}
	}
	return true, nil
}

// count is how many files a tree has in all, at most the largest number there is.
func (c *treeCounter) count(tree string) (int, error) {
	if n, known := c.counts[tree]; known {
		return n, nil
	}
	folders, err := c.read(tree)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, id := range folders {
		n := 1
		if id != "" {
			if n, err = c.count(id); err != nil {
				return 0, err
			}
			n = max(n, 1)
		}
		if total += n; total < 0 || total > math.MaxInt/2 {
			total = math.MaxInt / 4
		}
	}
	c.counts[tree] = total
	return total, nil
}

func (c *treeCounter) read(tree string) ([]string, error) {
	if folders, known := c.trees[tree]; known {
		return folders, nil
	}
	data, _, err := c.blobs.Read(tree, mostTree)
	if err != nil {
		return nil, err
	}
	entries, err := ParseTree(data, len(tree)/2)
	if err != nil {
		return nil, err
	}
	folders := make([]string, len(entries))
	for i, e := range entries {
		if e.Mode == treeMode {
			folders[i] = e.ID
		}
	}
	c.trees[tree] = folders
	return folders, nil
}

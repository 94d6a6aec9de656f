package git

import (
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/sys/run"
)

// LooseObject is the file of an object that lies in no pack; fs.ErrNotExist (wrapped) if there is
// none.
func (r *Repo) LooseObject(id string) (path string, info fs.FileInfo, err error) {
	if !isFullID(id) {
		return "", nil, fmt.Errorf("find object %q: %w", id, fs.ErrNotExist)
	}
	path = filepath.Join(r.CommonDir, "objects", id[:2], id[2:])
	if info, err = os.Lstat(path); err != nil {
		err = fmt.Errorf("find object %.12s: %w", id, err)
	}
	return path, info, err
}

// Missing are those of the ids that the repository has no object for, in their order. Nothing is fetched.
func (r *Repo) Missing(ctx context.Context, ids []string) ([]string, error) {
	kinds, err := r.kinds(ctx, ids)
	var lacking []string
	for i, kind := range kinds {
		if kind == "" {
			lacking = append(lacking, ids[i])
		}
	}
	return lacking, err
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
	kinds, err := split(c.args, out)
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

// MissingObjects are the objects of a commit's tree that a partial clone lacks, by their ids; none where
// the clone is whole. Nothing is fetched.
func (r *Repo) MissingObjects(ctx context.Context, commit string) (map[string]bool, error) {
	if partial, err := r.isPartial(ctx); err != nil || !partial {
		return nil, err
	}
	args := []string{"rev-list", "--objects", "--no-walk", "--missing=print", "--end-of-options", commit}
	c := call{args: args, env: offline(), reads: true, limit: workLimit}
	out, err := r.do(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("look which objects of %.12s are here: %w", commit, err)
	}
	absent := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if id, is := strings.CutPrefix(strings.TrimSpace(line), "?"); is && isFullID(id) {
			absent[id] = true
		}
	}
	return absent, nil
}

// heads are the kinds and sizes of objects, without reading them. What is not here is left out, and in a partial clone
// what comes behind it, where git ends. Nothing is fetched.
func (r *Repo) heads(ctx context.Context, ids []string) (all []head, err error) {
	out, err := r.do(ctx, call{args: []string{"cat-file", "--batch-check"}, stdin: asLines(ids), env: offline()})
	if err != nil && run.ExitCode(err) <= 0 {
		return nil, fmt.Errorf("ask for the sizes of %d objects: %w", len(ids), err)
	}
	for line := range strings.Lines(string(out)) {
		if found, err := parseHead(strings.TrimSuffix(line, "\n"), ""); err == nil {
			all = append(all, found)
		}
	}
	return all, nil
}

func (r *Repo) isPartial(ctx context.Context) (bool, error) {
	all, err := r.matching(ctx, `^(extensions\.partialclone|remote\..*\.promisor)$`)
	return len(all) > 0, err
}

// Unfetched says what of the history is not here, in a sentence for agents and people; "" if all of it is.
func (r *Repo) Unfetched(ctx context.Context) string {
	if partial, err := r.isPartial(ctx); err == nil && partial { // an error is met by who reads something
		return "This is a partial clone, and agents fetch nothing: " +
			"git show, log -p or blame of what is not here yet fails."
	}
	if r.isShallow() {
		return "This is a shallow clone, and agents fetch nothing: its history ends early."
	}
	return ""
}

// Reading is what came of reading a commit and the tree that it names.
type Reading struct {
	Commit string // its id, "" if the revision names none that git can read
	Broken string // what cannot be read: the revision as it was given, or the id of the tree; "" if both can
}

// mostOfTree bounds the tree that is read to see whether it can be. A larger one has its beginning
// read, which is enough.
const mostOfTree = 64 << 20

// ReadCommits reads the commit that each revision names, and its tree, and answers in their order.
// It takes one process, and another one for each object that makes git give up. Nothing is fetched.
func (r *Repo) ReadCommits(ctx context.Context, revisions []string) ([]Reading, error) {
	blobs := r.openBlobs(ctx, offline()...)
	defer blobs.Close()
	all := make([]Reading, 0, len(revisions))
	for _, revision := range revisions {
		id, data, err := blobs.Commit(revision)
		if errors.Is(err, ErrNoCommit) || errors.Is(err, ErrNoObject) {
			all = append(all, Reading{Broken: revision})
			continue
		}
		if err != nil {
			return nil, err
		}
		tree, err := ParseCommitTree(data)
		if err != nil {
			return nil, fmt.Errorf("read commit %.12s: %w", id, err)
		}
		reading := Reading{Commit: id}
		_, _, err = blobs.Read(tree, mostOfTree)
		switch {
		case errors.Is(err, ErrNoObject):
			reading.Broken = tree
		case err != nil && !errors.Is(err, ErrTooLarge):
			return nil, err
		}
		all = append(all, reading)
	}
	return all, nil
}

// Unreadable is an object that git cannot read, and a path that it has in one of the commits, ""
// if none is known.
type Unreadable struct{ ID, Path string }

// Unreadable are those of the objects between the commits and what the others reach that git
// cannot read, as far as it gets. All of their contents are read. Nothing is fetched.
func (r *Repo) Unreadable(ctx context.Context, commits, others []string) ([]Unreadable, error) {
	c := call{args: []string{"rev-list", "--objects", "--missing=print", "--stdin"},
		stdin: revisions(commits, others), env: offline()}
	out, err := r.do(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("list the objects of %d commits: %w", len(commits), err)
	}
	blobs := r.openBlobs(ctx, offline()...)
	defer blobs.Close()
	var broken []Unreadable
	for line := range strings.Lines(string(out)) {
		name, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		id, missing := strings.CutPrefix(name, "?")
		if !missing {
			_, _, err = blobs.Read(id, mostOfTree)
		}
		switch {
		case missing || errors.Is(err, ErrNoObject):
			broken = append(broken, Unreadable{ID: id, Path: path})
		case err != nil && !errors.Is(err, ErrTooLarge):
			return nil, err
		}
	}
	return broken, nil
}

// BlobID returns the id that content has as an object, by the kind of hash that another id is of.
func BlobID(data []byte, like string) string {
	return nameOf(append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...), like)
}

// nameOf is the name of an object, by the kind of hash that another name is of.
func nameOf(data []byte, like string) string {
	if len(like) == sha1.Size*2 {
		return fmt.Sprintf("%x", sha1.Sum(data))
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

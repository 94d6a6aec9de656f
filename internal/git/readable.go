package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

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
	blobs, err := r.openBlobs(ctx, offline()...)
	if err != nil {
		return nil, err
	}
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
	var input strings.Builder
	for _, id := range commits {
		input.WriteString(id + "\n")
	}
	for _, id := range others {
		input.WriteString("^" + id + "\n")
	}
	c := call{args: []string{"rev-list", "--objects", "--missing=print", "--stdin"},
		stdin: strings.NewReader(input.String()), env: offline()}
	out, err := r.do(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("list the objects of %d commits: %w", len(commits), err)
	}
	blobs, err := r.openBlobs(ctx, offline()...)
	if err != nil {
		return nil, err
	}
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

// Former are the commits that a reference was at, as far as git keeps a record of that, the newest
// first. They may be gone.
func (r *Repo) Former(ref string) []string {
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

// RefFile is the file in which a reference lies by itself, whatever it says, "" for none.
func (r *Repo) RefFile(ref string) string {
	path := filepath.Join(r.CommonDir, filepath.FromSlash(ref))
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

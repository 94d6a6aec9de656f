package objects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"delegate/internal/git"
)

// MergeSign stands between two commits in the name of the tree that Merge makes of them.
const MergeSign = "+"

// Merged is the tree of a merge: by its id, or by such a name, with what the two commits come from.
func (o *Reader) Merged(ctx context.Context, tree, base string) fs.FS {
	if ours, theirs, isName := strings.Cut(tree, MergeSign); isName {
		return o.Merge(ctx, base, ours, theirs)
	}
	return o.Tree(ctx, tree)
}

// Merge is the tree that git makes of two commits, ours and theirs, whose changes since base have no path in common,
// but files whose lines the Reader knows to be Apart, and need none the other has as a folder. It is put together where
// it is read, and no object is made for it.
func (o *Reader) Merge(ctx context.Context, base, ours, theirs string) fs.FS {
	j := &mergedFS{parts: &treeFS{ctx: ctx, objects: o}}
	for i, head := range []string{base, ours, theirs} {
		if j.trees[i] = o.heads[[2]string{base, head}]; j.trees[i] == nil {
			j.trees[i] = &treeFS{ctx: ctx, objects: o, commit: head}
		}
	}
	return j
}

type mergedFS struct {
	trees [3]*treeFS // base, ours and theirs
	parts *treeFS    // reads what is in one of them
}

// stages is what base, ours and theirs have by one name; the zero Entry where they have nothing.
type stages [3]git.Entry

// decided is what the three make, unless they are folders or files that have to be merged: what one side alone has
// made of it, the zero Entry if nothing is left.
func (t stages) decided() (git.Entry, bool) {
	base, ours, theirs := t[0], t[1], t[2]
	switch {
	case theirs == base, theirs == ours:
		return ours, true
	case ours == base:
		return theirs, true
	}
	return git.Entry{}, false
}

// Open implements fs.FS.
func (j *mergedFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	j.parts.objects.mu.Lock()
	defer j.parts.objects.mu.Unlock()
	file, err := j.open(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return file, nil
}

func (j *mergedFS) open(name string) (*treeFile, error) {
	at, err := j.find(name)
	if err != nil {
		return nil, err
	}
	entry, decided := at.decided()
	if decided && entry.Mode == 0 {
		return nil, fs.ErrNotExist
	}
	if !decided {
		entry, decided = j.file(at)
	}
	if decided {
		return &treeFile{fsys: j.parts, entry: entry}, nil
	}
	rest, err := j.merge(at)
	if err != nil {
		return nil, err
	}
	if len(rest) == 0 && name != "." {
		return nil, fs.ErrNotExist
	}
	return &treeFile{fsys: j.parts, entry: git.Entry{Mode: modeTree, Path: path.Base(name)}, rest: rest, read: true},
		nil
}

func (j *mergedFS) find(name string) (at stages, err error) {
	for i, tree := range j.trees {
		if at[i], err = tree.find(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return at, err
		}
	}
	return at, nil
}

// lists are the entries of three folders, of which some may not be there.
func (j *mergedFS) lists(at stages) (lists [3][]git.Entry, err error) {
	for i, entry := range at {
		switch entry.Mode {
		case 0:
		case modeTree:
			if lists[i], err = j.parts.objects.entries(j.parts.ctx, entry.ID); err != nil {
				return lists, err
			}
		default:
			return lists, fmt.Errorf("both sides change %q", entry.Path)
		}
	}
	return lists, nil
}

// merge are the entries of the folder that three make, by name. A folder in which nothing is left is none.
func (j *mergedFS) merge(at stages) ([]git.Entry, error) {
	lists, err := j.lists(at)
	if err != nil {
		return nil, err
	}
	named := map[string]stages{}
	for i, list := range lists {
		for _, e := range list {
			t := named[e.Path]
			t[i] = e
			named[e.Path] = t
		}
	}
	var all []git.Entry
	for name, t := range named {
		entry, decided := t.decided()
		if !decided {
			entry, decided = j.file(t)
		}
		if !decided {
			inside, err := j.merge(t)
			if err != nil {
				return nil, err
			}
			if len(inside) > 0 {
				entry = git.Entry{Mode: modeTree, Path: name}
			}
		}
		if entry.Mode != 0 {
			all = append(all, entry)
		}
	}
	slices.SortFunc(all, func(a, b git.Entry) int { return cmp.Compare(a.Path, b.Path) })
	return all, nil
}

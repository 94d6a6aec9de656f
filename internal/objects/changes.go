package objects

import (
	"context"
	"io/fs"
	"path"

	"delegate/change"
	"delegate/internal/git"
)

// Span names two commits of one line of work.
type Span struct {
	Name       string // whose work it is: an agent's id, a branch, "target"
	Base, Head string
	BestOf     string // the task that others do as well, of which one result is merged; "" elsewhere
	Moving     bool   // somebody works on it now
}

// Changes is what happened between two commits as data for each span, with the files of both sides readable.
// Lines are not counted. The context must outlive the use of the sets.
func (o *Reader) Changes(ctx context.Context, spans []Span) ([]change.Set, error) {
	asked := make([]git.Span, len(spans))
	for i, s := range spans {
		var err error
		if asked[i].Base, err = o.rootOf(ctx, s.Base); err != nil {
			return nil, err
		}
		if asked[i].Head, err = o.rootOf(ctx, s.Head); err != nil {
			return nil, err
		}
	}
	lists, err := o.repo.ChangesAll(ctx, asked)
	if err != nil {
		return nil, err
	}
	sets := make([]change.Set, len(spans))
	for i, s := range spans {
		sets[i] = o.Set(ctx, s, lists[i])
	}
	return sets, nil
}

// Set is a span with what is known to have changed in it.
func (o *Reader) Set(ctx context.Context, s Span, files []change.File) change.Set {
	before := &treeFS{ctx: ctx, objects: o, commit: s.Base, since: &since{changed: map[string]git.Entry{}}}
	after := &treeFS{ctx: ctx, objects: o, commit: s.Head,
		since: &since{base: before, changed: map[string]git.Entry{}, around: map[string]bool{}}}
	for _, f := range files {
		old, now := git.Entry{Mode: f.OldMode, ID: f.OldID}, git.Entry{Mode: f.NewMode, ID: f.NewID}
		before.since.note(f.BasePath(), old)
		if f.OldPath != "" {
			after.since.note(f.OldPath, git.Entry{})
		}
		after.since.note(f.Path, now)
	}
	return change.Set{Name: s.Name, Base: s.Base, Head: s.Head, Files: files, BaseFS: before, HeadFS: after}
}

// since is how a commit differs from another, so that little of its trees has to be read.
type since struct {
	base    *treeFS              // nil where only what is changed is known
	changed map[string]git.Entry // the zero Entry for what is not there
	around  map[string]bool      // the folders around these
}

func (s *since) note(name string, e git.Entry) {
	if e.Mode != 0 && e.ID == "" {
		s.base = nil // something is there, and it is not known what
		return
	}
	if e.Mode != 0 {
		e.Path = path.Base(name)
		s.changed[name] = e
	} else if _, there := s.changed[name]; !there && s.base != nil {
		s.changed[name] = e // unless another came in its place
	}
	for dir := path.Dir(name); s.around != nil && dir != "." && !s.around[dir]; dir = path.Dir(dir) {
		s.around[dir] = true
	}
}

// find is what is at a path, or the error that says that nothing is, as far as that is known.
func (s *since) find(name string) (e git.Entry, err error, known bool) {
	if s == nil {
		return e, nil, false
	}
	e, changed := s.changed[name]
	switch {
	case changed && e.Mode != 0:
		return e, nil, true
	case s.base == nil || name == "." || s.around[name]:
		return e, nil, false
	case changed:
		return e, fs.ErrNotExist, true
	}
	e, err = s.base.find(name) // nothing in it differs
	return e, err, true
}

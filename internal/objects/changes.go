package objects

import (
	"context"
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
	before, after := map[string]git.Entry{}, map[string]git.Entry{}
	for _, f := range files {
		note(before, git.Entry{Mode: f.OldMode, ID: f.OldID, Path: f.BasePath()})
		note(after, git.Entry{Mode: f.NewMode, ID: f.NewID, Path: f.Path})
	}
	return change.Set{
		Name: s.Name, Base: s.Base, Head: s.Head, Files: files,
		BaseFS: &treeFS{ctx: ctx, objects: o, commit: s.Base, known: before},
		HeadFS: &treeFS{ctx: ctx, objects: o, commit: s.Head, known: after},
	}
}

func note(known map[string]git.Entry, e git.Entry) {
	if e.Mode != 0 && e.ID != "" {
		name := e.Path
		e.Path = path.Base(name)
		known[name] = e
	}
}

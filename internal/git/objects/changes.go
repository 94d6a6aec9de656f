package objects

import (
	"context"

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

// Set returns a span with what is known to have changed in it.
func (o *Reader) Set(ctx context.Context, s Span, files []change.File) change.Set {
	return change.Set{Name: s.Name, Base: s.Base, Head: s.Head, Files: files, BaseFS: o.Tree(ctx, s.Base),
		HeadFS: o.Tree(ctx, s.Head)}
}

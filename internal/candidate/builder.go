package candidate

import (
	"delegate/conflict"
	"delegate/internal/compare"
	"delegate/internal/objects"
	"delegate/internal/project"
	"delegate/internal/threeway"
)

// Builder makes candidates of one session. It holds readers that Close gives back.
type Builder struct {
	Project     *project.Project
	compare     *compare.Comparer
	resolutions *threeway.Resolutions                  // what persons decided about clashes
	below       map[[2]objects.Span][]conflict.Finding // what a member and what lies below it do to each other
}

// New opens what building needs.
func New(p *project.Project) *Builder {
	return &Builder{Project: p, compare: compare.New(p), resolutions: threeway.NewResolutions(p.Repo),
		below: map[[2]objects.Span][]conflict.Finding{}}
}

// Close gives open files back and removes what comparisons wrote.
func (b *Builder) Close() error { return b.compare.Close() }

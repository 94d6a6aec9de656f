package merge

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"delegate/conflict"
	"delegate/internal/analyze"
	"delegate/internal/git"
	"delegate/internal/keeper"
	"delegate/internal/objects"
	"delegate/internal/project"
	"delegate/internal/threeway"
)

// Builder makes candidates of one session. It holds readers that Close gives back.
type Builder struct {
	p           *project.Project
	objects     *objects.Reader
	resolutions *threeway.Resolutions // what persons decided about clashes
	scratch     string                // folder of what comparisons write, "" before the first
	held        *git.Repo
	pairs       *objects.Reader
	below       map[[2]Tip][]conflict.Finding // what a member and what lies below it do to each other
	bases       map[[2]string]string          // of two commits their only merge base, as far as it was looked for
	check       []conflict.Checker            // programs that confirm or refute what is suspected
	analysis    *analyze.Analysis             // reads what agents wrote, with a memory of its own
}

// NewBuilder opens what building needs.
func NewBuilder(p *project.Project) *Builder {
	b := &Builder{p: p, objects: objects.New(p.Repo), resolutions: threeway.NewResolutions(p.Repo),
		bases: map[[2]string]string{}, below: map[[2]Tip][]conflict.Finding{}}
	b.check = b.installed()
	b.analysis = analyze.New(analyze.Options{Fence: b.fence, Limit: p.Config.AnalysisLimit.Value(), Programs: b.check})
	return b
}

// fence is the fence of the analysis.
func (b *Builder) fence(needed []string) (*keeper.Fence, error) {
	if err := b.open(); err != nil {
		return nil, err
	}
	return b.p.FenceAnalysis(filepath.Join(b.scratch, "analysis"), needed)
}

// knowing is what tells this builder's comparisons from those of others by the same program.
func (b *Builder) knowing() string {
	known := " " + b.p.Config.AnalysisLimit.String()
	for _, c := range b.check {
		known += " " + c.Name
	}
	return known
}

// Close gives open files back and removes what comparisons wrote.
func (b *Builder) Close() error {
	err := errors.Join(b.analysis.Close(), b.objects.Close())
	if b.scratch != "" {
		err = errors.Join(err, b.pairs.Close(), os.RemoveAll(b.scratch))
	}
	return err
}

// open makes the quarantine in which comparisons work, so that no object of theirs stays behind.
func (b *Builder) open() error {
	if b.scratch != "" {
		return nil
	}
	folder, err := os.MkdirTemp("", "delegate-compare-")
	if err != nil {
		return fmt.Errorf("make a folder for comparisons: %w", err)
	}
	b.scratch = folder
	if b.held, err = b.p.Repo.Quarantine(folder); err != nil {
		return err
	}
	b.pairs = objects.New(b.held)
	return nil
}

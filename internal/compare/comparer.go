package compare

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
)

// Comparer compares lines of work in a quarantine, so that no object of a comparison stays behind. It holds readers and
// a child process that Close gives back.
type Comparer struct {
	p        *project.Project
	objects  *objects.Reader
	scratch  string // folder of what comparisons write, "" before the first
	held     *git.Repo
	pairs    *objects.Reader      // of the quarantine
	bases    map[[2]string]string // of two commits their only merge base, as far as it was looked for
	check    []conflict.Checker   // programs that confirm or refute what is suspected
	analysis *analyze.Analysis    // reads what agents wrote, with a memory of its own
}

// New opens what comparing needs.
func New(p *project.Project) *Comparer {
	r := &Comparer{p: p, objects: objects.New(p.Repo), bases: map[[2]string]string{}}
	r.check = r.installed()
	r.analysis = analyze.New(analyze.Options{Fence: r.fence, Limit: p.Config.AnalysisLimit.Value(), Programs: r.check})
	return r
}

// fence is the fence of the analysis.
func (r *Comparer) fence(needed []string) (*keeper.Fence, error) {
	if err := r.open(); err != nil {
		return nil, err
	}
	return r.p.FenceAnalysis(filepath.Join(r.scratch, "analysis"), needed)
}

// knowing is what tells these comparisons from those of others by the same program.
func (r *Comparer) knowing() string {
	known := " " + r.p.Config.AnalysisLimit.String()
	for _, c := range r.check {
		known += " " + c.Name
	}
	return known
}

// Close gives open files back and removes what comparisons wrote.
func (r *Comparer) Close() error {
	err := errors.Join(r.analysis.Close(), r.objects.Close())
	if r.scratch != "" {
		err = errors.Join(err, r.pairs.Close(), os.RemoveAll(r.scratch))
	}
	return err
}

// open makes the quarantine in which comparisons work, so that no object of theirs stays behind.
func (r *Comparer) open() error {
	if r.scratch != "" {
		return nil
	}
	folder, err := os.MkdirTemp("", "delegate-compare-")
	if err != nil {
		return fmt.Errorf("make a folder for comparisons: %w", err)
	}
	r.scratch = folder
	if r.held, err = r.p.Repo.Quarantine(folder); err != nil {
		return err
	}
	r.pairs = objects.New(r.held)
	return nil
}

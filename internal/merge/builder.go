package merge

import (
	"errors"
	"fmt"
	"os"

	"delegate/conflict"
	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/worktree"
)

// Builder makes candidates of one session. It holds readers that Close gives back.
type Builder struct {
	p           *project.Project
	objects     *worktree.Objects
	resolutions *Resolutions // what persons decided about clashes
	scratch     string       // folder of what comparisons write, "" before the first
	held        *git.Repo
	pairs       *worktree.Objects
	below       map[[2]Tip][]conflict.Finding // what a member and what lies below it do to each other
	bases       map[[2]string]string          // of two commits their only merge base, as far as it was looked for
	read        *conflict.Memory              // files that comparisons parsed
	check       []conflict.Checker            // those that confirm or refute what is suspected
}

// NewBuilder opens what building needs.
func NewBuilder(p *project.Project) *Builder {
	b := &Builder{p: p, objects: worktree.NewObjects(p.Repo), resolutions: NewResolutions(p.Repo), read: conflict.NewMemory(), bases: map[[2]string]string{}, below: map[[2]Tip][]conflict.Finding{}}
	b.check = append([]conflict.Checker{goChecker()}, b.installed()...)
	return b
}

// Close gives open files back and removes what comparisons wrote.
func (b *Builder) Close() error {
	err := b.objects.Close()
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
	b.pairs = worktree.NewObjects(b.held)
	return nil
}

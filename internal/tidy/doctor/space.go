package doctor

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/plan/setup"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/scope"
)

// Space is what delegation takes of a disk, and what it will take.
type Space struct {
	Root      string     `json:"root"`      // where worktrees lie, or will
	Free      int64      `json:"free"`      // bytes for an ordinary user there, -1 where the system does not tell
	Worktrees setup.Size `json:"worktrees"` // what lies there now
	Private   setup.Size `json:"private"`   // transcripts and the like in the git folder
	Checkout  setup.Size `json:"checkout"`  // one more worktree: tracked files and the copy list
	Agents    int        `json:"agents"`    // how many are at work at once, as configured
}

// usualAgents stands for a session's agents where the configuration sets no limit.
const usualAgents = 3

// need is what the worktrees of one more session take at least, and its checkout for verification.
// What builds make is not known.
func (s Space) need() int64 {
	if s.Checkout.Bytes > math.MaxInt64/(int64(s.Agents)+1) {
		return math.MaxInt64
	}
	return s.Checkout.Bytes * (int64(s.Agents) + 1)
}

// short says that there is less than the next session needs.
func (s Space) short() bool { return s.Free >= 0 && s.Free < s.need() }

// String is one line for people.
func (s Space) String() string {
	free := "free space is not known"
	if s.Free >= 0 {
		free = setup.Bytes(s.Free) + " free"
	}
	return fmt.Sprintf("%s at %s; a session of %d agents takes at least %s; now there: worktrees %s, private state %s",
		free, s.Root, s.Agents, setup.Bytes(s.need()), s.Worktrees, s.Private)
}

// measure looks how much there is. What cannot be read counts for nothing; the error is that ctx ended.
func measure(ctx context.Context, p *project.Project) (Space, error) {
	s := Space{Root: p.WorktreeRoot(), Free: -1, Agents: cmp.Or(p.Config.MaxParallelAgents.Value(), usualAgents)}
	if free, err := atomicfile.Free(existing(s.Root)); err == nil {
		s.Free = free
	}
	var err error
	if s.Worktrees, err = measureThere(ctx, s.Root); err != nil {
		return s, err
	}
	if s.Private, err = measureThere(ctx, p.Private); err != nil {
		return s, err
	}
	s.Checkout, err = checkout(ctx, p)
	return s, err
}

// measureThere is a size that is nothing where nothing is.
func measureThere(ctx context.Context, path string) (setup.Size, error) {
	if _, err := os.Lstat(path); err != nil {
		return setup.Size{}, nil
	}
	return setup.Measure(ctx, path)
}

// existing is the path, or the nearest folder above it that is there.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || filepath.Dir(path) == path {
			return path
		}
		path = filepath.Dir(path)
	}
}

// checkout is the size of one more worktree: the files of the commit as they lie in the main
// checkout, and those of the copy list.
func checkout(ctx context.Context, p *project.Project) (setup.Size, error) {
	var all setup.Size
	names, err := p.Repo.Files(ctx, "HEAD")
	if err != nil {
		names = nil // no commit yet
	}
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(p.Main, filepath.FromSlash(name))); err == nil && !info.IsDir() {
			all.Bytes, all.Files = all.Bytes+info.Size(), all.Files+1
		}
	}
	list, err := p.CopyList(ctx)
	if err != nil {
		return all, err
	}
	for _, item := range list {
		paths, err := matching(ctx, p, item)
		if err != nil {
			return all, err
		}
		for _, path := range paths {
			size, err := measureThere(ctx, path)
			if err != nil {
				return all, err
			}
			all.Bytes, all.Files, all.More = all.Bytes+size.Bytes, all.Files+size.Files, all.More || size.More
		}
	}
	return all, nil
}

// matching are the paths that an entry of the copy list stands for.
func matching(ctx context.Context, p *project.Project, item string) (paths []string, err error) {
	if !strings.ContainsAny(item, "*?[{") {
		return []string{filepath.Join(p.Main, filepath.FromSlash(item))}, nil
	}
	pattern, err := scope.ParsePattern(item)
	if err != nil {
		return nil, nil // the copying reports it
	}
	err = filepath.WalkDir(p.Main, func(path string, d fs.DirEntry, err error) error {
		relative, relErr := filepath.Rel(p.Main, path)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil || relErr != nil || relative == ".":
			return nil
		case d.Name() == ".git" || path == p.WorktreeRoot():
			return skip(d)
		case pattern.Match(filepath.ToSlash(relative)):
			paths = append(paths, path)
			return skip(d)
		}
		return nil
	})
	return paths, err
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return filepath.SkipDir
	}
	return nil
}

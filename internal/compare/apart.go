package compare

import (
	"context"
	"maps"
	"path"
	"slices"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/objects"
)

// apart reports whether the result of the merge is known without git, where joins tells that of two changes of a file.
func (e examiner) apart(c comparison, joins func(a, b change.File) bool) bool {
	ours, theirs := c.span(0), c.span(1)
	return c.sole && ours.Base == c.base && theirs.Base == c.base && disjoint(e.paths[ours], e.paths[theirs], joins)
}

// joins reports whether git merges two changes of one file, and how is known.
func (e examiner) joins(a, b change.File) bool {
	return canJoin(a, b) && e.lines.Apart(a.OldID, a.NewID, b.NewID)
}

// canJoin reports whether two changes of one file are of its lines alone.
func canJoin(a, b change.File) bool {
	modified := func(f change.File) bool {
		plain := f.OldMode == change.ModeFile || f.OldMode == change.ModeExecutable
		return f.Kind == change.Modified && plain && f.NewMode == f.OldMode
	}
	return modified(a) && modified(b) && a.Path == b.Path && a.OldID == b.OldID && a.OldMode == b.OldMode &&
		a.NewID != b.NewID
}

const (
	// worthLines is how many merges are worth asking how files differ, which takes two processes.
	worthLines = 4
	// mostVersions bounds of how many files it is asked.
	mostVersions = 20_000
)

// compareLines finds out how files differ that both sides of a pair change, so that git has to merge only what clashes.
// Where that cannot be found out, git merges as it does elsewhere.
func (e examiner) compareLines(ctx context.Context, open []comparison) (objects.Lines, error) {
	var all []git.Versions
	known, paths, spared := map[git.Versions]bool{}, map[string]bool{}, 0
	for _, c := range open {
		var shared []change.File
		if c.base == "" || !e.read(c) || !e.apart(c, func(a, b change.File) bool {
			shared = append(shared, a, b)
			return canJoin(a, b)
		}) {
			continue
		}
		if len(shared) > 0 {
			spared++
		}
		for _, f := range shared {
			if v := (git.Versions{Old: f.OldID, New: f.NewID}); !known[v] {
				known[v], paths[f.Path], all = true, true, append(all, v)
			}
		}
	}
	if spared < worthLines || len(all) > mostVersions || !e.held.MergesLines(ctx, slices.Collect(maps.Keys(paths))) {
		return nil, context.Cause(ctx)
	}
	lines, err := e.held.LineChanges(ctx, all)
	if err != nil {
		return nil, context.Cause(ctx) // git says what is wrong when it merges
	}
	return lines, nil
}

// changedPaths is where the changes of one side are.
type changedPaths struct {
	paths   map[string]change.File // that it adds, changes or takes away
	folders map[string]bool        // around those
	gains   bool                   // it has a path that the base has not
	moves   bool                   // git may take some of it for moved
	rules   bool                   // it changes attributes, which tell git how to merge
}

func newChangedPaths(files []change.File) changedPaths {
	f := changedPaths{paths: make(map[string]change.File, len(files)), folders: map[string]bool{}}
	loses := false
	for _, file := range files {
		f.add(file.BasePath(), file)
		f.add(file.Path, file)
		f.gains = f.gains || file.Kind == change.Added || file.Kind == change.Renamed
		loses = loses || file.Kind == change.Deleted || file.Kind == change.Renamed
	}
	f.moves = f.gains && loses
	return f
}

func (f *changedPaths) add(name string, file change.File) {
	f.paths[name] = file
	f.rules = f.rules || path.Base(name) == ".gitattributes"
	for dir := path.Dir(name); dir != "." && !f.folders[dir]; dir = path.Dir(dir) {
		f.folders[dir] = true
	}
}

// disjoint reports whether it is known how git merges the two sides, which begin at their only merge base: no path is
// one of both, unless its two changes join, or a folder of the other's, and no folder that one side moved away takes
// new files of the other with it.
func disjoint(a, b changedPaths, joins func(a, b change.File) bool) bool {
	if a.rules || b.rules || a.moves && b.gains || b.moves && a.gains {
		return false
	}
	for name, theirs := range b.paths {
		ours, both := a.paths[name]
		if a.folders[name] || both && !joins(ours, theirs) {
			return false
		}
	}
	for name := range a.paths {
		if b.folders[name] {
			return false
		}
	}
	return true
}

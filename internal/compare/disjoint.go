package compare

import (
	"path"

	"delegate/change"
)

// changedPaths is where the changes of one side are.
type changedPaths struct {
	paths   map[string]bool // that it adds, changes or takes away
	folders map[string]bool // around those
	gains   bool            // it has a path that the base has not
	moves   bool            // git may take some of it for moved
	rules   bool            // it changes attributes, which tell git how to merge
}

func newChangedPaths(files []change.File) changedPaths {
	f := changedPaths{paths: make(map[string]bool, len(files)), folders: map[string]bool{}}
	loses := false
	for _, file := range files {
		f.add(file.BasePath())
		f.add(file.Path)
		f.gains = f.gains || file.Kind == change.Added || file.Kind == change.Renamed
		loses = loses || file.Kind == change.Deleted || file.Kind == change.Renamed
	}
	f.moves = f.gains && loses
	return f
}

func (f *changedPaths) add(name string) {
	f.paths[name] = true
	f.rules = f.rules || path.Base(name) == ".gitattributes"
	for dir := path.Dir(name); dir != "." && !f.folders[dir]; dir = path.Dir(dir) {
		f.folders[dir] = true
	}
}

// disjoint reports whether git merges the two sides, which begin at their only merge base, without
// having to look into any file: no path is one of both or a folder of the other's, and no folder
// that one side moved away takes new files of the other with it.
func disjoint(a, b changedPaths) bool {
	if a.rules || b.rules || a.moves && b.gains || b.moves && a.gains {
		return false
	}
	for name := range b.paths {
		if a.paths[name] || a.folders[name] {
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

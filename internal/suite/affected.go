package suite

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// mostNarrowed bounds how many units a narrowed line names; with more there is nothing to gain.
const mostNarrowed = 200

// Affected lists the commands, narrowed to what the changed paths (of the tree, or gone from it) can affect.
// A command of a form that is not known, or whose reading of the paths is not known, is left out:
// only running it as a whole tells.
// An empty list says that nothing narrower than everything is known. The error says that the tree could not be read.
func Affected(tree fs.FS, all []Command, changed []string) ([]Command, error) {
	var narrowed []Command
	for _, c := range all {
		f, known := parseForm(c.Line)
		if !known || len(changed) == 0 {
			continue
		}
		inside, all := below(f.dir, changed)
		if !all {
			continue
		}
		sub, err := fs.Sub(tree, f.dir)
		if err != nil {
			return nil, err
		}
		for _, n := range []narrower{narrowGo, narrowPytest, narrowCargo, narrowNode} {
			words, err := n(narrowJob{tree: sub, words: f.words, changed: inside})
			if err != nil {
				return nil, err
			}
			if len(words) > 0 {
				narrowed = append(narrowed, Command{Line: f.with(words), Why: c.Why})
				break
			}
		}
	}
	return narrowed, nil
}

// narrowJob is one command in its folder, with the paths that changed there.
type narrowJob struct {
	tree    fs.FS
	words   []string
	changed []string
}

// narrower answers with the words of the narrowed command; none if the command is not its own,
// nothing narrower is known, or nothing is affected.
type narrower func(narrowJob) ([]string, error)

// below gives the paths as they are called in the folder; false if one lies outside.
func below(dir string, paths []string) ([]string, bool) {
	if dir == "." {
		return paths, true
	}
	var inside []string
	for _, p := range paths {
		rest, ok := strings.CutPrefix(p, dir+"/")
		if !ok {
			return nil, false
		}
		inside = append(inside, rest)
	}
	return inside, true
}

// walk visits the files of a tree whose code is the project's own.
func walk(tree fs.FS, visit func(name string) error) error {
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." &&
			(strings.HasPrefix(d.Name(), ".") ||
				slices.Contains([]string{"node_modules", "target", "__pycache__"}, d.Name())):
			return fs.SkipDir
		case d.Type().IsRegular():
			return visit(name)
		}
		return nil
	})
}

// graph says of each unit which others need it.
type graph map[string][]string

func (g graph) add(needed, by string) {
	if needed != by && !slices.Contains(g[needed], by) {
		g[needed] = append(g[needed], by)
	}
}

// reached are the units and all that need them, however far away.
func (g graph) reached(from map[string]bool) map[string]bool {
	seen := map[string]bool{}
	var open []string
	for unit := range from {
		open = append(open, unit)
	}
	for len(open) > 0 {
		unit := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[unit] {
			continue
		}
		seen[unit] = true
		open = append(open, g[unit]...)
	}
	return seen
}

// sorted are the names in their order.
func sorted(set map[string]bool) []string {
	var names []string
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// owner is the nearest of the folders that holds the file; false if none does.
func owner(name string, folders map[string]string) (string, bool) {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if unit, ok := folders[dir]; ok {
			return unit, true
		}
		if dir == "." {
			return "", false
		}
	}
}

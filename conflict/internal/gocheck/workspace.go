package gocheck

import (
	"cmp"
	"errors"
	"go/version"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// oldest is the language of modules that do not name theirs.
const oldest = "go1.16"

// workspace is what one go.mod, or one go.work, makes of import paths.
type workspace struct {
	// list has longer module paths first, since the longest that fits wins.
	list []mod
	// vendor is the folder that holds all packages of other modules, "" if they are elsewhere.
	vendor string
	// spoken are the languages of the vendored packages by import path.
	spoken map[string]string
	// strict says that go.mod names every module that its own packages import from.
	strict bool
	faults []Problem
}

// mod is a module as its importers see it.
type mod struct {
	path   string
	source *source // nil if it is not here
	dir    string
	lang   string
	isMain bool // not one that is only required
}

// home is where a folder of the tree belongs; without a module it is importable by nobody.
func (w *workspace) home(tree *source, dir string) place {
	home, deepest := place{path: "_/" + dir, source: tree, dir: dir}, -1
	for _, m := range w.list {
		if rest, inside := below(dir, m.dir); inside && m.isMain && len(m.dir) > deepest {
			deepest, home.path, home.lang = len(m.dir), path.Join(m.path, rest), m.lang
		}
	}
	return home
}

// below is what remains of a path below a parent, if it is there.
func below(name, parent string) (rest string, inside bool) {
	if name == parent || parent == "." {
		return strings.TrimPrefix(name, parent), true
	}
	return strings.CutPrefix(name, parent+"/")
}

// workspace finds what the imports of a folder's files mean: by the go.work that uses the folder's
// module, by its go.mod, or without one by the imports themselves.
func (v *view) workspace(dir string) (*workspace, error) {
	root, found, err := v.above(dir, "go.mod")
	if err != nil {
		return nil, err
	}
	if !found {
		if w := v.workspaces[""]; w != nil {
			return w, nil
		}
		w, err := v.guessed(dir)
		if err == nil && len(w.list) > 0 {
			v.workspaces[""] = w
		}
		return w, err
	}
	base, found, err := v.above(dir, "go.work")
	if err != nil {
		return nil, err
	}
	if found {
		w, err := v.remember(path.Join(base, "go.work"), func() (*workspace, error) { return v.shared(base) })
		if err != nil || len(w.faults) > 0 || slices.ContainsFunc(w.list, func(m mod) bool {
			return m.isMain && m.dir == root
		}) {
			return w, err
		}
	}
	return v.remember(path.Join(root, "go.mod"), func() (*workspace, error) { return v.single(root) })
}

func (v *view) remember(file string, load func() (*workspace, error)) (*workspace, error) {
	if w := v.workspaces[file]; w != nil {
		return w, nil
	}
	w, err := load()
	v.workspaces[file] = w
	return w, err
}

// above finds the nearest folder, from dir upwards, that has a file of that name.
func (v *view) above(dir, name string) (folder string, found bool, err error) {
	for {
		if found, err := v.has(path.Join(dir, name)); err != nil || found {
			return dir, found, err
		}
		if dir == "." {
			return "", false, nil
		}
		dir = path.Dir(dir)
	}
}

// has says whether the tree has a file.
func (v *view) has(name string) (bool, error) {
	if there, known := v.exists[name]; known {
		return there, nil
	}
	info, err := fs.Stat(v.tree.files, name)
	if err != nil && !isAbsence(err) {
		return false, err
	}
	v.exists[name] = err == nil && !info.IsDir()
	return v.exists[name], nil
}

// single is the workspace of one main module.
func (v *view) single(root string) (*workspace, error) {
	b := newBuildList(v)
	if err := b.addMain(root); err != nil {
		return nil, err
	}
	w := b.workspace()
	if len(w.faults) > 0 {
		return w, nil
	}
	w.strict = version.Compare(b.mains[0].lang, pruned) >= 0
	return w, v.addVendor(w, root)
}

// shared is the workspace of a go.work.
func (v *view) shared(base string) (*workspace, error) {
	name := path.Join(base, "go.work")
	text, err := fs.ReadFile(v.tree.files, name)
	if err != nil {
		return nil, err
	}
	b := newBuildList(v)
	work, err := modfile.ParseWork(name, text, nil)
	if err != nil {
		return &workspace{faults: faultsOf(name, err)}, nil
	}
	for _, use := range work.Use {
		root := path.Join(base, filepath.ToSlash(use.Path))
		if there, err := v.has(path.Join(root, "go.mod")); err != nil {
			return nil, err
		} else if !there {
			continue
		}
		if err := b.addMain(root); err != nil {
			return nil, err
		}
	}
	if err := b.replaceBy(base, work.Replace); err != nil {
		return nil, err
	}
	w := b.workspace()
	return w, v.addVendor(w, base)
}

// faultsOf turns the errors of a module file into problems of that file.
func faultsOf(name string, err error) (all []Problem) {
	var list modfile.ErrorList
	if !errors.As(err, &list) {
		return []Problem{{Path: name, Line: 1, Message: err.Error()}}
	}
	for _, e := range list {
		all = append(all, Problem{Path: name, Line: e.Pos.Line, Message: e.Err.Error()})
	}
	return all
}

// buildList collects which module comes from where.
type buildList struct {
	v        *view
	mains    []mod
	required map[string]string // highest version by path
	replaced map[module.Version]mod
	faults   []Problem
}

func newBuildList(v *view) *buildList {
	return &buildList{v: v, required: map[string]string{}, replaced: map[module.Version]mod{}}
}

func (b *buildList) addMain(root string) error {
	name := path.Join(root, "go.mod")
	text, err := fs.ReadFile(b.v.tree.files, name)
	if err != nil {
		return err
	}
	f, err := modfile.Parse(name, text, nil)
	if err == nil && f.Module == nil {
		err = errors.New("the file names no module")
	}
	if err != nil {
		b.faults = append(b.faults, faultsOf(name, err)...)
		return nil
	}
	b.mains = append(b.mains, mod{f.Module.Mod.Path, b.v.tree, root, langOf(f), true})
	for _, r := range f.Require {
		if old, known := b.required[r.Mod.Path]; !known || semver.Compare(old, r.Mod.Version) < 0 {
			b.required[r.Mod.Path] = r.Mod.Version
		}
	}
	return b.replaceBy(root, f.Replace)
}

// replaceBy notes replacements; those of a later file win.
// A folder is relative to base. One that the tree does not have may be elsewhere.
func (b *buildList) replaceBy(base string, all []*modfile.Replace) error {
	for _, r := range all {
		if r.New.Version != "" {
			b.replaced[r.Old] = b.v.c.cached(r.New)
			continue
		}
		b.replaced[r.Old] = mod{}
		dir := path.Join(base, filepath.ToSlash(r.New.Path))
		if filepath.IsAbs(r.New.Path) {
			continue
		}
		if there, err := b.v.has(path.Join(dir, "go.mod")); err != nil {
			return err
		} else if there {
			b.replaced[r.Old] = mod{source: b.v.tree, dir: dir}
		}
	}
	return nil
}

// pruned is the language from which on a go.mod names all modules that its own packages need.
const pruned = "go1.17"

// mostModules bounds the versions whose requirements are read for one main module.
const mostModules = 5000

// complete adds what the required modules require, of those that the machine has: the go.mod of an older main module
// names only those that it imports from itself.
func (b *buildList) complete() {
	if !slices.ContainsFunc(b.mains, func(m mod) bool { return version.Compare(m.lang, pruned) < 0 }) {
		return
	}
	var queue []module.Version
	for name, number := range b.required {
		queue = append(queue, module.Version{Path: name, Version: number})
	}
	seen := map[module.Version]bool{}
	for len(queue) > 0 && len(seen) < mostModules {
		next := queue[0]
		queue = queue[1:]
		if seen[next] {
			continue
		}
		seen[next] = true
		for _, r := range b.requirements(next) {
			if semver.Compare(b.required[r.Path], r.Version) < 0 {
				b.required[r.Path] = r.Version
			}
			queue = append(queue, r)
		}
	}
}

// requirements are those of one version of a module, none if its go.mod is not here.
func (b *buildList) requirements(v module.Version) (all []module.Version) {
	read := func() ([]byte, error) { return b.v.c.goMod(v) }
	if m, replaced := b.replacement(v); replaced {
		read = func() ([]byte, error) { return fs.ReadFile(m.source.files, path.Join(m.dir, "go.mod")) }
		if m.source == nil {
			return nil
		}
	}
	text, err := read()
	if err != nil {
		return nil
	}
	f, err := modfile.ParseLax("go.mod", text, nil)
	if err != nil {
		return nil
	}
	for _, r := range f.Require {
		all = append(all, r.Mod)
	}
	return all
}

func (b *buildList) replacement(v module.Version) (m mod, replaced bool) {
	if m, replaced = b.replaced[v]; !replaced {
		m, replaced = b.replaced[module.Version{Path: v.Path}]
	}
	return m, replaced
}

func (b *buildList) workspace() *workspace {
	b.complete()
	w := &workspace{faults: b.faults}
	for name, number := range b.required {
		if slices.ContainsFunc(b.mains, func(m mod) bool { return m.path == name }) {
			continue
		}
		m, replaced := b.replacement(module.Version{Path: name, Version: number})
		if !replaced {
			m = b.v.c.cached(module.Version{Path: name, Version: number})
		}
		m.path = name
		if m.source != nil {
			m.lang = langIn(m.source, m.dir)
		}
		w.list = append(w.list, m)
	}
	w.list = append(w.list, b.mains...)
	slices.SortStableFunc(w.list, func(x, y mod) int { return len(y.path) - len(x.path) })
	return w
}

// cached finds a module in the module cache.
func (c *Checker) cached(v module.Version) mod {
	name, err := module.EscapePath(v.Path)
	if err != nil || c.cache.files == nil {
		return mod{}
	}
	number, err := module.EscapeVersion(v.Version)
	if err != nil {
		return mod{}
	}
	dir := name + "@" + number
	if _, err := fs.Stat(c.cache.files, dir); err != nil {
		return mod{}
	}
	return mod{source: c.cache, dir: dir}
}

// goMod reads the go.mod that the module cache keeps of a version, also where the module itself is not needed.
func (c *Checker) goMod(v module.Version) ([]byte, error) {
	name, err := module.EscapePath(v.Path)
	if err != nil {
		return nil, err
	}
	number, err := module.EscapeVersion(v.Version)
	if err != nil || c.cache.files == nil {
		return nil, cmp.Or(err, fs.ErrNotExist)
	}
	return fs.ReadFile(c.cache.files, path.Join("cache/download", name, "@v", number+".mod"))
}

// langIn is the language of the module in a folder.
func langIn(s *source, dir string) string {
	name := path.Join(dir, "go.mod")
	text, err := fs.ReadFile(s.files, name)
	if err != nil {
		return oldest
	}
	f, err := modfile.ParseLax(name, text, nil)
	if err != nil {
		return oldest
	}
	return langOf(f)
}

func langOf(f *modfile.File) string {
	if f.Go == nil {
		return oldest
	}
	return "go" + f.Go.Version
}

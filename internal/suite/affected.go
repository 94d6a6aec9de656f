package suite

import (
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/source"
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
		// each answers with the words of the narrowed command; none if the command is not its own, nothing narrower is
		// known, or nothing is affected
		for _, narrow := range []func(narrowJob) ([]string, error){narrowGo, narrowPytest, narrowCargo, narrowNode} {
			words, err := narrow(narrowJob{tree: sub, words: f.words, changed: inside})
			if err != nil {
				return nil, err
			}
			if len(words) > 0 {
				narrowed = append(narrowed, Command{Line: f.with(words), Why: c.Why + ", for what changed"})
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
	seen, open := map[string]bool{}, slices.Collect(maps.Keys(from))
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

// narrowPytest answers for pytest without files of its own: the changed files of tests, and those
// that import what changed.
func narrowPytest(j narrowJob) ([]string, error) {
	flags := 1
	if len(j.words) > 2 && strings.HasPrefix(j.words[0], "python") && j.words[1] == "-m" && j.words[2] == "pytest" {
		flags = 3
	} else if j.words[0] != "pytest" {
		return nil, nil
	}
	if slices.ContainsFunc(j.words[flags:], func(w string) bool { return !strings.HasPrefix(w, "-") }) {
		return nil, nil
	}
	if _, how := source.LanguageOf("x.py"); how != code.Readable {
		return nil, nil
	}
	direct := map[string]bool{}
	for _, name := range j.changed {
		if path.Ext(name) != ".py" || slices.Contains([]string{"conftest.py", "setup.py", "noxfile.py"},
			path.Base(name)) {
			return nil, nil
		}
		direct[name] = true
	}
	uses, files, err := readPython(j)
	if err != nil {
		return nil, err
	}
	words := slices.Clone(j.words)
	for _, name := range slices.Sorted(maps.Keys(uses.reached(direct))) {
		if files[name] && IsTest(name) {
			words = append(words, name)
		}
	}
	if n := len(words) - len(j.words); n == 0 || n > mostNarrowed {
		return nil, nil
	}
	return words, nil
}

// readPython says which files import which, and which there are. Where a module begins is not
// known, so every file counts whose path ends like it.
func readPython(j narrowJob) (graph, map[string]bool, error) {
	files, imports := map[string]bool{}, map[string][]code.Import{}
	err := walk(j.tree, func(name string) error {
		if path.Ext(name) != ".py" {
			return nil
		}
		data, err := fs.ReadFile(j.tree, name)
		if err == nil {
			files[name], imports[name] = true, source.Imports(name, data)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	byEnding := map[string][]string{}
	// a changed file can be gone, and its importers know it still
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(files)), j.changed) {
		parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(name, ".py"), "/__init__"), "/")
		for i := range parts {
			ending := strings.Join(parts[i:], "/")
			byEnding[ending] = append(byEnding[ending], name)
		}
	}
	uses := graph{}
	for name, all := range imports {
		for _, i := range all {
			for _, module := range pythonModules(name, i) {
				for _, needed := range byEnding[module] {
					uses.add(needed, name)
				}
			}
		}
	}
	return uses, files, nil
}

// pythonModules are the modules that an import runs: the packages above it, itself, and what it
// takes out if that is one.
func pythonModules(name string, i code.Import) (all []string) {
	module := strings.TrimLeft(i.Module, ".")
	at := strings.Split(module, ".")
	if dots := len(i.Module) - len(module); dots > 0 {
		dir := path.Dir(name)
		for range dots - 1 {
			dir = path.Dir(dir)
		}
		at = strings.Split(path.Join(dir, strings.ReplaceAll(module, ".", "/")), "/")
	}
	if i.Member != "" && i.Member != code.All {
		at = append(at, i.Member)
	}
	for n := range at {
		all = append(all, strings.Join(at[:n+1], "/"))
	}
	return all
}

// narrowCargo answers for cargo's commands on a workspace: the members that changed and those that depend on them.
func narrowCargo(j narrowJob) ([]string, error) {
	if len(j.words) < 2 || j.words[0] != "cargo" ||
		!slices.Contains([]string{"build", "check", "clippy", "test"}, j.words[1]) {
		return nil, nil
	}
	if slices.ContainsFunc(j.words[2:], func(w string) bool {
		return !strings.HasPrefix(w, "-") || strings.HasPrefix(w, "-p") || w == "--"
	}) {
		return nil, nil
	}
	folders, uses, err := readCargo(j.tree)
	if err != nil || len(folders) < 2 {
		return nil, err
	}
	members, err := cargoMembers(j.tree)
	if err != nil {
		return nil, err
	}
	direct := map[string]bool{}
	for _, name := range j.changed {
		crate, found := owner(name, folders)
		if !found || !members[crate] || path.Ext(name) != ".rs" {
			return nil, nil
		}
		direct[crate] = true
	}
	words := slices.DeleteFunc(slices.Clone(j.words), func(w string) bool { return w == "--workspace" || w == "--all" })
	for _, crate := range slices.Sorted(maps.Keys(uses.reached(direct))) {
		if members[crate] {
			words = append(words, "-p", crate)
		}
	}
	if len(words) > 2*mostNarrowed {
		return nil, nil
	}
	return words, nil
}

// readCargo finds the crates of a tree by their folders, and which depend on which.
func readCargo(tree fs.FS) (map[string]string, graph, error) {
	folders, needs := map[string]string{}, map[string][]code.Dependency{}
	err := walk(tree, func(name string) error {
		if path.Base(name) != "Cargo.toml" {
			return nil
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		if file, err := source.ParseManifest(name, data); err == nil && file.Name != "" {
			folders[path.Dir(name)], needs[file.Name] = file.Name, file.Dependencies
		}
		return nil
	})
	uses := graph{}
	for crate, all := range needs {
		for _, d := range all {
			uses.add(d.Name, crate)
			if renamed, _, is := strings.Cut(d.Version, "@"); is {
				uses.add(renamed, crate)
			}
		}
	}
	return folders, uses, err
}

// cargoMembers are the crates of the workspace, as its lock file has them; none without one.
func cargoMembers(tree fs.FS) (map[string]bool, error) {
	text, there, err := read(tree, "Cargo.lock")
	if err != nil || !there {
		return nil, err
	}
	lock, err := source.ParseManifest("Cargo.lock", []byte(text))
	if err != nil {
		return nil, nil // cargo will say so
	}
	members := map[string]bool{}
	for _, d := range lock.Dependencies {
		members[d.Name] = members[d.Name] || d.Group == "local"
	}
	return members, nil
}

// narrowNode answers for a package whose test script is jest or vitest alone: both find the tests
// of given files themselves.
func narrowNode(j narrowJob) ([]string, error) {
	if len(j.words) != 2 || !slices.Contains([]string{"npm", "pnpm", "yarn"}, j.words[0]) || j.words[1] != "test" {
		return nil, nil
	}
	text, _, err := read(j.tree, "package.json")
	if err != nil {
		return nil, err
	}
	var n npmPackage
	if json.Unmarshal([]byte(text), &n) != nil {
		return nil, nil
	}
	for _, name := range j.changed {
		_, there, err := read(j.tree, name)
		if err != nil || !there || !slices.Contains([]string{".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts",
			".cts"}, path.Ext(name)) || strings.Contains(path.Base(name), ".config.") {
			return nil, err
		}
	}
	script := strings.Fields(n.Scripts["test"])
	switch {
	case len(j.changed) > mostNarrowed || len(script) == 0:
		return nil, nil
	case slices.Equal(script, []string{"jest"}):
		words := j.words
		if words[0] == "npm" {
			words = append(slices.Clone(words), "--")
		}
		return slices.Concat(words, []string{"--passWithNoTests", "--findRelatedTests"}, j.changed), nil
	case slices.Equal(script, []string{"vitest"}), slices.Equal(script, []string{"vitest", "run"}):
		return slices.Concat([]string{"npx", "--no", "vitest", "related", "--run", "--passWithNoTests"}, j.changed), nil
	}
	return nil, nil
}

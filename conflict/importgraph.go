package conflict

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/languages"
	"delegate/conflict/internal/manifest"
)

// isDeferred reports imports that are made when a function runs, by when every file is loaded, or never.
func isDeferred(i code.Import) bool { return i.Inside || i.TypeOnly }

// nodeImports are the imports of the files at a node of a tree, by file, as far as one has any.
func nodeImports(files fs.FS, at string, l *lang.Language) (map[string][]code.Import, error) {
	names := []string{at}
	if l.Has(lang.Folders) {
		names = nil
		entries, err := fs.ReadDir(files, at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if !e.IsDir() && l.Reads(e.Name()) {
				names = append(names, path.Join(at, e.Name()))
			}
		}
	}
	all := map[string][]code.Import{}
	for _, name := range names {
		switch data, ok, err := readUpTo("the tree", files, name, largestSource); {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, err
		case err == nil && ok:
			if imports := languages.Imports(name, data); len(imports) > 0 {
				all[name] = imports
			}
		}
	}
	return all, nil
}

// modulePath is what Go imports a file's folder by, from the go.mod in it or above it; known remembers folders.
func modulePath(files fs.FS, known map[string]string, name string) string {
	dir := path.Dir(name)
	if found, ok := known[dir]; ok {
		return found
	}
	found := ""
	if files != nil {
		data, err := fs.ReadFile(files, path.Join(dir, "go.mod"))
		switch m, parseErr := manifest.Parse("go.mod", data); {
		case err == nil && parseErr == nil:
			found = m.Name
		case dir != ".":
			if above := modulePath(files, known, dir); above != "" {
				found = above + "/" + path.Base(dir)
			}
		}
	}
	known[dir] = found
	return found
}

// exists reports whether the tree has the file or folder.
func exists(files fs.FS, name string) bool {
	if files == nil || !fs.ValidPath(name) {
		return false
	}
	file, err := files.Open(name)
	if err != nil {
		return false
	}
	file.Close()
	return true
}

// leadsTo are the nodes that an import leads to; imports of other projects lead to none.
func leadsTo(in lang.Tree, from string, l *lang.Language, imp code.Import) []string {
	if l.Resolve == nil {
		return nil
	}
	nodes := l.Resolve(in, from, imp)
	if l.Has(lang.Folders) {
		return nodes
	}
	return slices.DeleteFunc(nodes, func(name string) bool { return !in.Has(name) })
}

// node is what imports of a language lead to.
type node struct {
	language *lang.Language
	at       string
}

// importAt is an import and its file.
type importAt struct {
	path string
	code.Import
}

// importGraph is which nodes import each other, read where it is asked for.
type importGraph struct {
	tree  lang.Tree
	load  func(n node) (map[string][]code.Import, error) // the imports of a node's files
	known map[node]map[string][]importAt
}

// treeModules is a lang.Tree.
type treeModules struct {
	tree    fs.FS
	modules map[string]string
}

func (t treeModules) Has(name string) bool          { return exists(t.tree, name) }
func (t treeModules) ImportPath(name string) string { return modulePath(t.tree, t.modules, name) }

// treeGraph is the graph of one tree, as far as a build would see its files.
func treeGraph(tree fs.FS) importGraph {
	load := func(n node) (map[string][]code.Import, error) {
		all, err := nodeImports(tree, n.at, n.language)
		maps.DeleteFunc(all, func(name string, _ []code.Import) bool { return !takesPart(n.language, name) })
		return all, err
	}
	return importGraph{treeModules{tree, map[string]string{}}, load, map[node]map[string][]importAt{}}
}

// edges are the nodes that a node imports when it is loaded, each with where, in order of paths.
func (g importGraph) edges(n node) (map[string][]importAt, error) {
	if known, ok := g.known[n]; ok {
		return known, nil
	}
	files, err := g.load(n)
	if err != nil {
		return nil, err
	}
	all := map[string][]importAt{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, imp := range files[name] {
			if isDeferred(imp) {
				continue
			}
			for _, to := range leadsTo(g.tree, name, n.language, imp) {
				all[to] = append(all[to], importAt{name, imp})
			}
		}
	}
	g.known[n] = all
	return all, nil
}

// mostVisited bounds how many packages or files a search for a cycle looks into.
const mostVisited = 400

// way is a shortest way of imports from one node to another, both included; nil if there is none.
func (g importGraph) way(from, to node) ([]string, error) {
	came := map[string]string{from.at: ""}
	queue := []string{from.at}
	for i := 0; i < len(queue) && i < mostVisited && queue[i] != to.at; i++ {
		edges, err := g.edges(node{from.language, queue[i]})
		if err != nil {
			return nil, err
		}
		for _, n := range slices.Sorted(maps.Keys(edges)) {
			if _, seen := came[n]; !seen {
				came[n] = queue[i]
				queue = append(queue, n)
			}
		}
	}
	if _, reached := came[to.at]; !reached {
		return nil, nil
	}
	var way []string
	for at := to.at; at != ""; at = came[at] {
		way = append(way, at)
	}
	slices.Reverse(way)
	return way, nil
}

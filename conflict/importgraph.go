package conflict

import (
	"errors"
	"io/fs"
	"path"
	"slices"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/languages"
	"delegate/conflict/internal/manifest"
)

// isDeferred reports imports that are made when a function runs, by when every file is loaded, or never.
func isDeferred(i code.Import) bool { return i.Inside || i.TypeOnly }

// nodeImports are the imports of the files at a node of a tree, by file. A file that is not there has none.
func nodeImports(files fs.FS, at string, l *lang.Language) (map[string][]code.Import, error) {
	names := []string{at}
	if l.Folders {
		names = nil
		entries, err := fs.ReadDir(files, at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if !e.IsDir() && slices.Contains(l.Endings, path.Ext(e.Name())) && !l.IsIsolated(e.Name()) {
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
			all[name] = languages.Imports(name, data)
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
	if l.Folders {
		return nodes
	}
	return slices.DeleteFunc(nodes, func(name string) bool { return !in.Has(name) })
}

// mostVisited bounds how many packages or files a search for a cycle looks into.
const mostVisited = 400

// shortestWay is a shortest way from one node to another, both included; nil if there is none.
func shortestWay(from, to string, next func(at string) ([]string, error)) ([]string, error) {
	came := map[string]string{from: ""}
	queue := []string{from}
	for i := 0; i < len(queue) && i < mostVisited && queue[i] != to; i++ {
		nodes, err := next(queue[i])
		if err != nil {
			return nil, err
		}
		for _, n := range nodes {
			if _, seen := came[n]; !seen {
				came[n] = queue[i]
				queue = append(queue, n)
			}
		}
	}
	if _, reached := came[to]; !reached {
		return nil, nil
	}
	var way []string
	for at := to; at != ""; at = came[at] {
		way = append(way, at)
	}
	slices.Reverse(way)
	return way, nil
}

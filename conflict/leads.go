package conflict

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/languages"
	"delegate/conflict/internal/manifest"
)

// ground is what the way of an import is looked up in.
type ground interface {
	// has reports whether there is such a file or folder.
	has(name string) bool
	// importPath is what Go imports the file's folder by; "" if no go.mod says it.
	importPath(name string) string
}

// node is what imports lead to: a folder for Go, else a file.
func node(l code.Language, name string) string {
	if l == code.Go {
		return path.Dir(name)
	}
	return name
}

// isLate reports imports that are made when a function runs, by when every file is loaded, or never.
func isLate(i code.Import) bool { return i.Inside || i.TypeOnly }

// isGoTest reports files that no other package imports.
func isGoTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// nodeImports are the imports of the files at a node of a tree, by file. A file that is not there has none.
func nodeImports(files fs.FS, at string, l code.Language) (map[string][]code.Import, error) {
	names := []string{at}
	if l == code.Go {
		names = nil
		entries, err := fs.ReadDir(files, at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if !e.IsDir() && strings.HasSuffix(e.Name(), ".go") && !isGoTest(e.Name()) {
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
func leadsTo(in ground, from string, l code.Language, imp code.Import) []string {
	var candidates []string
	switch l {
	case code.Go:
		return goFolders(in, from, imp)
	case code.JavaScript, code.TypeScript:
		if !strings.HasPrefix(imp.Module, ".") {
			return nil
		}
		whole := withoutEnding(path.Join(path.Dir(from), imp.Module))
		for _, ending := range []string{".ts", ".tsx", ".js", ".jsx", "/index.ts", "/index.js"} {
			candidates = append(candidates, whole+ending)
		}
	case code.Python:
		candidates = pythonFiles(from, imp)
	}
	return slices.DeleteFunc(candidates, func(name string) bool { return !in.has(name) })
}

// goFolders is the folder of an import of the importer's own module, or of one whose folder lies around it.
func goFolders(in ground, from string, imp code.Import) []string {
	for dir := path.Dir(from); ; dir = path.Dir(dir) {
		if around := in.importPath(path.Join(dir, "go.mod")); around != "" {
			if rest, ok := strings.CutPrefix(imp.Module, around); ok && (rest == "" || rest[0] == '/') {
				return []string{path.Join(dir, strings.TrimPrefix(rest, "/"))}
			}
		}
		if dir == "." {
			return nil
		}
	}
}

// pythonFiles are the files that an import may lead to: from the folder of the importer for a
// relative one, else from any folder above it.
func pythonFiles(from string, imp code.Import) []string {
	rest := strings.TrimLeft(imp.Module, ".")
	tail := strings.ReplaceAll(rest, ".", "/")
	var roots []string
	if dots := len(imp.Module) - len(rest); dots > 0 {
		root := from
		for range dots {
			root = path.Dir(root)
		}
		roots = []string{root}
	} else {
		for root := path.Dir(from); ; root = path.Dir(root) {
			roots = append(roots, root)
			if root == "." {
				break
			}
		}
	}
	var all []string
	for _, root := range roots {
		whole := path.Join(root, tail)
		if imp.Member != "" && imp.Member != code.All {
			all = append(all, path.Join(whole, imp.Member)+".py")
		}
		all = append(all, whole+".py")
	}
	return all
}

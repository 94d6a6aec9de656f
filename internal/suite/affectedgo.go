package suite

import (
	"go/build"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"delegate/conflict/source"
)

// goTree is what the Go packages of a tree need of each other.
type goTree struct {
	modules      map[string]string // folder to module path
	code         map[string]bool   // folders with files that are built here
	tests        map[string]bool   // folders with tests
	otherModules []string          // folders of modules that are built by themselves
	uses         graph             // package folders, by what they import
	tested       graph             // and by what their tests import
}

// narrowGo answers for `go build`, `go test` and `go vet` of all packages.
func narrowGo(j narrowJob) ([]string, error) {
	if len(j.words) < 3 || j.words[0] != "go" || !slices.Contains([]string{"build", "test", "vet"}, j.words[1]) {
		return nil, nil
	}
	var whole []string
	for _, w := range j.words[2:] {
		if strings.HasPrefix(w, "./") && strings.HasSuffix(w, "/...") {
			whole = append(whole, strings.TrimSuffix(w, "..."))
		}
	}
	if len(whole) == 0 || slices.Contains(j.words, "-C") || slices.Contains(j.words, "-o") {
		return nil, nil
	}
	g, err := readGo(j)
	if err != nil || g == nil {
		return nil, err
	}
	affected, known := g.affected(j.changed)
	if !known {
		return nil, nil
	}
	var packages []string
	for _, dir := range slices.Sorted(maps.Keys(affected)) {
		covered := slices.ContainsFunc(whole, func(w string) bool {
			return strings.HasPrefix("./"+dir+"/", w) || w == "./"
		})
		if covered && !g.ofOtherModule(dir) && (g.code[dir] || g.tests[dir] && j.words[1] != "build") {
			packages = append(packages, "./"+strings.TrimPrefix(dir, "."))
		}
	}
	if len(packages) == 0 || len(packages) > mostNarrowed {
		return nil, nil
	}
	var words []string
	for _, w := range j.words {
		switch {
		case !strings.HasPrefix(w, "./") || !strings.HasSuffix(w, "/..."):
			words = append(words, w)
		case packages != nil:
			words, packages = append(words, packages...), nil
		}
	}
	return words, nil
}

// readGo reads modules and imports; nil if there is no module, or one that cannot be read.
func readGo(j narrowJob) (*goTree, error) {
	g := &goTree{modules: map[string]string{}, code: map[string]bool{}, tests: map[string]bool{}, uses: graph{},
		tested: graph{}}
	if sound, err := g.readModules(j.tree); err != nil || !sound {
		return nil, err
	}
	here := buildContext(j)
	return g, walk(j.tree, func(name string) error {
		dir := path.Dir(name)
		if _, ours := g.modules[dir]; path.Base(name) == "go.mod" && !ours {
			g.otherModules = append(g.otherModules, dir)
		}
		if path.Ext(name) != ".go" || notBuilt(dir) {
			return nil
		}
		data, err := fs.ReadFile(j.tree, name)
		if err != nil {
			return err
		}
		isTest := strings.HasSuffix(name, "_test.go")
		if match, err := here.MatchFile(dir, path.Base(name)); err == nil && match {
			if isTest {
				g.tests[dir] = true
			} else {
				g.code[dir] = true
			}
		}
		for _, imported := range source.Imports(name, data) {
			needed, ours := g.folder(imported.Module)
			switch {
			case !ours:
			case isTest:
				g.tested.add(needed, dir)
			default:
				g.uses.add(needed, dir)
			}
		}
		return nil
	})
}

// notBuilt tells folders that `./...` leaves out.
func notBuilt(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return part == "testdata" || part == "vendor" || strings.HasPrefix(part, "_") ||
			strings.HasPrefix(part, ".") && part != "."
	})
}

// buildContext is the build of this machine, with the tags of the command, reading from the tree.
func buildContext(j narrowJob) build.Context {
	c := build.Default
	for i, w := range j.words {
		tags, given := strings.CutPrefix(strings.TrimPrefix(w, "-"), "-tags=")
		if !given {
			tags, given = strings.CutPrefix(w, "-tags=")
		}
		if w == "-tags" && i+1 < len(j.words) {
			tags, given = j.words[i+1], true
		}
		if given {
			c.BuildTags = append(c.BuildTags, strings.Split(tags, ",")...)
		}
	}
	c.JoinPath = path.Join
	c.OpenFile = func(name string) (io.ReadCloser, error) { return j.tree.Open(name) }
	return c
}

// readModules finds the modules that are built together; false if there is none, or one that cannot be read.
func (g *goTree) readModules(tree fs.FS) (bool, error) {
	dirs := []string{"."}
	text, there, err := read(tree, "go.work")
	if err != nil {
		return false, err
	}
	if there {
		work, err := modfile.ParseWork("go.work", []byte(text), nil)
		if err != nil {
			return false, nil
		}
		dirs = nil
		for _, use := range work.Use {
			dirs = append(dirs, path.Clean(use.Path))
		}
	}
	for _, dir := range dirs {
		if !fs.ValidPath(dir) {
			return false, nil
		}
		text, there, err := read(tree, path.Join(dir, "go.mod"))
		if err != nil {
			return false, err
		}
		name := modfile.ModulePath([]byte(text))
		if !there || name == "" {
			return false, nil
		}
		g.modules[dir] = name
	}
	return true, nil
}

// folder is where an imported package lies, if it is one of the modules'.
func (g *goTree) folder(imported string) (dir string, ours bool) {
	longest := -1
	for at, name := range g.modules {
		rest, inside := strings.CutPrefix(imported+"/", name+"/")
		if inside && len(name) > longest {
			dir, ours, longest = path.Join(at, rest), true, len(name)
		}
	}
	return dir, ours
}

// affected are the folders of the packages that changed files are part of, of those that need them,
// and of those whose tests do. It is false if a file is none of a package's.
func (g *goTree) affected(changed []string) (map[string]bool, bool) {
	direct, testsOnly := map[string]bool{}, map[string]bool{}
	for _, name := range changed {
		dir, ok := g.packageOf(name)
		switch {
		case !ok:
			return nil, false
		case strings.HasSuffix(name, "_test.go") || dir != path.Dir(name):
			testsOnly[dir] = true
		default:
			direct[dir] = true
		}
	}
	all := g.uses.reached(direct)
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		for _, by := range g.tested[dir] {
			all[by] = true
		}
	}
	for dir := range testsOnly {
		all[dir] = true
	}
	return all, true
}

func (g *goTree) ofOtherModule(dir string) bool {
	return slices.ContainsFunc(g.otherModules, func(root string) bool {
		return dir == root || strings.HasPrefix(dir, root+"/")
	})
}

// packageOf is the folder of the package that a file belongs to: its own, or the one whose testdata it lies in.
func (g *goTree) packageOf(name string) (string, bool) {
	dir := path.Dir(name)
	if g.ofOtherModule(dir) {
		return "", false
	}
	if before, _, found := strings.Cut("/"+name, "/testdata/"); found {
		dir = path.Clean(strings.TrimPrefix(before, "/"))
	} else if path.Ext(name) == ".go" {
		return dir, !notBuilt(dir) // also of a package that is gone
	}
	known := (g.code[dir] || g.tests[dir]) &&
		!slices.Contains([]string{"go.mod", "go.sum", "go.work", "go.work.sum"}, path.Base(name))
	return dir, known && (dir != "." || dir != path.Dir(name)) // what lies at the root can be meant for everybody
}

package delegate

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// vanished lists what the tables name and the tree does not have: a rule about nothing protects nothing.
func vanished(files []source) (wrong []string) {
	there := map[string]bool{}
	for _, s := range files {
		there[s.folder] = true
		for _, f := range functions(s.tree) {
			there[s.folder+":"+f.Name.Name] = true
		}
	}
	named := slices.Concat(slices.Collect(maps.Keys(floors())), slices.Collect(maps.Keys(long())), starters())
	for _, door := range doors() {
		if !strings.HasSuffix(door, "...") {
			named = append(named, door)
		}
	}
	slices.Sort(named)
	for _, name := range slices.Compact(named) {
		if !there[name] {
			wrong = append(wrong, name+" is named in arch_test.go and does not exist")
		}
	}
	return wrong
}

// parse reads one file for the rules, from the disk where no text of it is given.
func parse(t *testing.T, name, text string) source {
	t.Helper()
	set := token.NewFileSet()
	data := []byte(text)
	if text == "" {
		var err error
		if data, err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := parser.ParseFile(set, name, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("parse %q: %v", name, err)
	}
	folder := path.Dir(filepath.ToSlash(name))
	if folder == "." {
		folder = ""
	}
	return source{folder: folder, name: path.Base(filepath.ToSlash(name)), set: set, tree: tree, text: data}
}

// wholeTree is every Go file of the module, whatever system it is built for.
func wholeTree(t *testing.T) (all []source) {
	t.Helper()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") ||
			strings.HasPrefix(d.Name(), "_")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, ".go"):
			return nil
		}
		all = append(all, parse(t, p, ""))
		return nil
	})
	if err != nil {
		t.Fatalf("walk the tree: %v", err)
	}
	return all
}

package conflict_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"delegate/change"
	"delegate/conflict"
	"delegate/conflict/code"
	"delegate/conflict/source"
)

func mapped(files map[string]string) fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

// newCycles are the new cycles as text. Every file of either tree counts as changed; renamed has
// where files were before.
func newCycles(t *testing.T, before, after, renamed map[string]string) string {
	t.Helper()
	var files []change.File
	for name := range after {
		f := change.File{Path: name, Kind: change.Modified, OldMode: change.ModeFile, NewMode: change.ModeFile}
		if from := renamed[name]; from != "" {
			f.Kind, f.OldPath = change.Renamed, from
		} else if _, had := before[name]; !had {
			f.Kind, f.OldMode = change.Added, 0
		}
		files = append(files, f)
	}
	found, err := conflict.NewCycles(mapped(before), mapped(after), files)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range found {
		all = append(all, fmt.Sprintf("%s:%d %s", c.Path, c.Line, strings.Join(c.Nodes, " ")))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

func TestNewCyclesOfScripts(t *testing.T) {
	if _, support := source.LanguageOf("a.py"); support != code.Readable {
		t.Skip("this build reads Go only")
	}
	py := func(imports ...string) string {
		text := ""
		for _, i := range imports {
			text += "import " + i + "\n"
		}
		return text
	}
	type files = map[string]string
	for name, c := range map[string]struct {
		before, after, renamed files
		want                   string
	}{
		"two files": {files{"a.py": "", "b.py": ""}, files{"a.py": py("b"), "b.py": py("a")}, nil,
			"a.py:1 a.py b.py"},
		"three files": {files{"a.py": py("b"), "b.py": py("c"), "c.py": ""},
			files{"a.py": py("b"), "b.py": py("c"), "c.py": "\n" + py("a")}, nil, "c.py:2 c.py a.py b.py"},
		"in a function": {files{"a.py": py("b"), "b.py": ""},
			files{"a.py": py("b"), "b.py": "def f():\n    import a\n"}, nil, ""},
		"within a knot": {files{"a.py": py("b"), "b.py": py("c"), "c.py": py("a")},
			files{"a.py": py("b", "c"), "b.py": py("c"), "c.py": py("a")}, nil, ""},
		"renamed with it": {files{"a.py": "from b import x\n", "b.py": py("a")},
			files{"a.py": "from c import x\n", "c.py": py("a")}, files{"c.py": "b.py"}, ""},
		"named as a library": {nil, files{"pkg/json.py": py("json")}, nil, ""},
		"relative": {files{"p/a.ts": "import {b} from './b'\n", "p/b.ts": ""},
			files{"p/a.ts": "import {b} from './b'\n", "p/b.ts": "import {a} from './a'\n"}, nil,
			"p/b.ts:1 p/b.ts p/a.ts"},
		"of types alone": {files{"a.ts": "import {b} from './b'\n", "b.ts": ""},
			files{"a.ts": "import {b} from './b'\n", "b.ts": "import type {A} from './a'\n"}, nil, ""},
		"taken apart": {files{"a.py": py("b"), "b.py": py("a")}, files{"a.py": "", "b.py": py("a")}, nil, ""},
		"two cycles at once": {nil, files{"a.py": py("b"), "b.py": py("a"), "c.py": py("d"), "d.py": py("c")}, nil,
			"a.py:1 a.py b.py\nc.py:1 c.py d.py"},
	} {
		if got := newCycles(t, c.before, c.after, c.renamed); got != c.want {
			t.Errorf("%s: cycles\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

type unreadableTree struct{ fs.FS }

var errUnreadable = errors.New("unreadable")

func (t unreadableTree) Open(name string) (fs.File, error) {
	if name == "b/b.go" {
		return nil, errUnreadable
	}
	return t.FS.Open(name)
}

// TestNewCyclesSayWhenTheyDoNotKnow holds that a file which cannot be read is not taken for one without imports.
func TestNewCyclesSayWhenTheyDoNotKnow(t *testing.T) {
	before := mapped(map[string]string{"go.mod": "module m.org/m\n", "a/a.go": "package a\n",
		"b/b.go": "package b\nimport _ \"m.org/m/a\"\n"})
	after := mapped(map[string]string{"go.mod": "module m.org/m\n", "a/a.go": "package a\nimport _ \"m.org/m/b\"\n",
		"b/b.go": "package b\nimport _ \"m.org/m/a\"\n"})
	files := []change.File{{Path: "a/a.go", Kind: change.Modified, OldMode: change.ModeFile, NewMode: change.ModeFile}}
	if _, err := conflict.NewCycles(before, unreadableTree{after}, files); !errors.Is(err, errUnreadable) {
		t.Errorf("error %v", err)
	}
	if found, err := conflict.NewCycles(before, after, files); err != nil || len(found) != 1 || found[0].Conditional ||
		found[0].Language != code.Go {
		t.Errorf("cycles %+v, %v", found, err)
	}
}

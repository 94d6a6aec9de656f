//go:build cgo

package languages

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/conflict/code"
	"delegate/internal/sys/long"
)

// realFiles reads files of a language below folders, no more than so many. It skips the test if there are none.
func realFiles(t *testing.T, language code.Language, most int, folders ...string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || len(files) >= most {
				return nil
			}
			if l, _ := Of(p); l != language {
				return nil
			}
			if data, err := os.ReadFile(p); err == nil {
				files[p] = data
			}
			return nil
		})
	}
	if len(files) == 0 {
		t.Skipf("no %s file in %q on this machine", language, folders)
	}
	return files
}

// TestRealCode reads what is installed on the machine. All of it runs, so that hardly a file may have a fault.
func TestRealCode(t *testing.T) {
	folders := []string{"/usr/lib/python3.11", "/usr/lib/python3.12", "/usr/lib/python3.13", "/usr/lib/python3",
		"/usr/lib/node_modules", "/usr/local/lib/node_modules"}
	for _, language := range []code.Language{code.Python, code.JavaScript, code.TypeScript} {
		t.Run(string(language), func(t *testing.T) {
			files := realFiles(t, language, long.Or(200, 20), folders...)
			faulty, functions, references := 0, 0, 0
			for name, data := range files {
				f, _ := Parse(name, data)
				if len(f.Faults) > 0 {
					faulty++
					t.Logf("%s: %v", name, f.Faults[0])
				}
				references += len(f.References)
				for _, d := range f.Definitions {
					if d.Callable() {
						functions++
					}
				}
			}
			most := max(len(files)/50, 1)
			if faulty > most {
				t.Errorf("%d of %d files have faults", faulty, len(files))
			}
			if functions < len(files) || references < 10*len(files) {
				t.Errorf("%d files have %d functions and %d references", len(files), functions, references)
			}
		})
	}
}

// outline is a program that lists the definitions and imports of files as Python's own parser sees them.
const outline = `
import ast, json, sys

def walk(node, path, found):
    for child in ast.iter_child_nodes(node):
        inner = path
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = path + [child.name]
            found["definitions"].append(".".join(inner))
        elif isinstance(child, ast.Import):
            found["imports"] += [[a.name, "", a.asname or a.name.split(".")[0]] for a in child.names]
        elif isinstance(child, ast.ImportFrom) and child.module != "__future__":
            module = "." * child.level + (child.module or "")
            found["imports"] += [[module, a.name, "" if a.name == "*" else a.asname or a.name] for a in child.names]
        walk(child, inner, found)
    return found

print(json.dumps({name: walk(ast.parse(open(name, "rb").read()), [], {"definitions": [], "imports": []}) for name in sys.argv[1:]}))
`

// TestPythonAgreesWithPython compares the functions, classes and imports of real files with those
// that Python finds in them.
func TestPythonAgreesWithPython(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 on this machine")
	}
	files := realFiles(t, code.Python, long.Or(200, 20), "/usr/lib/python3.11", "/usr/lib/python3.12",
		"/usr/lib/python3.13")
	args := []string{"-c", outline}
	for name := range files {
		args = append(args, name)
	}
	output, err := exec.Command("python3", args...).Output()
	if err != nil {
		t.Fatalf("outline with python3: %v", err)
	}
	var all map[string]struct {
		Definitions []string
		Imports     [][3]string
	}
	if err := json.Unmarshal(output, &all); err != nil {
		t.Fatalf("read the outline: %v", err)
	}
	for name, want := range all {
		f, _ := Parse(name, files[name])
		var definitions, imports, wanted []string
		for _, d := range f.Definitions {
			if d.Callable() || d.Kind == code.Class || d.Kind == code.Interface || d.Kind == code.Enum ||
				d.Kind == code.Field {
				definitions = append(definitions, d.Key())
			}
		}
		for _, i := range f.Imports {
			imports = append(imports, strings.Join([]string{i.Module, i.Member, i.Name}, " "))
		}
		for _, i := range want.Imports {
			wanted = append(wanted, strings.Join(i[:], " "))
		}
		slices.Sort(imports)
		slices.Sort(wanted)
		if !slices.Equal(imports, wanted) {
			t.Errorf("%s imports %q, want %q", name, imports, wanted)
		}
		for _, d := range want.Definitions {
			if !slices.Contains(definitions, d) {
				t.Errorf("%s does not define %q", name, d)
			}
		}
	}
}

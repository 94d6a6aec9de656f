//go:build cgo

package languages

import (
	"bytes"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/sitter"
	"delegate/internal/sys/long"
)

// TestReadings reads the first file of each archive and compares the lists with the last.
func TestReadings(t *testing.T) {
	paths, err := filepath.Glob("../lang/*/testdata/*.txtar")
	if err != nil || len(paths) < 30 {
		t.Fatalf("%d archives under testdata: %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(path), "testdata/"), ".txtar"),
			func(t *testing.T) {
				archive, err := txtar.ParseFile(path)
				if err != nil || len(archive.Files) != 2 || archive.Files[1].Name != "want" {
					t.Fatalf("read %q: want a source file and the file want, got %d files: %v", path,
						len(archive.Files), err)
				}
				source, want := archive.Files[0], string(archive.Files[1].Data)
				file, ok := Parse(source.Name, source.Data)
				if !ok {
					t.Fatalf("%q is not readable", source.Name)
				}
				if got := printed(file); got != want {
					t.Errorf("%s: %s\n%s", path, strings.TrimSpace(string(archive.Comment)), differingLines(got, want))
				}
			})
	}
}

// differingLines lists the lines of one text that the other lacks, both ways.
func differingLines(got, want string) string {
	var b strings.Builder
	without := func(sign, text, other string) {
		for line := range strings.Lines(text) {
			if !strings.Contains("\n"+other, "\n"+line) {
				b.WriteString(sign + line)
			}
		}
	}
	without("+ ", got, want)
	without("- ", want, got)
	if b.Len() == 0 {
		return "the same lines, in another order or number:\n" + got
	}
	return b.String()
}

// hashOf reads a source and gives the hash of a definition.
func hashOf(t *testing.T, name, source, key string) uint64 {
	t.Helper()
	f, _ := Parse(name, []byte(source))
	for _, d := range f.Definitions {
		if d.Key() == key {
			return d.Hash
		}
	}
	t.Fatalf("no definition %q in %q", key, source)
	return 0
}

func TestHash(t *testing.T) {
	cases := []struct {
		about, file, a, b string
		keyA, keyB        string
		same              bool
	}{
		{"comments and blank lines", "a.py", "def f(a):\n    # one\n    return a\n",
			"def f( a ):\n\n    return a  # two\n", "f", "f", true},
		{"another description", "a.py", "def f(a):\n    \"\"\"One.\"\"\"\n    return a\n",
			"def f(a):\n    # b\n    'Two' 'parts.'\n    return a\n", "f", "f", true},
		{"a description more", "a.py", "class A:\n    x = 1\n", "class A:\n    \"\"\"One.\"\"\"\n    x = 1\n", "A", "A",
			true},
		{"a string that is no description", "a.py", "def f(a):\n    if a:\n        'one'\n",
			"def f(a):\n    if a:\n        'two'\n", "f", "f", false},
		{"a string that is worked out", "a.py", "def f(a):\n    f'{g(a)}'\n", "def f(a):\n    f'{h(a)}'\n", "f", "f",
			false},
		{"parentheses around a result", "a.py", "def f(a):\n    return a + 1\n",
			"def f(a):\n    return (\n        a + 1\n    )\n", "f", "f", true},
		{"parentheses inside of a result", "a.py", "def f(a):\n    return a * a + 1\n",
			"def f(a):\n    return a * (a + 1)\n", "f", "f", false},
		{"a statement in another block", "a.py", "def f(a):\n    if a:\n        g()\n        h()\n",
			"def f(a):\n    if a:\n        g()\n    h()\n", "f", "f", false},
		{"another name, used inside too", "a.py", "def f(a):\n    return f(a)\n", "def g(a):\n    return g(a)\n", "f",
			"g", true},
		{"another name of a class that makes itself", "a.py", "class A:\n    def m(self): return A()\n",
			"class B:\n    def m(self): return B()\n", "A", "B", true},
		{"a space in a string", "a.py", "x = 'a b'\n", "x = 'a  b'\n", "x", "x", false},
		{"a space between escapes in a string", "a.py", `x = "\n \n"` + "\n", `x = "\n\n"` + "\n", "x", "x", false},
		{"a decorator", "a.py", "@a\ndef f(): pass\n", "@b\ndef f(): pass\n", "f", "f", false},
		{"a default value", "a.py", "def f(a=1): pass\n", "def f(a=2): pass\n", "f", "f", false},
		{"the other method", "a.py", "class C:\n    def f(self): pass\n    def g(self): 1\n",
			"class C:\n    def f(self): pass\n    def g(self): 2\n", "C.f", "C.f", true},
		{"a method of a class", "a.py", "class C:\n    def f(self): 1\n", "class C:\n    def f(self): 2\n", "C", "C",
			false},
		{"layout, and the comma that it puts in", "a.ts", "function f(a: A) { /* x */ return a; }",
			"function f(\n  a: A, // y\n) {\n  return a; }", "f", "f", true},
		{"another argument", "a.ts", "function f() { g(a, b) }", "function f() { g(a) }", "f", "f", false},
		{"a comma that makes a tuple", "a.py", "x = (1)\n", "x = (1,)\n", "x", "x", false},
		{"text of a template", "a.js", "const f = () => `a ${b} c`;", "const f = () => `a ${b} d`;", "f", "f", false},
		{"a type", "a.ts", "function f(a: A) {}", "function f(a: B) {}", "f", "f", false},
		{"what is behind a constant", "a.js", "const a = 1, b = 2;", "const a = 1, b = 3;", "a", "a", true},
		{"a doc comment", "A.java", "class A { /** x */ void f() {} }", "class A { void f() {} }", "A", "A", true},
		{"another name of a class with a constructor", "A.java", "class A { A() { A.b(); } }",
			"class B { B() { B.b(); } }", "A", "B", true},
		{"an annotation", "A.java", "class A { @X void f() {} }", "class A { void f() {} }", "A.f", "A.f", false},
	}
	for _, c := range cases {
		t.Run(c.about, func(t *testing.T) {
			if a, b := hashOf(t, c.file, c.a, c.keyA), hashOf(t, c.file, c.b, c.keyB); (a == b) != c.same {
				t.Errorf("hash of %q and of %q: same is %t, want %t", c.a, c.b, a == b, c.same)
			}
		})
	}
}

// endless is a text on which the parser's recovery from errors goes round in circles.
const endless = "tyTe&<pc 9쏢ӷQ>=tends~(infer U<T&9철ӷ xB$f O]: [[K]}x&; new (' | 'b'}; interface e extends b<D> " +
	"{\x06V\x0f۲f?: nds b<D> {\x06V\x0fk: string]: any{  : \t@Y: J): K }"

func TestFaults(t *testing.T) {
	cases := []struct {
		about, file, source string
		want                []code.Fault
	}{
		{"none", "a.py", "x = 1\n", nil},
		{"empty", "a.py", "", nil},
		{"not UTF-8", "a.js", "let a;\nlet b = '\xff';", []code.Fault{{Line: 2, Reason: "not UTF-8 text"}}},
		{"missing", "a.py", "\ndef f(:\n  pass\n", []code.Fault{{Line: 2, Reason: `missing ")"`}}},
		{"without end", "a.tsx", endless, []code.Fault{{Line: 1, Reason: "parsing does not come to an end"}}},
		{"long and of several lines", "a.js", "let a;\n" + strings.Repeat("]", 40) + "\n]",
			[]code.Fault{{Line: 2, Reason: `unexpected "` + strings.Repeat("]", 30) + `…"`}}},
	}
	for _, c := range cases {
		t.Run(c.about, func(t *testing.T) {
			if f, _ := Parse(c.file, []byte(c.source)); !slices.Equal(f.Faults, c.want) {
				t.Errorf("faults of %q are %v, want %v", c.source, f.Faults, c.want)
			}
		})
	}
	if f, _ := Parse("a.py", []byte(strings.Repeat("def f(:\n  pass\n", 20))); len(f.Faults) != lang.MostFaults {
		t.Errorf("%d faults of twenty are listed, want %d", len(f.Faults), lang.MostFaults)
	}
	if f, _ := Parse("a.js", []byte("let a = '\xff';")); f.Definitions != nil || f.References != nil {
		t.Errorf("a file that is not UTF-8 text has %d definitions and %d references", len(f.Definitions),
			len(f.References))
	}
}

// TestDeepNesting reads sources that no one writes. What takes time or stack of the order of the
// square of their length does not come to an end here.
func TestDeepNesting(t *testing.T) {
	n := long.Or(20000, 2000)
	cases := map[string]string{
		"parentheses.py": "x = " + strings.Repeat("(", n) + strings.Repeat(")", n),
		"path.py":        "x" + strings.Repeat(".a", n),
		"lambdas.py":     strings.Repeat("lambda a: ", n) + "b",
		"pattern.py":     "match x:\n case a" + strings.Repeat(".b", n) + ": pass\n",
		"cycle.py": "def f():\n" + strings.Repeat(" x = y\n y = z\n z = x\n", n/6) +
			strings.Repeat(" x.q\n", n/6),
		"functions.js":   strings.Repeat("function f(){", n) + "x" + strings.Repeat("}", n),
		"blocks.js":      strings.Repeat("{", n) + "x" + strings.Repeat("}", n),
		"variables.js":   "var a" + strings.Repeat(",a=b", n),
		"calls.test.js":  "x" + strings.Repeat(".a()", n),
		"elements.jsx":   "x=" + strings.Repeat("<A>", n) + strings.Repeat("</A>", n),
		"union.ts":       "type T = 'a'" + strings.Repeat("|'b'", n),
		"parts.ts":       "type T = {a:1}" + strings.Repeat("&{a:1}", n),
		"namespaces.ts":  strings.Repeat("namespace N {", n) + strings.Repeat("}", n),
		"classes.java":   strings.Repeat("class A { int x; ", n/2) + strings.Repeat("}", n/2),
		"fields.java":    "class A { int a" + strings.Repeat(",a", n) + "; }",
		"variables.java": "class A { void f() {" + strings.Repeat("int x = x; x.y();", n/4) + "} }",
		"names.java":     "class " + strings.Repeat("A", n) + " { " + strings.Repeat("void f(){}", n) + " }",
	}
	for name, source := range cases {
		t.Run(name, func(t *testing.T) {
			f, _ := Parse(name, []byte(source))
			for _, d := range f.Definitions {
				if strings.Count(d.Container, ".") >= sitter.MaxDepth || len(d.Key()) > 2*sitter.MaxKey {
					t.Fatalf("a definition has a key of %d bytes and %d parts", len(d.Key()),
						1+strings.Count(d.Key(), "."))
				}
			}
		})
	}
}

// TestDialects tells that the ending of a name decides how TypeScript is read.
func TestDialects(t *testing.T) {
	for name, faulty := range map[string]bool{"a.ts": false, "a.tsx": true} {
		if f, _ := Parse(name, []byte("let a = <T>b;\n")); len(f.Faults) > 0 != faulty {
			t.Errorf("a type assertion in %q has the faults %v", name, f.Faults)
		}
	}
}

// TestFileLeavesSource tells that the lists hold on to no part of the source, which is long here.
func TestFileLeavesSource(t *testing.T) {
	const padding = 256 << 10
	paths, _ := filepath.Glob("../lang/*/testdata/*.txtar")
	for i, path := range paths {
		if i%long.Or(1, 8) != 0 {
			continue
		}
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, source := archive.Files[0].Name, archive.Files[0].Data
		Parse(name, source) // which makes the grammar
		before := heap()
		file, _ := Parse(name, append(bytes.Clone(source), bytes.Repeat([]byte(" "), padding)...))
		if with := heap(); with > before+padding/2 {
			t.Errorf("%s: the lists hold on to %d bytes", path, with-before)
		}
		runtime.KeepAlive(file)
	}
}

// heap is how many bytes are in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

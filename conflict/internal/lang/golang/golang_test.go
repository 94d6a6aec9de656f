package golang

import (
	"fmt"
	"strings"
	"testing"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// goDefinitions prints definitions, a line each: kind, visibility if not restricted, key, and what else is set.
func goDefinitions(f code.File, kinds ...code.Kind) string {
	var b strings.Builder
	for _, d := range f.Definitions {
		if (d.Kind == code.Local) != (len(kinds) > 0) {
			continue
		}
		fmt.Fprintf(&b, "%s", d.Kind)
		if d.Visibility == code.Public {
			b.WriteString(" public")
		}
		fmt.Fprintf(&b, " %s", d.Key())
		if d.TypeParams != nil {
			fmt.Fprintf(&b, "[%s]", goParams(d.TypeParams))
		}
		if d.Callable() {
			fmt.Fprintf(&b, "(%s)", goParams(d.Params))
		}
		for _, part := range []string{d.Result, d.Type} {
			if part != "" {
				b.WriteString(" " + part)
			}
		}
		if len(d.Bases) > 0 {
			fmt.Fprintf(&b, " < %s", strings.Join(d.Bases, ", "))
		}
		for name, set := range map[string]bool{" abstract": d.Abstract, " test": d.Test} {
			if set {
				b.WriteString(name)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func goParams(all []code.Param) string {
	var parts []string
	for _, p := range all {
		dots := ""
		if p.Rest {
			dots = "..."
		}
		parts = append(parts, strings.TrimSpace(p.Name+" "+dots+p.Type))
	}
	return strings.Join(parts, ", ")
}

// goReferences prints references, a line each: use if not read, qualifier and name, [type] and (arguments).
func goReferences(f code.File) string {
	var b strings.Builder
	for _, r := range f.References {
		if r.Use != code.Read {
			fmt.Fprintf(&b, "%s ", r.Use)
		}
		if r.Qualifier != "" {
			b.WriteString(r.Qualifier + ".")
		}
		b.WriteString(r.Name)
		if r.Type != "" {
			fmt.Fprintf(&b, " [%s]", r.Type)
		}
		if r.Args != code.NoCall {
			fmt.Fprintf(&b, " (%d)", r.Args)
		}
		if len(r.Named) > 0 {
			fmt.Fprintf(&b, " %s", strings.Join(r.Named, ","))
		}
		if r.Spread {
			b.WriteString(" spread")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// sameLines compares printed lists; want is indented as its test is.
func sameLines(t *testing.T, got, want string) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(want) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line+"\n")
		}
	}
	if want = strings.Join(lines, ""); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestGoDefinitions(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"functions": {`func F(a, b int, rest ...string) (n int, err error) { return }
			func g(context.Context, func(x int) error)
			func Map[K comparable, V any](m map[K]V, f func(V) V) map[K]V { return m }
			func init() {}
			func _() {}`,
			`function public F(a int, b int, rest ...string) (int, error)
			function g(context.Context, func(int) error)
			function public Map[K comparable, V any](m map[K]V, f func(V) V) map[K]V`},
		"methods": {`func (s *Server) Serve(l net.Listener) error { return nil }
			func (List[K, _]) len() int
			func (l *List[K, V]) _() {}
			func (T) init() {}`,
			`method public Server.Serve(l net.Listener) error
			method List.len() int
			method T.init()`},
		"structs": {"type Server struct {\n *pkg.Base\n mutex\n List[int]\n A, b int `json:\"a\"`\n c struct{ d  " +
			"int; e,f string }\n _ int\n}\ntype _ struct{ x int }",
			`class public Server < pkg.Base, mutex, List
			field public Server.Base *pkg.Base
			field Server.mutex mutex
			field public Server.List List[int]
			field public Server.A int
			field Server.b int
			field Server.c struct{d int; e, f string}`},
		"interfaces": {`type Store interface { io.Reader; Put(key string, _ []byte) error; fmt.Stringer; get(string) (v any, ok bool) }
			type number interface { ~int | float64; comparable }`,
			`interface public Store < io.Reader, fmt.Stringer
			method public Store.Put(key string, _ []byte) error abstract
			method Store.get(string) (any, bool) abstract
			interface number < comparable`},
		"other types": {`type ( A = pkg.B; Names []string; visit func(path string, more ...int) (stop bool, err error); S = struct{ X int }; T pkg.U )`,
			`type public A pkg.B
			type public Names []string
			type visit func(string, ...int) (bool, error)
			type public S struct{X int}
			field public S.X int
			type public T pkg.U`},
		"constants": {`type Color int
			const ( Red Color = iota; Green; _; Blue )
			const ( a = 1; b; c string = "c"; d )
			const Far = Color(7)
			const e = f(1)`,
			`type public Color int
			constant public Red Color
			constant public Green Color
			constant public Blue Color
			constant a
			constant b
			constant c string
			constant d string
			constant public Far Color
			constant e`},
		"variables": {`var ( x, Y int = 1, 2; z = f(); _ Store = T{} )
			var m map[string] [] *pkg . T`,
			`variable x int
			variable public Y int
			variable z
			variable m map[string][]*pkg.T`},
	} {
		t.Run(name, func(t *testing.T) {
			sameLines(t, goDefinitions(parse("x.go", []byte("package x\n"+c.source))), c.want)
		})
	}
}

func TestGoLocals(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"parameters and results": {`func (s *S) f(a int, _ string, more ...T) (err error) { return }
			func g[T any](T) {}`,
			`local S.f.s *S
			local S.f.a int
			local S.f.more ...T
			local S.f.err error`},
		"each once": {`func f(a int) { a := 1; if a := 2; a > 0 { b := a; { b := b; _ = b } }; for a := range 3 { _ = a }; var c, d = 1, 2; c, e := d, c }`,
			`local f.a int
			local f.b
			local f.c
			local f.d
			local f.e`},
		"declarations": {`func f() { var x, y pkg.T; const k int = 1; const ( p T = iota; q ); type t struct { u int }; type v = w }`,
			`local f.x pkg.T
			local f.y pkg.T
			local f.k int
			local f.p T
			local f.q T
			local f.t
			local f.v`},
		"statements": {`func f() { for i := 0; ; { }; for k, v := range m {}; switch s := 1; t := u.(type) { case int: w := 1 }; select { case r, ok := <-c: z := 1 }; L: n := 1; goto L }`,
			`local f.i
			local f.k
			local f.v
			local f.s
			local f.t
			local f.w
			local f.r
			local f.ok
			local f.z
			local f.n`},
		"function literals": {`func f() { g := func(a int) (b int) { c := 1; return c } }
			var x = func(y int) { z := y }
			var _ = func(y int) {}
			func init() { a := 1 }`,
			`local f.a int
			local f.b int
			local f.c
			local f.g
			local x.y int
			local x.z
			local _.y int
			local init.a`},
	} {
		t.Run(name, func(t *testing.T) {
			sameLines(t, goDefinitions(parse("x.go", []byte("package x\n"+c.source)), code.Local), c.want)
		})
	}
}

func TestGoImports(t *testing.T) {
	f := parse("x.go", []byte("package x_test\nimport \"net/http\"\nimport (\n. \"a\"\n_ `b/c`\nd \"e/f\"\n)\n"+
		"import \"C\"\n"))
	want := []code.Import{
		{Module: "net/http", Name: "http", Line: 2}, {Module: "a", Member: code.All, Line: 4},
		{Module: "b/c", Name: "_", Line: 5},
		{Module: "e/f", Name: "d", Line: 6}, {Module: "C", Name: "C", Line: 8},
	}
	if got := fmt.Sprint(f.Imports); f.Package != "x_test" || got != fmt.Sprint(want) {
		t.Errorf("package %q imports\n%s, want\n%s", f.Package, got, fmt.Sprint(want))
	}
	if f := parse("x.go", []byte("package x\nimport \"\"\nimport )\n")); len(f.Imports) > 0 {
		t.Errorf("imports %v of a file that names none", f.Imports)
	}
}

func TestGuessPackage(t *testing.T) {
	for path, want := range map[string]string{
		"net/http": "http", "math/rand/v2": "rand", "gopkg.in/yaml.v3": "yaml", "github.com/mattn/go-isatty": "isatty",
		"github.com/hashicorp/go-multierror": "multierror",
		"github.com/golang-jwt/jwt/v5":       "jwt", "github.com/dgrijalva/jwt-go": "jwt",
		"github.com/nats-io/nats.go": "nats", "github.com/json-iterator/go": "go",
		"k8s.io/api/core/v1": "v1", "k8s.io/api/apps/v1beta1": "v1beta1", "v2": "v2", "example.com/v2": "example",
		"a/b_c": "b_c", "": "", "x/-y": "-y",
	} {
		if got := guessPackage(path); got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}

func TestGoTests(t *testing.T) {
	source := `package x
	func Test(t *testing.T) {}
	func TestA(t *testing.T) {}
	func Test_a(t *T) {}
	func Testify(t *testing.T) {}
	func TestMain(m *testing.M) {}
	func TestTwo(t *testing.T, n int) {}
	func TestResult(t *testing.T) error { return nil }
	func TestGeneric[P any](t *testing.T) {}
	func (s S) TestMethod(t *testing.T) {}
	func BenchmarkA(b *testing.B) {}
	func BenchmarkT(b *testing.T) {}
	func FuzzA(f *testing.F) {}
	func ExampleA() {}
	func Example_a() {}
	func Examples() {}
	func ExampleB(n int) {}`
	for file, want := range map[string]string{"x.go": "",
		"x_test.go": "Test TestA Test_a BenchmarkA FuzzA ExampleA Example_a"} {
		var tests []string
		for _, d := range parse(file, []byte(source)).Definitions {
			if d.Test {
				tests = append(tests, d.Name)
			}
		}
		if got := strings.Join(tests, " "); got != want {
			t.Errorf("%s: got %q, want %q", file, got, want)
		}
	}
}

func TestGoLines(t *testing.T) {
	f := parse("x.go", []byte(`package x
// About F.
func F() {
	//line other.go:500
	g(
		h)
}

type (
	// About T.
	T struct {
		A int
	}
)
var v = T{
}
//line a.go:1
)`))
	got := map[string]string{}
	for _, d := range f.Definitions {
		got[d.Key()] = fmt.Sprintf("%d-%d", d.Line, d.End)
	}
	for _, r := range f.References {
		got[r.In+" "+r.Name] = fmt.Sprint(r.Line)
	}
	for key, want := range map[string]string{"F": "3-7", "F g": "5", "F h": "6", "T": "11-13", "T.A": "12-12",
		"v": "15-16", "v T": "15"} {
		if got[key] != want {
			t.Errorf("%s: got %s, want %s", key, got[key], want)
		}
	}
	if len(f.Faults) != 1 || f.Faults[0].Line != 18 {
		t.Errorf("faults %v, want one in line 18", f.Faults)
	}
}

func TestGoFaults(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		line   int // of the first fault, 0 for none
		want   string
	}{
		"not UTF-8":  {"package x\nfunc F() {} // \xff", 2, ""},
		"empty":      {"", 1, ""},
		"no package": {"// Why.\n\nfunc F() {}\ntype T int", 3, "type public T int"},
		"between functions": {"package x\nfunc F() {}\n<<<<<<< ours\nfunc G() {}\n", 3,
			"function public F()\nfunction public G()"},
		"first of all": {"package x\nfunc F(a { }\nfunc G() {}\nimport \"y\"\ntype T int", 2,
			"function public F(a)\nfunction public G()\ntype public T int"},
		"inside of one": {"package x\nfunc F() { a := ; b(\n}\nfunc G() {}", 2,
			"function public F()\nfunction public G()"},
		"inside of a struct": {"package x\ntype T struct {\nA int\n=======\nB int\n}\nfunc G() {}", 4,
			"class public T\nfield public T.A int\nfunction public G()"},
		"text like code": {"package x\nvar s = `\nfunc F() {}\n`\nvar t = )", 5, "variable s\nvariable t"},
		"none":           {"package x\nfunc F() {}", 0, "function public F()"},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse("x.go", []byte(c.source))
			sameLines(t, goDefinitions(f), c.want)
			if len(f.Faults) == 0 && c.line != 0 || len(f.Faults) > 0 && f.Faults[0].Line != c.line {
				t.Errorf("faults %v, want the first in line %d", f.Faults, c.line)
			}
		})
	}
	many := parse("x.go", []byte("package x\n"+strings.Repeat("var x )\n", 3*lang.MostFaults)))
	if len(many.Faults) != lang.MostFaults || len(many.Definitions) != 3*lang.MostFaults {
		t.Errorf("%d faults and %d definitions, want %d and %d", len(many.Faults), len(many.Definitions),
			lang.MostFaults,
			3*lang.MostFaults)
	}
	long := parse("x.go", []byte("package x\nvar x int `"+strings.Repeat("é\n", 10*lang.LongestReason)+"`"))
	if len(long.Faults) != 1 || len(long.Faults[0].Reason) > 2*lang.LongestReason {
		t.Errorf("faults %v, want a short one", long.Faults)
	}
	inner := parse("x.go", []byte("package x\n\nfunc F() {\n\tg(a)\n\t)\n}\n\nfunc G() {\n\th()\n}"))
	for _, r := range inner.References {
		if want := map[string]int{"g": 4, "a": 4, "h": 9}[r.Name]; r.Line != want {
			t.Errorf("%q in line %d, want %d", r.Name, r.Line, want)
		}
	}
}

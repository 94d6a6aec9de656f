package golang

import (
	"testing"

	"delegate/conflict/code"
)

func TestGoReferences(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"calls": {`func f() { g(); h(1, 2); fmt.Println("a", b); i(c...); j(k()); l(len("")); m(n()); o(T(1)); (p)(); q[int](1); r[int, S](); len(s) }
			func n() int
			type T int`,
			`call g (0)
			call h (2)
			call fmt.Println (2)
			b
			call i (1) spread
			c
			call j (1) spread
			call k (0)
			call l (1)
			call m (1)
			call n (0)
			call o (1)
			call T (1)
			call p (0)
			call q (1)
			call r (0)
			S
			s`},
		"paths": {`var v = fmt.A.B + a.b.c + (d).e + f().g + h[0].i + (*j).k`,
			`fmt.A
			fmt.A.B
			a
			a.b
			a.b.c
			d
			d.e
			call f (0)
			?.g
			h
			?.i
			j
			?.k`},
		"predeclared": {`func f() (error, any) { new(int); println(true, nil, iota); return nil, string("") }`, ``},
		"predeclared anew": {`func len(x T) error { return len(x) }
			type error struct{}`,
			`T
			error
			call len (1)`},
		"labels": {`func f() { L: for { break L; continue L; goto L } }`, ``},
		"writes": {`func f() { a = b; c.d++; e[i] += 1; *p = 2; ch <- v; _ = w }`,
			`a
			b
			c
			c.d
			e
			i
			p
			ch
			v
			w`},
	} {
		t.Run(name, func(t *testing.T) {
			sameLines(t, goReferences(parse("x.go", []byte("package x\nimport (\"fmt\"; \"y/pkg\")\n"+c.source))),
				c.want)
		})
	}
}

func TestGoReferencesOfTypes(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"types": {`type A struct { Base; *pkg.Q; List[E]; f map[K]chan *V; g func(a P, b ...R) S; s struct { In } }
			type B interface { fmt.Stringer; M(X) Y; ~int | Z }
			type G[P Bound[P], Q any] struct { p P; q Q; g *G[P, Q] }
			var _ I = (*A)(nil)
			var a [N]T`,
			`inherit Base
			inherit pkg.Q
			inherit List
			E
			K
			V
			P
			R
			S
			inherit In
			inherit fmt.Stringer
			X
			Y
			Z
			Bound
			G
			I
			call A (1)
			N
			T`},
		"methods": {`func (s *Server) m(a A) (b B) { return b }
			func (l List[K]) n(k K) K { return k }
			func g[K Key](k K) Box[K] { return Box[K]{k: k} }`,
			`Server
			A
			B
			List
			Key
			Box
			construct Box (1) k
			k [Box]`},
		"cases": {`func f() { switch a { case B, pkg.C: case d.e, 1, g(): }; switch x := y.(type) { case T, *pkg.U: x.m(); case []V: case nil: } }`,
			`a
			match B
			match pkg.C
			d
			match d.e
			call g (0)
			y
			match T
			match pkg.U
			call x.m (0)
			V`},
	} {
		t.Run(name, func(t *testing.T) {
			sameLines(t, goReferences(parse("x.go", []byte("package x\nimport (\"fmt\"; \"y/pkg\")\n"+c.source))),
				c.want)
		})
	}
}

func TestGoScopes(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"before and after": {`func f() { a(a); a := a; a(a); { a := a; _ = a }; _ = a }`, "call a (1)\na\na"},
		"end of block":     {`func f() { { b := 1; _ = b }; _ = b }`, "b"},
		"if":               {`func f() { if a := a; a {} else if b := a; b { c := 1 } else { _ = c; _ = b }; _ = a; _ = b }`, "a\nc\na\nb"},
		"for":              {`func f() { for i := i; i < n; i++ { _ = i }; _ = i }`, "i\nn\ni"},
		"range": {`func f() { for k, v := range v { _ = k; _ = v }; for k = range w {}; _ = v }`,
			"v\nw\nk\nv"},
		"switch": {`func f() { switch a := a; a { case 1: b := 1; _ = b; case 2: _ = b }; _ = a }`,
			"a\nb\na"},
		"type switch":          {`func f() { switch x := x.(type) { case int: _ = x; y := x; default: _ = x; _ = y }; _ = x }`, "x\ny\nx"},
		"select":               {`func f() { select { case v := <-v: _ = v; case <-c: _ = v } }`, "v\nc\nv"},
		"some names anew":      {`func f() { a, err := g(); b, err := g(); { c, err := h(err), a; _ = c; _ = err; _ = b } }`, "call g (0)\ncall g (0)\ncall h (1)"},
		"function literal":     {`func f(a int) { g := func(b int) { _ = a + b + g }; g(b) }`, "g\nb"},
		"literals at the top":  {`var v = func(a A) (r R) { return a + b }`, "A\nR\nb"},
		"types of parameters":  {`func f(a a, b a) (c b) { return c }`, "a\na\nb"},
		"constants":            {`func f() { const a = a; const ( b = iota + a; c; d = b + e ); _ = c + d }`, "a\ne"},
		"variables":            {`func f() { var a, b T = b, a; var c = c; _ = a + b + c }`, "T\nb\na\nc"},
		"types in functions":   {`func f() { type t struct { next *t; o O }; type p = t; var x t; _ = t{next: nil}; _ = []t{{}}; x.next() }; var y t`, "O\ncall x.next (0)\nt"},
		"type parameters":      {`func f[A any, B ~[]A](a A) { var b B; _ = A(b) }; func g(A) {}`, "A"},
		"receivers' arguments": {`func (l *L[A, B]) f(a A) { var b B }; func g(A, B) {}`, "L\nA\nB"},
		"imports":              {`func f() { fmt.A(); { fmt := b; fmt.A() } }`, "call fmt.A (0)\nb\ncall fmt.A (0)"},
		"blank":                {`func f(_ int) { _, _ = a, _b }`, "a\n_b"},
		"deferred": {`func f() { defer func() { if r := recover(); r != nil { g(r) } }(); go h(r) }`,
			"call g (1)\ncall h (1)\nr"},
	} {
		t.Run(name, func(t *testing.T) {
			sameLines(t, goReferences(parse("x.go", []byte("package x\nimport \"fmt\"\n"+c.source))), c.want)
		})
	}
}

// TestGoTypes looks at what is said of the type of the value before a member called m.
func TestGoTypes(t *testing.T) {
	declared := `package x
	import ( "net/http"; "pkg" )
	type T struct { Base; client *http.Client; list []T; byName map[string]*pkg.V; next *T; do func() *pkg.V; anon struct { in *T }; ch chan T; grid [][]T }
	type Base struct { deep pkg.V }
	func (*Base) base() pkg.V
	func (t *T) self() *T
	type Names []pkg.V
	type Hook func(int) *T
	type Also = T
	type Like T
	type Store interface { get(string) (pkg.V, error); Closer }
	type Closer interface { closer() T }
	type List[E any] struct { first E; rest *List[E] }
	func one() *T
	func two() (pkg.V, error)
	func three() (a, b T, c *pkg.V)
	func generic[E any](e E) E
	var top *T
	var made = &pkg.V{}
	var fresh = new(T)
	const ( c1 Kind = iota; c2 )
	`
	for body, want := range map[string]string{
		"var x T; x.m": "T", "var x *T; x.m": "T", "var x **pkg.V; x.m": "pkg.V", "x := T{}; x.m": "T",
		"x := &T{}; x.m": "T", "x := new(T); x.m": "T",
		"x := pkg.V{}; x.m": "pkg.V", "x := new(pkg.V); x.m": "pkg.V", "x := new(Other); x.m": "Other",
		"x := []T{}; x[0].m": "T", "x := make(chan T); (<-x).m": "T",
		"x := one(); x.m": "T", "x, err := two(); x.m": "pkg.V", "x, err := two(); err.m": "error",
		"a, b, c := three(); b.m": "T", "a, b, c := three(); c.m": "pkg.V",
		"var x, y = two(); x.m": "pkg.V", "x, y := T{}, pkg.V{}; y.m": "pkg.V", "x := y.(T); x.m": "T",
		"x, ok := y.(*pkg.V); x.m": "pkg.V", "y.(T).m": "T",
		"x := unknown(); x.m": "", "x := pkg.New(); x.m": "pkg.?", "unknown.m": "", "pkg.m": "", "one().m": "T",
		"two().m": "pkg.V", "T{}.m": "T", "(&T{}).m": "T", "T(y).m": "T", "(*T)(y).m": "T", "Hook(y).m": "Hook",
		"T.m": "T", "(*T).m": "T", "top.m": "T", "made.m": "pkg.V", "fresh.m": "T", "c1.m": "Kind", "c2.m": "Kind",
		"List[int]{}.m": "List", "x := List[T]{}; x.rest.rest.m": "List", "x := List[T]{}; x.first.m": "",
		"top.client.m": "http.Client", "top.next.next.client.m": "http.Client", "top.list[0].m": "T",
		"top.list[1:][0].m": "T", "top.byName[k].m": "pkg.V", "top.do().m": "pkg.V", "top.anon.in.m": "T",
		"top.anon.m": "", "(<-top.ch).m": "T",
		"top.grid[0][1].m": "T", "top.deep.m": "pkg.V", "top.base().m": "pkg.V", "top.self().self().next.m": "T",
		"T.self(top).m": "T", "generic(top).m": "",
		"var x Names; x[0].m": "pkg.V", "var x Names; x.m": "Names", "var x Hook; x(1).m": "T",
		"var x Also; x.m": "Also", "var x Also; x.client.m": "http.Client", "var x Like; x.client.m": "http.Client",
		"var x Store; x.get().m": "pkg.V", "var x Store; x.closer().m": "T",
		"for i, x := range top.list { x.m }": "T", "for i, x := range top.list { i.m }": "",
		"for k, x := range top.byName { x.m }": "pkg.V", "for k, x := range top.byName { k.m }": "string",
		"for x := range top.ch { x.m }":       "T",
		"for _, x := range (Names{}) { x.m }": "pkg.V", "for i := range 10 { i.m }": "",
		"x := append(top.list, y); x[0].m": "T", "x := make(map[string]T); x[k].m": "T",
		"x := func() T { return y }; x().m": "T", "func() *T { return y }().m": "T",
		"switch x := y.(type) { case T: x.m }": "T", "switch x := y.(type) { case *pkg.V: x.m }": "pkg.V",
		"switch x := y.(type) { case T, Base: x.m }": "", "switch x := top.next.(type) { default: x.m }": "T",
		"if x, ok := top.byName[k]; ok { x.m }": "pkg.V", "x := <-top.ch; x.m": "T", "x, ok := <-top.ch; ok.m": "",
		"x := top; x.m": "T", "var x T; { x := one; x.m }": "", "x := *top; x.m": "T",
		"type T pkg.V; var x T; x.m": "", "type l struct { v *pkg.V }; var x l; x.v.m": "pkg.V", "T := 1; T.m": "",
		"x := T{}; x = y; x.m": "T", "top := y; top.m": "", "_ = func(x *T) { x.m }": "T",
		"_ = func(x ...T) { x[0].m }": "T", "_ = func() (x T) { x.m }": "T",
	} {
		f := parse("x.go", []byte(declared+"func f() {\n"+body+"\n}\n"))
		found := 0
		for _, r := range f.References {
			if r.Name == "m" {
				if found++; r.Type != want {
					t.Errorf("%s: got type %q, want %q", body, r.Type, want)
				}
			}
		}
		if found != 1 {
			t.Errorf("%s: %d references to m", body, found)
		}
	}
}

func TestGoTypesOfReceivers(t *testing.T) {
	sameLines(t, goReferences(parse("x.go", []byte(`package x
		import "net/http"
		type Server[T any] struct { client *http.Client; value T }
		func (s *Server[T]) Do(t T, conn conn) { s.client.Do(1); s.value.x(); t.y(); conn.Close() }`))), `
		http.Client
		Server
		conn
		s.client [Server]
		call s.client.Do [http.Client] (1)
		s.value [Server]
		call s.value.x (0)
		call t.y (0)
		call conn.Close [conn] (0)`)
}

func TestGoLiterals(t *testing.T) {
	declared := "package x\nimport \"pkg\"\ntype T struct { A, B int; In []T; M map[K]*T }\ntype list []T\ntype " +
		"index map[T]*pkg.V\ntype set map[string]bool\n"
	length := len(parse("x.go", []byte(declared)).References)
	for source, want := range map[string]string{
		"T{}":                             "construct T (0)",
		"&T{1, b}":                        "construct T (2)\nb",
		"T{A: 1, B: b}":                   "construct T (2) A,B\nA [T]\nB [T]\nb",
		"pkg.V{A: 1}":                     "construct pkg.V (1) A\nA [pkg.V]",
		"pkg.V{a: 1}":                     "construct pkg.V (1)\na",
		"pkg.V{pkg.A: 1}":                 "construct pkg.V (1)\npkg.A",
		"other{A: a}":                     "construct other (1) A\nA [other]\na",
		"box[int, S]{a: 1}":               "construct box (1) a\nS\na [box]",
		"[]T{{A: 1}, {}, T{}}":            "T\nconstruct T (1) A\nA [T]\nconstruct T (0)\nconstruct T (0)",
		"[]*T{{A: 1}}":                    "T\nconstruct T (1) A\nA [T]",
		"[...]int{a: 1, b}":               "a\nb",
		"map[string]T{\"x\": {A: 1}}":     "T\nconstruct T (1) A\nA [T]",
		"map[T]U{{A: 1}: {B: 2}}":         "T\nU\nconstruct T (1) A\nA [T]\nconstruct U (1) B\nB [U]",
		"map[string][]pkg.V{k: {{A: 1}}}": "pkg.V\nk\nconstruct pkg.V (1) A\nA [pkg.V]",
		"list{{A: 1}}":                    "construct list (1)\nconstruct T (1) A\nA [T]",
		"index{{A: 1}: {C: c}}": "construct index (1)\nconstruct T (1) A\nA [T]\nconstruct pkg.V (1) " +
			"C\nC [pkg.V]\nc",
		"set{a: true}":                        "construct set (1)\na",
		"T{In: []T{{B: 1}}, M: nil}":          "construct T (2) In,M\nIn [T]\nT\nconstruct T (1) B\nB [T]\nM [T]",
		"struct{ A V }{A: a}":                 "V\na",
		"[]struct{ A V }{{A: a}, {b}}":        "V\na\nb",
		"pkg.Map{\"a\": {A: a}}":              "construct pkg.Map (1)\na",
		"func() { type T struct{}; T{A: a} }": "a",
	} {
		sameLines(t, goReferences(code.File{References: parse("x.go",
			[]byte(declared+"var _ = "+source)).References[length:]}), want)
	}
}

func TestGoIn(t *testing.T) {
	f := parse("x.go", []byte(`package x
	func F() { a() }
	func (t T) m() { func() { b() }() }
	type S struct { f c }
	var v, w = d, e
	var x, y = g()
	func init() { h() }
	var _ = func() { i() }`))
	want := map[string]string{"a": "F", "T": "T.m", "b": "T.m", "c": "S", "d": "v", "e": "w", "g": "x", "h": "init",
		"i": "_"}
	for _, r := range f.References {
		if r.In != want[r.Name] {
			t.Errorf("%q is in %q, want %q", r.Name, r.In, want[r.Name])
		}
		delete(want, r.Name)
	}
	if len(want) > 0 {
		t.Errorf("no references to %v", want)
	}
}

//go:build cgo

package languages

import (
	"bytes"
	"testing"

	"delegate/conflict/code"
)

// fuzzed reads whatever comes under a file's name and looks whether the lists make sense at all.
func fuzzed(f *testing.F, name string, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, ok := Parse(name, data)
		if !ok {
			t.Fatalf("%q is not readable", name)
		}
		last := 1 + bytes.Count(data, []byte("\n"))
		locals := map[string]bool{}
		for _, d := range file.Definitions {
			if d.Line < 1 || d.End < d.Line || d.End > last {
				t.Errorf("%s %q has the lines %d to %d of %d", d.Kind, d.Key(), d.Line, d.End, last)
			}
			if d.Kind == code.Local && locals[d.Container+" "+d.Name] {
				t.Errorf("local %q is listed twice", d.Key())
			}
			locals[d.Container+" "+d.Name] = locals[d.Container+" "+d.Name] || d.Kind == code.Local
		}
		for _, r := range file.References {
			if r.Name == "" || r.Line < 1 || r.Line > last || r.Args < len(r.Named) && r.Use == code.Call {
				t.Errorf("reference %+v makes no sense", r)
			}
		}
		if again, _ := Parse(name, data); printed(again) != printed(file) {
			t.Errorf("read again, it says something else")
		}
	})
}

func FuzzPython(f *testing.F) {
	fuzzed(f, "a/test_x.py", pieces()["a.py"],
		"match a:\n case B.c | D(x=1, y=z): pass\n case [one, *rest] if one: pass\n",
		"from . import (a as b, c)\nimport x.y\n@p.setter\nclass A(B[int], metaclass=M):\n @property\n def f(self, "+
			"/, a=1, *, b: 'C', **k) -> D: return super().f(*a)\n",
		"def f():\n global x\n x = [i for i in y if (z := i)]\n with a as (b, c.d): lambda q, *w: q\n",
		"type A[T] = B\nx: int = 1\nx, y.z = 2\n")
}

func FuzzJavaScript(f *testing.F) {
	fuzzed(f, "a/x.test.js", pieces()["a.ts"], "import a, {b as c} from 'x'; import * as d from 'y'; export * from "+
		"'z'; export {a as default};\nconst {e, f: [g = 1, ...h]} = require('q');",
		"module.exports = {a, b() {}, c: () => 1}; exports.d = class extends E {}; describe('x', () => { "+
			"it.each([1])('y', function () {}); });",
		"function* f({a, b: {c}}, ...d) { for (const x of y) { switch (x) { case A.b: break } } try {} catch ({m}) "+
			"{} return <A b={c} {...d}/> }\nclass A extends B.c { static #x = 1; get y() { return super.y } "+
			"constructor() { super(1); this.z = new A() } }")
}

func FuzzTypeScript(f *testing.F) {
	fuzzed(f, "a/x.tsx", pieces()["a.ts"], "type A<T> = T extends (infer U)[] ? U : {[K in keyof T]?: T[K]} & {x: "+
		"'a' | 'b'};\ninterface B extends C<D> { e(f?: G): void; readonly h?: I; [k: string]: any; new (x: J): K }",
		"abstract class A<T> implements B { constructor(private readonly x: C = {y: 1}) {} abstract z(): void; f(a: "+
			"string): void; f(a: any) {} static #g?: H }\nenum E { A = 1, 'b', C }\ndeclare module 'm' { export "+
			"function f(): asserts x is Y }",
		"namespace A.B { export const c: D = 'e'; import F = G.H }\nexport = x; let y = z as W satisfies V; export "+
			"default class {}")
}

func FuzzJava(f *testing.F) {
	fuzzed(f, "a/X.java", pieces()["a.java"], "package a.b; import static c.D.*; import e.F;\n@A(b = 1) record R(int "+
		"x, String... y) implements S { R { f(x); } }\nenum E implements I { A(1) { void g() {} }, B; E(int... i) { "+
		"this(); } }",
		"interface I<T extends A & B> extends J { int X = 1, Y[] = {2}; default void f() {} @Override T g(); }\n"+
			"@interface N { String v() default \"\"; }",
		"class C extends D.E<F> { { x(); } static { y(); } Object o = new G() { int h; }; void m(int[] a[], final "+
			"B<?>... c) throws T { for (var d : e) try (R r = s()) {} catch (U | V w) {} switch (x) { case P(int q, "+
			"var z) when q > 1 -> {} case K.L -> M::new; } if (o instanceof N n) l: break l; } }")
}

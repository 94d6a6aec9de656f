//go:build cgo

package languages

import "testing"

func FuzzCSharp(f *testing.F) {
	fuzzed(f, "a/X.cs", "global using A; using static B.C; using D = E.F<int>;\n[assembly: G(1, H = 2)]\nnamespace "+
		"I.J { namespace K { [L] public abstract partial class M<N, in O> : P<Q>, R where N : S, new() { const int t "+
		"= 1, u = 2; event V W; } } }",
		"namespace A;\nrecord B(int C, D E = null) : F(C) { public int G { get; init; } = 1; public H this[int i] => "+
			"j; public static B operator +(B k, B l) => k; public static implicit operator int(B m) { return 1; } "+
			"~B() {} B() : this(1, E: 2) {} int I.J() => 1; }\nenum K : byte { L, M = 2 }\ndelegate int N<O>(ref O "+
			"p, params int[] q);",
		"class A { async Task<B> F(this C c, out int d) { var e = new B(1, x: 2) { G = h }; B i = new(3); foreach "+
			"(var (j, k) in l) { if (m is C { N: var o, P.Q: 1 } r and not null) r?.S(1)?.T[0].U!.V(); } var w = x "+
			"switch { Y.Z => 1, C(var aa, _) => aa, _ => throw new E() }; (int bb, var cc) = dd; var ee = from ff in "+
			"gg join hh in ii on ff.J equals hh.K into ll let mm = 1 select new { ff, N = mm } into oo select oo; "+
			"using var pp = e with { Q = 1 }; goto rr; rr: try {} catch (S t) when (t.U) {} int Local<V>(V v) => v; "+
			"Func<int> y = async (z) => await z; return base.F(c, out var ss); } }",
		"#if A && B\nclass C {}\n#endif\nvar d = $\"{e.F} {g:x}\"; H.I(d); unsafe { fixed (char* j = k) {} }")
}

//go:build cgo

package languages

import (
	"os"
	"strings"
	"testing"

	"delegate/conflict/code"
)

func TestCSystemHeader(t *testing.T) {
	const name = "/usr/include/stdio.h"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Skipf("no C library here: %v", err)
	}
	f, _ := Parse(name, data)
	for _, d := range f.Definitions {
		if d.Key() == "fprintf" {
			if got := printedDefinition(d); !strings.HasSuffix(got, ", *) -> int !partial") || d.Kind != code.Function {
				t.Errorf("fprintf is %q", got)
			}
			return
		}
	}
	t.Errorf("%q defines no fprintf among %d definitions", name, len(f.Definitions))
}

func FuzzC(f *testing.F) {
	fuzzed(f, "a/x.c", "#include <a.h>\n#define B(c, ...) d(c)\n#ifndef E\n#define E\n#endif\nstatic const struct F "+
		"{ int g : 3, *h[2]; struct { int i; }; union { int j; } k; } l = { .g = 1, [2] = m }, *n;",
		"typedef enum { A, B = C } D, *E; typedef int (*F)(int g, ...); extern G h(void), i; int j(k, l) int k; char "+
			"l; { return k; }\nenum { M };",
		"void f(struct a *b, int c[3], int (*d)(int e)) { for (int i = 0; i < g; i++) { switch (i) { case H: "+
			"b->j.k(l); goto m; m:; } } struct a x = { .y = z }, w; (struct q){ 1 }; T t(w); }")
}

func FuzzCPP(f *testing.F) {
	fuzzed(f, "a/x.h", "namespace a::b { namespace { int c; } inline namespace d { template <typename T, int N = 1, "+
		"class... U> struct E<T[N]>::F final : virtual public G<T>, H::I { using J = T; enum class K : int { L }; "+
		"friend class M; friend void n(E); }; } }",
		"class A { public: A(int x = y()) : B(x), c_{x} {} ~A(); A(const A&) = delete; virtual void d() const = 0; "+
			"operator bool(); A& operator=(A&&) override; static int e; protected: int f, *g; };\nA::B::~B() {}\nint "+
			"A::e = 1;\ntemplate <> int A::h<int>(auto&&... i) { return this->f; }",
		"TEST_F(A, B) { auto c = std::make_unique<D>(1); auto& [e, f] = *c; if (G* h = dynamic_cast<G*>(c)) {} for "+
			"(const auto& i : j) [=, &e, k = l](int m) mutable -> int { return m; }; D n{1}, o = {.p = 2}, q(n); "+
			"::r::s<t>(u...); try {} catch (...) {} catch (const V& w) {} new X::Y[3]; }")
}

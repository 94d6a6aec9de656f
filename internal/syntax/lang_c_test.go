//go:build cgo

package syntax

import (
	"os"
	"strings"
	"testing"
)

func TestCDefinitions(t *testing.T) {
	checkReadings(t, []reading{
		{"types", "a/x.c", `
struct point { int x, *y; unsigned z : 3; struct other *next; };
typedef struct { double w; } size_s;
typedef struct node node;
typedef struct node { node *next; } node;
typedef struct tree { int depth; } tree_t, *tree_p;
typedef unsigned long word;
typedef int (*callback)(int code, void *data);
enum color { RED, GREEN = LIMIT };
typedef enum { ON, OFF } state;
enum { FIRST };
union value { int i; struct { float f; } in; };
struct forward;
`, `
1-1 public class point
1-1 public field point.x: int
1-1 public field point.y: int *
1-1 public field point.z: unsigned
1-1 public field point.next: struct other *
2-2 public class size_s
2-2 public field size_s.w: double
4-4 public class node
4-4 public field node.next: node *
5-5 public type tree_t: struct tree
5-5 public type tree_p: struct tree *
5-5 public class tree
5-5 public field tree.depth: int
6-6 public type word: unsigned long
7-7 public type callback: int (*)(int code, void *data)
8-8 public enum color
8-8 public member color.RED
8-8 public member color.GREEN
9-9 public enum state
9-9 public member state.ON
9-9 public member state.OFF
10-10 public constant FIRST
11-11 public class value
11-11 public field value.i: int
11-11 public field value.in: struct
11-11 public field value.in.f: float
1 read other in point.next
3 read node
4 read node in node.next
8 read LIMIT in color.GREEN
12 read forward
`},
		{"functions and variables", "a/x.c", `
static int counter = 1;
const int limit = 3;
const char *name, *const other = "x";
extern struct point origin;
int table[3][LEN];
int (*hook)(int, char) = start;
static int hidden(void);
int shown(int a, const char *b, ...);
int shown(int a, const char *b, ...) { return hidden(); }
static int hidden(void) { return counter; }
struct point *make(struct point p, int (*f)(int g)) { return 0; }
inline unsigned long wide() { return 1; }
`, `
1-1 private variable counter: int
2-2 public constant limit: const int
3-3 public variable name: const char *
3-3 public variable other: const char *const
4-4 public variable origin: struct point
5-5 public variable table: int [3][LEN]
6-6 public variable hook: int (*)(int, char)
9-9 public function shown(a int, b const char *, *) -> int
9-9 private local shown.a: int
9-9 private local shown.b: const char *
10-10 private function hidden() -> int
11-11 public function make(p struct point, f int (*)(int g)) -> struct point *
11-11 private local make.p: struct point
11-11 private local make.f: int (*)(int g)
12-12 public function wide() -> unsigned long
4 read point in origin
5 read LEN in table
6 read start in hook
9 call hidden/0 in shown
10 read counter in hidden
11 read point in make
11 read point in make
`},
		{"a header", "a/x.h", `
#ifndef X_H
#define X_H
#include <stdio.h>
#include "a/b.h"
#include MACRO
#define MAX (3 + OTHER)
#define SQUARE(x) ((x) * (x))
#define LOG(f, ...) printf(f, __VA_ARGS__)
#ifdef FEATURE
extern int count;
static inline int get(void) { return count; }
#endif
int declared(int);
#endif
`, `
import stdio.h[*] as 
import a/b.h[*] as 
6-6 public constant MAX
7-7 public macro SQUARE(x)
8-8 public macro LOG(f, *)
10-10 public variable count: int
11-11 public function get() -> int
13-13 public function declared( int) -> int
5 read MACRO
9 read FEATURE
11 read count in get
`},
	})
}

func TestCReferences(t *testing.T) {
	checkReadings(t, []reading{
		{"uses", "a/x.c", `
struct point { int x; struct point *next; };
static int total;
int f(struct point *p, struct point q) {
    struct point *point = p->next;
    point->next->x = q.x + total;
    struct point r = { .x = 1, .next = p };
    struct other o = { 1, 2 };
    g((struct point){ .x = 2 }, sizeof(struct third), (struct fourth *)p);
    for (int i = 0; i < MAX; i++) { run(i); }
    i;
    switch (p->x) { case RED: goto end; case 2: break; }
    p->call(1, 2)->x;
    (*p).x;
end:
    return f(p, q);
}
`, `
1-1 public class point
1-1 public field point.x: int
1-1 public field point.next: struct point *
2-2 private variable total: int
3-16 public function f(p struct point *, q struct point) -> int
3-3 private local f.p: struct point *
3-3 private local f.q: struct point
4-4 private local f.point: struct point *
6-6 private local f.r: struct point
7-7 private local f.o: struct other
9-9 private local f.i: int
1 read point in point.next
3 read point in f
3 read point in f
4 read point in f
4 read p.next of point in f
5 read point.next of point in f
5 read point.next.x of point in f
5 read q.x of point in f
5 read total in f
6 read point in f
6 construct point/2[x next] in f
7 read other in f
7 construct other/2 in f
8 call g/3 in f
8 construct point/1[x] in f
8 read third in f
8 read fourth in f
9 read MAX in f
9 call run/1 in f
10 read i in f
11 read p.x of point in f
11 match RED in f
12 call p.call/2 of point in f
12 read ?.x in f
13 read ?.x of point in f
15 call f/2 in f
`},
	})
}

func TestCSystemHeader(t *testing.T) {
	const name = "/usr/include/stdio.h"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Skipf("no C library here: %v", err)
	}
	f, _ := Parse(name, data)
	for _, d := range f.Definitions {
		if d.Key() == "fprintf" {
			if got := printedDefinition(d); !strings.HasSuffix(got, ", *) -> int") || d.Kind != Function {
				t.Errorf("fprintf is %q", got)
			}
			return
		}
	}
	t.Errorf("%q defines no fprintf among %d definitions", name, len(f.Definitions))
}

func FuzzC(f *testing.F) {
	fuzzed(f, "a/x.c", "#include <a.h>\n#define B(c, ...) d(c)\n#ifndef E\n#define E\n#endif\nstatic const struct F { int g : 3, *h[2]; struct { int i; }; union { int j; } k; } l = { .g = 1, [2] = m }, *n;",
		"typedef enum { A, B = C } D, *E; typedef int (*F)(int g, ...); extern G h(void), i; int j(k, l) int k; char l; { return k; }\nenum { M };",
		"void f(struct a *b, int c[3], int (*d)(int e)) { for (int i = 0; i < g; i++) { switch (i) { case H: b->j.k(l); goto m; m:; } } struct a x = { .y = z }, w; (struct q){ 1 }; T t(w); }")
}

func FuzzCPP(f *testing.F) {
	fuzzed(f, "a/x.h", "namespace a::b { namespace { int c; } inline namespace d { template <typename T, int N = 1, class... U> struct E<T[N]>::F final : virtual public G<T>, H::I { using J = T; enum class K : int { L }; friend class M; friend void n(E); }; } }",
		"class A { public: A(int x = y()) : B(x), c_{x} {} ~A(); A(const A&) = delete; virtual void d() const = 0; operator bool(); A& operator=(A&&) override; static int e; protected: int f, *g; };\nA::B::~B() {}\nint A::e = 1;\ntemplate <> int A::h<int>(auto&&... i) { return this->f; }",
		"TEST_F(A, B) { auto c = std::make_unique<D>(1); auto& [e, f] = *c; if (G* h = dynamic_cast<G*>(c)) {} for (const auto& i : j) [=, &e, k = l](int m) mutable -> int { return m; }; D n{1}, o = {.p = 2}, q(n); ::r::s<t>(u...); try {} catch (...) {} catch (const V& w) {} new X::Y[3]; }")
}

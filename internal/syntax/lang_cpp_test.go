//go:build cgo

package syntax

import (
	"testing"
)

func TestCPPDefinitions(t *testing.T) {
	checkReadings(t, []reading{
		{"classes", "a/x.hpp", `
template <typename T, int N = 3>
class Box final : public Base<T>, private ns::Other {
    int secret = N;
public:
    explicit Box(int x, T y = T()) : Base(x), value(y) {}
    Box(const Box&) = delete;
    ~Box();
    virtual void draw(int at) const = 0;
    void act() override;
    static int count, *last;
    static Box* make(int a);
    T operator+(const T& o) const { return value + o; }
    operator bool() const;
    template <class Q> Q pass(Q q);
    friend class Friend;
    friend void helper(Box);
    using Type = T;
    enum class Mode : char { A, B };
    enum { C };
    struct Inner { int z; };
protected:
    T value; std::map<int, T> all;
};
struct Open : Box<int> { int x; private: int y; };
template <> struct std::hash<Open> { int z; };
template <> struct Box<char> {};
concept Small = true;
`, `
1-23 public class Box < Base, ns.Other
3-3 private field Box.secret: int
5-5 public method Box.Box(x int, y? T)
5-5 private local Box.Box.x: int
5-5 private local Box.Box.y: T
6-6 public method Box.Box( const Box &)
7-7 public method Box.~Box()
8-8 public method Box.draw(at int) -> void !abstract
9-9 public method Box.act() -> void !overrides
10-10 public field Box.count: int !static
10-10 public field Box.last: int * !static
11-11 public method Box.make(a int) -> Box * !static
12-12 public method Box.operator+(o const T &) -> T
12-12 private local Box.operator+.o: const T &
13-13 public method Box.operator bool()
14-14 public method Box.pass(q Q) -> Q
17-17 public type Box.Type: T
18-18 public enum Box.Mode
18-18 public member Box.Mode.A
18-18 public member Box.Mode.B
19-19 public constant Box.C
20-20 public class Box.Inner
20-20 public field Box.Inner.z: int
22-22 restricted field Box.value: T
22-22 restricted field Box.all: std::map<int, T>
24-24 public class Open < Box
24-24 public field Open.x: int
24-24 private field Open.y: int
25-25 public class std.hash<Open>
25-25 public field std.hash<Open>.z: int
26-26 public class Box<char>
27-27 public type Small
2 inherit Base in Box
2 read ns in Box
2 inherit ns.Other in Box
5 call Base/1 in Box.Box
5 read value of Box in Box.Box
6 read Box in Box.Box
11 read Box in Box.make
12 read value of Box in Box.operator+
15 read Friend in Box
16 read helper in Box
16 read Box in Box
22 read std in Box.all
22 read std.map in Box.all
24 inherit Box in Open
25 read std in std.hash<Open>
25 read std.hash in std.hash<Open>
25 read Open in std.hash<Open>
26 read Box in Box<char>
`},
		{"bodies elsewhere", "a/x.cpp", `
class Shape {
    static int count;
    int sides;
    static Shape* make(int sides = 3);
    virtual ~Shape();
public:
    Shape(int sides);
    void draw() const;
    void draw(int at);
};
int Shape::count = 0;
Shape::Shape(int sides) : sides(sides), Base(1) {}
Shape::~Shape() { draw(); }
Shape* Shape::make(int sides) { return new Shape(sides); }
void Shape::draw() const { this->sides++; }
void Elsewhere::run(int x) { sides; this->go(); }
int a::b::free_one() { return 1; }
`, `
1-10 public class Shape
3-3 private field Shape.sides: int
9-9 public method Shape.draw(at int) -> void
11-11 private field Shape.count: int !static
12-12 public method Shape.Shape(sides int)
12-12 private local Shape.Shape.sides: int
13-13 private method Shape.~Shape()
14-14 private method Shape.make(sides? int) -> Shape * !static
14-14 private local Shape.make.sides: int
15-15 public method Shape.draw() -> void
16-16 public method Elsewhere.run(x int) -> void
16-16 private local Elsewhere.run.x: int
17-17 public method a.b.free_one() -> int
4 read Shape in Shape.make
11 read Shape in Shape.count
12 read Shape in Shape.Shape
12 read sides of Shape in Shape.Shape
12 read Base of Shape in Shape.Shape
13 read Shape in Shape.~Shape
13 call draw/0 of Shape in Shape.~Shape
14 read Shape in Shape.make
14 read Shape in Shape.make
14 call Shape/1 in Shape.make
15 read Shape in Shape.draw
15 read this.sides of Shape in Shape.draw
16 read Elsewhere in Elsewhere.run
16 read sides in Elsewhere.run
16 call this.go/0 of Elsewhere in Elsewhere.run
17 read a in a.b.free_one
17 read a.b in a.b.free_one
`},
		{"namespaces", "a/x.cpp", `
namespace a::b {
namespace { int hidden; void f() {} }
inline namespace v1 { class K; }
const int shown = 1;
static void local() {}
}
namespace a { struct Again {}; }
namespace c = a::b;
using namespace std;
using std::string;
using Names = std::vector<std::string>;
extern "C" int plain(int);
auto late(int a) -> decltype(a) { return a; }
`, `
1-6 public module a
1-6 public module a.b
2-2 private variable a.b.hidden: int
2-2 private function a.b.f() -> void
3-3 public module a.b.v1
4-4 public constant a.b.shown: const int
5-5 private function a.b.local() -> void
7-7 public class a.Again
8-8 public module c
11-11 public type Names: std::vector<std::string>
12-12 public function plain( int) -> int
13-13 public function late(a int) -> decltype(a)
13-13 private local late.a: int
3 read K in a.b.v1
10 read std
10 read std.string
11 read std in Names
11 read std.vector in Names
11 read std in Names
11 read std.string in Names
`},
		{"tests", "a/x_test.cc", `
TEST(Shapes, Draws) { EXPECT_EQ(area(1), 2); }
TEST_F(Fixture, Acts) { act(); }
`, `
1-1 private function Shapes.Draws() !test
2-2 private function Fixture.Acts() !test
1 call EXPECT_EQ/2 in Shapes.Draws
1 call area/1 in Shapes.Draws
2 read Fixture in Fixture.Acts
2 call act/0 in Fixture.Acts
`},
	})
}

func TestCPPReferences(t *testing.T) {
	checkReadings(t, []reading{
		{"types of values", "a/x.cpp", `
struct Item { Item* next; int size(); static Item* first(); };
namespace n { struct Deep { static Deep* get(); int x; }; Deep* find(); }
void f(const Item& a, std::unique_ptr<Item> b, Item c[]) {
    a.size(); b->size(); c.size();
    auto d = new Item(1);
    d->next->size();
    auto e = Item();
    e.size();
    auto g = std::make_shared<Item>(1);
    g->size();
    static_cast<Item*>(h)->size();
    Item::first()->size();
    n::Deep::get()->x;
    auto i = n::find();
    i->x;
    for (const Item& j : all) j.size();
    for (auto& [k, l] : pairs) k.size();
    if (Item* m = a.next) m->size();
    try {} catch (const Error& o) { o.what(); }
}
`, `
1-1 public class Item
1-1 public field Item.next: Item *
1-1 public method Item.size() -> int
1-1 public method Item.first() -> Item * !static
2-2 public module n
2-2 public class n.Deep
2-2 public method n.Deep.get() -> Deep * !static
2-2 public field n.Deep.x: int
2-2 public function n.find() -> Deep *
3-20 public function f(a const Item &, b std::unique_ptr<Item>, c Item []) -> void
3-3 private local f.a: const Item &
3-3 private local f.b: std::unique_ptr<Item>
3-3 private local f.c: Item []
5-5 private local f.d
7-7 private local f.e
9-9 private local f.g
14-14 private local f.i
16-16 private local f.j: const Item &
17-17 private local f.k
17-17 private local f.l
18-18 private local f.m: Item *
19-19 private local f.o: const Error &
1 read Item in Item.next
1 read Item in Item.first
2 read Deep of n in n.Deep.get
2 read Deep of n in n.find
3 read Item in f
3 read std in f
3 read std.unique_ptr in f
3 read Item in f
3 read Item in f
4 call a.size/0 of Item in f
4 call b.size/0 of Item in f
4 call c.size/0 in f
5 call Item/1 in f
6 read d.next of Item in f
6 call d.next.size/0 of Item in f
7 call Item/0 in f
8 call e.size/0 of Item in f
9 read std in f
9 call std.make_shared/1 in f
9 read Item in f
10 call g.size/0 of Item in f
11 read Item in f
11 read h in f
11 call ?.size/0 of Item in f
12 read Item in f
12 call Item.first/0 of Item in f
12 call ?.size/0 of Item in f
13 read n in f
13 read n.Deep of n in f
13 call n.Deep.get/0 of n.Deep in f
13 read ?.x of Deep in f
14 read n in f
14 call n.find/0 of n in f
15 read i.x of Deep in f
16 read Item in f
16 read all in f
16 call j.size/0 of Item in f
17 read pairs in f
17 call k.size/0 in f
18 read Item in f
18 read a.next of Item in f
18 call m.size/0 of Item in f
19 read Error in f
19 call o.what/0 of Error in f
`},
		{"values made", "a/x.cpp", `
void f(int n) {
    Item a(1, 2), b{3}, c = {.x = 1, .y = 2}, d = 1;
    Item e(n);
    Item g{.x = 4};
    int h = 1, i(2);
    auto j = Item{5};
    new ns::Item<int>(6);
    Item k[] = {a, b};
    std::pair<int, Item> l(7, 8);
    auto m = [&, o = n](Item p) { return p.x + o + n; };
}
`, `
1-11 public function f(n int) -> void
1-1 private local f.n: int
2-2 private local f.a: Item
2-2 private local f.b: Item
2-2 private local f.c: Item
2-2 private local f.d: Item
3-3 private local f.e: Item
4-4 private local f.g: Item
5-5 private local f.h: int
5-5 private local f.i: int
6-6 private local f.j
8-8 private local f.k: Item []
9-9 private local f.l: std::pair<int, Item>
10-10 private local f.m
10-10 private local f.p: Item
10-10 private local f.o
2 read Item in f
2 call Item/2 in f
2 call Item/1 in f
2 construct Item/2[x y] in f
3 read Item in f
3 call Item/1 in f
4 read Item in f
4 construct Item/1[x] in f
6 construct Item/1 in f
7 read ns in f
7 call ns.Item/1 in f
8 read Item in f
9 read std in f
9 read std.pair in f
9 read Item in f
9 call std.pair/2 in f
10 read Item in f
10 read p.x of Item in f
`},
		{"paths and names", "a/x.cpp", `
struct A : Base { int own; void go(); void run() { own = go() + inherited(); ::global(); Base::run(); A::go(); } };
enum class Color { Red };
enum Plain { ONE };
template <typename T> T g(T t) { return t.x + T::y; }
int main() {
    switch (c) { case Color::Red: break; case ONE: break; case ns::TWO: break; }
    a::b::c(1);
    a::b::d<int>(2);
    a::instance.call();
    a::b<E>::make();
    goto end;
end:
    [[maybe_unused]] int x = sizeof(F);
    return x;
}
`, `
1-1 public class A < Base
1-1 public field A.own: int
1-1 public method A.go() -> void
1-1 public method A.run() -> void
2-2 public enum Color
2-2 public member Color.Red
3-3 public enum Plain
3-3 public member Plain.ONE
4-4 public function g(t T) -> T
4-4 private local g.t: T
5-15 public function main() -> int
13-13 private local main.x: int
1 inherit Base in A
1 read own of A in A.run
1 call go/0 of A in A.run
1 call inherited/0 in A.run
1 call global/0 in A.run
1 read Base in A.run
1 call Base.run/0 in A.run
1 read A in A.run
1 call A.go/0 of A in A.run
4 read t.x of T in g
4 read T.y in g
6 read c in main
6 read Color in main
6 match Color.Red of Color in main
6 match ONE in main
6 read ns in main
6 match ns.TWO in main
7 read a in main
7 read a.b in main
7 call a.b.c/1 in main
8 read a in main
8 read a.b in main
8 call a.b.d/1 in main
9 read a in main
9 read a.instance in main
9 call a.instance.call/0 in main
10 read a in main
10 read a.b in main
10 read E in main
10 call a.b.make/0 in main
13 read F in main
`},
	})
}

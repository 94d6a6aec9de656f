//go:build cgo

package syntax

import (
	"testing"
)

func TestRustImports(t *testing.T) {
	checkReadings(t, []reading{
		{"forms", "a/x.rs", `
use a::b::{self, C as D, e::*, f::{g, self as h}};
use i;
use j as k;
use crate::l::M as _;
use super::n::*;
pub use o::P;
pub(crate) use q::{R};
extern crate s as t;
extern crate u;
mod v;
fn w() { b::x(); h::y(); i::Z::new(); D::new(); }
`, `
import a::b[] as b
import a::b[C] as D
import a::b::e[*] as 
import a::b::f[g] as g
import a::b::f[] as h
import i[] as i
import j[] as k
import crate::l[M] as 
import super::n[*] as 
import o[P] as P !reexported
import q[R] as R !reexported
import s[] as t
import u[] as u
10-10 restricted module v
11-11 restricted function w()
11 call b.x/0 in w
11 call h.y/0 in w
11 read i.Z in w
11 call i.Z.new/0 in w
11 read D in w
11 call D.new/0 in w
`},
	})
}

func TestRustDefinitions(t *testing.T) {
	checkReadings(t, []reading{
		{"items", "a/x.rs", `
/// A point.
#[derive(Debug, Mine)]
#[allow(dead_code)]
pub struct P<T: Bound> {
    pub x: i32,
    pub(crate) y: Vec<T>,
    z: &'static str,
}
struct Pair(pub i32, Other);
pub enum Shape { Unit, Round(f64), Flat { side: f64 }, Last = 4 }
pub trait Draw: Base + other::Send {
    type Out;
    const N: u8;
    fn draw(&self, at: &P<u8>) -> Self::Out;
    fn twice(&self) { self.draw(1); }
    fn make() -> Self;
}
pub const MAX: usize = LIMIT;
static mut COUNT: u8 = 0;
pub type Alias<T> = Vec<T>;
#[macro_export]
macro_rules! twice { ($x:expr) => { $x + helper($x) } }
pub mod inner { pub fn f(a: fn(b: i32) -> C, (d, _): (i32, i32), _: u8) {} }
extern "C" { fn puts(s: *const u8, ...) -> i32; }
`, `
4-8 public class P
5-5 public field P.x: i32
6-6 restricted field P.y: Vec<T>
7-7 private field P.z: &'static str
9-9 restricted class Pair
9-9 public field Pair.0: i32
9-9 private field Pair.1: Other
10-10 public enum Shape
10-10 public member Shape.Unit
10-10 public member Shape.Round: (f64)
10-10 public member Shape.Flat: { side: f64 }
10-10 public field Shape.Flat.side: f64
10-10 public member Shape.Last
11-17 public interface Draw < Base, other.Send
12-12 public type Draw.Out !abstract
13-13 public constant Draw.N: u8 !abstract !static
14-14 public method Draw.draw(at &P<u8>) -> Self::Out !abstract
15-15 public method Draw.twice()
16-16 public method Draw.make() -> Self !abstract !static
18-18 public constant MAX: usize
19-19 restricted variable COUNT: u8
20-20 public type Alias: Vec<T>
22-22 public macro twice()
23-23 public module inner
23-23 public function inner.f(a fn(b: i32) -> C,  (i32, i32),  u8)
23-23 private local inner.f.a: fn(b: i32) -> C
23-23 private local inner.f.d
24-24 restricted function puts(s *const u8, *) -> i32
2 read Debug
2 read Mine
4 read Bound in P
9 read Other in Pair
11 inherit Base in Draw
11 read other in Draw
11 inherit other.Send in Draw
14 read P in Draw.draw
14 read Self.Out of Draw in Draw.draw
15 call self.draw/1 of Draw in Draw.twice
18 read LIMIT in MAX
22 call helper/1… in twice
23 read C in inner.f
`},
		{"implementations", "a/x.rs", `
impl P {
    pub const K: u8 = 1;
    pub fn new(x: i32) -> Self { Self { x } }
    fn shift(&mut self, by: i32) -> &mut Self { self.x += by; self }
    pub(super) fn take(self: Box<Self>, other: &Self) -> bool { other.x == self.x }
}
pub struct P { x: i32 }
impl fmt::Display for P {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { P::new(1).shift(2); Ok(()) }
}
impl From<u8> for other::Q { fn from(x: u8) -> Self { Self(x) } }
impl Clone for other::Q { fn clone(&self) -> Self { todo!() } }
impl Draw for [Q] {}
`, `
2-2 public constant P.K: u8 !static
3-3 public method P.new(x i32) -> Self !static
3-3 private local P.new.x: i32
4-4 private method P.shift(by i32) -> &mut Self
4-4 private local P.shift.by: i32
5-5 restricted method P.take(other &Self) -> bool
5-5 private local P.take.other: &Self
7-7 public class P < fmt.Display
7-7 private field P.x: i32
9-9 public method P.fmt(f &mut fmt::Formatter<'_>) -> fmt::Result !overrides
9-9 private local P.fmt.f: &mut fmt::Formatter<'_>
11-11 restricted class Q < From, Clone !partial
11-11 public method Q.from(x u8) -> Self !overrides !static
11-11 private local Q.from.x: u8
12-12 public method Q.clone() -> Self !overrides
13-13 restricted class [Q] < Draw !partial
1 read P in P
3 construct P/1[x] in P.new
4 read self.x of P in P.shift
5 read other.x of P in P.take
5 read self.x of P in P.take
8 read fmt in P
8 inherit fmt.Display in P
8 read P in P
9 read fmt in P.fmt
9 read fmt.Formatter in P.fmt
9 read fmt in P.fmt
9 read fmt.Result in P.fmt
9 read P in P.fmt
9 call P.new/1 of P in P.fmt
9 call ?.shift/1 of P in P.fmt
11 inherit From in Q
11 read other in Q
11 read other.Q in Q
11 call Q/1 in Q.from
12 inherit Clone in Q
12 read other in Q
12 read other.Q in Q
12 read todo in Q.clone
13 inherit Draw in [Q]
13 read Q in [Q]
`},
		{"tests", "a/x.rs", `
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn plain() { assert_eq!(compute(1, x.y), Color::Red); }
    // Several.
    #[should_panic]
    #[tokio::test]
    async fn waits() {}
    fn helper() {}
}
`, `
import super[*] as 
2-11 restricted module tests !test
5-5 restricted function tests.plain() !test
9-9 restricted function tests.waits() !test
10-10 restricted function tests.helper()
5 read assert_eq in tests.plain
5 call compute/2 in tests.plain
5 read x in tests.plain
5 read x.y in tests.plain
5 read Color in tests.plain
5 read Color.Red in tests.plain
8 read tokio in tests
8 read tokio.test in tests
`},
	})
}

func TestRustReferences(t *testing.T) {
	checkReadings(t, []reading{
		{"types of values", "a/x.rs", `
use other::Far;
struct T { next: Box<T>, far: Option<Far> }
impl T { fn make() -> Result<T, E> { x } fn own() -> T { x } fn go(&self) -> Arc<T> { self } }
fn f(a: &mut T, b: Box<dyn a::Tr>, c: impl Tr + 'static, d: &[T]) {
    a.go();
    b.go();
    c.go();
    d.go();
    let e = T::own();
    e.go().next.go();
    let g = T { next: x, ..Default::default() };
    (&g).go();
    let h: Far = make();
    h.go();
    let i = Far::new(1);
    i.go();
    let i = i.other();
    i.go();
    let j = T::make()?;
    j.go();
}
`, `
import other[Far] as Far
2-2 restricted class T
2-2 private field T.next: Box<T>
2-2 private field T.far: Option<Far>
3-3 private method T.make() -> Result<T, E> !static
3-3 private method T.own() -> T !static
3-3 private method T.go() -> Arc<T>
4-21 restricted function f(a &mut T, b Box<dyn a::Tr>, c impl Tr + 'static, d &[T])
4-4 private local f.a: &mut T
4-4 private local f.b: Box<dyn a::Tr>
4-4 private local f.c: impl Tr + 'static
4-4 private local f.d: &[T]
9-9 private local f.e
11-11 private local f.g
13-13 private local f.h: Far
15-15 private local f.i
19-19 private local f.j
2 read T in T.next
2 read Far in T.far
3 read T in T
3 read T in T.make
3 read E in T.make
3 read x in T.make
3 read T in T.own
3 read x in T.own
3 read Arc in T.go
3 read T in T.go
4 read T in f
4 read a in f
4 read a.Tr in f
4 read Tr in f
4 read T in f
5 call a.go/0 of T in f
6 call b.go/0 of a.Tr in f
7 call c.go/0 of Tr in f
8 call d.go/0 in f
9 read T in f
9 call T.own/0 of T in f
10 call e.go/0 of T in f
10 read ?.next of T in f
10 call ?.go/0 of T in f
11 construct T/2[next]… in f
11 read x in f
11 read Default in f
11 call Default.default/0 in f
12 call ?.go/0 of T in f
13 read Far in f
13 call make/0 in f
14 call h.go/0 of Far in f
15 read Far in f
15 call Far.new/1 in f
16 call i.go/0 of Far in f
17 call i.other/0 of Far in f
18 call i.go/0 in f
19 read T in f
19 call T.make/0 of T in f
20 call j.go/0 in f
`},
		{"names and scopes", "a/x.rs", `
fn f(a: u8) {
    let config = config(a);
    let inner = |b: u8, (c, _)| b + c + a + free;
    for a in a.items() { a.go(); }
    if let Some(x) = x() { x; } else { y; }
    while let Some(q) = q.pop() { q; }
    { let z = 1; z; }
    z;
    'out: loop { break 'out; }
    fn nested() { g(); }
    crate::m::n::<u8>(1); self::o(); super::p(); <T as Tr>::q(1);
}
`, `
1-12 restricted function f(a u8)
1-1 private local f.a: u8
2-2 private local f.config
3-3 private local f.inner
3-3 private local f.b: u8
3-3 private local f.c
5-5 private local f.x
6-6 private local f.q
7-7 private local f.z
10-10 private function f.nested()
2 call config/1 in f
3 read free in f
4 call a.items/0 of u8 in f
4 call a.go/0 in f
5 call x/0 in f
5 read y in f
6 read q in f
6 call q.pop/0 in f
8 read z in f
10 call g/0 in f.nested
11 read crate.m in f
11 call crate.m.n/1 in f
11 call self.o/0 in f
11 call super.p/0 in f
11 read T in f
11 read Tr in f
11 call T.q/1 in f
`},
		{"patterns", "a/x.rs", `
enum S { A, B(i32), C { r: f64 } }
fn f(s: S) -> i32 {
    match s {
        S::A => 1,
        S::B(n) if n > LIMIT => n,
        S::C { r, .. } => r,
        m::D(v @ 1..=MAX) | E(v) => v,
        None => 0,
        P { x: ref y, z } => y + z,
        MIN | _ => other,
    }
}
impl S { fn g(self) { match self { Self::A => Self::B(1), w => Self::C { r: 1.0 } } } }
`, `
1-1 restricted enum S
1-1 restricted member S.A
1-1 restricted member S.B: (i32)
1-1 restricted member S.C: { r: f64 }
1-1 restricted field S.C.r: f64
2-12 restricted function f(s S) -> i32
2-2 private local f.s: S
5-5 private local f.n
6-6 private local f.r
7-7 private local f.v
9-9 private local f.y
9-9 private local f.z
13-13 private method S.g()
13-13 private local S.g.w
2 read S in f
4 read S in f
4 match S.A of S in f
5 read S in f
5 match S.B of S in f
5 read LIMIT in f
6 read S in f
6 match S.C of S in f
7 read m in f
7 match m.D in f
7 match MAX in f
7 match E in f
9 match P in f
10 match MIN in f
10 read other in f
13 read S in S
13 match Self.A of S in S.g
13 call Self.B/1 of S in S.g
13 construct Self.C/1[r] of S in S.g
`},
		{"macros", "a/x.rs", `
fn f(p: P) {
    println!("{}", p.name);
    log::info!("{}", a.b.c, |x| x);
    vec![make(1, 2,), other.go(), m::n(), make(|x, y| x), P { key: 1 }, call!(q), 'a'];
}
`, `
1-5 restricted function f(p P)
1-1 private local f.p: P
1 read P in f
2 read println in f
2 read p.name of P in f
3 read log in f
3 read log.info in f
3 read a in f
3 read a.b in f
3 read a.b.c in f
3 read x in f
4 read vec in f
4 call make/2 in f
4 read other in f
4 call other.go/0 in f
4 read m in f
4 call m.n/0 in f
4 call make/2… in f
4 read y in f
4 read x in f
4 read P in f
4 read call in f
4 read q in f
`},
		{"what does not parse", "a/x.rs", `
fn a() { b( }
fn c() {}
`, `
1-1 restricted function a()
2-2 restricted function c()
1 read b in a
fault line 1: unexpected "("
`},
	})
}

// reading is a source and what the file says of it, as printed.
type reading struct{ name, file, source, want string }

// checkReadings compares what files say with what they should say. Sources and lists begin with a line of their own.
func checkReadings(t *testing.T, all []reading) {
	t.Helper()
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			f, _ := Parse(c.file, []byte(c.source[1:]))
			if got := printed(f); got != c.want[1:] {
				t.Errorf("it says\n%swant\n%s", got, c.want[1:])
			}
		})
	}
}

func FuzzRust(f *testing.F) {
	fuzzed(f, "a/x.rs", "use a::{b::{self, c as _}, d::*, *};\npub(in a::b) extern crate e as f;\n#[derive(A)] pub struct S<'a, T: B + 'a, const N: usize>(pub T, &'a [u8; N]) where T: Fn(u8) -> C;",
		"impl<T> A for &'a dyn B<T> { type C = D; const E: u8 = F; fn g(self: Box<Self>, (h, _): (i8, i8), I { j, k: ref l, .. }: &Self) -> Self::M { Self { n, o: p, ..q } } }",
		"fn a() { match b { C::D(e @ 1..=F) | G if let h = i => j!(k.l(m, |n| n), $o), _ => { let Some(p) = q? else { return }; <r as S>::t::<u8>(u.v.await) } } }",
		"macro_rules! a { ($b:expr $(, $c:ty)*) => { fn $b() { d(e, f) } } }\nmod g { use super::*; #[test] fn h() { while let (i, mut j) = k {} } }\nextern \"C\" { fn l(...); static M: u8; }")
}

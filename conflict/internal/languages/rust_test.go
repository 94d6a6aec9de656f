//go:build cgo

package languages

import "testing"

func FuzzRust(f *testing.F) {
	fuzzed(f, "a/x.rs", "use a::{b::{self, c as _}, d::*, *};\npub(in a::b) extern crate e as f;\n#[derive(A)] pub "+
		"struct S<'a, T: B + 'a, const N: usize>(pub T, &'a [u8; N]) where T: Fn(u8) -> C;",
		"impl<T> A for &'a dyn B<T> { type C = D; const E: u8 = F; fn g(self: Box<Self>, (h, _): (i8, i8), I { j, k: "+
			"ref l, .. }: &Self) -> Self::M { Self { n, o: p, ..q } } }",
		"fn a() { match b { C::D(e @ 1..=F) | G if let h = i => j!(k.l(m, |n| n), $o), _ => { let Some(p) = q? else "+
			"{ return }; <r as S>::t::<u8>(u.v.await) } } }",
		"macro_rules! a { ($b:expr $(, $c:ty)*) => { fn $b() { d(e, f) } } }\nmod g { use super::*; #[test] fn h() { "+
			"while let (i, mut j) = k {} } }\nextern \"C\" { fn l(...); static M: u8; }")
}

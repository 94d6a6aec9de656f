//go:build cgo

package languages

import "testing"

func FuzzRuby(f *testing.F) {
	fuzzed(f, "a/x_spec.rb", "require 'a'\nrequire_relative \"b/c\"\nmodule A; class B::C < D::E; include F; "+
		"attr_accessor :g, 'h'; private; def i(j, k = 1, *l, m:, n: 2, **o, &p) = super; private_class_method :i\n"+
		"class << self; def q=(r); end; end; end; end",
		"S = Struct.new(:t) do def u; @v ||= W.new(1, x: 2); v.w.x&.y = z; end end\nE = Class.new(A)\ndescribe B do "+
			"it \"c\" do expect(d).to eq :e end; let(:f) { g } end\nclass HTest < I; test('j') { k }; def test_l; "+
			"end; end",
		"def a(...) = b(...)\ndef c((d, e), *) d, (f, *g), @h = i; j += 1; [1].each { |k, (l, m); n| o(_1) }; ->(p, "+
			"q = 1) { p }; case r when S, T::U then 1 end; case v in {w:, x: Y => z} | [A, *b] then ^b end; begin; "+
			"rescue C, D => e; end; for f in g do h end; yield 1; %w[i #{j}]; <<~K\n #{l}\nK\nend\nalias m n\nundef "+
			"o\nX::Y = 1")
}

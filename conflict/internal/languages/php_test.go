//go:build cgo

package languages

import "testing"

func FuzzPHP(f *testing.F) {
	fuzzed(f, "a/XTest.php", "<?php namespace A\\B; use C\\{D, E as F, function g}; use const H\\I; use \\J; "+
		"require_once __DIR__ . '/k.php';\n#[L(1)] abstract class M extends N\\O implements \\P { use Q, R { Q::s "+
		"insteadof R; t as private u; } const int V = self::W, X = 2; public static ?Y $z = null, $a; public "+
		"function __construct(private readonly B $c, &...$d) { parent::__construct(1); } }",
		"<?php interface A extends B, C { const D = 1; public function e(): static; }\nenum F: string implements G { "+
			"case H = 'i'; public static function j(): self { return match (true) { self::H, K::L => $this, default "+
			"=> new static(m: 1) }; } }\ntrait N { abstract protected function o(array|null $p = [], Q ...$r): ?S; }",
		"<?php function a(B $c, int|string $d = E::F) { global $g; static $h = 1; [$i, 'j' => [$k]] = list($l, "+
			"$m->n) = $o; foreach ($p as $q => &$r) { try {} catch (S | T $u) {} } $v = fn($w) => $w?->x()->y; $z = "+
			"function () use (&$v): A { return new class(1) extends B { public $c; }; }; switch ($d) { case F: goto "+
			"e; } e: echo \"$g->h {$i['j']->k(l: 1)}\", $$m, N::$o, P::class, q(...), \\R\\s(...$t), namespace\\u(); "+
			"}\ndefine('V', 1) ?>html<?= $w ?>")
}

package scope

import (
	"errors"
	"strings"
	"testing"
)

// matchCase is a sentence of C-1 or of the package comment, with the paths, separated by spaces, that it decides.
type matchCase struct{ name, pattern, match, miss string }

func TestPatternMatchSegments(t *testing.T) {
	runMatchCases(t, []matchCase{
		{"star stays in a segment", "src/*", "src/a src/.env src/a.b.c", "src src/a/b a/src/a"},
		{"star may be nothing", "a*b", "ab a.b axxb", "a/b b"},
		{"question mark is one character", "a?c", "abc a.c aéc a☃c", "ac a/c abbc"},
		{"anchored at the root", "x", "x", "a/x x/a"},
		{"case-sensitive", "src/A", "src/A", "src/a SRC/A"},
		{"folder without slash is the path alone", "src", "src", "src/a"},
		{"dir/** is all below dir", "dir/**", "dir/a dir/a/b dir/.x/y", "dir dirx/a a/dir/b"},
		{"trailing slash is the folder", "dir/", "dir dir/a dir/a/b", "dirx a/dir"},
		{"trailing slash behind stars", "a/**/", "a/b a/b/c", "a b"},
		{"**/x also matches at the root", "**/x", "x a/x a/b/x", "ax x/a a/bx"},
		{"** crosses zero segments", "a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb b a/b/c"},
		{"several **", "**/a/**/b/**", "a/b/c x/a/y/b/z/z", "a/b b/a/c a/x/c"},
		{"** twice in a row", "a/**/**/b", "a/b a/x/y/b", "b"},
		{"glued ** is one star", "a**b", "ab axb", "a/b a/x/b"},
		{"three stars are one", "a/***", "a/b", "a/b/c a"},
		{"leading ./", "./src/*.go", "src/a.go", "a.go"},
		{"double slash and dot", "a//./b", "a/b", "a/x"},
		{"pattern that is the root", "./", "a a/b", ""},
		{"dotfiles", "**/*.go", ".go a/.x.go .a/b.go", "a.goo"},
	})
}

func TestPatternMatchBracesAndClasses(t *testing.T) {
	runMatchCases(t, []matchCase{
		{"alternatives", "{a,b}c", "ac bc", "c abc a"},
		{"alternatives with a slash", "{a/b,c}/d", "a/b/d c/d", "a/d b/d"},
		{"alternatives nest", "{a,{b,c}d}e", "ae bde cde", "be ade"},
		{"alternatives with globs", "{src,test}/**/*.go", "src/a.go test/x/y.go", "a.go lib/a.go"},
		{"empty alternative", "a{,.bak}", "a a.bak", ".bak"},
		{"alternative that ends a folder", "a{,/**}", "a a/b a/b/c", "b"},
		{"braces expand before stars are read", "*{*,x}/b", "b a/b a/c/b ax/b", "a"},
		{"empty alternative between slashes", "a/{,b}/c", "a/c a/b/c", "a/x/c"},
		{"comma outside braces", "a,b", "a,b", "a b"},
		{"escaped comma and brace", `{a\,b,\{}`, "a,b {", "a b"},
		{"range", "[a-c]", "a b c", "d A -"},
		{"several ranges", "v[0-9a-f_-]", "v0 vf v_ v-", "vg v v00"},
		{"complement with !", "a[!b]c", "adc a.c a☃c", "abc a/c ac"},
		{"complement with ^", "a[^b]c", "adc", "abc a/c"},
		{"complement of ranges", "[!a-z0-9]x", "Ax -x", "ax 9x"},
		{"range across the slash", "a[+-9]b", "a.b a0b", "a/b"},
		{"complement of a dash", "[!-]", "a", "-"},
		{"bracket first in a class", "[]a]", "] a", "[ []a]"},
		{"bracket first in a complement", "[!]a]", "b", "] a"},
		{"dash at the end of a class", "[a-]", "a -", "b"},
		{"exclamation mark in a class", "[a!]", "! a", "b"},
		{"escapes in a class", `[\]\-\\\!]`, `] - \ !`, "a"},
		{"range that begins with !", `[\!-%]`, "! # %", "a &"},
		{"range from dash", "a[--.]", "a- a.", "aa"},
		{"brace in a class", "[{,}]", "{ } ,", "a"},
		{"large ranges", "[一-龥a-z]", "中 q", "Q é"},
		{"escape", `\*\?\[\]\{\}\\`, `*?[]{}\`, "a"},
		{"escaped space", `\ a\ `, "", "a"},
	})
}

func runMatchCases(t *testing.T, cases []matchCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := mustParse(t, c.pattern)
			if p.String() != c.pattern {
				t.Errorf("String() = %q, want %q", p, c.pattern)
			}
			for path := range strings.FieldsSeq(c.match) {
				if !compareEngines(t, p, path) {
					t.Errorf("%q does not match %q", p, path)
				}
			}
			for path := range strings.FieldsSeq(c.miss) {
				if compareEngines(t, p, path) {
					t.Errorf("%q matches %q", p, path)
				}
			}
		})
	}
}

func TestPatternMatchOddPaths(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"a*", "a\nb", true},
		{"a?b", "a\nb", true},
		{"a?b", "a\xffb", true},
		{"a??b", "a\xff\xfeb", true},
		{"a[!x]b", "a\xffb", true},
		{`\ a\ `, " a ", true},
		{"src/*", "./src//a/", true},
		{"src/*", "src/../a", false},
		{"src/*", "/src/a", false},
		{"src/*", "src/a\x00", false},
		{"*", "", false},
		{"?", ".", false},
		{"??", "..", false},
		{`a\\b`, `a\b`, true},
		{"[.]", "a", false},
		{"a/[.]", "a/b", false},
		{"a/[.][.]/b", "b", false},
		{"a/[.]x", "a/.x", true},
	} {
		if got := mustParse(t, c.pattern).Match(c.path); got != c.want {
			t.Errorf("%q.Match(%q) = %v, want %v", c.pattern, c.path, got, c.want)
		}
	}
	if (Pattern{}).Match("a") {
		t.Error("the zero Pattern matches")
	}
}

func TestParsePatternRefuses(t *testing.T) {
	for _, c := range []struct{ name, pattern, reason string }{
		{"empty", "", "is empty"},
		{"absolute", "/src/**", "is absolute"},
		{"drive", "C:/src/**", "is absolute"},
		{"drive with backslash", `c:\src`, "is absolute"},
		{"up", "../src", `".."`},
		{"up inside", "src/../x", `".."`},
		{"up by an alternative", "src/.{.,x}/y", `".."`},
		{"absolute by an alternative", "{a,}/b", `begins with "/"`},
		{"empty by an alternative", "{a,}", "is empty as a whole"},
		{"backslash as separator", `src\foo`, "backslash"},
		{"backslash before a dot", `src\.env`, "backslash"},
		{"backslash before a slash", `src\/a`, "backslash"},
		{"backslash at the end", `src\`, "backslash"},
		{"backslash in a class", `[\d]`, "backslash"},
		{"open brace", "{a,b", `"{" without "}"`},
		{"open nested brace", "{a,{b}", `"{" without "}"`},
		{"closing brace", "a}b", `"}" without "{"`},
		{"closing brace behind a class", "{a,[b}]", `"{" without "}"`},
		{"one alternative", "src/{module}/x", "single alternative"},
		{"sequence", "a{1..3}", "single alternative"},
		{"no alternative", "a{}", "single alternative"},
		{"open bracket", "a[bc", `"[" without "]"`},
		{"empty class", "a[]", `"[" without "]"`},
		{"empty complement", "a[!]", `"[" without "]"`},
		{"slash in a class", "a[b/c]", `"/"`},
		{"range to the slash", "a[+-/]", `"/"`},
		{"range that runs backwards", "[z-a]", "backwards"},
		{"named class", "[[:alpha:]]", "named class"},
		{"huge class", "[㐀-䶵一-龥가-힣]", "too many characters"},
		{"negation", "!src/x", "does not negate"},
		{"newline", "src\n", "control character U+000A"},
		{"NUL", "src\x00", "control character U+0000"},
		{"C1 control", "src\u0085x", "control character U+0085"},
		{"invalid UTF-8", "src\xff", "UTF-8"},
		{"replacement character", "src\ufffd", "U+FFFD"},
		{"space before", " src", "space"},
		{"space behind", "src ", "space"},
		{"long", strings.Repeat("a/", 3000), "longer than"},
		{"many alternatives", strings.Repeat("{a,b}", 11), "too many brace alternatives"},
		{"many alternatives side by side", "{" + strings.Repeat("a,", 1024) + "a}", "too many brace alternatives"},
		{"long alternatives", strings.Repeat("{a,b}", 10) + strings.Repeat("a", 100), "too many brace alternatives"},
		{"deep nesting", strings.Repeat("{a,", 1000) + "b", `"{" without "}"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParsePattern(c.pattern)
			var fault *PatternError
			if !errors.As(err, &fault) {
				t.Fatalf("ParsePattern(%q) = %v, want a *PatternError", c.pattern, err)
			}
			if fault.Pattern != c.pattern || !strings.Contains(fault.Reason, c.reason) {
				t.Errorf("fault %q of %.60q, want a reason with %q", fault.Reason, fault.Pattern, c.reason)
			}
		})
	}
}

func TestParsePatternLimitsAreReachable(t *testing.T) {
	p := mustParse(t, strings.Repeat("{a,b}", 10))
	if !p.Match("abababbbba") || p.Match("abababbbb") {
		t.Error("1024 alternatives do not match as they should")
	}
	deep := strings.Repeat("{a,", 500) + "b" + strings.Repeat("}", 500)
	if p := mustParse(t, deep); !p.Match("a") || !p.Match("b") || p.Match("c") {
		t.Error("500 nested braces do not match as they should")
	}
}

// A matcher that tries every way to spread the stars would not end on these.
func TestPatternMatchIsPolynomial(t *testing.T) {
	segment := strings.Repeat("a", 255)
	for _, c := range []struct{ pattern, path string }{
		{strings.Repeat("*a", 40) + "*[bB]", segment},
		{strings.Repeat("*[a-z0-9]", 40) + "*[BC]", segment},
		{strings.Repeat("**/a*/", 30) + "[bB]", strings.Repeat("aa/", 300) + "c"},
		{strings.Repeat("**/*a*a*/", 30) + "[bB]", strings.Repeat("aaa/", 300) + "c"},
	} {
		if mustParse(t, c.pattern).Match(c.path) {
			t.Errorf("%.20q… matches", c.pattern)
		}
	}
}

func TestPatternErrorNamesField(t *testing.T) {
	e := &PatternError{Field: "allowed", Pattern: "a\"", Reason: "is odd"}
	if got, want := e.Error(), `allowed pattern "a\"" is odd`; got != want {
		t.Errorf("Error() = %s, want %s", got, want)
	}
}

package golang

import (
	"go/scanner"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestGoHash compares the hash of one definition in two files; the key in the second follows a slash if it is another.
func TestGoHash(t *testing.T) {
	for name, c := range map[string]struct {
		key, one, other string
		same            bool
	}{
		"layout": {"F", "func F(a int) { if a > 0 { g(a, 1) }; return }", "// F is.\nfunc F(\n" +
			"\ta int,\n) {\n\tif a > 0 { // why\n\t\tg(\n\t\t\ta,\n\t\t\t1,\n\t\t)\n\t}\n\treturn\n}", true},
		"body":                  {"F", "func F() { g(1) }", "func F() { g(2) }", false},
		"end of a statement":    {"F", "func F() { return; g() }", "func F() { return g() }", false},
		"ends of lines":         {"F", "func F() {\n\tg(`a\n`)\n}", "func F() {\r\n\tg(`a\r\n`)\r\n}", true},
		"comment only":          {"F", "func F() { }", "func F() { /* x */ }", true},
		"space in a string":     {"v", `var v = "a b"`, `var v = "ab"`, false},
		"renamed":               {"F/G", "func F(n int) { F(n-1) }", "func G(n int) { G(n-1) }", true},
		"renamed, other body":   {"F/G", "func F(n int) { F(n-1) }", "func G(n int) { G(n-2) }", false},
		"renamed, member stays": {"F/G", "func F() { x.F() }", "func G() { x.F() }", true},
		"member renamed":        {"F/G", "func F() { x.F() }", "func G() { x.G() }", false},
		"method renamed": {"T.F/T.G", "func (t *T) F() { t.F(); x.F() }",
			"func (t *T) G() { t.G(); x.F() }", true},
		"signature":                    {"F", "func F(a int) {}", "func F(a uint) {}", false},
		"type renamed":                 {"T/U", "type T struct { next *T }", "type U struct { next *U }", true},
		"field added":                  {"T", "type T struct { a int }", "type T struct { a int; b int }", false},
		"other field":                  {"T.a", "type T struct { a int }", "type T struct { c int; a int }", true},
		"field renamed":                {"T.a/T.b", "type T struct { a int `x`}", "type T struct { b int `x` }", true},
		"field's type":                 {"T.a", "type T struct { a int }", "type T struct { a *int }", false},
		"field's tag":                  {"T.a", "type T struct { a int `x`}", "type T struct { a int `y` }", false},
		"alias":                        {"T", "type T U", "type T = U", false},
		"type in a group":              {"T", "type T U", "type (\n\tT U\n)", true},
		"method of an interface":       {"T.m", "type T interface { m() }", "type T interface { m(int) }", false},
		"variable in a group":          {"a", "var a int = 1", "var ( b = 2; a int = 1 )", true},
		"variable and constant":        {"a", "var a = 1", "const a = 1", false},
		"type or value":                {"a", "var a T", "var a = T", false},
		"names in one line":            {"a", "var a, b = 1, 2", "var a, c = 1, 3", true},
		"results of a call":            {"a", "var a, b = f()", "var b, a = f()", false},
		"place of a repeated constant": {"b", "const ( a = iota; b )", "const ( a = iota; x; b )", false},
		"value of a repeated constant": {"b", "const ( a = 1; b )", "const ( a = 2; b )", false},
		"place of a plain constant":    {"b", "const ( a = 1; b = 2 )", "const ( a = 1; x = 1; b = 2 )", true},
		"place of a counted constant":  {"b", "const ( a = 1; b = 1 << iota )", "const ( b = 1 << iota )", false},
		"local": {"F.a/F.b", "func F() { a := g(1); h(a) }", "func F() { b := g(1); i(b) }",
			true},
		"local's value": {"F.a", "func F() { a := g(1) }", "func F() { a := g(2) }", false},
		"local's type":  {"F.a", "func F() { var a int }", "func F() { var a T }", false},
		"local of a range": {"F.a", "func F() { for a, b := range m {} }", "func F() { for b, a := range m {} }",
			false},
		"parameter renamed": {"F.a/F.b", "func F(a T) {}", "func F(b T) {}", true},
		"end of a long local": {"F.a", "func F() { a := f(" + strings.Repeat("1, ", mostLocalTokens) + "2) }",
			"func F() { a := f(" + strings.Repeat("1, ", mostLocalTokens) + "3) }", true},
	} {
		t.Run(name, func(t *testing.T) {
			key, other, renamed := strings.Cut(c.key, "/")
			if !renamed {
				other = key
			}
			one, two := goHashOf(t, c.one, key), goHashOf(t, c.other, other)
			if (one == two) != c.same {
				t.Errorf("%s: %x, %s: %x, want the same: %v", key, one, other, two, c.same)
			}
		})
	}
}

func goHashOf(t *testing.T, source, key string) uint64 {
	t.Helper()
	for _, d := range parse("x.go", []byte("package x\n"+source)).Definitions {
		if d.Key() == key {
			return d.Hash
		}
	}
	t.Fatalf("no %q in %s", key, source)
	return 0
}

// TestGoTokens compares the tokens of the standard library with those that go/scanner finds.
func TestGoTokens(t *testing.T) {
	standardLibrary(t, "go", func(name string, data []byte) {
		got := strings.Join(slices.Collect(func(yield func(string) bool) {
			for text := range tokens(data) {
				yield(string(text))
			}
		}), "")
		if want := scannedTokens(data); got != want {
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			t.Errorf("%s: got …%.60q, want …%.60q", name, got[i:], want[i:])
		}
	})
}

// scannedTokens are the texts of tokens one after the other, without separators in front of closing
// brackets and at the end.
func scannedTokens(data []byte) string {
	file := token.NewFileSet().AddFile("", -1, len(data))
	var s scanner.Scanner
	s.Init(file, data, nil, 0)
	var all, separator []byte
	for {
		_, kind, text := s.Scan()
		switch kind {
		case token.EOF:
			return string(all)
		case token.COMMA, token.SEMICOLON:
			all, separator = append(all, separator...), []byte(kind.String())
			continue
		case token.RPAREN, token.RBRACK, token.RBRACE:
			separator = nil
		}
		if text == "" {
			text = kind.String()
		}
		all, separator = append(append(all, separator...), text...), nil
	}
}

//go:build cgo

package languages

import (
	"slices"
	"strings"
	"testing"

	"delegate/conflict/code"
)

// TestTypesInPlace tells what is known of a value whose type is written out where it is declared.
func TestTypesInPlace(t *testing.T) {
	cases := []struct{ declared, want string }{
		{"{ reset(): void }", "{ reset(): void }"},
		{"{\n  reset(): void;\n}", "{ reset(): void; }"},
		{"{ a: string } | null", "{ a: string } | null"},
		{"{ a: string } | undefined | { b: '|' }", "{ a: string } | undefined | { b: '|' }"},
		{"(a: { b: C }) => D | E", "(a: { b: C }) => D | E"},
		{"() => ns.Repo", "() => ns"},
		{"[Repo, number]", "[Repo, number]"},
		{`"on" | "off"`, `"on" | "off"`},
		{"| 'a' | 'b'", "| 'a' | 'b'"},
		{"{ a: " + strings.Repeat("b", 80) + " }", "{ a: " + strings.Repeat("b", 55)},
		{"Repo", "Repo"},
		{"Repo<{ a: string }>", ""},
		{"{ a: string } & Repo", ""},
		{"{ a: string } | Repo", ""},
		{"{ a: Repo }['a']", ""},
		{"{ [K in keyof Repo]: Repo[K] }", ""},
		{"{ readonly [K in keyof Repo]?: Repo[K] }", ""},
		{"(Repo | Other)", ""},
		{"Repo[]", ""},
		{"null | undefined", ""},
		{"nullable | { a: string }", ""},
	}
	for _, c := range cases {
		f, _ := Parse("a.ts", []byte("function f(x: "+c.declared+") { x.reset(); }"))
		i := slices.IndexFunc(f.References, func(r code.Reference) bool { return r.Name == "reset" })
		if i < 0 || f.References[i].Type != c.want {
			t.Errorf("a value declared as %q is not of type %q, but refers as in %+v", c.declared, c.want, f.References)
		}
	}
}

// TestTranslationsOfQt holds that XML whose name ends like TypeScript's is no code that does not parse.
func TestTranslationsOfQt(t *testing.T) {
	for _, text := range []string{
		"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE TS>\n<TS><source>a && b {</source></TS>\n",
		"\ufeff<!DOCTYPE TS>\n<TS version=\"2.1\"><source>class A {</source></TS>\n",
	} {
		f, ok := Parse("app_de.ts", []byte(text))
		if !ok || len(f.Faults)+len(f.Definitions)+len(f.References) > 0 {
			t.Errorf("%q: read %t, %+v", text, ok, f)
		}
	}
	if f, _ := Parse("a.ts", []byte("let a = <A>b;\n")); len(f.Definitions) != 1 || len(f.References) == 0 {
		t.Errorf("a type assertion: %+v", f)
	}
}

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

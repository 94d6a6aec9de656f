package lang

import (
	"slices"
	"testing"
)

func TestAlternatives(t *testing.T) {
	for union, want := range map[string][]string{
		"A | null":                         {"A", "null"},
		"| 'a' | 'b'":                      {"'a'", "'b'"},
		"Map<K, A | B> | [C | D]":          {"Map<K, A | B>", "[C | D]"},
		"{ f: (a: A) => B | C; d: D } | E": {"{ f: (a: A) => B | C; d: D }", "E"},
	} {
		if got := Alternatives(union); !slices.Equal(got, want) {
			t.Errorf("the alternatives of %q are %q, want %q", union, got, want)
		}
	}
}

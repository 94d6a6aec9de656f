//go:build !cgo

package syntax

import "testing"

// TestWithoutGrammars tells that a build without a C compiler knows the other languages' names and
// reads none of their files.
func TestWithoutGrammars(t *testing.T) {
	for name, want := range map[string]Language{"a.py": Python, "a.tsx": TypeScript, "A.java": Java, "a.rs": Rust} {
		if language, support := LanguageOf(name); language != want || support != Unreadable {
			t.Errorf("%q is %q with support %d, want %q and Unreadable", name, language, support, want)
		}
		if _, ok := Parse(name, nil); ok {
			t.Errorf("%q is read", name)
		}
	}
}

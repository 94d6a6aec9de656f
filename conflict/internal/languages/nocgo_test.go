//go:build !cgo

package languages

import (
	"testing"

	"delegate/conflict/code"
)

// TestWithoutGrammars tells that a build without a C compiler knows the other languages' names and
// reads none of their files.
func TestWithoutGrammars(t *testing.T) {
	for name, want := range map[string]code.Language{"a.py": code.Python, "a.tsx": code.TypeScript, "A.java": code.Java,
		"a.rs": code.Rust} {
		if language, support := Of(name); language != want || support != code.Unreadable {
			t.Errorf("%q is %q with support %d, want %q and Unreadable", name, language, support, want)
		}
		if _, ok := Parse(name, nil); ok {
			t.Errorf("%q is read", name)
		}
	}
}

//go:build cgo

package c

import (
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// cHeld tells values that are constant where they are used: by their declaration, or as parts of a value whose method
// promises not to change it. What a pointer that is an object of its own leads to does not show.
func cHeld(r *sitter.Reader, object sitter.Node, f int32) code.Holding {
	for r.Is(object, "parenthesized_expression", "pointer_expression") {
		object = r.First(object)
	}
	if object == 0 || r.Is(object, "this") {
		return cHeldByMethod(r, f)
	}
	if r.Is(object, "field_expression") && r.Is(r.Field(object, "argument"), "this") {
		if typ := r.TypeWritten(r.MemberOf(r.Frames[f].Self, r.Text(r.Field(object, "field")))); cIsPart(typ) {
			return cHeldByMethod(r, f)
		}
		return code.Unknown
	}
	if !r.Is(object, "identifier") {
		return code.Unknown
	}
	found := r.Lookup(r.Text(object), f, object)
	typ := r.TypeWritten(found.Binding)
	switch {
	case typ == "" || strings.Contains(typ, "<"):
	case found.Local:
		before, _, _ := strings.Cut(typ, "*")
		before, _, _ = strings.Cut(before, "&")
		if words := strings.Fields(before); len(words) > 0 && (words[0] == "const" || words[len(words)-1] == "const") {
			return code.Shared
		}
	case cIsPart(typ) && r.MemberOf(r.Frames[f].Self, r.Text(object)) == found.Binding:
		return cHeldByMethod(r, f)
	}
	return code.Unknown
}

// cIsPart reports whether a field of the type is a part of the value around it.
func cIsPart(typ string) bool {
	return typ != "" && !strings.ContainsAny(typ, "*&<") && !strings.HasPrefix(typ, "mutable")
}

// cHeldByMethod tells the value of a method that is const.
func cHeldByMethod(r *sitter.Reader, f int32) code.Holding {
	for ; f != 0; f = r.Frames[f].Up {
		if at := r.Frames[f].Node; r.Is(at, "function_definition") {
			if cSays(r, cDeclared(r, r.Field(at, "declarator")).function, "const") {
				return code.Shared
			}
			return code.Unknown
		}
	}
	return code.Unknown
}

//go:build cgo

package rust

import (
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// receiver is how a method takes its value: &self, &mut self or self.
func receiver(r *sitter.Reader, self sitter.Node) string {
	switch {
	case !r.Has(self, "&"):
		return "self"
	case r.Has(self, "mutable_specifier"):
		return "&mut self"
	}
	return "&self"
}

// held tells what is behind a reference, and what a variable has without being let to change it.
func held(r *sitter.Reader, object sitter.Node, f int32) code.Holding {
	if object == 0 {
		return code.Unknown
	}
	if r.Is(object, "self") {
		return heldByMethod(r, f)
	}
	if r.Is(object, "field_expression") && r.Is(r.Field(object, "value"), "self") {
		typ := r.TypeWritten(r.MemberOf(r.Frames[f].Self, r.Text(r.Field(object, "field"))))
		if typ == "" || strings.ContainsAny(typ, "&*<") {
			return code.Unknown
		}
		return heldByMethod(r, f)
	}
	if !r.Is(object, "identifier") {
		return code.Unknown
	}
	found := r.Lookup(r.Text(object), f, object)
	if !found.Local {
		return code.Unknown
	}
	typ := r.TypeWritten(found.Binding)
	if strings.HasPrefix(typ, "&") {
		return behind(typ)
	}
	b := r.Binds[found.Binding]
	if over := loopedOver(r, b.At); over != 0 {
		return heldByLoop(r, over, f)
	}
	if owns(r, typ, b.Value) && !changeable(r, b.At) {
		return code.Fixed
	}
	return code.Unknown
}

// behind is how a reference of a type holds what it leads to.
func behind(typ string) code.Holding {
	reference, _ := strings.CutPrefix(typ, "&")
	if life, rest, some := strings.Cut(reference, " "); some && strings.HasPrefix(life, "'") {
		reference = rest
	}
	switch {
	case strings.HasPrefix(reference, "mut "):
		return code.Exclusive
	case strings.HasPrefix(reference, "&"):
		return code.Unknown
	}
	return code.Shared
}

// loopedOver is what a loop goes over whose variable is there from a node on, 0 if it is none of a loop.
func loopedOver(r *sitter.Reader, at sitter.Node) sitter.Node {
	const deep = 6
	for range deep {
		loop := r.Parent(at)
		if r.Is(loop, "for_expression") && r.Field(loop, "value") == at &&
			r.Is(r.Field(loop, "pattern"), "identifier") {
			return at
		}
		at = loop
	}
	return 0
}

// heldByLoop is how a loop holds the elements of what it goes over.
func heldByLoop(r *sitter.Reader, over sitter.Node, f int32) code.Holding {
	switch {
	case r.Is(over, "reference_expression") && r.Has(over, "mutable_specifier"):
		return code.Exclusive
	case r.Is(over, "reference_expression"):
		return code.Shared
	case r.Is(over, "call_expression"):
		switch r.Text(r.Field(r.Field(over, "function"), "field")) {
		case "iter", "values", "keys":
			return code.Shared
		case "iter_mut", "values_mut":
			return code.Exclusive
		}
	case r.Is(over, "identifier"):
		found := r.Lookup(r.Text(over), f, over)
		typ := r.TypeWritten(found.Binding)
		if found.Local && strings.HasPrefix(typ, "&") && (strings.Contains(typ, "[") || strings.Contains(typ, "Vec<")) {
			return behind(typ)
		}
	}
	return code.Unknown
}

// owns reports whether a variable has a value that is no reference to another's: by its type, or as made on the spot.
func owns(r *sitter.Reader, typ string, value sitter.Node) bool {
	if typ != "" {
		return !strings.ContainsAny(typ, "<*") && !strings.HasPrefix(typ, "impl ")
	}
	if value <= 0 {
		return false
	}
	callee := r.Field(value, "function")
	return r.Is(value, "struct_expression") ||
		r.Is(callee, "scoped_identifier") && r.Text(r.Field(callee, "name")) == "new"
}

// changeable reports whether a variable is declared mut.
func changeable(r *sitter.Reader, at sitter.Node) bool {
	for steps := 0; at != 0 && steps < 4; at, steps = r.Parent(at), steps+1 {
		if r.Is(at, "mut_pattern") || r.Has(at, "mutable_specifier") {
			return true
		}
		if r.Is(at, "let_declaration", "parameter", "closure_parameters") {
			return false
		}
	}
	return false
}

// heldByMethod is how the method around has its value.
func heldByMethod(r *sitter.Reader, f int32) code.Holding {
	for ; f != 0; f = r.Frames[f].Up {
		self := r.Find(r.Frames[f].Node, "parameters/^")
		if !r.Is(r.Frames[f].Node, "function_item") || !r.Is(self, "self_parameter") {
			continue
		}
		switch receiver(r, self) {
		case "&self":
			return code.Shared
		case "&mut self":
			return code.Exclusive
		}
		return code.Unknown
	}
	return code.Unknown
}

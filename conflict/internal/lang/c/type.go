//go:build cgo

package c

import (
	"strings"

	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/sitter"
)

// cBare names the type that a pointer, a reference or a smart pointer leads to. Arrays and functions have no name.
func cBare(t string) string {
	for {
		before := t
		t = strings.TrimRight(t, "*& ")
		t = strings.TrimSuffix(t, " const")
		for _, word := range []string{"const ", "volatile ", "struct ", "class ", "union ", "enum ", "typename ",
			"static ", "::"} {
			t = strings.TrimPrefix(t, word)
		}
		if outer, inner, _ := strings.Cut(t, "<"); strings.HasSuffix(outer, "unique_ptr") ||
			strings.HasSuffix(outer, "shared_ptr") {
			t = strings.TrimSuffix(inner, ">")
		}
		if t == before {
			break
		}
	}
	if strings.HasSuffix(t, "]") || strings.Contains(t, "(") {
		return ""
	}
	t, _, _ = strings.Cut(t, "<")
	return strings.ReplaceAll(strings.TrimSpace(t), "::", ".")
}

// cScopeType gives the type or the namespace that a path leads to, seen from where it stands.
func cScopeType(r *sitter.Reader, n sitter.Node, f int32) (string, sitter.Node) {
	name := sitter.Join(r.Marks[r.Cells[n].Mark].Path, r.Text(n))
	for {
		here := &r.Frames[f]
		if key := sitter.Join(here.Key, name); r.IsType(key) {
			return key, 0
		}
		if f == 0 {
			return "", 0
		}
		f = here.Up
	}
}

// cQualifiedType gives the type of what a path leads to: that of a member of a type, or the type itself.
func cQualifiedType(r *sitter.Reader, n sitter.Node, f int32) (string, sitter.Node) {
	leaf := r.LeafOf(n)
	if leaf == 0 {
		return "", 0
	}
	return r.TypeOfPart(r.TypeOf(r.Marks[r.Cells[leaf].Mark].Object, f), r.Text(leaf)), 0
}

// cCalled gives what a call makes. Casts and the makers of smart pointers say it themselves.
func cCalled(r *sitter.Reader, n sitter.Node, f int32) (string, sitter.Node) {
	callee := r.Field(n, "function")
	leaf := r.LeafOf(callee)
	switch name := r.Text(leaf); {
	case leaf == 0:
		return "", 0
	case name == "make_unique" || name == "make_shared" || strings.HasSuffix(name, "_cast"):
		return r.Written(r.First(r.Field(r.Parent(leaf), "arguments"))), 0
	case r.Is(callee, "template_function"):
		callee = leaf
	}
	if !r.Is(callee, "qualified_identifier") {
		return r.TypeOfCall(n, r.Grammar.Calls["call_expression"], f), 0
	}
	of, name := r.TypeOf(r.Marks[r.Cells[leaf].Mark].Object, f), r.Text(leaf)
	if key := sitter.Join(of, name); of != "" && r.IsType(key) {
		return key, 0
	}
	return r.ResultOf(of, name), 0
}

// declared is what a declarator says: the name in it, and the function that the name is one of, if it is.
type declared struct {
	whole    sitter.Node // without the value
	name     sitter.Node // a leaf, or what stands for a name: operator+, ~T
	scope    sitter.Node // the path in front of the name
	function sitter.Node
}

// cDeclared takes a declarator apart. No node declares nothing.
func cDeclared(r *sitter.Reader, declarator sitter.Node) (d declared) {
	if r.Is(declarator, "init_declarator") {
		declarator = r.Field(declarator, "declarator")
	}
	d.whole = declarator
	for n := declarator; n != 0; {
		switch r.Kind(n) {
		case "identifier", "field_identifier", "type_identifier", "operator_name", "destructor_name", "operator_cast":
			d.name = n
			return d
		case "qualified_identifier":
			if d.scope == 0 {
				d.scope = n
			}
			n = r.Field(n, "name")
			continue
		case "template_function", "template_method", "template_type":
			n = r.Field(n, "name")
			continue
		case "function_declarator":
			d.function = n
		case "pointer_declarator", "reference_declarator", "array_declarator":
			d.function = 0
		case "parenthesized_declarator", "attributed_declarator", "bitfield_clause", "variadic_declarator":
		default:
			return d
		}
		if inner := r.Field(n, "declarator"); inner != 0 {
			n = inner
		} else {
			n = r.Last(n)
		}
	}
	return d
}

// cOwner is the path of what a declared name belongs to, which stands in front of it: "A.B" in A::B::f.
func cOwner(r *sitter.Reader, d declared) string {
	owner := ""
	for n, steps := d.scope, 0; r.Is(n, "qualified_identifier") &&
		steps < sitter.MaxPath; n, steps = r.Field(n, "name"), steps+1 {
		if leaf := cScopeLeaf(r, r.Field(n, "scope")); leaf != 0 {
			owner = sitter.Join(owner, r.Text(leaf))
		}
	}
	return r.Keep(owner)
}

// cType writes the type that a declaration gives to one of its declarators; of a function the result's.
func cType(r *sitter.Reader, declaration sitter.Node, d declared) string {
	var parts []string
	typ := r.Field(declaration, "type")
	for c := range r.Parts(declaration) {
		if cIsDeclarator(r, c) {
			break
		}
		if r.Is(c, "type_qualifier") && r.Text(c) != "constexpr" {
			parts = append(parts, r.Text(c))
		}
		if c == typ {
			parts = append(parts, cTypeName(r, typ))
		}
	}
	if d.whole == 0 {
		return r.Keep(strings.Join(parts, " "))
	}
	start, end, first := r.Cells[d.whole].Start, r.Cells[d.whole].End, d.name
	if d.scope != 0 {
		first = d.scope
	}
	if d.function != 0 {
		if trailing := r.Child(d.function, "trailing_return_type"); trailing != 0 {
			return r.Written(r.First(trailing))
		}
		parts = append(parts, r.Source[start:r.Cells[d.function].Start])
	} else if d.name != 0 {
		parts = append(parts, r.Source[start:r.Cells[first].Start]+r.Source[r.Cells[d.name].End:end])
	} else {
		parts = append(parts, r.Source[start:end])
	}
	text := strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
	return r.Keep(text[:min(len(text), lang.LongestType)])
}

// cIsDeclarator reports whether a part of a declaration is one of what it declares, which all stand
// behind what it says of them.
func cIsDeclarator(r *sitter.Reader, part sitter.Node) bool {
	f := r.Cells[part].Field
	return f != 0 && r.Fields[f] == "declarator"
}

// cTypeName is a type as written, without the body of one that is defined on the spot.
func cTypeName(r *sitter.Reader, typ sitter.Node) string {
	if body := r.Field(typ, "body"); body != 0 {
		return strings.TrimSpace(r.Source[r.Cells[typ].Start:r.Cells[body].Start])
	}
	return r.Written(typ)
}

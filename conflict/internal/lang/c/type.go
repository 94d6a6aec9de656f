//go:build cgo

package syntax

import "strings"

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
func cScopeType(r *reader, n node, f int32) (string, node) {
	name := join(r.marks[r.cells[n].mark].path, r.text(n))
	for {
		here := &r.frames[f]
		if key := join(here.key, name); r.isType(key) {
			return key, 0
		}
		if f == 0 {
			return "", 0
		}
		f = here.up
	}
}

// cQualifiedType gives the type of what a path leads to: that of a member of a type, or the type itself.
func cQualifiedType(r *reader, n node, f int32) (string, node) {
	leaf := r.leafOf(n)
	if leaf == 0 {
		return "", 0
	}
	of := r.typeOf(r.marks[r.cells[leaf].mark].object, f)
	if of == "" {
		return "", 0
	}
	if key := join(of, r.text(leaf)); r.isType(key) {
		return key, 0
	}
	if b := r.memberOf(of, r.text(leaf)); b != 0 {
		return r.solve(b), 0
	}
	return "", 0
}

// cCalled gives what a call makes. Casts and the makers of smart pointers say it themselves.
func cCalled(r *reader, n node, f int32) (string, node) {
	callee := r.field(n, "function")
	leaf := r.leafOf(callee)
	switch name := r.text(leaf); {
	case leaf == 0:
		return "", 0
	case name == "make_unique" || name == "make_shared" || strings.HasSuffix(name, "_cast"):
		return r.written(r.first(r.field(r.parent(leaf), "arguments"))), 0
	case r.is(callee, "template_function"):
		callee = leaf
	}
	if !r.is(callee, "qualified_identifier") {
		return r.typeOfCall(n, r.grammar.calls["call_expression"], f), 0
	}
	of, name := r.typeOf(r.marks[r.cells[leaf].mark].object, f), r.text(leaf)
	if key := join(of, name); of != "" && r.isType(key) {
		return key, 0
	}
	return r.resultOf(of, name), 0
}

// cTyped gives the type that an expression names.
func cTyped(r *reader, n node, _ int32) (string, node) { return r.written(r.field(n, "type")), 0 }

// declared is what a declarator says: the name in it, and the function that the name is one of, if it is.
type declared struct {
	whole    node // without the value
	name     node // a leaf, or what stands for a name: operator+, ~T
	scope    node // the path in front of the name
	function node
}

// cDeclared takes a declarator apart. No node declares nothing.
func cDeclared(r *reader, declarator node) (d declared) {
	if r.is(declarator, "init_declarator") {
		declarator = r.field(declarator, "declarator")
	}
	d.whole = declarator
	for n := declarator; n != 0; {
		switch r.kind(n) {
		case "identifier", "field_identifier", "type_identifier", "operator_name", "destructor_name", "operator_cast":
			d.name = n
			return d
		case "qualified_identifier":
			if d.scope == 0 {
				d.scope = n
			}
			n = r.field(n, "name")
			continue
		case "template_function", "template_method", "template_type":
			n = r.field(n, "name")
			continue
		case "function_declarator":
			d.function = n
		case "pointer_declarator", "reference_declarator", "array_declarator":
			d.function = 0
		case "parenthesized_declarator", "attributed_declarator", "bitfield_clause", "variadic_declarator":
		default:
			return d
		}
		if inner := r.field(n, "declarator"); inner != 0 {
			n = inner
		} else {
			n = r.last(n)
		}
	}
	return d
}

// cOwner is the path of what a declared name belongs to, which stands in front of it: "A.B" in A::B::f.
func cOwner(r *reader, d declared) string {
	owner := ""
	for n, steps := d.scope, 0; r.is(n, "qualified_identifier") &&
		steps < maxPath; n, steps = r.field(n, "name"), steps+1 {
		if leaf := cScopeLeaf(r, r.field(n, "scope")); leaf != 0 {
			owner = join(owner, r.text(leaf))
		}
	}
	return r.keep(owner)
}

// cType writes the type that a declaration gives to one of its declarators; of a function the result's.
func cType(r *reader, declaration node, d declared) string {
	var parts []string
	typ := r.field(declaration, "type")
	for c := range r.parts(declaration) {
		if cIsDeclarator(r, c) {
			break
		}
		if r.is(c, "type_qualifier") && r.text(c) != "constexpr" {
			parts = append(parts, r.text(c))
		}
		if c == typ {
			parts = append(parts, cTypeName(r, typ))
		}
	}
	if d.whole == 0 {
		return r.keep(strings.Join(parts, " "))
	}
	start, end, first := r.cells[d.whole].start, r.cells[d.whole].end, d.name
	if d.scope != 0 {
		first = d.scope
	}
	if d.function != 0 {
		if trailing := r.child(d.function, "trailing_return_type"); trailing != 0 {
			return r.written(r.first(trailing))
		}
		parts = append(parts, r.source[start:r.cells[d.function].start])
	} else if d.name != 0 {
		parts = append(parts, r.source[start:r.cells[first].start]+r.source[r.cells[d.name].end:end])
	} else {
		parts = append(parts, r.source[start:end])
	}
	text := strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
	return r.keep(text[:min(len(text), longestType)])
}

// cIsDeclarator reports whether a part of a declaration is one of what it declares, which all stand
// behind what it says of them.
func cIsDeclarator(r *reader, part node) bool {
	f := r.cells[part].field
	return f != 0 && r.fields[f] == "declarator"
}

// cTypeName is a type as written, without the body of one that is defined on the spot.
func cTypeName(r *reader, typ node) string {
	if body := r.field(typ, "body"); body != 0 {
		return strings.TrimSpace(r.source[r.cells[typ].start:r.cells[body].start])
	}
	return r.written(typ)
}

//go:build cgo

package syntax

import "slices"

// csharpVisibility is what the modifiers say, and else what the place says. What is internal is public in its assembly.
func csharpVisibility(r *reader, n node) Visibility {
	up := r.parent(n)
	switch {
	case r.inFunction():
		return Private
	case csharpSays(r, n, "public", "internal"):
		return Public
	case csharpSays(r, n, "protected"):
		return Restricted
	case csharpSays(r, n, "private", "file"):
		return Private
	case r.is(r.parent(up), "interface_declaration") || r.child(n, "explicit_interface_specifier") != 0:
		return Public
	case r.inType():
		return Private
	}
	return Public
}

// csharpIsTest reports whether a declaration has an attribute that makes tests of it.
func csharpIsTest(r *reader, n node) bool {
	known := []string{"Fact", "Theory", "Test", "TestCase", "TestCaseSource", "TestMethod", "DataTestMethod",
		"TestClass", "TestFixture"}
	for list := range r.parts(n) {
		if !r.is(list, "attribute_list") {
			continue
		}
		for a := range r.parts(list) {
			if slices.Contains(known, r.text(r.leafOf(r.field(a, "name")))) {
				return true
			}
		}
	}
	return false
}

// csharpType makes a rule for the declarations of types of a kind.
func csharpType(kind Kind) rule {
	return func(r *reader, n node) {
		name := r.field(n, "name")
		d := Definition{
			Kind: kind, Visibility: csharpVisibility(r, n), Static: csharpSays(r, n, "static"),
			Partial: csharpSays(r, n, "partial"), Test: csharpIsTest(r, n),
		}
		list := r.child(n, "base_list")
		for base := range r.parts(list) {
			if r.is(base, "primary_constructor_base_type") {
				base = r.field(base, "type")
			}
			if leaf := r.leafOf(base); leaf != 0 {
				r.use(base, Inherit)
				d.Bases = append(d.Bases, r.keep(r.path(base)))
			}
		}
		visibility := d.Visibility
		r.open(n, typeLevel, r.define(d, site{whole: n, name: name}))
		r.at().enum, r.at().section = kind == Enum, visibility
		csharpPrimary(r, n, name)
		csharpBaseCall(r, list)
	}
}

// csharpPrimary reads the parameters that a type itself has: those of a constructor, and of a record fields too.
func csharpPrimary(r *reader, n, name node) {
	list := r.child(n, "parameter_list")
	if list == 0 {
		return
	}
	params := csharpParams(r, list)
	for _, p := range params {
		if r.is(n, "record_declaration") {
			r.define(Definition{Kind: Field, Visibility: Public, Type: p.Type}, site{whole: p.whole, name: p.names[0]})
		} else {
			r.bind(r.here, p.Name, binding{at: p.names[0], typ: p.Type})
		}
	}
	r.define(Definition{Name: r.keep(r.text(name)), Kind: Method, Visibility: Public, Params: paramsOf(params)},
		site{whole: list})
}

// csharpBaseCall makes a call of the arguments for the base in a list of bases.
func csharpBaseCall(r *reader, list node) {
	first := r.first(list)
	arguments := r.child(list, "argument_list")
	if r.is(first, "primary_constructor_base_type") {
		arguments, first = r.child(first, "argument_list"), r.field(first, "type")
	}
	if leaf := r.leafOf(first); leaf != 0 && arguments != 0 {
		m := r.mark(arguments)
		m.name, m.use, m.args = r.text(leaf), Call, r.arguments(arguments)
	}
}

// csharpDelegate lists the type of a function. Its type is all that it says of that.
func csharpDelegate(r *reader, n node) {
	d := Definition{Kind: Type, Visibility: csharpVisibility(r, n)}
	d.Type = r.keep(r.written(r.field(n, "type")) + " " + r.written(r.field(n, "parameters")))
	r.open(n, nameLevel, r.define(d, site{whole: n, name: r.field(n, "name")}))
}

func csharpTypeParameter(r *reader, n node) {
	if name := r.field(n, "name"); name != 0 {
		r.skip(name)
		r.bind(r.here, r.text(name), binding{at: name, what: toType})
	}
}

func csharpEnumMember(r *reader, n node) {
	d := Definition{Kind: Member, Visibility: r.at().section}
	r.open(n, nameLevel, r.define(d, site{whole: n, name: r.field(n, "name")}))
}

// csharpMember gives what a declaration says of a member of a type.
func csharpMember(r *reader, n node, kind Kind) Definition {
	return Definition{
		Kind: kind, Visibility: csharpVisibility(r, n), Static: csharpSays(r, n, "static", "const"),
		Partial:   csharpSays(r, n, "partial"),
		Overrides: csharpSays(r, n, "override") || r.child(n, "explicit_interface_specifier") != 0,
		Abstract: csharpSays(r, n, "abstract") ||
			r.is(r.parent(r.parent(n)), "interface_declaration") && !csharpHasBody(r, n),
	}
}

// csharpHasBody reports whether a member has code of its own.
func csharpHasBody(r *reader, n node) bool {
	for accessor := range r.parts(r.field(n, "accessors")) {
		if r.field(accessor, "body") != 0 {
			return true
		}
	}
	return r.field(n, "body") != 0 || r.field(n, "value") != 0 || csharpSays(r, n, "const", "static")
}

func csharpProperty(r *reader, n node) {
	d := csharpMember(r, n, Field)
	d.Type = r.written(r.field(n, "type"))
	r.open(n, nameLevel, r.define(d, site{whole: n, name: r.field(n, "name"), value: r.field(n, "value")}))
}

// csharpAccessor begins the code of a property, to which the new value comes as a parameter.
func csharpAccessor(r *reader, n node) {
	r.open(n, functionLevel, r.at().key)
	if name := r.field(n, "name"); !r.is(name, "get") {
		r.bind(r.here, "value", binding{at: n, typ: r.written(r.field(r.parent(r.parent(n)), "type"))})
	}
}

func csharpFunction(r *reader, n node) {
	d, s := csharpMember(r, n, Method), site{whole: n, name: r.field(n, "name")}
	d.Test = csharpIsTest(r, n)
	typ := r.field(n, "returns")
	if typ == 0 {
		typ = r.field(n, "type")
	}
	d.Result = r.written(typ)
	params := csharpParams(r, r.field(n, "parameters"))
	d.Params = paramsOf(params)
	if r.is(n, "local_function_statement") || !r.inType() {
		d.Kind, d.Static, d.Abstract = Function, false, false
	}
	if name := csharpOwnName(r, n); name != "" {
		r.skip(s.name)
		d.Name, s.name = r.keep(name), 0
	}
	r.open(n, functionLevel, r.define(d, s))
	r.localParams(params)
}

// csharpOwnName gives the names of what cannot be called by one: constructors, which stand for
// their class by it, and operators.
func csharpOwnName(r *reader, n node) string {
	switch r.kind(n) {
	case "constructor_declaration":
		if csharpSays(r, n, "static") {
			return "static " + r.text(r.field(n, "name"))
		}
		return r.text(r.field(n, "name"))
	case "destructor_declaration":
		return "~" + r.text(r.field(n, "name"))
	case "operator_declaration":
		return "operator " + r.text(r.field(n, "operator"))
	case "conversion_operator_declaration":
		return "operator " + r.text(r.field(n, "type"))
	case "indexer_declaration":
		return "this[]"
	}
	return ""
}

// csharpParams reads the parameters of a function. That of an extension method that stands for the object
// is optional: it is left out if the method is called on the object.
func csharpParams(r *reader, list node) (params []parameter) {
	rest := false
	for n := range r.children(list) {
		switch {
		case r.is(n, "params"):
			rest = true
		case r.is(n, "identifier") && rest:
			p := Param{Name: r.keep(r.text(n)), Type: r.written(r.field(list, "type")), Rest: true}
			params = append(params, parameter{p, n, []node{n}})
		case r.is(n, "parameter"):
			name, typ := r.field(n, "name"), r.written(r.field(n, "type"))
			if name == 0 {
				continue
			}
			for m := range r.parts(n) {
				if r.is(m, "modifier") && r.text(m) != "this" {
					typ = r.keep(r.text(m) + " " + typ)
				}
			}
			p := Param{Name: r.keep(r.text(name)), Type: typ, Optional: r.has(n, "=") ||
				csharpSays(r, n, "this"), Rest: csharpSays(r, n, "params")}
			params = append(params, parameter{p, n, []node{name}})
		}
	}
	return params
}

// csharpIsField reports whether a declaration of variables is one of fields or events.
func csharpIsField(r *reader, n node) bool {
	return r.is(r.parent(n), "field_declaration", "event_field_declaration")
}

// csharpVariables reads a declaration of one field. Those of several are read where each is named.
func csharpVariables(r *reader, n node) {
	if csharpIsField(r, n) && csharpAlone(r, n) {
		csharpField(r, n, r.child(n, "variable_declarator"), n)
	}
}

// csharpAlone reports whether a declaration declares one variable.
func csharpAlone(r *reader, n node) bool {
	count := 0
	for c := range r.parts(n) {
		if r.is(c, "variable_declarator") {
			count++
		}
		if count > 1 {
			return false
		}
	}
	return count == 1
}

// csharpField lists the field that a declarator of a declaration names, and begins it at a node.
func csharpField(r *reader, declaration, declarator, from node) {
	s := site{whole: r.parent(declaration), name: r.field(declarator, "name"), value: csharpValue(r, declarator)}
	d := csharpMember(r, s.whole, Field)
	d.Abstract, d.Type = csharpSays(r, s.whole, "abstract"), r.written(r.field(declaration, "type"))
	if from == declarator {
		s.whole = declarator
	}
	r.open(from, nameLevel, r.define(d, s))
}

// csharpValue is what a declarator sets its variable to, 0 if it does not.
func csharpValue(r *reader, declarator node) node {
	if r.has(declarator, "=") {
		return r.last(declarator)
	}
	return 0
}

func csharpDeclarator(r *reader, n node) {
	declaration, name := r.parent(n), r.field(n, "name")
	switch {
	case csharpIsField(r, declaration):
		if !csharpAlone(r, declaration) {
			csharpField(r, declaration, n, n)
		}
	case name != 0:
		csharpLocal(r, r.field(declaration, "type"), site{whole: n, name: name, value: csharpValue(r, n)})
	}
}

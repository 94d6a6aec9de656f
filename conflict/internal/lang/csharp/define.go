//go:build cgo

package csharp

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// says reports whether a declaration has one of the modifiers.
func says(r *sitter.Reader, n sitter.Node, words ...string) bool {
	return r.Says(n, ">modifier", words...)
}

// visibility is what the modifiers say, and else what the place says. What is internal is public in its assembly.
func visibility(r *sitter.Reader, n sitter.Node) code.Visibility {
	switch {
	case r.InFunction():
		return code.Private
	case says(r, n, "public", "internal"):
		return code.Public
	case says(r, n, "protected"):
		return code.Restricted
	case says(r, n, "private", "file"):
		return code.Private
	case r.Is(r.Find(n, "../.."), "interface_declaration") || r.Has(n, "explicit_interface_specifier"):
		return code.Public
	case r.InType():
		return code.Private
	}
	return code.Public
}

// describe fills in what the modifiers of a declaration say.
func describe(r *sitter.Reader, n sitter.Node, d *code.Definition) {
	d.Visibility, d.Name = visibility(r, n), ownName(r, n)
	switch d.Kind {
	case code.Member:
		d.Visibility = r.At().Section
	case code.Type:
		d.Type = r.Keep(d.Type + " " + r.WrittenAt(n, "parameters"))
	case code.Field, code.Method, code.Function:
		d.Static, d.Partial = says(r, n, "static", "const"), says(r, n, "partial")
		d.Overrides = says(r, n, "override") || r.Has(n, "explicit_interface_specifier")
		d.Abstract = says(r, n, "abstract") || r.Is(r.Find(n, "../.."), "interface_declaration") && !hasBody(r, n)
		d.Test = d.Kind != code.Field && isTest(r, n)
		d.ReadOnly = isReadOnly(r, n)
		d.Final = d.Kind == code.Method && (says(r, n, "sealed") || !says(r, n, "virtual", "abstract", "override") &&
			!r.Is(r.Find(n, "../.."), "interface_declaration"))
		if d.Kind == code.Function || d.Kind == code.Method && !r.InType() {
			d.Kind, d.Static, d.Abstract = code.Function, false, false
		}
	default:
		d.Final = d.Kind == code.Class && says(r, n, "sealed", "static")
		d.Static, d.Partial, d.Test = says(r, n, "static"), says(r, n, "partial"), isTest(r, n)
	}
}

// isReadOnly reports whether a field or property has nothing by which others set it.
func isReadOnly(r *sitter.Reader, n sitter.Node) bool {
	if !r.Is(n, "property_declaration") {
		return says(r, n, "readonly")
	}
	for accessor := range r.Each(n, "accessors/*") {
		if r.Is(r.Field(accessor, "name"), "set", "init") && !says(r, accessor, "private", "protected") {
			return false
		}
	}
	return true
}

// isTest reports whether a declaration has an attribute that makes tests of it.
func isTest(r *sitter.Reader, n sitter.Node) bool {
	return r.Says(n, ">attribute_list/*/name", "Fact", "Theory", "Test", "TestCase", "TestCaseSource", "TestMethod",
		"DataTestMethod", "TestClass", "TestFixture")
}

// primary reads the parameters that a type itself has: those of a constructor, and of a record fields
// too. It makes a call of the arguments for the base.
func primary(r *sitter.Reader, n sitter.Node) {
	base := r.Find(n, ">base_list/^")
	arguments := r.Find(base, ">argument_list ../>argument_list")
	if leaf := r.LeafOf(base); leaf != 0 {
		r.CallsType(arguments, r.Text(leaf), r.Arguments(arguments))
	}
	list := r.Child(n, "parameter_list")
	if list == 0 {
		return
	}
	params := readParams(r, list)
	for _, p := range params {
		if r.Is(n, "record_declaration") {
			r.Define(code.Definition{Kind: code.Field, Visibility: code.Public, Type: p.Type},
				sitter.Site{Whole: p.Whole, Name: p.Names[0]})
		} else {
			r.Bind(r.Here, p.Name, sitter.Binding{At: p.Names[0], Typ: p.Type})
		}
	}
	r.Define(code.Definition{Name: r.Keep(r.TextAt(n, "name")), Kind: code.Method, Visibility: code.Public,
		Params: sitter.ParamsOf(params)}, sitter.Site{Whole: list})
}

// hasBody reports whether a member has code of its own.
func hasBody(r *sitter.Reader, n sitter.Node) bool {
	for accessor := range r.Each(n, "accessors/*") {
		if r.Field(accessor, "body") != 0 {
			return true
		}
	}
	return r.Find(n, "body value") != 0 || says(r, n, "const", "static")
}

// readAccessor begins the code of a property, to which the new value comes as a parameter.
func readAccessor(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.FunctionLevel, r.At().Key)
	if name := r.Field(n, "name"); !r.Is(name, "get") {
		r.Bind(r.Here, "value", sitter.Binding{At: n, Typ: r.WrittenAt(n, "../../type")})
	}
}

// ownName gives the names of what cannot be called by one: constructors, which stand for
// their class by it, and operators.
func ownName(r *sitter.Reader, n sitter.Node) string {
	switch r.Kind(n) {
	case "constructor_declaration":
		if says(r, n, "static") {
			return "static " + r.TextAt(n, "name")
		}
		return r.TextAt(n, "name")
	case "destructor_declaration":
		return "~" + r.TextAt(n, "name")
	case "operator_declaration":
		return "operator " + r.TextAt(n, "operator")
	case "conversion_operator_declaration":
		return "operator " + r.TextAt(n, "type")
	case "indexer_declaration":
		return "this[]"
	}
	return ""
}

// readParams reads the parameters of a function. That of an extension method that stands for the object
// is optional: it is left out if the method is called on the object.
func readParams(r *sitter.Reader, list sitter.Node) (params []sitter.Parameter) {
	rest := false
	for n := range r.Children(list) {
		switch {
		case r.Is(n, "params"):
			rest = true
		case r.Is(n, "identifier") && rest:
			p := code.Param{Name: r.Keep(r.Text(n)), Type: r.Written(r.Field(list, "type")), Rest: true}
			params = append(params, sitter.Parameter{Param: p, Whole: n, Names: []sitter.Node{n}})
		case r.Is(n, "parameter"):
			name, typ := r.Field(n, "name"), r.Written(r.Field(n, "type"))
			if name == 0 {
				continue
			}
			for m := range r.Parts(n) {
				if r.Is(m, "modifier") && r.Text(m) != "this" {
					typ = r.Keep(r.Text(m) + " " + typ)
				}
			}
			p := code.Param{Name: r.Keep(r.Text(name)), Type: typ, Optional: r.Has(n, "=") ||
				says(r, n, "this"), Rest: says(r, n, "params")}
			params = append(params, sitter.Parameter{Param: p, Whole: n, Names: []sitter.Node{name}})
		}
	}
	return params
}

// isField reports whether a declaration of variables is one of fields or events.
func isField(r *sitter.Reader, n sitter.Node) bool {
	return r.Is(r.Parent(n), "field_declaration", "event_field_declaration")
}

// field lists the field that a declarator of a declaration names, and begins it.
func field(r *sitter.Reader, declaration, declarator, from sitter.Node) {
	s := sitter.Site{Whole: r.Parent(declaration), Name: r.Field(declarator, "name"), Value: value(r, declarator)}
	d := code.Definition{Kind: code.Field, Type: r.WrittenAt(declaration, "type")}
	describe(r, s.Whole, &d)
	d.Abstract = says(r, s.Whole, "abstract")
	if from == declarator {
		s.Whole = declarator
	}
	r.Open(from, sitter.NameLevel, r.Define(d, s))
}

// value is what a declarator sets its variable to, 0 if it does not.
func value(r *sitter.Reader, declarator sitter.Node) sitter.Node {
	if r.Has(declarator, "=") {
		return r.Last(declarator)
	}
	return 0
}

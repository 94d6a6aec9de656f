//go:build cgo

package csharp

import (
	"slices"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// readVisibility is what the modifiers say, and else what the place says. What is internal is public in its assembly.
func readVisibility(r *sitter.Reader, n sitter.Node) code.Visibility {
	up := r.Parent(n)
	switch {
	case r.InFunction():
		return code.Private
	case says(r, n, "public", "internal"):
		return code.Public
	case says(r, n, "protected"):
		return code.Restricted
	case says(r, n, "private", "file"):
		return code.Private
	case r.Is(r.Parent(up), "interface_declaration") || r.Child(n, "explicit_interface_specifier") != 0:
		return code.Public
	case r.InType():
		return code.Private
	}
	return code.Public
}

// isTest reports whether a declaration has an attribute that makes tests of it.
func isTest(r *sitter.Reader, n sitter.Node) bool {
	known := []string{"Fact", "Theory", "Test", "TestCase", "TestCaseSource", "TestMethod", "DataTestMethod",
		"TestClass", "TestFixture"}
	for list := range r.Parts(n) {
		if !r.Is(list, "attribute_list") {
			continue
		}
		for a := range r.Parts(list) {
			if slices.Contains(known, r.Text(r.LeafOf(r.Field(a, "name")))) {
				return true
			}
		}
	}
	return false
}

// readType makes a rule for the declarations of types of a kind.
func readType(kind code.Kind) sitter.Rule {
	return func(r *sitter.Reader, n sitter.Node) {
		name := r.Field(n, "name")
		d := code.Definition{
			Kind: kind, Visibility: readVisibility(r, n), Static: says(r, n, "static"),
			Partial: says(r, n, "partial"), Test: isTest(r, n),
		}
		list := r.Child(n, "base_list")
		for base := range r.Parts(list) {
			if r.Is(base, "primary_constructor_base_type") {
				base = r.Field(base, "type")
			}
			if leaf := r.LeafOf(base); leaf != 0 {
				r.Use(base, code.Inherit)
				d.Bases = append(d.Bases, r.Keep(r.Path(base)))
			}
		}
		visibility := d.Visibility
		r.Open(n, sitter.TypeLevel, r.Define(d, sitter.Site{Whole: n, Name: name}))
		r.At().Enum, r.At().Section = kind == code.Enum, visibility
		primary(r, n, name)
		baseCall(r, list)
	}
}

// primary reads the parameters that a type itself has: those of a constructor, and of a record fields too.
func primary(r *sitter.Reader, n, name sitter.Node) {
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
	r.Define(code.Definition{Name: r.Keep(r.Text(name)), Kind: code.Method, Visibility: code.Public,
		Params: sitter.ParamsOf(params)},
		sitter.Site{Whole: list})
}

// baseCall makes a call of the arguments for the base in a list of bases.
func baseCall(r *sitter.Reader, list sitter.Node) {
	first := r.First(list)
	arguments := r.Child(list, "argument_list")
	if r.Is(first, "primary_constructor_base_type") {
		arguments, first = r.Child(first, "argument_list"), r.Field(first, "type")
	}
	if leaf := r.LeafOf(first); leaf != 0 && arguments != 0 {
		m := r.Mark(arguments)
		m.Name, m.Use, m.Args = r.Text(leaf), code.Call, r.Arguments(arguments)
	}
}

// delegate lists the type of a function. Its type is all that it says of that.
func delegate(r *sitter.Reader, n sitter.Node) {
	d := code.Definition{Kind: code.Type, Visibility: readVisibility(r, n)}
	d.Type = r.Keep(r.Written(r.Field(n, "type")) + " " + r.Written(r.Field(n, "parameters")))
	r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: n, Name: r.Field(n, "name")}))
}

func typeParameter(r *sitter.Reader, n sitter.Node) {
	if name := r.Field(n, "name"); name != 0 {
		r.Skip(name)
		r.Bind(r.Here, r.Text(name), sitter.Binding{At: name, What: sitter.ToType})
	}
}

func enumMember(r *sitter.Reader, n sitter.Node) {
	d := code.Definition{Kind: code.Member, Visibility: r.At().Section}
	r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: n, Name: r.Field(n, "name")}))
}

// member gives what a declaration says of a member of a type.
func member(r *sitter.Reader, n sitter.Node, kind code.Kind) code.Definition {
	return code.Definition{
		Kind: kind, Visibility: readVisibility(r, n), Static: says(r, n, "static", "const"),
		Partial:   says(r, n, "partial"),
		Overrides: says(r, n, "override") || r.Child(n, "explicit_interface_specifier") != 0,
		Abstract: says(r, n, "abstract") ||
			r.Is(r.Parent(r.Parent(n)), "interface_declaration") && !hasBody(r, n),
	}
}

// hasBody reports whether a member has code of its own.
func hasBody(r *sitter.Reader, n sitter.Node) bool {
	for accessor := range r.Parts(r.Field(n, "accessors")) {
		if r.Field(accessor, "body") != 0 {
			return true
		}
	}
	return r.Field(n, "body") != 0 || r.Field(n, "value") != 0 || says(r, n, "const", "static")
}

func property(r *sitter.Reader, n sitter.Node) {
	d := member(r, n, code.Field)
	d.Type = r.Written(r.Field(n, "type"))
	r.Open(n, sitter.NameLevel, r.Define(d,
		sitter.Site{Whole: n, Name: r.Field(n, "name"), Value: r.Field(n, "value")}))
}

// readAccessor begins the code of a property, to which the new value comes as a parameter.
func readAccessor(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.FunctionLevel, r.At().Key)
	if name := r.Field(n, "name"); !r.Is(name, "get") {
		r.Bind(r.Here, "value", sitter.Binding{At: n, Typ: r.Written(r.Field(r.Parent(r.Parent(n)), "type"))})
	}
}

func function(r *sitter.Reader, n sitter.Node) {
	d, s := member(r, n, code.Method), sitter.Site{Whole: n, Name: r.Field(n, "name")}
	d.Test = isTest(r, n)
	typ := r.Field(n, "returns")
	if typ == 0 {
		typ = r.Field(n, "type")
	}
	d.Result = r.Written(typ)
	params := readParams(r, r.Field(n, "parameters"))
	d.Params = sitter.ParamsOf(params)
	if r.Is(n, "local_function_statement") || !r.InType() {
		d.Kind, d.Static, d.Abstract = code.Function, false, false
	}
	if name := ownName(r, n); name != "" {
		r.Skip(s.Name)
		d.Name, s.Name = r.Keep(name), 0
	}
	r.Open(n, sitter.FunctionLevel, r.Define(d, s))
	r.LocalParams(params)
}

// ownName gives the names of what cannot be called by one: constructors, which stand for
// their class by it, and operators.
func ownName(r *sitter.Reader, n sitter.Node) string {
	switch r.Kind(n) {
	case "constructor_declaration":
		if says(r, n, "static") {
			return "static " + r.Text(r.Field(n, "name"))
		}
		return r.Text(r.Field(n, "name"))
	case "destructor_declaration":
		return "~" + r.Text(r.Field(n, "name"))
	case "operator_declaration":
		return "operator " + r.Text(r.Field(n, "operator"))
	case "conversion_operator_declaration":
		return "operator " + r.Text(r.Field(n, "type"))
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

// variables reads a declaration of one field. Those of several are read where each is named.
func variables(r *sitter.Reader, n sitter.Node) {
	if isField(r, n) && alone(r, n) {
		field(r, n, r.Child(n, "variable_declarator"), n)
	}
}

// alone reports whether a declaration declares one variable.
func alone(r *sitter.Reader, n sitter.Node) bool {
	count := 0
	for c := range r.Parts(n) {
		if r.Is(c, "variable_declarator") {
			count++
		}
		if count > 1 {
			return false
		}
	}
	return count == 1
}

// field lists the field that a declarator of a declaration names, and begins it at a node.
func field(r *sitter.Reader, declaration, declarator, from sitter.Node) {
	s := sitter.Site{Whole: r.Parent(declaration), Name: r.Field(declarator, "name"), Value: value(r, declarator)}
	d := member(r, s.Whole, code.Field)
	d.Abstract, d.Type = says(r, s.Whole, "abstract"), r.Written(r.Field(declaration, "type"))
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

func readDeclarator(r *sitter.Reader, n sitter.Node) {
	declaration, name := r.Parent(n), r.Field(n, "name")
	switch {
	case isField(r, declaration):
		if !alone(r, declaration) {
			field(r, declaration, n, n)
		}
	case name != 0:
		local(r, r.Field(declaration, "type"), sitter.Site{Whole: n, Name: name, Value: value(r, n)})
	}
}

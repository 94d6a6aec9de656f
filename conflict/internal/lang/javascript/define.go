//go:build cgo

package javascript

import (
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// isFunction reports whether an expression is a function written out.
func isFunction(r *sitter.Reader, n sitter.Node) bool {
	return r.Is(n, "arrow_function", "function_expression", "generator_function")
}

// exported reports whether a declaration stands behind the word export, or declares what a .d.ts file is about.
func exported(r *sitter.Reader, n sitter.Node) bool {
	up := r.Parent(n)
	if r.Is(up, "ambient_declaration") {
		up = r.Parent(up)
		if up == 0 && strings.HasSuffix(r.Name, ".d.ts") {
			return true
		}
	}
	return r.Is(up, "export_statement")
}

// visibility is that of a declaration which is no member.
func visibility(r *sitter.Reader, n sitter.Node) code.Visibility {
	if exported(r, n) {
		return code.Public
	}
	return code.Private
}

// memberVisibility is that of a member, of which modifiers may say more.
func memberVisibility(r *sitter.Reader, n sitter.Node, name string) code.Visibility {
	switch modifier := r.Text(r.Child(n, "accessibility_modifier")); {
	case modifier == "private" || strings.HasPrefix(name, "#"):
		return code.Private
	case modifier == "protected":
		return code.Restricted
	}
	return code.Public
}

// callable fills in what a function says of itself.
func callable(r *sitter.Reader, d code.Definition, function sitter.Node) code.Definition {
	d.Params, d.Async = sitter.ParamsOf(readParams(r, function)), r.Has(function, "async")
	d.Result = typeAt(r, function, "return_type")
	return d
}

// defineValue lists what a value makes of a definition: a function, a class, or what it is already.
// It begins it at a node.
func defineValue(r *sitter.Reader, n sitter.Node, d code.Definition, s sitter.Site) {
	level := sitter.NameLevel
	switch {
	case isFunction(r, s.Value):
		d.Kind = code.Function
		d = callable(r, d, s.Value)
	case r.Is(s.Value, "class"):
		d.Kind, level = code.Class, sitter.TypeLevel
		d.Bases = r.Bases(s.Value, bases()...)
	}
	r.Open(n, level, r.Define(d, s))
}

// typeAt is the type in the annotation of a field, without the colon in front.
func typeAt(r *sitter.Reader, n sitter.Node, field string) string { return r.WrittenAt(n, field+"/^") }

// readParams reads the parameters of a function.
func readParams(r *sitter.Reader, function sitter.Node) (params []sitter.Parameter) {
	if name := r.Field(function, "parameter"); name != 0 {
		return []sitter.Parameter{{Param: code.Param{Name: r.Keep(r.Text(name))}, Whole: name,
			Names: []sitter.Node{name}}}
	}
	for n := range r.Parts(r.Field(function, "parameters")) {
		p := sitter.Parameter{Whole: n}
		p.Type = typeAt(r, n, "type")
		pattern := r.Field(n, "pattern")
		switch {
		case r.Is(n, "assignment_pattern"):
			pattern = r.Field(n, "left")
		case pattern == 0:
			pattern = n
		case r.Is(pattern, "this"):
			continue
		}
		p.Optional = r.Is(n, "assignment_pattern", "optional_parameter") || r.Field(n, "value") != 0
		if r.Is(pattern, "rest_pattern") {
			p.Rest, pattern = true, r.First(pattern)
		}
		switch {
		case r.Is(pattern, "identifier"):
			p.Name = r.Keep(r.Text(pattern))
		case r.Is(pattern, "object_pattern"):
			p.Name = r.Written(pattern)
		}
		p.Names = targets(r, pattern)
		params = append(params, p)
	}
	return params
}

// targets are the leaves that a pattern binds.
func targets(r *sitter.Reader, pattern sitter.Node) (leaves []sitter.Node) {
	r.Walk(pattern, func(n sitter.Node) bool {
		if n != pattern && r.Fields[r.Cells[n].Field] == "right" {
			return false
		}
		if r.Is(n, "identifier", "shorthand_property_identifier_pattern") {
			leaves = append(leaves, n)
		}
		return !r.Is(n, "member_expression", "subscript_expression", "computed_property_name", "non_null_expression")
	})
	return leaves
}

// function reads the declaration of a function.
func function(r *sitter.Reader, n sitter.Node) {
	name, params := r.Field(n, "name"), readParams(r, n)
	key := sitter.Join(r.At().Key, r.Text(name))
	if isOverload(r, n) {
		r.Skip(name)
	} else {
		key = r.Define(callable(r, code.Definition{Kind: code.Function, Visibility: visibility(r, n)}, n),
			sitter.Site{Whole: n, Name: name})
	}
	r.OpenFunction(n, key, params)
}

// functionValue reads a function in an expression, which has its name only inside of itself.
func functionValue(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.FunctionLevel, r.At().Key)
	if r.Is(n, "arrow_function") {
		awaits(r, r.Field(n, "body"))
	} else {
		r.At().Self = ""
	}
	if name := r.Field(n, "name"); name != 0 {
		r.Skip(name)
		r.Bind(r.Here, r.Text(name), sitter.Binding{At: name})
	}
	r.LocalParams(readParams(r, n))
}

// bases lead to what a class is made from.
func bases() []string {
	return []string{">class_heritage/>extends_clause/value", ">class_heritage/>implements_clause/*",
		">class_heritage/*"}
}

// classValue reads a class in an expression, which has its own name only inside of itself.
// One that a variable or an export names has been read with that.
func classValue(r *sitter.Reader, n sitter.Node) {
	if !r.Is(r.Parent(n), "variable_declarator", "export_statement", "assignment_expression") ||
		r.At().Level != sitter.TypeLevel {
		r.Bases(n, bases()...)
		r.Open(n, sitter.TypeLevel, r.At().Key)
	}
	if name := r.Field(n, "name"); name != 0 {
		r.Skip(name)
		r.Bind(r.Here, r.Text(name), sitter.Binding{At: name, Typ: r.At().Self})
	}
}

// memberName is the name of a member as others write it behind the dot.
func memberName(r *sitter.Reader, n sitter.Node) string { return r.Keep(unquoted(r.Text(n))) }

// member fills in what the modifiers of a member say.
func member(r *sitter.Reader, n, name sitter.Node) code.Definition {
	d := code.Definition{Name: memberName(r, name), Kind: code.Method}
	d.Visibility = memberVisibility(r, n, d.Name)
	d.Static, d.Abstract, d.Overrides = r.Has(n, "static", "static get"), r.Has(n, "abstract"),
		r.Has(n, "override_modifier")
	return d
}

// method reads a method with a body, be it of a class or of an object.
func method(r *sitter.Reader, n sitter.Node) {
	name, params := r.Field(n, "name"), readParams(r, n)
	key := r.At().Key
	switch {
	case r.InType() && r.Is(r.Parent(n), "class_body"):
		key = defineMethod(r, member(r, n, name), sitter.Site{Whole: n, Name: name})
	case isGiven(r, n):
		key = r.Define(callable(r, code.Definition{Name: memberName(r, name), Kind: code.Function,
			Visibility: code.Public}, n),
			sitter.Site{Whole: n})
	}
	r.Skip(name)
	self := r.At().Self
	r.Open(n, sitter.FunctionLevel, key)
	if !r.Is(r.Parent(n), "class_body") {
		self = ""
	}
	r.At().Self = self
	r.LocalParams(params)
	parameterFields(r, n)
}

// defineMethod lists a method; of the two that get and set a property, one Field.
func defineMethod(r *sitter.Reader, d code.Definition, s sitter.Site) string {
	d = callable(r, d, s.Whole)
	if r.Has(s.Whole, "get", "set", "static get") {
		d.Kind, d.Type, d.Result = code.Field, d.Result, ""
		if d.Type == "" && len(d.Params) == 1 {
			d.Type = d.Params[0].Type
		}
		d.Params = nil
		if r.Holds(r.At().Key, d.Name) {
			return sitter.Join(r.At().Key, d.Name)
		}
	}
	return r.Define(d, s)
}

// parameterFields lists the parameters of a constructor that are fields too.
func parameterFields(r *sitter.Reader, n sitter.Node) {
	for p := range r.Parts(r.Field(n, "parameters")) {
		name := r.Field(p, "pattern")
		if r.Is(name, "identifier") && (r.Has(p, "readonly", "accessibility_modifier", "override_modifier")) {
			r.Attribute(code.Definition{Kind: code.Field, Visibility: memberVisibility(r, p, ""),
				Type: typeAt(r, p, "type")}, r.At().Self, sitter.Site{Whole: p, Name: name})
		}
	}
}

// field reads a field of a class. One that holds a function is called like a method.
func field(r *sitter.Reader, n sitter.Node) {
	name, value := r.Find(n, "property name"), r.Field(n, "value")
	d := member(r, n, name)
	d.Kind, d.Type = code.Field, typeAt(r, n, "type")
	if r.Has(n, "?") {
		d.Type += "?"
	}
	if isFunction(r, value) {
		d.Kind = code.Method
		d = callable(r, d, value)
	}
	construct(r, r.Field(n, "type"), value)
	r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: n, Name: name, Value: value}))
}

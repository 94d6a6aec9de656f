//go:build cgo

package javascript

import (
	"iter"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// jsIsFunction reports whether an expression is a function written out.
func jsIsFunction(r *sitter.Reader, n sitter.Node) bool {
	return r.Is(n, "arrow_function", "function_expression", "generator_function")
}

// jsExported reports whether a declaration stands behind the word export, or declares what a .d.ts file is about.
func jsExported(r *sitter.Reader, n sitter.Node) bool {
	up := r.Parent(n)
	if r.Is(up, "ambient_declaration") {
		up = r.Parent(up)
		if up == 0 && strings.HasSuffix(r.Name, ".d.ts") {
			return true
		}
	}
	return r.Is(up, "export_statement")
}

// jsVisibility is that of a declaration which is no member.
func jsVisibility(r *sitter.Reader, n sitter.Node) code.Visibility {
	if jsExported(r, n) {
		return code.Public
	}
	return code.Private
}

// jsMemberVisibility is that of a member, of which modifiers may say more.
func jsMemberVisibility(r *sitter.Reader, n sitter.Node, name string) code.Visibility {
	switch modifier := r.Text(r.Child(n, "accessibility_modifier")); {
	case modifier == "private" || strings.HasPrefix(name, "#"):
		return code.Private
	case modifier == "protected":
		return code.Restricted
	}
	return code.Public
}

// jsCallable fills in what a function says of itself.
func jsCallable(r *sitter.Reader, d code.Definition, function sitter.Node) code.Definition {
	d.Params, d.Result, d.Async = sitter.ParamsOf(jsParams(r, function)), jsResult(r, function),
		r.Has(function, "async")
	return d
}

// jsResult is the declared type of a function's result.
func jsResult(r *sitter.Reader, n sitter.Node) string {
	return jsType(r, r.Field(n, "return_type"))
}

// jsType is the type in an annotation, without the colon in front.
func jsType(r *sitter.Reader, annotation sitter.Node) string {
	return r.Written(r.First(annotation))
}

// jsParams reads the parameters of a function.
func jsParams(r *sitter.Reader, function sitter.Node) (params []sitter.Parameter) {
	if name := r.Field(function, "parameter"); name != 0 {
		return []sitter.Parameter{{Param: code.Param{Name: r.Keep(r.Text(name))}, Whole: name,
			Names: []sitter.Node{name}}}
	}
	for n := range r.Parts(r.Field(function, "parameters")) {
		p := sitter.Parameter{Whole: n}
		p.Type = jsType(r, r.Field(n, "type"))
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
		p.Names = slices.Collect(jsLeaves(r, pattern))
		params = append(params, p)
	}
	return params
}

// jsLeaves goes through the leaves that a pattern binds.
func jsLeaves(r *sitter.Reader, pattern sitter.Node) iter.Seq[sitter.Node] {
	return func(yield func(sitter.Node) bool) {
		for n := pattern; pattern != 0 && n < r.Cells[pattern].After; n++ {
			field := r.Fields[r.Cells[n].Field]
			switch {
			case n != pattern && field == "right",
				r.Is(n, "member_expression", "subscript_expression", "computed_property_name", "non_null_expression"):
				n = r.Cells[n].After - 1
			case r.Is(n, "identifier", "shorthand_property_identifier_pattern") && !yield(n):
				return
			}
		}
	}
}

// jsFunction reads the declaration of a function.
func jsFunction(r *sitter.Reader, n sitter.Node) {
	name, params := r.Field(n, "name"), jsParams(r, n)
	key := sitter.Join(r.At().Key, r.Text(name))
	if jsIsOverload(r, n) {
		r.Skip(name)
	} else {
		key = r.Define(jsCallable(r, code.Definition{Kind: code.Function, Visibility: jsVisibility(r, n)}, n),
			sitter.Site{Whole: n, Name: name})
	}
	jsOpenFunction(r, n, key, params)
}

// jsOpenFunction begins a function. One without a body lists no Locals.
func jsOpenFunction(r *sitter.Reader, n sitter.Node, key string, params []sitter.Parameter) {
	if r.Field(n, "body") != 0 {
		r.Open(n, sitter.FunctionLevel, key)
		r.LocalParams(params)
		return
	}
	r.Open(n, sitter.BlockLevel, key)
	r.BindParams(params)
}

// jsFunctionValue reads a function in an expression, which has its name only inside of itself.
func jsFunctionValue(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.FunctionLevel, r.At().Key)
	if r.Is(n, "arrow_function") {
		jsAwaits(r, r.Field(n, "body"))
	} else {
		r.At().Self = ""
	}
	if name := r.Field(n, "name"); name != 0 {
		r.Skip(name)
		r.Bind(r.Here, r.Text(name), sitter.Binding{At: name})
	}
	r.LocalParams(jsParams(r, n))
}

// jsBases reads what a class is made from.
func jsBases(r *sitter.Reader, n sitter.Node) (bases []string) {
	add := func(e sitter.Node) {
		if leaf := r.LeafOf(e); leaf != 0 {
			r.Use(e, code.Inherit)
			bases = append(bases, r.Keep(r.Path(e)))
		}
	}
	heritage := r.Child(n, "class_heritage")
	for c := range r.Parts(heritage) {
		switch r.Kind(c) {
		case "extends_clause":
			for e := range r.InField(c, "value") {
				add(e)
			}
		case "implements_clause":
			for t := range r.Parts(c) {
				add(t)
			}
		default:
			add(c)
		}
	}
	return bases
}

// jsClass reads the declaration of a class.
func jsClass(r *sitter.Reader, n sitter.Node) {
	jsOpenClass(r, n, code.Definition{Kind: code.Class, Visibility: jsVisibility(r, n)},
		sitter.Site{Whole: n, Name: r.Field(n, "name"), Value: n})
}

// jsOpenClass defines the class that is written out in the site's value, and begins it at the node that is being read.
func jsOpenClass(r *sitter.Reader, n sitter.Node, d code.Definition, s sitter.Site) {
	d.Bases = jsBases(r, s.Value)
	r.Open(n, sitter.TypeLevel, r.Define(d, s))
}

// jsClassValue reads a class in an expression, which has its own name only inside of itself.
// One that a variable or an export names has been read with that.
func jsClassValue(r *sitter.Reader, n sitter.Node) {
	if !r.Is(r.Parent(n), "variable_declarator", "export_statement", "assignment_expression") ||
		r.At().Level != sitter.TypeLevel {
		jsBases(r, n)
		r.Open(n, sitter.TypeLevel, r.At().Key)
	}
	if name := r.Field(n, "name"); name != 0 {
		r.Skip(name)
		r.Bind(r.Here, r.Text(name), sitter.Binding{At: name, Typ: r.At().Self})
	}
}

// jsMemberName is the name of a member as others write it behind the dot.
func jsMemberName(r *sitter.Reader, n sitter.Node) string { return r.Keep(unquoted(r.Text(n))) }

// jsMember fills in what the modifiers of a member say.
func jsMember(r *sitter.Reader, n, name sitter.Node) code.Definition {
	d := code.Definition{Name: jsMemberName(r, name), Kind: code.Method}
	d.Visibility = jsMemberVisibility(r, n, d.Name)
	d.Static, d.Abstract, d.Overrides = r.Has(n, "static", "static get"), r.Has(n, "abstract"),
		r.Has(n, "override_modifier")
	return d
}

// jsMethod reads a method with a body, be it of a class or of an object.
func jsMethod(r *sitter.Reader, n sitter.Node) {
	name, params := r.Field(n, "name"), jsParams(r, n)
	key := r.At().Key
	switch {
	case r.InType() && r.Is(r.Parent(n), "class_body"):
		key = jsDefineMethod(r, jsMember(r, n, name), sitter.Site{Whole: n, Name: name})
	case jsIsGiven(r, n):
		key = r.Define(jsCallable(r, code.Definition{Name: jsMemberName(r, name), Kind: code.Function,
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
	jsParameterFields(r, n)
}

// jsDefineMethod lists a method; of the two that get and set a property, one Field.
func jsDefineMethod(r *sitter.Reader, d code.Definition, s sitter.Site) string {
	d = jsCallable(r, d, s.Whole)
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

// jsParameterFields lists the parameters of a constructor that are fields too.
func jsParameterFields(r *sitter.Reader, n sitter.Node) {
	for p := range r.Parts(r.Field(n, "parameters")) {
		name := r.Field(p, "pattern")
		if r.Is(name, "identifier") && (r.Has(p, "readonly", "accessibility_modifier", "override_modifier")) {
			r.Attribute(code.Definition{Kind: code.Field, Visibility: jsMemberVisibility(r, p, ""),
				Type: jsType(r, r.Field(p, "type"))}, r.At().Self, sitter.Site{Whole: p, Name: name})
		}
	}
}

// jsField reads a field of a class. One that holds a function is called like a method.
func jsField(r *sitter.Reader, n sitter.Node) {
	name := r.Field(n, "property")
	if name == 0 {
		name = r.Field(n, "name")
	}
	value := r.Field(n, "value")
	d := jsMember(r, n, name)
	d.Kind, d.Type = code.Field, jsType(r, r.Field(n, "type"))
	if r.Has(n, "?") {
		d.Type += "?"
	}
	if jsIsFunction(r, value) {
		d.Kind = code.Method
		d = jsCallable(r, d, value)
	}
	jsConstruct(r, r.Field(n, "type"), value)
	r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: n, Name: name, Value: value}))
}

//go:build cgo

package syntax

import (
	"iter"
	"slices"
	"strings"
)

// jsIsFunction reports whether an expression is a function written out.
func jsIsFunction(r *reader, n node) bool {
	return r.is(n, "arrow_function", "function_expression", "generator_function")
}

// jsExported reports whether a declaration stands behind the word export, or declares what a .d.ts file is about.
func jsExported(r *reader, n node) bool {
	up := r.parent(n)
	if r.is(up, "ambient_declaration") {
		up = r.parent(up)
		if up == 0 && strings.HasSuffix(r.name, ".d.ts") {
			return true
		}
	}
	return r.is(up, "export_statement")
}

// jsVisibility is that of a declaration which is no member.
func jsVisibility(r *reader, n node) Visibility {
	if jsExported(r, n) {
		return Public
	}
	return Private
}

// jsMemberVisibility is that of a member, of which modifiers may say more.
func jsMemberVisibility(r *reader, n node, name string) Visibility {
	switch modifier := r.text(r.child(n, "accessibility_modifier")); {
	case modifier == "private" || strings.HasPrefix(name, "#"):
		return Private
	case modifier == "protected":
		return Restricted
	}
	return Public
}

// jsCallable fills in what a function says of itself.
func jsCallable(r *reader, d Definition, function node) Definition {
	d.Params, d.Result, d.Async = paramsOf(jsParams(r, function)), jsResult(r, function), r.has(function, "async")
	return d
}

// jsResult is the declared type of a function's result.
func jsResult(r *reader, n node) string {
	return jsType(r, r.field(n, "return_type"))
}

// jsType is the type in an annotation, without the colon in front.
func jsType(r *reader, annotation node) string {
	return r.written(r.first(annotation))
}

// jsParams reads the parameters of a function.
func jsParams(r *reader, function node) (params []parameter) {
	if name := r.field(function, "parameter"); name != 0 {
		return []parameter{{Param{Name: r.keep(r.text(name))}, name, []node{name}}}
	}
	for n := range r.parts(r.field(function, "parameters")) {
		p := parameter{whole: n}
		p.Type = jsType(r, r.field(n, "type"))
		pattern := r.field(n, "pattern")
		switch {
		case r.is(n, "assignment_pattern"):
			pattern = r.field(n, "left")
		case pattern == 0:
			pattern = n
		case r.is(pattern, "this"):
			continue
		}
		p.Optional = r.is(n, "assignment_pattern", "optional_parameter") || r.field(n, "value") != 0
		if r.is(pattern, "rest_pattern") {
			p.Rest, pattern = true, r.first(pattern)
		}
		switch {
		case r.is(pattern, "identifier"):
			p.Name = r.keep(r.text(pattern))
		case r.is(pattern, "object_pattern"):
			p.Name = r.written(pattern)
		}
		p.names = slices.Collect(jsLeaves(r, pattern))
		params = append(params, p)
	}
	return params
}

// jsLeaves goes through the leaves that a pattern binds.
func jsLeaves(r *reader, pattern node) iter.Seq[node] {
	return func(yield func(node) bool) {
		for n := pattern; pattern != 0 && n < r.cells[pattern].after; n++ {
			field := r.fields[r.cells[n].field]
			switch {
			case n != pattern && field == "right",
				r.is(n, "member_expression", "subscript_expression", "computed_property_name", "non_null_expression"):
				n = r.cells[n].after - 1
			case r.is(n, "identifier", "shorthand_property_identifier_pattern") && !yield(n):
				return
			}
		}
	}
}

// jsFunction reads the declaration of a function.
func jsFunction(r *reader, n node) {
	name, params := r.field(n, "name"), jsParams(r, n)
	key := join(r.at().key, r.text(name))
	if jsIsOverload(r, n) {
		r.skip(name)
	} else {
		key = r.define(jsCallable(r, Definition{Kind: Function, Visibility: jsVisibility(r, n)}, n),
			site{whole: n, name: name})
	}
	jsOpenFunction(r, n, key, params)
}

// jsOpenFunction begins a function. One without a body lists no Locals.
func jsOpenFunction(r *reader, n node, key string, params []parameter) {
	if r.field(n, "body") != 0 {
		r.open(n, functionLevel, key)
		r.localParams(params)
		return
	}
	r.open(n, blockLevel, key)
	r.bindParams(params)
}

// jsFunctionValue reads a function in an expression, which has its name only inside of itself.
func jsFunctionValue(r *reader, n node) {
	r.open(n, functionLevel, r.at().key)
	if r.is(n, "arrow_function") {
		jsAwaits(r, r.field(n, "body"))
	} else {
		r.at().self = ""
	}
	if name := r.field(n, "name"); name != 0 {
		r.skip(name)
		r.bind(r.here, r.text(name), binding{at: name})
	}
	r.localParams(jsParams(r, n))
}

// jsBases reads what a class is made from.
func jsBases(r *reader, n node) (bases []string) {
	add := func(e node) {
		if leaf := r.leafOf(e); leaf != 0 {
			r.use(e, Inherit)
			bases = append(bases, r.keep(r.path(e)))
		}
	}
	heritage := r.child(n, "class_heritage")
	for c := range r.parts(heritage) {
		switch r.kind(c) {
		case "extends_clause":
			for e := range r.inField(c, "value") {
				add(e)
			}
		case "implements_clause":
			for t := range r.parts(c) {
				add(t)
			}
		default:
			add(c)
		}
	}
	return bases
}

// jsClass reads the declaration of a class.
func jsClass(r *reader, n node) {
	jsOpenClass(r, n, Definition{Kind: Class, Visibility: jsVisibility(r, n)},
		site{whole: n, name: r.field(n, "name"), value: n})
}

// jsOpenClass defines the class that is written out in the site's value, and begins it at the node that is being read.
func jsOpenClass(r *reader, n node, d Definition, s site) {
	d.Bases = jsBases(r, s.value)
	r.open(n, typeLevel, r.define(d, s))
}

// jsClassValue reads a class in an expression, which has its own name only inside of itself.
// One that a variable or an export names has been read with that.
func jsClassValue(r *reader, n node) {
	if !r.is(r.parent(n), "variable_declarator", "export_statement", "assignment_expression") ||
		r.at().level != typeLevel {
		jsBases(r, n)
		r.open(n, typeLevel, r.at().key)
	}
	if name := r.field(n, "name"); name != 0 {
		r.skip(name)
		r.bind(r.here, r.text(name), binding{at: name, typ: r.at().self})
	}
}

// jsMemberName is the name of a member as others write it behind the dot.
func jsMemberName(r *reader, n node) string { return r.keep(unquoted(r.text(n))) }

// jsMember fills in what the modifiers of a member say.
func jsMember(r *reader, n, name node) Definition {
	d := Definition{Name: jsMemberName(r, name), Kind: Method}
	d.Visibility = jsMemberVisibility(r, n, d.Name)
	d.Static, d.Abstract, d.Overrides = r.has(n, "static", "static get"), r.has(n, "abstract"),
		r.has(n, "override_modifier")
	return d
}

// jsMethod reads a method with a body, be it of a class or of an object.
func jsMethod(r *reader, n node) {
	name, params := r.field(n, "name"), jsParams(r, n)
	key := r.at().key
	switch {
	case r.inType() && r.is(r.parent(n), "class_body"):
		key = jsDefineMethod(r, jsMember(r, n, name), site{whole: n, name: name})
	case jsIsGiven(r, n):
		key = r.define(jsCallable(r, Definition{Name: jsMemberName(r, name), Kind: Function, Visibility: Public}, n),
			site{whole: n})
	}
	r.skip(name)
	self := r.at().self
	r.open(n, functionLevel, key)
	if !r.is(r.parent(n), "class_body") {
		self = ""
	}
	r.at().self = self
	r.localParams(params)
	jsParameterFields(r, n)
}

// jsDefineMethod lists a method; of the two that get and set a property, one Field.
func jsDefineMethod(r *reader, d Definition, s site) string {
	d = jsCallable(r, d, s.whole)
	if r.has(s.whole, "get", "set", "static get") {
		d.Kind, d.Type, d.Result = Field, d.Result, ""
		if d.Type == "" && len(d.Params) == 1 {
			d.Type = d.Params[0].Type
		}
		d.Params = nil
		if r.holds(r.at().key, d.Name) {
			return join(r.at().key, d.Name)
		}
	}
	return r.define(d, s)
}

// jsParameterFields lists the parameters of a constructor that are fields too.
func jsParameterFields(r *reader, n node) {
	for p := range r.parts(r.field(n, "parameters")) {
		name := r.field(p, "pattern")
		if r.is(name, "identifier") && (r.has(p, "readonly", "accessibility_modifier", "override_modifier")) {
			r.attribute(Definition{Kind: Field, Visibility: jsMemberVisibility(r, p, ""),
				Type: jsType(r, r.field(p, "type"))}, r.at().self, site{whole: p, name: name})
		}
	}
}

// jsField reads a field of a class. One that holds a function is called like a method.
func jsField(r *reader, n node) {
	name := r.field(n, "property")
	if name == 0 {
		name = r.field(n, "name")
	}
	value := r.field(n, "value")
	d := jsMember(r, n, name)
	d.Kind, d.Type = Field, jsType(r, r.field(n, "type"))
	if r.has(n, "?") {
		d.Type += "?"
	}
	if jsIsFunction(r, value) {
		d.Kind = Method
		d = jsCallable(r, d, value)
	}
	jsConstruct(r, r.field(n, "type"), value)
	r.open(n, nameLevel, r.define(d, site{whole: n, name: name, value: value}))
}

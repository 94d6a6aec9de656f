//go:build cgo

package syntax

import (
	"maps"
	"strings"

	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
)

func javascriptGrammar() *grammar {
	return &grammar{
		pointer:  javascript.Language,
		names:    []string{"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"},
		words:    map[string]bool{"this": true, "super": false},
		comments: []string{"comment", "html_comment", "hash_bang_line"},
		members:  map[string]access{"member_expression": {object: "object", member: "property"}},
		calls: map[string]call{
			"call_expression": {callee: "function", arguments: "arguments"},
			"new_expression":  {callee: "constructor", arguments: "arguments"},
		},
		inner:  map[string]string{"parenthesized_expression": ""},
		spread: []string{"spread_element"},
		infer: map[string]func(*reader, node, int32) (string, node){
			"new_expression":   jsTypeOfNew,
			"await_expression": func(r *reader, n node, _ int32) (string, node) { return "", r.first(n) },
		},
		nothing: []string{"null", "undefined"},
		// The grammar reads await in front of a parenthesis as a name in some places.
		builtin:      []string{"arguments", "await"},
		namedMembers: true,
		base:         "super",
		bare:         func(t string) string { return t },
		rules:        javascriptRules(),
	}
}

func javascriptRules() map[string]rule {
	return map[string]rule{
		"import_statement":      jsImport,
		"export_statement":      jsExport,
		"call_expression":       jsCall,
		"assignment_expression": jsAssignment,
		"await_expression":      func(r *reader, n node) { jsAwaits(r, r.first(n)) },
		"return_statement":      func(r *reader, n node) { jsAwaits(r, r.first(n)) },
		"pair":                  jsPair,

		"function_declaration":           jsFunction,
		"generator_function_declaration": jsFunction,
		"function_expression":            jsFunctionValue,
		"generator_function":             jsFunctionValue,
		"arrow_function":                 jsFunctionValue,
		"class_declaration":              jsClass,
		"class":                          jsClassValue,
		"method_definition":              jsMethod,
		"field_definition":               jsField,
		"class_static_block":             opens(functionLevel),

		"variable_declarator":      jsVariable,
		"statement_block":          jsBlock,
		"switch_body":              opens(blockLevel),
		"for_statement":            opens(blockLevel),
		"for_in_statement":         jsForIn,
		"catch_clause":             jsCatch,
		"switch_case":              func(r *reader, n node) { r.use(r.field(n, "value"), Match) },
		"jsx_opening_element":      jsElement,
		"jsx_self_closing_element": jsElement,
		"jsx_closing_element":      skipsAll,
		"jsx_namespace_name":       skipsAll,
	}
}

// withRules gives rules with others put in or in place.
func withRules(rules, more map[string]rule) map[string]rule {
	maps.Copy(rules, more)
	return rules
}

// unquoted is the text of a string without its quotes.
func unquoted(text string) string {
	if len(text) >= 2 && strings.ContainsRune("\"'`", rune(text[0])) {
		return text[1 : len(text)-1]
	}
	return text
}

func jsImport(r *reader, n node) {
	module, line, types := unquoted(r.text(r.field(n, "source"))), r.line(n), r.has(n, "type")
	clause := r.child(n, "import_clause", "import_require_clause")
	if clause == 0 {
		r.imports(Import{Module: module, Line: line}, 0)
		return
	}
	if r.is(clause, "import_require_clause") {
		name := r.first(clause)
		r.imports(Import{Module: unquoted(r.text(r.field(clause, "source"))), Name: r.text(name), TypeOnly: types,
			Line: line}, name)
		return
	}
	for c := range r.parts(clause) {
		switch r.kind(c) {
		case "identifier":
			r.imports(Import{Module: module, Member: "default", Name: r.text(c), TypeOnly: types, Line: line}, c)
		case "namespace_import":
			r.imports(Import{Module: module, Name: r.text(r.first(c)), TypeOnly: types, Line: line}, r.first(c))
		case "named_imports":
			for s := range r.parts(c) {
				name, alias := r.field(s, "name"), r.field(s, "alias")
				if alias == 0 {
					alias = name
				}
				r.skip(name)
				r.imports(Import{Module: module, Member: unquoted(r.text(name)), Name: r.text(alias), TypeOnly: types ||
					r.has(s, "type"), Line: r.line(s)}, alias)
			}
		}
	}
}

func jsExport(r *reader, n node) {
	source := r.field(n, "source")
	if source == 0 {
		jsExportOwn(r, n)
		return
	}
	i := Import{Module: unquoted(r.text(source)), Reexported: true, TypeOnly: r.has(n, "type"), Line: r.line(n)}
	clause := r.child(n, "export_clause", "namespace_export")
	switch {
	case clause == 0:
		i.Member = All
		r.imports(i, 0)
	case r.is(clause, "namespace_export"):
		skipsAll(r, clause)
		i.Name = unquoted(r.text(r.first(clause)))
		r.imports(i, 0)
	default:
		skipsAll(r, clause)
		types := i.TypeOnly
		for s := range r.parts(clause) {
			i.TypeOnly = types || r.has(s, "type")
			i.Member, i.Line = unquoted(r.text(r.field(s, "name"))), r.line(s)
			i.Name = i.Member
			if alias := r.field(s, "alias"); alias != 0 {
				i.Name = unquoted(r.text(alias))
			}
			r.imports(i, 0)
		}
	}
}

// jsExportOwn reads an export of what the file defines. What it says of a declaration is read where that is.
func jsExportOwn(r *reader, n node) {
	for s := range r.parts(r.child(n, "export_clause")) {
		name, alias := r.field(s, "name"), r.field(s, "alias")
		r.given[r.text(name)] = true
		r.skip(alias)
		if r.text(alias) == "default" {
			r.main = r.text(name)
		}
	}
	if r.has(n, "default") {
		r.main = r.text(r.field(r.field(n, "declaration"), "name"))
	}
	value := r.field(n, "value")
	switch {
	case r.has(n, "="):
		value = r.first(n)
	case r.has(n, "namespace"):
		skipsAll(r, n)
	}
	if value != 0 {
		jsGive(r, "default", site{whole: n, value: value})
	}
}

// jsGive reads a value that the file gives out under a name. One that has a name in the file is
// known by that, others by the name given here.
func jsGive(r *reader, name string, s site) {
	v := s.value
	if r.is(v, "identifier") {
		r.given[r.text(v)] = true
		if name == "default" {
			r.main = r.text(v)
		}
		return
	}
	d := Definition{Name: name, Kind: Constant, Visibility: Public}
	switch {
	case jsIsFunction(r, v):
		d.Kind = Function
		d = jsCallable(r, d, v)
	case r.is(v, "class"):
		d.Kind = Class
	}
	if own := r.field(v, "name"); own != 0 && d.Kind != Constant {
		d.Name = r.keep(r.text(own))
	}
	d.Name = r.keep(d.Name)
	if name == "default" {
		r.main = d.Name
	}
	if d.Kind == Class {
		jsOpenClass(r, s.whole, d, s)
		return
	}
	r.open(s.whole, nameLevel, r.define(d, s))
}

func jsCall(r *reader, n node) {
	callee, list := r.field(n, "function"), r.field(n, "arguments")
	switch {
	case r.is(list, "template_string"):
		r.uses(callee, Call, arguments{count: 1, spread: true})
	case r.is(callee, "import"):
		if s := r.first(list); r.is(s, "string") {
			r.imports(Import{Module: unquoted(r.text(s)), Line: r.line(n)}, 0)
		}
	case r.is(callee, "super"):
		jsSuper(r, callee, list)
	case r.is(callee, "identifier") && r.text(callee) == "require":
		if s := r.first(list); r.is(s, "string") {
			r.skip(callee)
			jsRequire(r, n, unquoted(r.text(s)))
		}
	case jsIsTest(r):
		jsTest(r, n, callee, list)
	}
	jsWaits(r, callee, list)
}

// jsAwaits says of a call that its value is awaited, or handed on.
func jsAwaits(r *reader, n node) {
	for r.is(n, "parenthesized_expression") {
		n = r.first(n)
	}
	if leaf := r.leafOf(r.field(n, "function")); leaf != 0 && r.is(n, "call_expression") {
		r.mark(leaf).awaited = true
	}
}

// jsWaits reads calls that wait for others: f().then(…), Promise.all([f(), g()]).
func jsWaits(r *reader, callee, list node) {
	if !r.is(callee, "member_expression") {
		return
	}
	object := r.field(callee, "object")
	switch r.text(r.field(callee, "property")) {
	case "then", "catch", "finally":
		jsAwaits(r, object)
	}
	if r.text(object) != "Promise" {
		return
	}
	for argument := range r.parts(list) {
		jsAwaits(r, argument)
		if r.is(argument, "array") {
			for e := range r.parts(argument) {
				jsAwaits(r, e)
			}
		}
	}
}

// jsSuper makes a call of the base class of a call of super.
func jsSuper(r *reader, callee, list node) {
	base := r.baseOf(r.at().self)
	if base == "" {
		return
	}
	m := r.mark(callee)
	m.use, m.args, m.name = Call, r.arguments(list), pathEnd(base)
	m.path = strings.TrimSuffix(strings.TrimSuffix(base, m.name), ".")
}

// jsRequire reads what a call of require is bound to: the module, one member of it, or several.
func jsRequire(r *reader, n node, module string) {
	i, to := Import{Module: module, Line: r.line(n)}, r.parent(n)
	if property := r.field(to, "property"); r.is(to, "member_expression") {
		r.skip(property)
		i.Member, to = r.text(property), r.parent(to)
	}
	name := r.field(to, "name")
	switch {
	case !r.is(to, "variable_declarator"):
		i.Member = ""
		r.imports(i, 0)
	case r.is(name, "identifier"):
		i.Name = r.text(name)
		r.imports(i, name)
	case i.Member != "" || !r.is(name, "object_pattern"):
		r.imports(i, 0)
	default:
		jsRequireParts(r, i, name)
	}
}

// jsRequireParts reads the members of a module that an object pattern takes. A member that is taken
// apart in turn is imported once for each part.
func jsRequireParts(r *reader, i Import, pattern node) {
	for p := range r.parts(pattern) {
		i.Member = r.text(p)
		switch r.kind(p) {
		case "pair_pattern":
			i.Member = unquoted(r.text(r.field(p, "key")))
			p = r.field(p, "value")
		case "object_assignment_pattern":
			i.Member = r.text(r.field(p, "left"))
		case "rest_pattern":
			i.Member = ""
		}
		for leaf := range jsLeaves(r, p) {
			i.Name = r.text(leaf)
			r.imports(i, leaf)
		}
	}
}

// jsRequires reports whether a variable's value is a module or a member of it.
func jsRequires(r *reader, value node) bool {
	if r.is(value, "member_expression") {
		value = r.field(value, "object")
	}
	callee := r.field(value, "function")
	return r.is(value, "call_expression") && r.is(callee, "identifier") && r.text(callee) == "require" &&
		r.is(r.first(r.field(value, "arguments")), "string")
}

// jsAssignment reads what is given out through module.exports, and what a constructor makes the fields of.
func jsAssignment(r *reader, n node) {
	left, right := r.field(n, "left"), r.field(n, "right")
	if r.is(left, "identifier") {
		r.rebind(r.text(left), left, right)
		return
	}
	object, property := r.field(left, "object"), r.field(left, "property")
	if !r.is(left, "member_expression") || object == 0 || property == 0 {
		return
	}
	switch path := r.path(left); {
	case path == "module.exports" && r.is(right, "object"):
		skipsAll(r, left)
		jsGiveAll(r, right)
	case path == "module.exports":
		skipsAll(r, left)
		jsGive(r, "default", site{whole: n, value: right})
	case r.is(object, "this") && r.at().self != "" && r.inFunction():
		name := r.text(property)
		r.attribute(Definition{Kind: Field, Visibility: jsMemberVisibility(r, 0, name)}, r.at().self,
			site{whole: n, name: property, value: right})
	default:
		if of := r.path(object); of == "exports" || of == "module.exports" {
			skipsAll(r, left)
			jsGive(r, r.text(property), site{whole: n, value: right})
		}
	}
}

// jsGiveAll gives out what an object's entries name. Entries that are functions in place are read where they stand.
func jsGiveAll(r *reader, object node) {
	for p := range r.parts(object) {
		value := p
		if r.is(p, "pair") {
			value = r.field(p, "value")
		}
		if r.is(value, "identifier", "shorthand_property_identifier") {
			r.given[r.text(value)] = true
		}
	}
}

// jsIsGiven reports whether an entry of an object is one of module.exports.
func jsIsGiven(r *reader, entry node) bool {
	to := r.parent(r.parent(entry))
	return r.is(to, "assignment_expression") && r.text(r.field(to, "left")) == "module.exports"
}

// jsPair defines a function that stands in module.exports.
func jsPair(r *reader, n node) {
	if value := r.field(n, "value"); jsIsFunction(r, value) && jsIsGiven(r, n) {
		jsGive(r, unquoted(r.text(r.field(n, "key"))), site{whole: n, value: value})
	}
}

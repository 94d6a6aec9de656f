//go:build cgo

package syntax

import (
	"slices"
	"strings"
)

// jsVariable reads one variable of a declaration: at the top of a file or a namespace a definition,
// in a function a Local.
func jsVariable(r *reader, n node) {
	name, value, declaration := r.field(n, "name"), r.field(n, "value"), r.parent(n)
	if jsRequires(r, value) {
		return
	}
	typ := jsType(r, r.field(n, "type"))
	jsConstruct(r, r.field(n, "type"), value)
	levels := jsLevels(r, declaration)
	scope := r.frames[r.around(levels...)].level
	s := site{whole: n, name: name, value: value}
	if r.first(declaration) == n && r.nextPart(n) == 0 {
		s.whole = declaration
	}
	if value == 0 {
		s.value = unset
	}
	d := Definition{Kind: Variable, Visibility: jsVisibility(r, declaration), Type: typ}
	if r.is(declaration+1, "const") {
		d.Kind = Constant
	}
	switch {
	case r.is(name, "identifier") && jsIsFunction(r, value):
		d.Kind = Function
		r.open(n, nameLevel, r.define(jsCallable(r, d, value), s))
	case r.is(name, "identifier") && r.is(value, "class"):
		d.Kind = Class
		jsOpenClass(r, n, d, s)
	case scope != fileLevel && scope != moduleLevel:
		jsLocals(r, typ, s, levels)
	case r.is(name, "identifier"):
		r.open(n, nameLevel, r.define(d, s))
	default:
		for leaf := range jsLeaves(r, name) {
			r.define(d, site{whole: s.whole, name: leaf})
		}
	}
}

// jsLevels are the frames in which a declaration binds its names.
func jsLevels(r *reader, declaration node) []level {
	if r.is(declaration, "variable_declaration") || r.text(r.field(declaration, "kind")) == "var" {
		return []level{functionLevel, moduleLevel, fileLevel}
	}
	return []level{blockLevel, functionLevel, moduleLevel, fileLevel}
}

// jsLocals binds the names of a pattern in a function.
func jsLocals(r *reader, typ string, s site, levels []level) {
	if r.is(s.name, "identifier") {
		r.local(typ, s, levels...)
		return
	}
	for leaf := range jsLeaves(r, s.name) {
		r.local("", site{name: leaf}, levels...)
	}
}

// jsBlock begins a block, unless it is the body of a namespace, which binds its names itself.
func jsBlock(r *reader, n node) {
	if !r.is(r.parent(n), "module", "internal_module") {
		r.open(n, blockLevel, r.at().key)
	}
}

func jsForIn(r *reader, n node) {
	r.open(n, blockLevel, r.at().key)
	if kind := r.field(n, "kind"); kind != 0 {
		jsLocals(r, "", site{name: r.field(n, "left")}, jsLevels(r, n))
	}
}

func jsCatch(r *reader, n node) {
	r.open(n, blockLevel, r.at().key)
	jsLocals(r, "", site{name: r.field(n, "parameter")}, []level{blockLevel})
}

func jsTypeOfNew(r *reader, n node, f int32) (string, node) {
	class := r.field(n, "constructor")
	if t := r.typeOf(class, f); r.isType(t) {
		return t, 0
	}
	if path := r.path(class); path != Expression && r.rootOf(class) != 0 {
		return path, 0
	}
	return "", 0
}

// jsConstruct reads an object that is written out for a declared type, or a string that is one of the type's members.
func jsConstruct(r *reader, annotation, value node) {
	typ := annotation
	if r.is(annotation, "type_annotation") {
		typ = r.first(annotation)
	}
	leaf := r.leafOf(typ)
	switch {
	case leaf == 0:
	case r.is(value, "object"):
		r.uses(typ, Construct, jsEntries(r, value))
	case r.is(value, "string"):
		if text := r.child(value, "string_fragment"); text != 0 {
			m := r.mark(text)
			m.use, m.typ = Match, r.keep(r.path(typ))
		}
	}
}

// jsEntries counts the entries of an object.
func jsEntries(r *reader, object node) (a arguments) {
	for p := range r.parts(object) {
		a.count++
		switch r.kind(p) {
		case "pair":
			a.named = append(a.named, jsMemberName(r, r.field(p, "key")))
		case "method_definition":
			a.named = append(a.named, jsMemberName(r, r.field(p, "name")))
		case "shorthand_property_identifier":
			a.named = append(a.named, r.keep(r.text(p)))
		case "spread_element":
			a.spread = true
		}
	}
	return a
}

// jsElement reads a JSX element, which makes a component if its name is not that of a tag of the language.
func jsElement(r *reader, n node) {
	name := r.field(n, "name")
	if r.is(name, "identifier") && !startsUpper(r.text(name)) {
		r.skip(name)
		return
	}
	var a arguments
	for p := range r.inField(n, "attribute") {
		a.count++
		if r.is(p, "jsx_attribute") {
			a.named = append(a.named, r.keep(r.text(r.first(p))))
		} else {
			a.spread = true
		}
	}
	if up := r.parent(n); r.is(up, "jsx_element") && r.nextPart(n) != r.field(up, "close_tag") {
		a.count, a.named = a.count+1, append(a.named, "children")
	}
	r.uses(name, Construct, a)
}

// jsIsTest tells the files in which test runners look for tests.
func jsIsTest(r *reader) bool {
	return strings.Contains(r.fileName(), ".test.") || strings.Contains(r.fileName(), ".spec.") ||
		slices.Contains(strings.Split(r.name, "/"), "__tests__")
}

// jsTest reads a call that makes a test or a group of tests: describe("…", () => …).
func jsTest(r *reader, n, callee, list node) {
	// it.only("…"), it.each(table)("…"), it.skip.each(table)("…")
	for range 4 {
		switch {
		case r.is(callee, "member_expression"):
			callee = r.field(callee, "object")
		case r.is(callee, "call_expression"):
			callee = r.field(callee, "function")
		}
	}
	if !r.is(callee, "identifier") || !slices.Contains([]string{"describe", "it", "test", "suite", "context"},
		r.text(callee)) {
		return
	}
	title, body := r.first(list), r.last(list)
	if !r.is(title, "string", "template_string") || !jsIsFunction(r, body) {
		return
	}
	d := Definition{Name: r.keep(unquoted(r.text(title))), Kind: Function, Visibility: Private, Test: true}
	r.open(n, nameLevel, r.define(d, site{whole: n}))
}

// jsIsOverload reports whether a function is declared again right behind, so that this is one of its signatures.
func jsIsOverload(r *reader, n node) bool {
	if r.field(n, "body") != 0 {
		return false
	}
	last := n
	for r.is(r.parent(last), "export_statement", "ambient_declaration") {
		last = r.parent(last)
	}
	next := r.nextPart(last)
	for r.is(next, "export_statement", "ambient_declaration") {
		next = r.first(next)
	}
	return r.is(next, "function_signature", "function_declaration", "generator_function_declaration",
		"method_signature", "abstract_method_signature", "method_definition") &&
		r.text(r.field(next, "name")) == r.text(r.field(n, "name"))
}

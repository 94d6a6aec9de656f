//go:build cgo

package syntax

import (
	"iter"
	"strings"
	"unicode"
)

// pythonNames goes through the names that a target binds.
func pythonNames(r *reader, target node) iter.Seq[node] {
	return func(yield func(node) bool) {
		for n := target; target != 0 && n < r.cells[target].after; n++ {
			switch {
			case r.is(n, "attribute", "subscript"):
				n = r.cells[n].after - 1
			case r.is(n, "identifier") && !yield(n):
				return
			}
		}
	}
}

func pythonAssignment(r *reader, n node) {
	left, typ, value := r.field(n, "left"), r.written(r.field(n, "type")), r.field(n, "right")
	if r.is(left, "attribute") {
		pythonAttribute(r, left, site{whole: n, value: value}, typ)
		return
	}
	if r.is(left, "identifier") {
		if key := pythonBind(r, typ, site{whole: n, name: left, value: value}); key != "" &&
			!r.is(value, "assignment") {
			r.open(n, nameLevel, key)
		}
		return
	}
	for name := range pythonNames(r, left) {
		pythonBind(r, "", site{whole: n, name: name})
	}
	for c := range r.parts(left) {
		if r.is(c, "attribute") {
			pythonAttribute(r, c, site{whole: n}, "")
		}
	}
}

// pythonBind binds a name that is assigned to, and returns the key of the definition that this
// makes, "" if it makes none.
func pythonBind(r *reader, typ string, s site) string {
	name := r.text(s.name)
	if r.inFunction() {
		if b := r.bound[place{r.around(functionLevel), name}]; r.binds[b].what != elsewhere {
			r.local(typ, s, functionLevel)
		}
		return ""
	}
	key, scope := join(r.at().key, name), r.around(typeLevel)
	switch {
	case name == "__all__":
		r.skip(s.name)
		return ""
	case scope != 0 && r.holds(r.at().key, name):
		r.skip(s.name)
		r.hold(r.at().key, name, binding{at: s.name, typ: typ, value: s.value, what: toNamed})
		return key
	case scope == 0 && r.bound[place{0, name}] != 0:
		r.skip(s.name)
		r.bind(0, name, binding{at: s.name, typ: typ, value: s.value, what: toNamed})
		return key
	}
	d := Definition{Kind: pythonVariableKind(name), Visibility: pythonVisibility(name), Type: typ}
	if scope != 0 {
		d.Kind, d.Static = Field, typ == ""
		if r.frames[scope].enum && !strings.HasPrefix(name, "_") {
			d.Kind, d.Static = Member, false
		}
	}
	return r.define(d, s)
}

func pythonVariableKind(name string) Kind {
	if name == strings.ToUpper(name) && strings.ContainsFunc(name, unicode.IsUpper) {
		return Constant
	}
	return Variable
}

// pythonAttribute lists a field that a method sets on its own object.
func pythonAttribute(r *reader, left node, s site, typ string) {
	object, self := r.field(left, "object"), r.at().self
	s.name = r.field(left, "attribute")
	if !r.is(object, "identifier") || s.name == 0 || self == "" || !r.inFunction() {
		return
	}
	if b := r.bound[place{r.around(functionLevel), r.text(object)}]; r.binds[b].typ != self {
		return
	}
	name := r.text(s.name)
	r.attribute(Definition{Kind: Field, Visibility: pythonVisibility(name), Type: typ}, self, s)
}

func pythonAugmented(r *reader, n node) {
	if left := r.field(n, "left"); r.is(left, "identifier") && r.inFunction() {
		pythonBind(r, "", site{whole: n, name: left})
	}
}

func pythonNamed(r *reader, n node) {
	if name := r.field(n, "name"); name != 0 {
		pythonBind(r, "", site{whole: n, name: name, value: r.field(n, "value")})
	}
}

func pythonTargets(r *reader, n node) {
	for name := range pythonNames(r, r.field(n, "left")) {
		if r.is(n, "for_in_clause") {
			r.local("", site{name: name}, blockLevel)
		} else {
			pythonBind(r, "", site{name: name})
		}
	}
}

// pythonAs reads `value as name`, which stands in with statements, except clauses and patterns.
func pythonAs(r *reader, n node) {
	target := r.child(n, "as_pattern_target")
	if target == 0 {
		target = r.last(n)
	}
	typ := ""
	if r.is(r.parent(n), "except_clause") {
		typ = r.path(r.first(n))
	}
	for name := range pythonNames(r, target) {
		pythonBind(r, typ, site{name: name})
	}
}

func pythonExcept(r *reader, n node) {
	if name := r.field(n, "alias"); r.is(name, "identifier") {
		pythonBind(r, r.written(r.field(n, "value")), site{name: name})
	}
}

func pythonOutside(r *reader, n node) {
	for name := range r.parts(n) {
		r.skip(name)
		if r.inFunction() {
			r.bind(r.around(functionLevel), r.text(name), binding{at: name, what: elsewhere})
		}
	}
}

func pythonImport(r *reader, n node) {
	skipsAll(r, n)
	for item := range r.inField(n, "name") {
		i := Import{Module: r.text(item), Line: r.line(item)}
		i.Name, _, _ = strings.Cut(i.Module, ".")
		if r.is(item, "aliased_import") {
			i.Module, i.Name = r.text(r.field(item, "name")), r.text(r.field(item, "alias"))
		}
		r.imports(i, item)
	}
}

func pythonImportFrom(r *reader, n node) {
	skipsAll(r, n)
	module := r.written(r.field(n, "module_name"))
	if r.child(n, "wildcard_import") != 0 {
		r.imports(Import{Module: module, Member: All, Line: r.line(n)}, n)
	}
	for item := range r.inField(n, "name") {
		i := Import{Module: module, Member: r.text(item), Name: r.text(item), Line: r.line(item)}
		if r.is(item, "aliased_import") {
			i.Member, i.Name = r.text(r.field(item, "name")), r.text(r.field(item, "alias"))
		}
		r.imports(i, item)
	}
}

func pythonKeyword(r *reader, n node) { r.skip(r.first(n)) }

// pythonPath reads what a pattern names: a bare name binds, a path is compared with, and so is a
// class before its parentheses.
func pythonPath(r *reader, n node) {
	if !strings.HasSuffix(r.kind(r.parent(n)), "pattern") {
		return
	}
	var names []node
	for name := range r.parts(n) {
		names = append(names, name)
	}
	if len(names) == 1 && !r.is(r.parent(n), "class_pattern") {
		pythonBind(r, "", site{name: names[0]})
		return
	}
	r.use(names[len(names)-1], Match)
	for i, name := range names[1:] {
		r.member(name, names[i])
		r.mark(name).path = r.source[r.cells[names[0]].start:r.cells[names[i]].end]
	}
}

// pythonCall makes no reference of super itself, and a call of the class of a call of cls.
func pythonCall(r *reader, n node) {
	callee, self := r.field(n, "function"), r.at().self
	switch r.text(callee) {
	case "super":
		r.skip(callee)
	case "cls":
		if b := r.bound[place{r.around(functionLevel), "cls"}]; self != "" && r.binds[b].typ == self {
			r.mark(callee).name = pathEnd(self)
		}
	}
}

func pythonSplat(r *reader, n node) {
	if name := r.first(n); r.is(name, "identifier") {
		pythonBind(r, "", site{name: name})
	}
}

// pythonQuotedType makes a reference of a type in quotes, if it is a mere name.
func pythonQuotedType(r *reader, n node) {
	text := r.child(r.child(n, "string"), "string_content")
	if text != 0 && !strings.ContainsFunc(r.text(text), func(c rune) bool {
		return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	}) {
		r.mark(text).use = Read
	}
}

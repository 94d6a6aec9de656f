//go:build cgo

package syntax

import (
	"slices"
	"strings"
)

// rubyBases lists what a class is made from, and the modules that it takes in.
func rubyBases(r *reader, n node) (bases []string) {
	take := func(base node) {
		if r.is(base, "constant", "scope_resolution") {
			r.use(base, Inherit)
			bases = append(bases, r.keep(r.path(base)))
		}
	}
	take(r.first(r.field(n, "superclass")))
	for part := range r.parts(r.field(n, "body")) {
		if r.is(part, "call") && slices.Contains([]string{"include", "extend", "prepend"},
			r.text(r.field(part, "method"))) {
			for argument := range r.parts(r.field(part, "arguments")) {
				take(argument)
			}
		}
	}
	return bases
}

func rubyClass(r *reader, n node) {
	name := r.field(n, "name")
	d := Definition{Kind: Class, Visibility: Public, Bases: rubyBases(r, n)}
	if r.is(n, "module") {
		d.Kind = Module
	}
	leaf := r.leafOf(name)
	d.Test = d.Kind == Class && rubyIsTest(r) &&
		(strings.HasSuffix(r.text(leaf), "Test") || strings.HasPrefix(r.text(leaf), "Test"))
	if scope := r.field(name, "scope"); scope != 0 {
		if path := r.path(scope); path != Expression {
			r.open(n, nameLevel, join(r.at().key, r.keep(path)))
		}
	}
	r.open(n, typeLevel, r.define(d, site{whole: n, name: leaf}))
}

// rubyConstant lists a constant, or the class that it is set to.
func rubyConstant(r *reader, n, name, value node) {
	maker := r.text(r.field(value, "receiver"))
	method := r.text(r.field(value, "method"))
	d := Definition{Kind: Constant, Visibility: Public, Static: r.inType()}
	if !(method == "new" && (maker == "Struct" || maker == "Class" || maker == "Module") ||
		maker == "Data" && method == "define") {
		r.open(n, nameLevel, r.define(d, site{whole: n, name: name, value: value}))
		return
	}
	d.Kind, d.Static = Class, false
	arguments := r.field(value, "arguments")
	if base := r.first(arguments); maker == "Class" && r.leafOf(base) != 0 {
		r.use(base, Inherit)
		d.Bases = []string{r.keep(r.path(base))}
	}
	r.open(n, typeLevel, r.define(d, site{whole: n, name: name}))
	if maker == "Struct" || maker == "Data" {
		rubyFields(r, arguments, Public)
	}
}

// rubyFields lists the fields that symbols or strings name.
func rubyFields(r *reader, list node, visibility Visibility) {
	for n := range r.parts(list) {
		if name := rubyNamed(r, n); name != "" {
			d := Definition{Name: r.keep(name), Kind: Field, Visibility: visibility}
			r.define(d, site{whole: n})
			r.hold(r.at().key, d.Name, binding{at: n, what: toNamed})
		}
	}
}

// rubyNamed is the name that a symbol or a string says, "" for others.
func rubyNamed(r *reader, n node) string {
	switch r.kind(n) {
	case "simple_symbol":
		return strings.TrimPrefix(r.text(n), ":")
	case "string":
		return r.text(r.child(n, "string_content"))
	}
	return ""
}

// rubyMemberVisibility is what stands around a definition, as in `private def f`, or else in front of it.
func rubyMemberVisibility(r *reader, n node) Visibility {
	if up := r.parent(n); r.is(up, "argument_list") {
		if s := rubySection(r.text(r.field(r.parent(up), "method"))); s != "" {
			return s
		}
	}
	if r.inType() && r.at().section != "" && !r.is(n, "singleton_method") {
		return r.at().section
	}
	return Public
}

func rubyMethod(r *reader, n node) {
	name, params := r.field(n, "name"), rubyParams(r, r.field(n, "parameters"))
	d := Definition{Kind: Function, Visibility: rubyMemberVisibility(r, n), Abstract: rubyIsAbstract(r, n)}
	for _, p := range params {
		if !r.is(p.whole, "block_parameter") {
			d.Params = append(d.Params, p.Param)
		}
	}
	s := site{whole: n, name: name}
	if r.inType() {
		d.Kind, d.Static = Method, r.is(n, "singleton_method") || r.is(r.parent(r.parent(n)), "singleton_class")
		d.Test = rubyIsTest(r) && strings.HasPrefix(r.text(name), "test_")
	}
	if !r.leaf(name) {
		d.Name, s.name = r.keep(r.text(name)), 0
		skipsAll(r, name)
		r.hold(r.at().key, d.Name, binding{at: n, what: toNamed})
	}
	r.open(n, functionLevel, r.define(d, s))
	r.localParams(params)
}

// rubyIsAbstract reports whether all that a method does is to say that others have to provide it.
func rubyIsAbstract(r *reader, n node) bool {
	body := r.field(n, "body")
	if r.is(body, "body_statement") {
		body = r.first(body)
	}
	return r.is(body, "call") && r.text(r.field(body, "method")) == "raise" &&
		r.text(r.first(r.field(body, "arguments"))) == "NotImplementedError"
}

// rubyParams reads the parameters of a method or a block. That for a block is among them, for its name.
func rubyParams(r *reader, list node) (params []parameter) {
	for n := range r.parts(list) {
		p, name := parameter{whole: n}, r.field(n, "name")
		switch r.kind(n) {
		case "identifier":
			name = n
		case "optional_parameter":
			p.Optional = true
		case "keyword_parameter":
			p.NamedOnly, p.Optional = true, r.field(n, "value") != 0
		case "splat_parameter", "forward_parameter":
			p.Rest = true
		case "hash_splat_parameter":
			p.Rest, p.NamedOnly = true, true
		case "hash_splat_nil":
			continue
		case "destructured_parameter":
			for c := n; c < r.cells[n].after; c++ {
				if r.is(c, "identifier") {
					p.names = append(p.names, c)
				}
			}
		}
		if name != 0 {
			p.Name, p.names = r.keep(r.text(name)), []node{name}
		}
		params = append(params, p)
	}
	return params
}

// rubyDirective reads the calls with which a file takes in others and a class says more about
// itself. It reports whether one is such.
func rubyDirective(r *reader, n, method, list node) bool {
	name := r.text(method)
	switch name {
	case "require", "require_relative", "load":
		rubyRequire(r, n, list, name)
	case "include", "extend", "prepend":
		if r.at().level != typeLevel {
			return false
		}
	case "attr_accessor", "attr_reader", "attr_writer":
		if r.at().level != typeLevel {
			return false
		}
		rubyFields(r, list, rubyMemberVisibility(r, n))
	case "alias_method":
		rubyAgain(r, n, rubyNamed(r, r.first(list)), rubyNamed(r, r.nextPart(r.first(list))))
	case "public", "protected", "private", "module_function", "private_class_method", "private_constant":
		rubyChange(r, list, rubySection(name))
	default:
		return false
	}
	r.skip(method)
	return true
}

// rubyAgain lists a method under a further name. One that the type has from elsewhere takes anything.
func rubyAgain(r *reader, n node, name, of string) {
	if !r.inType() || name == "" {
		return
	}
	d := Definition{Name: r.keep(name), Kind: Method, Visibility: Public,
		Params: []Param{{Rest: true}, {Rest: true, NamedOnly: true}}}
	for i := len(r.file.Definitions) - 1; i >= max(0, len(r.file.Definitions)-mostChanged); i-- {
		if o := r.file.Definitions[i]; o.Name == of && o.Container == r.at().key && o.Kind == Method {
			d.Params, d.Visibility, d.Static = o.Params, o.Visibility, o.Static
			break
		}
	}
	r.define(d, site{whole: n})
	r.hold(r.at().key, d.Name, binding{at: n, what: toNamed})
}

func rubyRequire(r *reader, n, list node, how string) {
	what := r.first(list)
	if !r.is(what, "string") || r.first(what) != r.last(what) {
		return
	}
	module := r.text(r.child(what, "string_content"))
	if how == "require_relative" && !strings.HasPrefix(module, ".") {
		module = "./" + module
	}
	r.imports(Import{Module: module, Member: All, Line: r.line(n)}, 0)
}

// mostChanged bounds how many definitions back a visibility is changed.
const mostChanged = 4000

// rubyChange sets the visibility of members that are named after their definition.
func rubyChange(r *reader, list node, visibility Visibility) {
	for n := range r.parts(list) {
		name := rubyNamed(r, n)
		if !r.holds(r.at().key, name) {
			continue
		}
		for i := len(r.file.Definitions) - 1; i >= max(0, len(r.file.Definitions)-mostChanged); i-- {
			if d := &r.file.Definitions[i]; d.Name == name && d.Container == r.at().key {
				d.Visibility = visibility
				break
			}
		}
	}
}

// rubyTest lists the tests, and the groups of tests, that are calls with a text and a block. It
// reports whether the call makes one.
func rubyTest(r *reader, n, method node) bool {
	what, block := r.first(r.field(n, "arguments")), r.field(n, "block")
	switch r.text(method) {
	case "it", "test", "specify", "describe", "context", "feature", "scenario":
	default:
		return false
	}
	name := rubyNamed(r, what)
	if r.is(what, "constant", "scope_resolution") {
		name = r.path(what)
	}
	if name == "" || block == 0 || !rubyIsTest(r) {
		return false
	}
	r.skip(method)
	d := Definition{Name: r.keep(name), Kind: Function, Visibility: Private, Test: true}
	r.open(n, functionLevel, r.define(d, site{whole: n}))
	return true
}

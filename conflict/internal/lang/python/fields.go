//go:build cgo

package syntax

import (
	"slices"
	"strings"
)

// mostFieldSteps bounds how many bases and statements are looked at for the fields of one class.
const mostFieldSteps = 400

// pythonInit lists the __init__ that a class is given from its fields, unless it writes its own
// or has a base whose fields the file does not show.
func pythonInit(r *reader, whole node) {
	n := pythonClassOf(r, whole)
	if !pythonIsMade(r, whole) || pythonWrites(r, n, "__init__") {
		return
	}
	steps := mostFieldSteps
	if params, known := pythonMadeParams(r, whole, &steps); known {
		r.define(Definition{Name: "__init__", Kind: Method, Visibility: Public, Params: params},
			site{whole: r.child(n, "class")})
	}
}

// pythonClassOf is the class inside of its decorators.
func pythonClassOf(r *reader, whole node) node {
	if r.is(whole, "decorated_definition") {
		return r.field(whole, "definition")
	}
	return whole
}

// pythonIsMade reports whether a class is given its __init__ by a decorator or by NamedTuple.
func pythonIsMade(r *reader, whole node) bool {
	for base := range r.parts(r.field(pythonClassOf(r, whole), "superclasses")) {
		if r.text(r.leafOf(base)) == "NamedTuple" {
			return true
		}
	}
	maker, call := pythonMaker(r, whole)
	return maker != "" && r.text(pythonOption(r, call, "init")) != "False"
}

// pythonMaker is the decorator that makes a class from its fields, "" if there is none, and the
// expression in which it stands.
func pythonMaker(r *reader, whole node) (maker string, in node) {
	for d := range r.parts(whole) {
		if !r.is(d, "decorator") {
			continue
		}
		in, callee := r.first(d), r.first(d)
		if r.is(in, "call") {
			callee = r.field(in, "function")
		}
		switch maker := r.text(callee); maker {
		case "dataclass", "dataclasses.dataclass", "pydantic.dataclasses.dataclass",
			"attr.s", "attr.attrs", "attr.define", "attr.frozen", "attr.mutable",
			"attrs.define", "attrs.frozen", "attrs.mutable", "define", "frozen", "mutable":
			return maker, in
		}
	}
	return "", 0
}

// pythonOption is the value of a call's argument by name, 0 if it has none.
func pythonOption(r *reader, call node, name string) node {
	for a := range r.parts(r.field(call, "arguments")) {
		if r.is(a, "keyword_argument") && r.text(r.field(a, "name")) == name {
			return r.field(a, "value")
		}
	}
	return 0
}

// pythonWrites reports whether a class has a method of the name in its body.
func pythonWrites(r *reader, class node, name string) bool {
	for part := range r.parts(r.field(class, "body")) {
		if f := pythonClassOf(r, part); r.is(f, "function_definition") && r.text(r.field(f, "name")) == name {
			return true
		}
	}
	return false
}

// pythonMadeParams gives a parameter for each field of a class: those of its bases first, from the last base on.
// known is false if one of the bases comes from elsewhere and may have fields, or if no steps are left.
func pythonMadeParams(r *reader, whole node, steps *int) (params []Param, known bool) {
	class := pythonClassOf(r, whole)
	for _, base := range slices.Backward(slices.Collect(r.parts(r.field(class, "superclasses")))) {
		inherited, known := pythonBaseParams(r, base, steps)
		if !known {
			return nil, false
		}
		for _, p := range inherited {
			params = pythonWith(params, p)
		}
	}
	if !pythonIsMade(r, whole) {
		return params, true
	}
	maker, call := pythonMaker(r, whole)
	namedOnly := r.text(pythonOption(r, call, "kw_only")) == "True"
	for part := range r.parts(r.field(class, "body")) {
		if *steps--; *steps < 0 {
			return nil, false
		}
		p, ok := pythonField(r, r.first(part))
		switch {
		case pathEnd(p.Type) == "KW_ONLY":
			namedOnly = true
		case ok:
			p.NamedOnly = p.NamedOnly || namedOnly
			if maker != "" && pathEnd(maker) != "dataclass" {
				p.Name = strings.TrimLeft(p.Name, "_") // attrs calls them so
			}
			params = pythonWith(params, p)
		}
	}
	return params, true
}

// pythonBaseParams gives the parameters of a base's fields. The bases of the language itself have none.
func pythonBaseParams(r *reader, base node, steps *int) (params []Param, known bool) {
	if *steps--; *steps < 0 {
		return nil, false
	}
	if r.is(base, "subscript") {
		base = r.field(base, "value")
	}
	switch name := r.text(r.leafOf(base)); name {
	case "ABC", "Generic", "Protocol", "NamedTuple":
		return nil, true
	default:
		b := r.bound[place{0, name}]
		whole := r.binds[b].at
		switch {
		case r.is(base, "keyword_argument"), r.is(base, "identifier") && b == 0:
			return nil, true
		case r.is(base, "identifier") && r.is(pythonClassOf(r, whole), "class_definition"):
			return pythonMadeParams(r, whole, steps)
		}
		return nil, false
	}
}

// pythonWith adds a parameter, or puts it in the place of one with its name.
func pythonWith(params []Param, p Param) []Param {
	if i := slices.IndexFunc(params, func(o Param) bool { return o.Name == p.Name }); i >= 0 {
		params[i] = p
		return params
	}
	return append(params, p)
}

// pythonField reads `name: type = value` in the body of a class, with what the value says if it
// calls field and its like.
func pythonField(r *reader, n node) (p Param, ok bool) {
	left, value := r.field(n, "left"), r.field(n, "right")
	if !r.is(n, "assignment") || !r.is(left, "identifier") {
		return p, false
	}
	p = Param{Name: r.keep(r.text(left)), Type: r.written(r.field(n, "type")), Optional: value != 0}
	outer, _, _ := strings.Cut(p.Type, "[")
	called := false
	switch r.text(r.leafOf(r.field(value, "function"))) {
	case "ib", "attrib", "field":
		called = true
		p.Optional = max(pythonOption(r, value, "default"), pythonOption(r, value, "default_factory"),
			pythonOption(r, value, "factory")) != 0
		p.NamedOnly = r.text(pythonOption(r, value, "kw_only")) == "True"
	}
	return p, pathEnd(outer) != "ClassVar" && (p.Type != "" || called) &&
		r.text(pythonOption(r, value, "init")) != "False"
}

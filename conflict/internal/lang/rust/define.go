//go:build cgo

package syntax

import (
	"strconv"
)

// rustModifier reads what an item says of its visibility, if it does.
func rustModifier(r *reader, item node, otherwise Visibility) Visibility {
	switch r.text(r.child(item, "visibility_modifier")) {
	case "":
		return otherwise
	case "pub":
		return Public
	}
	return Restricted
}

// rustVisibility is that of an item. Members of traits are visible where the trait is, and other
// members in their module,
// as far as they do not say so themselves.
func rustVisibility(r *reader, n node) Visibility {
	owner := r.parent(r.parent(n))
	switch {
	case r.inFunction():
		return Private
	case r.is(owner, "trait_item"):
		return rustModifier(r, owner, Private)
	case r.is(owner, "impl_item") && r.field(owner, "trait") != 0:
		return Public
	case r.inType():
		return rustModifier(r, n, Private)
	}
	return rustModifier(r, n, Private)
}

func rustModule(r *reader, n node) {
	d := Definition{Kind: Module, Visibility: rustVisibility(r, n), Test: rustAttributed(r, n, rustIsTest(r))}
	key := r.define(d, site{whole: n, name: r.field(n, "name")})
	if r.field(n, "body") != 0 {
		r.open(n, moduleLevel, key)
	}
}

// rustOpenType begins the body of a type, in which Self stands for it.
func rustOpenType(r *reader, n node, key string) {
	r.open(n, typeLevel, key)
	r.bind(r.here, "Self", binding{at: n, typ: key, what: toType})
}

// rustType makes a rule for the declarations of types of a kind.
func rustType(kind Kind) rule {
	return func(r *reader, n node) {
		d := Definition{Kind: kind, Visibility: rustVisibility(r, n)}
		for bound := range r.parts(r.field(n, "bounds")) {
			if leaf := r.leafOf(bound); leaf != 0 {
				r.use(bound, Inherit)
				d.Bases = append(d.Bases, r.keep(r.path(bound)))
			}
		}
		rustOpenType(r, n, r.define(d, site{whole: n, name: r.field(n, "name")}))
	}
}

// rustImpl begins the methods of a type, whichever file defines it. Of one that is not in the file
// it lists a part, with the trait.
func rustImpl(r *reader, n node) {
	typ, trait := r.field(n, "type"), r.field(n, "trait")
	name := r.keep(r.text(r.leafOf(typ)))
	if name == "" {
		name = r.written(rustInside(r, typ))
	}
	key := join(r.at().key, name)
	if leaf := r.leafOf(trait); leaf != 0 {
		r.use(trait, Inherit)
		d := Definition{Name: name, Kind: Class, Visibility: Restricted, Bases: []string{r.keep(r.path(trait))},
			Partial: true}
		r.giveWay(d, site{whole: n})
	}
	rustOpenType(r, n, key)
}

// rustInside is the type that references and pointers lead to.
func rustInside(r *reader, typ node) node {
	for r.is(typ, "reference_type", "pointer_type", "parenthesized_type") {
		typ = r.last(typ)
	}
	return typ
}

// rustVariant lists a member of an enumeration. Its type is what it holds.
func rustVariant(r *reader, n node) {
	d := Definition{Kind: Member, Visibility: rustModifier(r, r.parent(r.parent(n)), Private),
		Type: r.written(r.field(n, "body"))}
	r.open(n, nameLevel, r.define(d, site{whole: n, name: r.field(n, "name")}))
}

// rustField lists a field. Those of a member of an enumeration are visible where that is.
func rustField(r *reader, n node) {
	d := Definition{Kind: Field, Visibility: rustModifier(r, n, Private), Type: r.written(r.field(n, "type"))}
	if v := r.parent(r.parent(n)); r.is(v, "enum_variant") {
		d.Visibility = rustModifier(r, r.parent(r.parent(v)), Private)
	}
	r.open(n, nameLevel, r.define(d, site{whole: n, name: r.field(n, "name")}))
}

// rustTuple lists the fields of a type that have numbers for names.
func rustTuple(r *reader, n node) {
	if !r.is(r.parent(n), "struct_item") {
		return
	}
	count, word := 0, ""
	for part := range r.parts(n) {
		if r.is(part, "visibility_modifier") {
			word = r.text(part)
		}
		if r.is(part, "visibility_modifier", "attribute_item") {
			continue
		}
		d := Definition{Name: strconv.Itoa(count), Kind: Field, Visibility: Restricted, Type: r.written(part)}
		switch word {
		case "":
			d.Visibility = Private
		case "pub":
			d.Visibility = Public
		}
		r.define(d, site{whole: part})
		r.hold(r.at().key, d.Name, binding{at: part, typ: d.Type, what: toNamed})
		count, word = count+1, ""
	}
}

func rustFunction(r *reader, n node) {
	d := Definition{
		Kind: Function, Visibility: rustVisibility(r, n), Result: r.written(r.field(n, "return_type")),
		Test: rustAttributed(r, n, rustIsTest(r)),
	}
	list := r.field(n, "parameters")
	params := rustParams(r, list)
	d.Params, d.Async = paramsOf(params), r.has(r.child(n, "function_modifiers"), "async")
	if r.inType() {
		d.Kind, d.Abstract = Method, r.field(n, "body") == 0
		d.Static = !rustTakesSelf(r, list)
		d.Overrides = r.field(r.parent(r.parent(n)), "trait") != 0
	}
	key := r.define(d, site{whole: n, name: r.field(n, "name")})
	if r.field(n, "body") == 0 {
		r.open(n, blockLevel, key)
		for _, p := range params {
			r.skip(p.names...)
		}
		return
	}
	r.open(n, functionLevel, key)
	r.localParams(params)
}

// rustTakesSelf reports whether a list of parameters begins with the receiver.
func rustTakesSelf(r *reader, list node) bool {
	first := r.first(list)
	return r.is(first, "self_parameter") || r.is(r.field(first, "pattern"), "self")
}

// rustParams reads the parameters of a function or a closure, without the receiver.
func rustParams(r *reader, list node) (params []parameter) {
	for n := range r.parts(list) {
		p, pattern := parameter{whole: n}, n
		switch r.kind(n) {
		case "self_parameter", "attribute_item":
			continue
		case "variadic_parameter":
			p.Rest, pattern = true, r.field(n, "pattern")
		case "parameter":
			p.Type, pattern = r.written(r.field(n, "type")), r.field(n, "pattern")
		default:
			if r.is(list, "parameters") {
				p.Type, pattern = r.written(n), 0
			}
		}
		if r.is(pattern, "self") {
			continue
		}
		p.names = rustBound(r, pattern)
		p.Name = r.keep(r.text(rustSimple(r, pattern)))
		params = append(params, p)
	}
	return params
}

// rustValue makes a rule for the declarations of constants and of global variables.
func rustValue(kind Kind) rule {
	return func(r *reader, n node) {
		name, value := r.field(n, "name"), r.field(n, "value")
		if r.text(name) == "_" {
			r.skip(name)
			return
		}
		d := Definition{Kind: kind, Visibility: rustVisibility(r, n), Type: r.written(r.field(n, "type")),
			Static: r.inType()}
		d.Abstract = r.inType() && value == 0
		r.open(n, nameLevel, r.define(d, site{whole: n, name: name, value: value}))
	}
}

func rustAlias(r *reader, n node) {
	d := Definition{Kind: Type, Visibility: rustVisibility(r, n), Type: r.written(r.field(n, "type")),
		Abstract: r.is(n, "associated_type")}
	r.open(n, nameLevel, r.define(d, site{whole: n, name: r.field(n, "name")}))
}

func rustTypeParameter(r *reader, n node) {
	if name := r.field(n, "name"); name != 0 {
		r.skip(name)
		r.bind(r.here, r.text(name), binding{at: name, what: toType})
	}
}

// rustFunctionType leaves out the names of parameters in the type of a function.
func rustFunctionType(r *reader, n node) {
	for p := range r.parts(r.field(n, "parameters")) {
		r.skip(r.field(p, "pattern"))
	}
}

// rustMacro lists a macro. Its parameters depend on the rule that is taken, so that it lists none.
func rustMacro(r *reader, n node) {
	d := Definition{Kind: Macro, Visibility: Restricted}
	if rustAttributed(r, n, func(a node) bool { return r.text(r.first(a)) == "macro_export" }) {
		d.Visibility = Public
	}
	r.open(n, nameLevel, r.define(d, site{whole: n, name: r.field(n, "name")}))
}

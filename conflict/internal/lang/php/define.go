//go:build cgo

package syntax

import (
	"iter"
	"strings"
)

// phpVisibility is what a member says of itself. Without a word, as for all that is no member, it is public.
func phpVisibility(r *reader, n node) Visibility {
	for c := range phpHead(r, n) {
		switch text := r.text(c); {
		case !r.is(c, "visibility_modifier"):
		case strings.HasPrefix(text, "private"):
			return Private
		case strings.HasPrefix(text, "protected"):
			return Restricted
		}
	}
	return Public
}

// phpHead goes through what a declaration says before it comes to what it declares.
func phpHead(r *reader, declaration node) iter.Seq[node] {
	return func(yield func(node) bool) {
		for c := range r.parts(declaration) {
			if r.is(c, "const_element", "property_element") || !yield(c) {
				return
			}
		}
	}
}

// phpDeclared gives what a declaration of constants or fields says of each of them.
func phpDeclared(r *reader, declaration node, kind Kind) Definition {
	d := Definition{Kind: kind, Visibility: phpVisibility(r, declaration)}
	for c := range phpHead(r, declaration) {
		if r.is(c, "static_modifier") {
			d.Static = true
		}
		if f := r.cells[c].field; f != 0 && r.fields[f] == "type" {
			d.Type = r.written(c)
		}
	}
	return d
}

// phpAttributed reports whether a declaration has an attribute of the name.
func phpAttributed(r *reader, n node, name string) bool {
	for group := range r.parts(r.field(n, "attributes")) {
		for a := range r.parts(group) {
			if r.text(r.leafOf(r.first(a))) == name {
				return true
			}
		}
	}
	return false
}

// phpBases lists what a type extends, implements, and takes in as traits.
func phpBases(r *reader, n node) (bases []string) {
	take := func(list node) {
		for base := range r.parts(list) {
			if r.is(base, "name", "qualified_name") {
				r.use(r.leafOf(base), Inherit)
				bases = append(bases, r.keep(phpDotted(r.text(base))))
			}
		}
	}
	take(r.child(n, "base_clause"))
	take(r.child(n, "class_interface_clause"))
	for part := range r.parts(r.field(n, "body")) {
		if r.is(part, "use_declaration") {
			take(part)
		}
	}
	return bases
}

// phpType makes a rule for the declarations of types of a kind.
func phpType(kind Kind) rule {
	return func(r *reader, n node) {
		name := r.field(n, "name")
		d := Definition{Kind: kind, Visibility: Public, Bases: phpBases(r, n),
			Test: strings.HasSuffix(r.text(name), "Test")}
		r.open(n, typeLevel, r.define(d, site{whole: n, name: name}))
	}
}

// phpAnonymous begins a class without a name. What it defines stands in the definition around it.
func phpAnonymous(r *reader, n node) {
	phpBases(r, n)
	r.open(n, typeLevel, r.at().key)
}

func phpCase(r *reader, n node) {
	d := Definition{Kind: Member, Visibility: Public}
	r.open(n, nameLevel, r.define(d, site{whole: n, name: r.field(n, "name")}))
}

// phpOnly is what a declaration declares, 0 if that is several things.
func phpOnly(r *reader, declaration node) (only node) {
	for n := range r.parts(declaration) {
		if !r.is(n, "const_element", "property_element") {
			continue
		}
		if only != 0 {
			return 0
		}
		only = n
	}
	return only
}

// phpAlone makes a rule for declarations that reads those of one element as a whole.
func phpAlone(read func(r *reader, declaration, element, whole node)) rule {
	return func(r *reader, n node) {
		if only := phpOnly(r, n); only != 0 {
			read(r, n, only, n)
		}
	}
}

// phpOneOf makes a rule for elements that reads those of declarations with several.
func phpOneOf(read func(r *reader, declaration, element, whole node)) rule {
	return func(r *reader, n node) {
		if up := r.parent(n); phpOnly(r, up) == 0 {
			read(r, up, n, n)
		}
	}
}

func phpConstant(r *reader, declaration, element, whole node) {
	d := phpDeclared(r, declaration, Constant)
	d.Static = r.inType()
	r.open(whole, nameLevel, r.define(d, site{whole: whole, name: r.first(element), value: r.last(element)}))
}

// phpProperty lists a field, without the sign in front of its name.
func phpProperty(r *reader, declaration, element, whole node) {
	d := phpDeclared(r, declaration, Field)
	value := r.field(element, "default_value")
	if value == 0 {
		value = unset
	}
	r.open(whole, nameLevel, r.define(d, site{whole: whole, name: r.first(r.field(element, "name")), value: value}))
}

func phpFunction(r *reader, n node) {
	name, params := r.field(n, "name"), phpParams(r, r.field(n, "parameters"))
	d := Definition{Kind: Function, Visibility: phpVisibility(r, n), Params: paramsOf(params),
		Result: r.written(r.field(n, "return_type"))}
	if r.inType() {
		d.Kind, d.Static, d.Overrides = Method, r.has(n, "static_modifier"), phpAttributed(r, n, "Override")
		d.Abstract = r.field(n, "body") == 0
		d.Test = strings.HasSuffix(r.at().self, "Test") && strings.HasPrefix(r.text(name), "test") ||
			phpAttributed(r, n, "Test")
	}
	for _, p := range params {
		if r.is(p.whole, "property_promotion_parameter") {
			field := Definition{Name: p.Name, Kind: Field, Visibility: phpVisibility(r, p.whole), Type: p.Type}
			r.define(field, site{whole: p.whole, name: r.first(p.names[0])})
		}
	}
	key := r.define(d, site{whole: n, name: name})
	if r.field(n, "body") == 0 {
		r.open(n, blockLevel, key)
		return
	}
	r.open(n, functionLevel, key)
	r.localParams(params)
}

// phpParams reads parameters, which have no sign in front where arguments name them.
func phpParams(r *reader, list node) (params []parameter) {
	for n := range r.parts(list) {
		name := r.field(n, "name")
		if r.is(name, "by_ref") {
			name = r.first(name)
		}
		if !r.is(name, "variable_name") {
			continue
		}
		p := Param{
			Name: r.keep(r.text(r.first(name))), Type: r.written(r.field(n, "type")),
			Optional: r.field(n, "default_value") != 0, Rest: r.is(n, "variadic_parameter"),
		}
		params = append(params, parameter{p, n, []node{name}})
	}
	return params
}

// phpDefine lists the constant that a call of define makes, and the name that one of class_alias gives to a class.
func phpDefine(r *reader, n node) {
	list := r.field(n, "arguments")
	argument := r.first(r.first(list))
	if r.text(r.field(n, "function")) == "class_alias" {
		phpClassAlias(r, n, argument, r.first(r.nextPart(r.first(list))))
		return
	}
	if r.text(r.field(n, "function")) != "define" || !r.is(argument, "string", "encapsed_string") {
		return
	}
	if name := r.first(argument); r.is(name, "string_content") && !r.inFunction() {
		r.define(Definition{Kind: Constant, Visibility: Public}, site{whole: n, name: name})
	}
}

// phpClassAlias lists a further name of a class, if it is one of the file's own namespace.
func phpClassAlias(r *reader, n, class, name node) {
	before, last := "", strings.TrimPrefix(strings.ReplaceAll(strings.Trim(r.text(name), `"'`), `\\`, `\`), `\`)
	if i := strings.LastIndexByte(last, '\\'); i >= 0 {
		before, last = last[:i], last[i+1:]
	}
	if r.is(name, "string", "encapsed_string") && before == r.file.Package && last != "" {
		r.define(Definition{Name: r.keep(last), Kind: Type, Visibility: Public,
			Type: r.keep(r.text(r.leafOf(r.first(class))))}, site{whole: n})
	}
}

func phpClosure(r *reader, n node) {
	r.open(n, functionLevel, r.at().key)
	r.localParams(phpParams(r, r.field(n, "parameters")))
}

// phpVariables lists the variables that a target sets.
func phpVariables(r *reader, target node) (all []node) {
	for n := target; target != 0 && n < r.cells[target].after; n++ {
		switch {
		case r.is(n, "variable_name"):
			all = append(all, n)
		case strings.Contains(r.kind(n), "access_expression") ||
			r.is(n, "subscript_expression", "member_call_expression", "dynamic_variable_name"):
			n = r.cells[n].after - 1
		}
	}
	return all
}

// phpLocal lists a variable of a function. What is not in one is known to the whole file and is no definition.
func phpLocal(r *reader, typ string, s site) {
	if b := r.bound[place{r.around(functionLevel), r.text(s.name)}]; r.text(s.name) != "$this" &&
		r.binds[b].what != elsewhere {
		r.local(typ, s, functionLevel)
	}
}

func phpAssignment(r *reader, n node) {
	left := r.field(n, "left")
	if r.is(left, "variable_name") {
		phpLocal(r, "", site{whole: n, name: left, value: r.field(n, "right")})
		return
	}
	if r.is(left, "list_literal", "array_creation_expression") {
		for _, name := range phpVariables(r, left) {
			phpLocal(r, "", site{whole: n, name: name})
		}
	}
}

// phpForEach reads what stands between `as` and the body.
func phpForEach(r *reader, n node) {
	after := r.child(n, "as")
	for c := range r.parts(n) {
		if after != 0 && c > after && c != r.field(n, "body") {
			for _, name := range phpVariables(r, c) {
				phpLocal(r, "", site{name: name})
			}
		}
	}
}

func phpCatch(r *reader, n node) {
	if name := r.field(n, "name"); name != 0 {
		phpLocal(r, r.written(r.field(n, "type")), site{name: name})
	}
}

func phpStatic(r *reader, n node) {
	if name := r.field(n, "name"); name != 0 {
		phpLocal(r, "", site{whole: n, name: name, value: r.field(n, "value")})
	}
}

func phpGlobal(r *reader, n node) {
	for name := range r.parts(n) {
		if r.inFunction() {
			r.bind(r.around(functionLevel), r.text(name), binding{at: name, what: elsewhere})
		}
	}
}

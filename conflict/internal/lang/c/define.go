//go:build cgo

package syntax

import (
	"slices"
	"strings"
)

// cVisibility is that of what stands where the reader is. What is static is hidden from other
// files, unless these include it.
func cVisibility(r *reader, n node) Visibility {
	if r.inFunction() {
		return Private
	}
	for f := r.here; f != 0; f = r.frames[f].up {
		if section := r.frames[f].section; section != "" {
			return section
		}
	}
	if !r.inType() && cSays(r, n, "static") && !cIsHeader(r) {
		return Private
	}
	return Public
}

// cSays reports whether a declaration has one of the words in front.
func cSays(r *reader, n node, words ...string) bool {
	for c := range r.children(n) {
		if r.is(c, "storage_class_specifier", "type_qualifier", "virtual", "virtual_specifier") &&
			slices.Contains(words, r.text(c)) {
			return true
		}
		if r.is(n, "declaration", "field_declaration") && cIsDeclarator(r, c) {
			break
		}
	}
	return false
}

// cWhole is a declaration with the template that it stands in.
func cWhole(r *reader, n node) node {
	for r.is(r.parent(n), "template_declaration") {
		n = r.parent(n)
	}
	return n
}

// cNamespace begins a namespace. Each file, and each part of a file, may open it again.
func cNamespace(r *reader, n node) {
	name := r.field(n, "name")
	if name == 0 {
		r.open(n, nameLevel, r.at().key)
		r.at().section = Private
		return
	}
	for leaf := name; leaf < r.cells[name].after; leaf++ {
		if r.is(leaf, "namespace_identifier") {
			d := Definition{Name: r.keep(r.text(leaf)), Kind: Module, Visibility: cVisibility(r, n)}
			r.open(n, moduleLevel, r.giveWay(d, site{whole: n}))
		}
	}
}

func cNamespaceAlias(r *reader, n node) {
	d := Definition{Kind: Module, Visibility: cVisibility(r, n)}
	r.define(d, site{whole: n, name: r.field(n, "name")})
}

// cTypedefName is the name that a typedef gives to the type that it defines, 0 if there is none.
func cTypedefName(r *reader, typ node) node {
	if up := r.parent(typ); r.is(up, "type_definition") {
		if name := r.field(up, "declarator"); r.is(name, "type_identifier") {
			return name
		}
	}
	return 0
}

func cClass(r *reader, n node) {
	body, name := r.field(n, "body"), r.field(n, "name")
	if body == 0 {
		return
	}
	d := Definition{Kind: Class, Visibility: cVisibility(r, n)}
	for base := range r.parts(r.child(n, "base_class_clause")) {
		if leaf := r.leafOf(base); leaf != 0 {
			r.use(base, Inherit)
			d.Bases = append(d.Bases, r.keep(cBare(r.written(base))))
		}
	}
	r.open(n, typeLevel, cTypeKey(r, n, name, d))
	if r.at().section = Public; r.is(n, "class_specifier") {
		r.at().section = Private
	}
}

// cTypeKey lists a type and returns its key. One without a name goes by that of its typedef, or
// else of what is declared with it.
func cTypeKey(r *reader, n, name node, d Definition) string {
	s := site{whole: cWhole(r, n), name: name}
	own := cDeclared(r, name)
	if owner := cOwner(r, own); owner != "" {
		r.open(n, nameLevel, join(r.at().key, owner))
		s.name = own.name
	}
	if last := r.parent(own.name); r.is(last, "template_type") {
		d.Name, s.name = r.written(last), 0
	}
	if name != 0 {
		return r.define(d, s)
	}
	if s.name = cTypedefName(r, n); s.name != 0 {
		s.whole = r.parent(n)
		return r.define(d, s)
	}
	key, with := r.at().key, r.keep(r.text(cDeclared(r, r.field(r.parent(n), "declarator")).name))
	if with == "" || pathEnd(key) == with {
		return key
	}
	return join(key, with)
}

func cEnum(r *reader, n node) {
	if r.field(n, "body") == 0 {
		return
	}
	outer := r.at().key
	key := cTypeKey(r, n, r.field(n, "name"), Definition{Kind: Enum, Visibility: cVisibility(r, n)})
	switch {
	case !r.isType(key) || key == r.at().key:
	case r.has(n, "class", "struct"):
		r.open(n, typeLevel, key)
		r.at().section, r.at().enum = Public, true
	default:
		r.open(n, nameLevel, outer)
		r.at().enum = true
	}
}

// cEnumerator lists a member of an enumeration, or a mere constant if that has no name.
// Unless the enumeration is a class, its members stand beside it.
func cEnumerator(r *reader, n node) {
	name := r.field(n, "name")
	d := Definition{Kind: Constant, Visibility: cVisibility(r, n)}
	if r.at().enum {
		d.Kind = Member
	}
	r.open(n, nameLevel, r.define(d, site{whole: n, name: name}))
}

// cSection begins the public, protected or private members of a class.
func cSection(r *reader, n node) {
	if !r.is(r.parent(n), "field_declaration_list") {
		return
	}
	switch r.text(n) {
	case "public":
		r.at().section = Public
	case "protected":
		r.at().section = Restricted
	default:
		r.at().section = Private
	}
}

func cTypedef(r *reader, n node) {
	typ := r.field(n, "type")
	for declarator := range r.inField(n, "declarator") {
		own := cDeclared(r, declarator)
		same := r.text(r.field(typ, "name")) == r.text(own.name) ||
			r.field(typ, "name") == 0 && declarator == cTypedefName(r, typ)
		if r.field(typ, "body") != 0 && same {
			r.skip(own.name)
			continue
		}
		own.function = 0
		d, s := Definition{Kind: Type, Visibility: cVisibility(r, n), Type: cType(r, n, own)},
			site{whole: n, name: own.name}
		if same {
			d.Partial = r.field(typ, "name") != 0
			r.giveWay(d, s)
		} else {
			r.define(d, s)
		}
	}
}

func cAlias(r *reader, n node) {
	d := Definition{Kind: Type, Visibility: cVisibility(r, n), Type: r.written(r.field(n, "type"))}
	r.open(n, nameLevel, r.define(d, site{whole: cWhole(r, n), name: r.field(n, "name")}))
}

// cFunction reads a function with a body.
func cFunction(r *reader, n node) {
	own := cDeclared(r, r.field(n, "declarator"))
	if cTest(r, n, own) {
		return
	}
	if own.name == 0 {
		r.open(n, functionLevel, r.at().key)
		return
	}
	if owner := cOwner(r, own); owner != "" {
		r.open(n, typeLevel, join(r.at().key, owner))
		r.at().section = Public
	}
	params := cParams(r, r.field(own.function, "parameters"))
	d := cCallable(r, n, own, params)
	s := cNamed(r, &d, site{whole: cWhole(r, n), name: own.name})
	key := r.define(d, s)
	if r.field(n, "body") == 0 {
		r.open(n, blockLevel, key)
		return
	}
	r.open(n, functionLevel, key)
	r.localParams(params)
}

// cCallable gives what a declaration says of a function.
func cCallable(r *reader, n node, own declared, params []parameter) Definition {
	d := Definition{Kind: Function, Visibility: cVisibility(r, n), Params: paramsOf(params), Result: cType(r, n, own)}
	if r.inType() {
		d.Kind, d.Static, d.Overrides = Method, cSays(r, n, "static"), cSays(r, own.function, "override")
		d.Abstract = r.child(n, "pure_virtual_clause") != 0 ||
			cSays(r, n, "virtual") && r.text(r.field(n, "default_value")) == "0"
	}
	return d
}

// cNamed gives names to functions whose names are no mere identifiers. That of a constructor stands
// for the class, not for the function.
func cNamed(r *reader, d *Definition, s site) site {
	switch r.kind(s.name) {
	case "destructor_name", "operator_name", "operator_cast":
		text := r.text(s.name)
		if declarator := r.field(s.name, "declarator"); declarator != 0 {
			text = r.source[r.cells[s.name].start:r.cells[declarator].start]
		}
		d.Name = r.keep(strings.Join(strings.Fields(text), " "))
		r.skip(r.child(s.name, "identifier"))
		s.name = 0
	default:
		if r.inType() && r.text(s.name) == pathEnd(r.at().self) {
			d.Name = r.keep(r.text(s.name))
			r.skip(s.name)
			s.name = 0
		}
	}
	return s
}

// cTest lists what GoogleTest makes of TEST(Suite, Name) and its like.
func cTest(r *reader, n node, own declared) bool {
	switch r.text(own.name) {
	case "TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P":
	default:
		return false
	}
	list := r.field(own.function, "parameters")
	suite, name := r.leafOf(r.field(r.first(list), "type")), r.leafOf(r.field(r.last(list), "type"))
	if r.field(n, "type") != 0 || suite == 0 || suite == name {
		return false
	}
	r.skip(own.name, name)
	if r.text(own.name) == "TEST" {
		r.skip(suite)
	}
	d := Definition{Name: r.keep(r.text(suite) + "." + r.text(name)), Kind: Function, Visibility: Private, Test: true}
	r.open(n, functionLevel, r.define(d, site{whole: n}))
	return true
}

// cParams reads the parameters of a function, which may have no names.
func cParams(r *reader, list node) (params []parameter) {
	for n := range r.children(list) {
		p := parameter{whole: n}
		switch r.kind(n) {
		case "parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration":
			own := cDeclared(r, r.field(n, "declarator"))
			p.Optional, p.Rest = r.field(n, "default_value") != 0, r.is(n, "variadic_parameter_declaration")
			own.function = 0
			if p.Type = cType(r, n, own); p.Type == "void" {
				continue
			}
			if own.name != 0 {
				p.Name, p.names = r.keep(r.text(own.name)), []node{own.name}
			}
		case "variadic_parameter", "...":
			p.Rest = true
		default:
			continue
		}
		params = append(params, p)
	}
	return params
}

// cDeclaration reads a declaration of variables, of fields, or of functions without their bodies.
func cDeclaration(r *reader, n node) {
	if r.is(r.parent(n), "friend_declaration") {
		return
	}
	count := 0
	for range r.inField(n, "declarator") {
		count++
	}
	for declarator := range r.inField(n, "declarator") {
		whole := cWhole(r, n)
		if count > 1 {
			whole = declarator
		}
		own := cDeclared(r, declarator)
		switch {
		case r.inFunction():
			cLocal(r, n, declarator, whole)
		case own.name == 0:
		case own.function != 0 || r.is(own.name, "operator_cast"):
			cPrototype(r, n, own, whole)
		default:
			cVariable(r, n, own, site{whole: whole, name: own.name, value: r.field(declarator, "value")})
		}
	}
}

// cPrototype lists a function that is declared only, unless the file has its body too.
func cPrototype(r *reader, n node, own declared, whole node) {
	params := cParams(r, r.field(own.function, "parameters"))
	d := cCallable(r, n, own, params)
	d.Partial = !r.inType()
	s := cNamed(r, &d, site{whole: whole, name: own.name})
	key := r.giveWay(d, s)
	if whole == cWhole(r, n) {
		r.open(n, blockLevel, key)
	}
}

func cVariable(r *reader, n node, own declared, s site) {
	d := Definition{Kind: Variable, Visibility: cVisibility(r, n), Type: cType(r, n, own)}
	if owner := cOwner(r, own); owner != "" {
		r.open(n, typeLevel, join(r.at().key, owner))
	}
	switch {
	case r.inType():
		d.Kind, d.Static = Field, cSays(r, n, "static")
	case cSays(r, n, "constexpr") || cSays(r, n, "const") && !r.is(own.whole, "pointer_declarator"):
		d.Kind = Constant
	}
	d.Partial = cSays(r, n, "extern") && s.value == 0
	key := ""
	if d.Partial || d.Static {
		key = r.giveWay(d, s)
	} else {
		key = r.define(d, s)
	}
	if s.whole == cWhole(r, n) {
		r.open(n, nameLevel, key)
	}
}

// cLocal lists the variable that a declarator of a declaration in a function makes.
func cLocal(r *reader, n, declarator, whole node) {
	own := cDeclared(r, declarator)
	typ := cType(r, n, own)
	s := site{whole: whole, name: own.name, value: r.field(declarator, "value")}
	if s.value == 0 {
		s.value = r.field(n, "value")
	}
	if r.is(r.field(n, "type"), "placeholder_type_specifier") {
		typ = ""
	}
	if own.function != 0 {
		if !cVariableAfterAll(r, n, own) {
			r.skip(own.name)
			return
		}
		typ = cTypeName(r, r.field(n, "type"))
	}
	for n := declarator; own.name == 0 && n != 0 && n < r.cells[declarator].after; n++ {
		if r.is(n, "identifier") {
			r.local("", site{name: n}, blockLevel, functionLevel)
		}
	}
	if own.name != 0 {
		r.local(typ, s, blockLevel, functionLevel)
	}
}

// cVariableAfterAll tells `T x(y);` in a function, which the grammar takes for the declaration of a function:
// it calls the constructor of T with other variables.
func cVariableAfterAll(r *reader, n node, own declared) bool {
	list, leaf := r.field(own.function, "parameters"), r.leafOf(r.field(n, "type"))
	if leaf == 0 || r.first(list) == 0 {
		return false
	}
	for p := range r.parts(list) {
		name := r.field(p, "type")
		if !r.is(name, "type_identifier") || r.field(p, "declarator") != 0 ||
			!r.lookup(r.text(name), r.here, own.name).local {
			return false
		}
	}
	cMakes(r, list, leaf, mark{use: Call, args: r.arguments(list)})
	for p := range r.parts(list) {
		r.skip(r.field(p, "type"))
	}
	return true
}

//go:build cgo

package syntax

import (
	"slices"
	"strings"

	java "github.com/tree-sitter/tree-sitter-java/bindings/go"
)

func javaGrammar() *grammar {
	return &grammar{
		pointer:  java.Language,
		names:    []string{"identifier", "type_identifier"},
		words:    map[string]bool{"this": true, "super": false},
		comments: []string{"line_comment", "block_comment"},
		members: map[string]access{
			"field_access":           {object: "object", member: "field"},
			"scoped_identifier":      {object: "scope", member: "name"},
			"scoped_type_identifier": {},
		},
		calls: map[string]call{
			"method_invocation":          {callee: "name", arguments: "arguments", object: "object"},
			"object_creation_expression": {callee: "type", arguments: "arguments"},
			"annotation":                 {callee: "name", arguments: "arguments"},
		},
		inner: map[string]string{"parenthesized_expression": "", "generic_type": ""},
		named: map[string]string{"element_value_pair": "key"},
		infer: map[string]func(*reader, node, int32) (string, node){
			"object_creation_expression": javaTypeOf,
			"cast_expression":            javaTypeOf,
		},
		builtin:     []string{"String", "Object", "var"},
		nothing:     []string{"null_literal"},
		base:        "super",
		ordered:     true,
		bareMembers: true,
		apart:       true,
		bare:        javaBare,
		rules:       javaRules(),
	}
}

func javaRules() map[string]rule {
	return map[string]rule{
		"package_declaration": javaPackage,
		"import_declaration":  javaImport,
		"module_declaration":  skipsAll,

		"class_declaration":                   javaType(Class),
		"record_declaration":                  javaType(Class),
		"interface_declaration":               javaType(Interface),
		"annotation_type_declaration":         javaType(Interface),
		"enum_declaration":                    javaType(Enum),
		"enum_constant":                       javaEnumConstant,
		"class_body":                          javaAnonymous,
		"field_declaration":                   javaFields,
		"constant_declaration":                javaFields,
		"variable_declarator":                 javaDeclarator,
		"method_declaration":                  javaMethod,
		"annotation_type_element_declaration": javaMethod,
		"constructor_declaration":             javaMethod,
		"compact_constructor_declaration":     javaMethod,
		"explicit_constructor_invocation":     javaOtherConstructor,
		"type_parameter":                      javaTypeParameter,

		"local_variable_declaration":   javaVariables,
		"lambda_expression":            javaLambda,
		"enhanced_for_statement":       javaForEach,
		"catch_formal_parameter":       javaCatch,
		"resource":                     javaResource,
		"instanceof_expression":        javaInstanceOf,
		"type_pattern":                 javaPattern,
		"record_pattern_component":     javaPattern,
		"record_pattern":               func(r *reader, n node) { r.use(r.first(n), Match) },
		"block":                        javaBlock,
		"static_initializer":           opens(functionLevel),
		"constructor_body":             opens(blockLevel),
		"for_statement":                opens(blockLevel),
		"catch_clause":                 opens(blockLevel),
		"try_with_resources_statement": opens(blockLevel),
		"switch_block":                 opens(blockLevel),
		"switch_rule":                  opens(blockLevel),
		"switch_label":                 javaCase,
		"labeled_statement":            javaLabel,
		"break_statement":              javaLabel,
		"continue_statement":           javaLabel,
		"method_reference":             javaMethodReference,
	}
}

// javaBare names the type without its arguments. An array has none of the members of what it holds,
// and of several types it is unknown which.
func javaBare(t string) string {
	if strings.HasSuffix(t, "]") || strings.Contains(t, "|") {
		return ""
	}
	t, _, _ = strings.Cut(t, "<")
	return t
}

// javaTypeOf gives the type that is named in an expression.
func javaTypeOf(r *reader, n node, _ int32) (string, node) { return r.written(r.field(n, "type")), 0 }

func javaPackage(r *reader, n node) {
	skipsAll(r, n)
	r.file.Package = r.written(r.child(n, "scoped_identifier", "identifier"))
}

func javaImport(r *reader, n node) {
	skipsAll(r, n)
	i := Import{Module: r.text(r.child(n, "scoped_identifier", "identifier")), Line: r.line(n)}
	if r.has(n, "asterisk") {
		i.Member = All
		r.imports(i, 0)
		return
	}
	if dot := strings.LastIndexByte(i.Module, '.'); dot >= 0 {
		i.Module, i.Member = i.Module[:dot], strings.TrimSpace(i.Module[dot+1:])
	}
	i.Name = i.Member
	r.imports(i, n)
}

// javaModifiers are what a declaration begins with, 0 if it has none.
func javaModifiers(r *reader, n node) node {
	if m := r.first(n); r.is(m, "modifiers") {
		return m
	}
	return 0
}

// javaVisibility is what the modifiers say, and else what the place says.
func javaVisibility(r *reader, n node) Visibility {
	switch modifiers := javaModifiers(r, n); {
	case r.inFunction():
		return Private
	case r.has(modifiers, "public"), r.is(r.parent(n), "interface_body", "annotation_type_body"):
		return Public
	case r.has(modifiers, "private"):
		return Private
	}
	return Restricted
}

// javaAnnotated reports whether a declaration has one of the annotations, whatever package they are named with.
func javaAnnotated(r *reader, n node, names ...string) bool {
	for a := range r.parts(javaModifiers(r, n)) {
		if r.is(a, "marker_annotation", "annotation") && slices.Contains(names, r.text(r.leafOf(r.field(a, "name")))) {
			return true
		}
	}
	return false
}

// javaType makes a rule for the declarations of types of a kind.
func javaType(kind Kind) rule {
	return func(r *reader, n node) {
		name := r.field(n, "name")
		d := Definition{Kind: kind, Visibility: javaVisibility(r, n), Static: r.has(javaModifiers(r, n), "static"),
			Test: javaAnnotated(r, n, "Nested")}
		for c := range r.parts(n) {
			if !r.is(c, "superclass", "super_interfaces", "extends_interfaces") {
				continue
			}
			list := c
			if inner := r.child(c, "type_list"); inner != 0 {
				list = inner
			}
			for t := range r.parts(list) {
				r.use(t, Inherit)
				d.Bases = append(d.Bases, r.keep(r.path(t)))
			}
		}
		r.open(n, typeLevel, r.define(d, site{whole: n, name: name}))
		if r.is(n, "record_declaration") {
			javaRecord(r, n, name)
		}
	}
}

// javaRecord lists the components of a record: each is a field, and together they are the parameters of a constructor.
func javaRecord(r *reader, n, name node) {
	list := r.field(n, "parameters")
	params := javaParams(r, list)
	for _, p := range params {
		r.define(Definition{Kind: Field, Visibility: Public, Type: p.Type}, site{whole: p.whole, name: p.names[0]})
	}
	if !r.has(r.field(n, "body"), "compact_constructor_declaration") {
		r.define(Definition{Name: r.keep(r.text(name)), Kind: Method, Visibility: Public, Params: paramsOf(params)},
			site{whole: list})
	}
}

// javaEnumConstant reads a member of an enumeration, which calls the constructor with its arguments.
func javaEnumConstant(r *reader, n node) {
	self, arguments := r.at().self, r.field(n, "arguments")
	r.open(n, nameLevel, r.define(Definition{Kind: Member, Visibility: Public},
		site{whole: n, name: r.field(n, "name")}))
	if arguments != 0 {
		m := r.mark(arguments)
		m.name, m.use, m.args = pathEnd(self), Call, r.arguments(arguments)
	}
}

// javaAnonymous begins the body of a class without a name. What it defines stands in the definition around it.
func javaAnonymous(r *reader, n node) {
	if r.is(r.parent(n), "object_creation_expression", "enum_constant") {
		r.open(n, typeLevel, r.at().key)
	}
}

// javaFields reads a declaration of one field. Those of several are read where each is named.
func javaFields(r *reader, n node) {
	if v := r.field(n, "declarator"); javaAlone(r, n) {
		javaField(r, n, v, site{whole: n})
	}
}

func javaDeclarator(r *reader, n node) {
	if up := r.parent(n); r.is(up, "field_declaration", "constant_declaration") && !javaAlone(r, up) {
		javaField(r, up, n, site{whole: n})
	}
}

// javaAlone reports whether a declaration declares one variable.
func javaAlone(r *reader, n node) bool {
	v := r.field(n, "declarator")
	return v != 0 && r.nextPart(v) == 0
}

// javaField lists the field that a declarator of a declaration names, and begins it.
func javaField(r *reader, declaration, declarator node, s site) {
	d := Definition{Kind: Field, Visibility: javaVisibility(r, declaration)}
	d.Static = r.has(javaModifiers(r, declaration), "static") || r.is(declaration, "constant_declaration")
	d.Type = r.keep(r.written(r.field(declaration, "type")) + r.written(r.field(declarator, "dimensions")))
	s.name, s.value = r.field(declarator, "name"), r.field(declarator, "value")
	r.open(s.whole, nameLevel, r.define(d, s))
}

func javaMethod(r *reader, n node) {
	name, modifiers := r.field(n, "name"), javaModifiers(r, n)
	params := javaParams(r, r.field(n, "parameters"))
	if r.is(n, "compact_constructor_declaration") {
		params = javaParams(r, r.field(r.parent(r.parent(n)), "parameters"))
	}
	d := Definition{
		Kind: Method, Visibility: javaVisibility(r, n), Params: paramsOf(params), Static: r.has(modifiers, "static"),
		Overrides: javaAnnotated(r, n, "Override"),
		Test:      javaAnnotated(r, n, "Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate"),
	}
	d.Result = r.keep(r.written(r.field(n, "type")) + r.written(r.field(n, "dimensions")))
	for exception := range r.parts(r.child(n, "throws")) {
		d.Throws = append(d.Throws, r.written(exception))
	}
	d.Abstract = r.has(modifiers, "abstract") ||
		r.field(n, "body") == 0 && r.is(r.parent(n), "interface_body", "annotation_type_body")
	s := site{whole: n, name: name}
	if r.is(n, "constructor_declaration", "compact_constructor_declaration") {
		// What the name stands for by itself is the class.
		r.skip(name)
		d.Name, s.name = r.keep(r.text(name)), 0
	}
	key := r.define(d, s)
	if r.field(n, "body") == 0 {
		r.open(n, blockLevel, key)
		r.bindParams(params)
		return
	}
	r.open(n, functionLevel, key)
	r.localParams(params)
}

// javaParams reads a list of parameters that says their types.
func javaParams(r *reader, list node) (params []parameter) {
	for n := range r.parts(list) {
		p, name, typ := parameter{whole: n}, r.field(n, "name"), r.field(n, "type")
		if r.is(n, "spread_parameter") {
			declarator := r.child(n, "variable_declarator")
			name, p.Rest = r.field(declarator, "name"), true
			for c := range r.parts(n) {
				if !r.is(c, "modifiers", "marker_annotation", "annotation", "variable_declarator") {
					typ = c
				}
			}
		}
		if name == 0 {
			continue
		}
		p.Name, p.Type, p.names = r.keep(r.text(name)), r.keep(r.written(typ)+r.written(r.field(n, "dimensions"))),
			[]node{name}
		params = append(params, p)
	}
	return params
}

// javaOtherConstructor makes a call of a class of a call of this or super at the begin of a constructor.
func javaOtherConstructor(r *reader, n node) {
	word, class := r.field(n, "constructor"), r.at().self
	if r.is(word, "super") {
		class = r.baseOf(class)
	}
	if class != "" && word != 0 {
		m := r.mark(word)
		m.name, m.use, m.args = pathEnd(class), Call, r.arguments(r.field(n, "arguments"))
	}
}

func javaTypeParameter(r *reader, n node) {
	if name := r.child(n, "type_identifier"); name != 0 {
		r.skip(name)
		r.bind(r.here, r.text(name), binding{at: name})
	}
}

// javaLocal lists a local variable of a type.
func javaLocal(r *reader, typ node, s site) {
	if !r.is(s.name, "identifier") {
		return
	}
	text := r.written(typ)
	if text == "var" {
		text = ""
	}
	r.local(text, s, blockLevel, functionLevel)
}

func javaVariables(r *reader, n node) {
	for v := range r.inField(n, "declarator") {
		typ := r.field(n, "type")
		if r.field(v, "dimensions") != 0 {
			typ = 0
		}
		javaLocal(r, typ, site{whole: v, name: r.field(v, "name"), value: r.field(v, "value")})
	}
}

func javaLambda(r *reader, n node) {
	r.open(n, functionLevel, r.at().key)
	list := r.field(n, "parameters")
	switch r.kind(list) {
	case "formal_parameters":
		r.localParams(javaParams(r, list))
	case "inferred_parameters":
		for name := range r.parts(list) {
			javaLocal(r, 0, site{name: name})
		}
	default:
		javaLocal(r, 0, site{name: list})
	}
}

func javaForEach(r *reader, n node) {
	r.open(n, blockLevel, r.at().key)
	javaLocal(r, r.field(n, "type"), site{name: r.field(n, "name")})
}

func javaCatch(r *reader, n node) {
	javaLocal(r, r.child(n, "catch_type"), site{whole: n, name: r.field(n, "name")})
}

func javaResource(r *reader, n node) {
	javaLocal(r, r.field(n, "type"), site{whole: n, name: r.field(n, "name"), value: r.field(n, "value")})
}

func javaInstanceOf(r *reader, n node) {
	javaLocal(r, r.field(n, "right"), site{name: r.field(n, "name")})
}

// javaPattern reads a type and a name in a pattern.
func javaPattern(r *reader, n node) {
	typ, name := r.first(n), r.last(n)
	r.use(typ, Match)
	javaLocal(r, typ, site{name: name})
}

// javaBlock begins a block, which in a class stands for a function without a name.
func javaBlock(r *reader, n node) {
	l := blockLevel
	if r.is(r.parent(n), "class_body") {
		l = functionLevel
	}
	r.open(n, l, r.at().key)
}

func javaCase(r *reader, n node) {
	for label := range r.parts(n) {
		r.use(label, Match)
	}
}

// javaLabel leaves the labels of statements alone.
func javaLabel(r *reader, n node) {
	if name := r.first(n); r.is(name, "identifier") {
		r.skip(name)
	}
}

// javaMethodReference reads `A::b`; in `A::new` it is A alone that is named.
func javaMethodReference(r *reader, n node) {
	if object, name := r.first(n), r.last(n); object != name && r.is(name, "identifier") {
		r.member(name, object)
	}
}

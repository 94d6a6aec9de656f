//go:build cgo

package syntax

import (
	"unsafe"

	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

func typescriptGrammar() *grammar {
	g := tsGrammar(typescript.LanguageTypescript)
	g.dialects = map[string]*grammar{".tsx": tsGrammar(typescript.LanguageTSX)}
	return g
}

// tsGrammar is JavaScript with types in it. The dialect TSX has elements of JSX too, and no type
// assertions in angle brackets.
func tsGrammar(pointer func() unsafe.Pointer) *grammar {
	g := javascriptGrammar()
	g.pointer = pointer
	g.names = append(g.names, "type_identifier")
	g.members["nested_type_identifier"] = access{object: "module", member: "name"}
	g.members["nested_identifier"] = access{object: "object", member: "property"}
	g.inner["non_null_expression"] = ""
	g.inner["generic_type"] = "name"
	g.infer["as_expression"] = tsTypeOfAs
	g.infer["satisfies_expression"] = tsTypeOfAs
	g.selfType = "this"
	g.bare = tsBare
	g.rules = withRules(g.rules, typescriptRules())
	return g
}

func typescriptRules() map[string]rule {
	return map[string]rule{
		"function_signature":         jsFunction,
		"abstract_class_declaration": jsClass,
		"public_field_definition":    jsField,
		"method_signature":           tsSignature,
		"abstract_method_signature":  tsSignature,
		"property_signature":         tsProperty,
		"interface_declaration":      tsInterface,
		"type_alias_declaration":     tsAlias,
		"enum_declaration":           tsEnum,
		"enum_body":                  tsEnumBody,
		"module":                     tsNamespace,
		"internal_module":            tsNamespace,
		"import_alias":               tsImportAlias,

		"function_type":        tsFunctionType,
		"constructor_type":     tsFunctionType,
		"call_signature":       tsFunctionType,
		"construct_signature":  tsFunctionType,
		"conditional_type":     opens(blockLevel),
		"mapped_type_clause":   tsBinds("name"),
		"infer_type":           tsInfer,
		"type_parameter":       tsBinds("name"),
		"index_signature":      tsIndex,
		"required_parameter":   tsParameter,
		"optional_parameter":   tsParameter,
		"as_expression":        tsAs,
		"satisfies_expression": tsAs,
	}
}

// tsTypeOfAs gives the type behind the word, or the expression itself if none is there.
func tsTypeOfAs(r *reader, n node, _ int32) (string, node) {
	e := r.first(n)
	if t := r.nextPart(e); t != 0 {
		return r.written(t), 0
	}
	return "", e
}

func tsAs(r *reader, n node) {
	e := r.first(n)
	if t := r.nextPart(e); t != 0 && e != 0 {
		jsConstruct(r, t, e)
	}
}

func tsFunctionType(r *reader, n node) { jsOpenFunction(r, n, r.at().key, jsParams(r, n)) }

// tsSignature reads a method without a body: of an interface, abstract, or one of several signatures of one method.
func tsSignature(r *reader, n node) {
	name, params, key := r.field(n, "name"), jsParams(r, n), r.at().key
	r.skip(name)
	if tsIsMember(r, n) {
		if jsIsOverload(r, n) {
			key = join(key, jsMemberName(r, name))
		} else {
			d := jsMember(r, n, name)
			d.Abstract = (!r.is(r.parent(n), "class_body") || d.Abstract) && !r.has(n, "?")
			key = jsDefineMethod(r, d, site{whole: n, name: name})
		}
	}
	jsOpenFunction(r, n, key, params)
}

// tsIsMember reports whether a signature stands in what a name is given to, and not in a type that
// is written out somewhere.
func tsIsMember(r *reader, n node) bool {
	up := r.parent(n)
	if r.is(up, "interface_body", "class_body") {
		return true
	}
	for range maxSteps {
		if !r.is(up, "object_type", "intersection_type", "parenthesized_type") {
			break
		}
		up = r.parent(up)
	}
	return r.is(up, "type_alias_declaration")
}

func tsProperty(r *reader, n node) {
	name := r.field(n, "name")
	if !tsIsMember(r, n) {
		return
	}
	d := jsMember(r, n, name)
	d.Kind, d.Type = Field, jsType(r, r.field(n, "type"))
	if r.has(n, "?") {
		d.Type += "?"
	}
	r.open(n, nameLevel, r.define(d, site{whole: n, name: name}))
}

func tsInterface(r *reader, n node) {
	d := Definition{Kind: Interface, Visibility: jsVisibility(r, n)}
	for t := range r.inField(r.child(n, "extends_type_clause"), "type") {
		r.use(t, Inherit)
		d.Bases = append(d.Bases, r.keep(r.path(t)))
	}
	r.open(n, typeLevel, r.define(d, site{whole: n, name: r.field(n, "name")}))
}

// tsAlias reads a named type. The strings of a union are its members.
func tsAlias(r *reader, n node) {
	value, visibility := r.field(n, "value"), jsVisibility(r, n)
	r.open(n, typeLevel, r.define(Definition{Kind: Type, Visibility: visibility, Type: r.written(value)},
		site{whole: n, name: r.field(n, "name")}))
	if !r.is(value, "union_type") {
		return
	}
	for t := value; t < r.cells[value].after; t++ {
		if text := r.child(r.child(t, "string"), "string_fragment"); r.is(t, "literal_type") && text != 0 {
			r.define(Definition{Kind: Member, Visibility: visibility}, site{whole: t, name: text})
		}
		if !r.is(t, "union_type", "parenthesized_type") {
			t = r.cells[t].after - 1
		}
	}
}

func tsEnum(r *reader, n node) {
	d := Definition{Kind: Enum, Visibility: jsVisibility(r, n)}
	r.open(n, typeLevel, r.define(d, site{whole: n, name: r.field(n, "name")}))
	r.at().enum = true
}

func tsEnumBody(r *reader, n node) {
	for whole := range r.parts(n) {
		name := whole
		if r.is(whole, "enum_assignment") {
			name = r.field(whole, "name")
		}
		r.define(Definition{Name: jsMemberName(r, name), Kind: Member, Visibility: Public},
			site{whole: whole, name: name})
	}
}

func tsNamespace(r *reader, n node) {
	name := r.field(n, "name")
	if name == 0 {
		return
	}
	skipsAll(r, name)
	d := Definition{Name: r.keep(unquoted(r.text(name))), Kind: Module, Visibility: jsVisibility(r, n)}
	if r.is(r.parent(n), "expression_statement") {
		d.Visibility = jsVisibility(r, r.parent(n))
	}
	r.open(n, moduleLevel, r.define(d, site{whole: n, name: name}))
}

// tsImportAlias reads `import A = B.C`.
func tsImportAlias(r *reader, n node) {
	name := r.first(n)
	of := r.nextPart(name)
	r.open(n, nameLevel, r.define(Definition{Kind: Type, Visibility: jsVisibility(r, n), Type: r.written(of)},
		site{whole: n, name: name}))
}

// tsBinds makes a rule for type parameters and the like: the name in the field is known in the frame around.
func tsBinds(field string) rule {
	return func(r *reader, n node) {
		if name := r.field(n, field); name != 0 {
			r.skip(name)
			r.bind(r.here, r.text(name), binding{at: name})
		}
	}
}

func tsInfer(r *reader, n node) {
	if name := r.first(n); name != 0 {
		r.skip(name)
		r.bind(r.here, r.text(name), binding{at: name})
	}
}

func tsIndex(r *reader, n node) {
	r.open(n, blockLevel, r.at().key)
	r.skip(r.field(n, "name"))
}

// tsParameter leaves the names of a tuple's parts alone; those of a function's parameters are bound with it.
func tsParameter(r *reader, n node) {
	if r.is(r.parent(n), "tuple_type") {
		skipsAll(r, r.field(n, "name"))
	}
	jsConstruct(r, r.field(n, "type"), r.field(n, "value"))
}

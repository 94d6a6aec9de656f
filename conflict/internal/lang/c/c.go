//go:build cgo

package syntax

import (
	"path"
	"slices"
	"strings"

	c "github.com/tree-sitter/tree-sitter-c/bindings/go"
	cpp "github.com/tree-sitter/tree-sitter-cpp/bindings/go"
)

func cGrammar() *grammar {
	g := cppGrammar()
	g.pointer = c.Language
	g.bareMembers = false
	return g
}

// cppGrammar is C's too: its nodes are those of C++ without the ones for what C does not have.
func cppGrammar() *grammar {
	return &grammar{
		pointer:  cpp.Language,
		names:    []string{"identifier", "type_identifier"},
		words:    map[string]bool{"this": true},
		comments: []string{"comment"},
		tokens:   []string{"string_content"},
		members:  map[string]access{"field_expression": {object: "argument", member: "field"}},
		calls: map[string]call{
			"call_expression": {callee: "function", arguments: "arguments"},
			"new_expression":  {callee: "type", arguments: "arguments"},
		},
		inner: map[string]string{
			"parenthesized_expression": "",
			"qualified_identifier":     "name",
			"template_type":            "name",
			"template_function":        "name",
			"template_method":          "name",
			"dependent_name":           "",
			"dependent_type":           "",
			"type_descriptor":          "type",
			"struct_specifier":         "name",
			"class_specifier":          "name",
			"union_specifier":          "name",
			"enum_specifier":           "name",
		},
		named:  map[string]string{"initializer_pair": "designator"},
		spread: []string{"parameter_pack_expansion"},
		infer: map[string]func(*reader, node, int32) (string, node){
			"namespace_identifier":        cScopeType,
			"qualified_identifier":        cQualifiedType,
			"call_expression":             cCalled,
			"new_expression":              cTyped,
			"cast_expression":             cTyped,
			"compound_literal_expression": cTyped,
			"pointer_expression": func(r *reader, n node, _ int32) (string, node) {
				return "", r.field(n, "argument")
			},
		},
		builtin:     []string{"static_cast", "dynamic_cast", "const_cast", "reinterpret_cast", "size_t", "NULL"},
		nothing:     []string{"null"},
		ordered:     true,
		bareMembers: true,
		typeOnly:    cIsType,
		bare:        cBare,
		rules:       cRules(),
	}
}

func cRules() map[string]rule {
	return map[string]rule{
		"preproc_include":       cInclude,
		"preproc_def":           cMacro,
		"preproc_function_def":  cMacro,
		"preproc_params":        skipsAll,
		"attribute_declaration": skipsAll,
		"attribute_specifier":   skipsAll,
		"using_declaration":     cUsing,

		"namespace_definition":       cNamespace,
		"namespace_alias_definition": cNamespaceAlias,
		"struct_specifier":           cClass,
		"class_specifier":            cClass,
		"union_specifier":            cClass,
		"enum_specifier":             cEnum,
		"enumerator":                 cEnumerator,
		"access_specifier":           cSection,
		"type_definition":            cTypedef,
		"alias_declaration":          cAlias,
		"concept_definition":         cAlias,
		"function_definition":        cFunction,
		"declaration":                cDeclaration,
		"field_declaration":          cDeclaration,
		"field_initializer":          cFieldInitializer,

		"template_declaration":                opens(nameLevel),
		"type_parameter_declaration":          cTypeParameter,
		"optional_type_parameter_declaration": cTypeParameter,
		"variadic_type_parameter_declaration": cTypeParameter,
		"parameter_declaration":               cParameter,
		"optional_parameter_declaration":      cParameter,
		"variadic_parameter_declaration":      cParameter,

		"qualified_identifier":        cQualified,
		"compound_literal_expression": cLiteral,
		"init_declarator":             cInitialised,
		"lambda_expression":           cLambda,
		"lambda_capture_initializer":  cCapture,
		"for_range_loop":              cForRange,
		"catch_clause":                cCatch,
		"case_statement":              func(r *reader, n node) { r.useName(r.field(n, "value"), Match) },
		"compound_statement":          opens(blockLevel),
		"for_statement":               opens(blockLevel),
		"if_statement":                opens(blockLevel),
		"while_statement":             opens(blockLevel),
		"switch_statement":            opens(blockLevel),
	}
}

// cIsType tells the names of types and namespaces, and lists of values that make a value of a type.
func cIsType(r *reader, n node) bool {
	return r.is(n, "type_identifier", "namespace_identifier", "initializer_list", "argument_list", "parameter_list")
}

// cIsHeader tells files that others include, to which nothing in them is hidden.
func cIsHeader(r *reader) bool {
	return strings.HasPrefix(strings.ToLower(path.Ext(r.name)), ".h")
}

func cInclude(r *reader, n node) {
	if what := r.field(n, "path"); r.is(what, "string_literal", "system_lib_string") {
		r.imports(Import{Module: strings.Trim(r.text(what), `"<>`), Member: All, Line: r.line(n)}, 0)
	}
}

// cMacro lists a macro. One that only keeps a header from being read twice is none.
func cMacro(r *reader, n node) {
	name, up := r.field(n, "name"), r.parent(n)
	if r.field(n, "value") == 0 && r.is(up, "preproc_ifdef") && r.has(up, "#ifndef") &&
		r.text(r.field(up, "name")) == r.text(name) {
		r.skip(name, r.field(up, "name"))
		return
	}
	d := Definition{Kind: Constant, Visibility: Private}
	if cIsHeader(r) {
		d.Visibility = Public
	}
	if list := r.field(n, "parameters"); list != 0 {
		d.Kind = Macro
		for p := range r.children(list) {
			if r.is(p, "identifier") {
				d.Params = append(d.Params, Param{Name: r.keep(r.text(p))})
			} else if r.is(p, "...") {
				d.Params = append(d.Params, Param{Rest: true})
			}
		}
	}
	r.define(d, site{whole: n, name: name})
}

// cUsing makes no reference of a namespace that is opened as a whole. One name that is taken out of it
// goes by the same name where the declaration stands: it stands for the other, as an alias does.
func cUsing(r *reader, n node) {
	if r.has(n, "namespace") {
		skipsAll(r, n)
		return
	}
	path := r.last(n)
	leaf := r.leafOf(path)
	if leaf == 0 || !r.is(path, "qualified_identifier") || r.inFunction() {
		return
	}
	if r.text(cScopeLeaf(r, r.field(r.parent(leaf), "scope"))) == r.text(leaf) {
		return // the constructors of a base
	}
	d := Definition{Name: r.keep(r.text(leaf)), Kind: Type, Visibility: cVisibility(r, n), Type: r.written(path),
		Partial: true}
	r.giveWay(d, site{whole: n})
}

func cTypeParameter(r *reader, n node) {
	name := r.field(n, "name")
	if name == 0 {
		name = r.child(n, "type_identifier")
	}
	if name != 0 {
		r.skip(name)
		r.bind(r.here, r.text(name), binding{at: name, what: toType})
	}
}

// cParameter leaves out the names of parameters, and binds those of templates.
func cParameter(r *reader, n node) {
	name := cDeclared(r, r.field(n, "declarator")).name
	r.skip(name)
	if name != 0 && r.is(r.parent(n), "template_parameter_list") {
		r.bind(r.here, r.text(name), binding{at: name, what: toType})
	}
}

// cScopeLeaf is the name in a part of a path before its "::", 0 if it is an expression.
func cScopeLeaf(r *reader, scope node) node {
	if r.is(scope, "namespace_identifier") {
		return scope
	}
	return r.leafOf(scope)
}

// cQualified reads a path from its begin on: each name in it is taken out of what stands before.
func cQualified(r *reader, n node) {
	if r.is(r.parent(n), "qualified_identifier") {
		return
	}
	path, before := "", node(0)
	for steps := 0; r.is(n, "qualified_identifier"); n, steps = r.field(n, "name"), steps+1 {
		scope := r.field(n, "scope")
		leaf := cScopeLeaf(r, scope)
		if scope == 0 {
			continue
		}
		if leaf == 0 || steps > maxPath {
			path, before = Expression, scope
			continue
		}
		m := r.mark(leaf)
		m.use, m.object, m.path = Read, before, path
		path, before = join(path, r.text(leaf)), leaf
	}
	if leaf := r.leafOf(n); leaf != 0 && before != 0 {
		m := r.mark(leaf)
		m.object, m.path = before, path
	}
}

// cFieldInitializer reads what a constructor sets: a field, or a base, whose constructor it calls.
func cFieldInitializer(r *reader, n node) {
	name, self := r.leafOf(r.first(n)), r.at().self
	if name == 0 {
		name = r.child(n, "field_identifier")
	}
	if name == 0 {
		return
	}
	m, text := r.mark(name), r.text(name)
	isBase := func(base string) bool { return pathEnd(base) == text }
	if slices.ContainsFunc(r.types[self], isBase) || isBase(self) || r.is(name, "type_identifier") {
		m.use, m.args = Call, r.arguments(r.last(n))
	} else {
		m.use, m.typ = Read, self
	}
}

// cArguments counts the values in braces, with the names of those that have one.
func cArguments(r *reader, list node) arguments {
	a := r.arguments(list)
	names := a.named
	a.named = nil
	for _, name := range names {
		if field, found := strings.CutPrefix(name, "."); found {
			a.named = append(a.named, field)
		}
	}
	return a
}

func cLiteral(r *reader, n node) {
	r.uses(r.field(n, "type"), Construct, cArguments(r, r.field(n, "value")))
}

// cInitialised reads `T x(1)` and `T x{1}`, which call the constructor, and `T x = {.a = 1}`, which writes out a value.
func cInitialised(r *reader, n node) {
	value, declaration := r.field(n, "value"), r.parent(n)
	leaf := r.leafOf(r.field(declaration, "type"))
	if leaf == 0 || !r.is(r.field(n, "declarator"), "identifier", "qualified_identifier") {
		return
	}
	a := cArguments(r, value)
	switch {
	case r.is(value, "argument_list"):
		cMakes(r, value, leaf, mark{use: Call, args: a})
	case !r.is(value, "initializer_list"):
	case r.has(n, "=") || len(a.named) > 0:
		cMakes(r, value, leaf, mark{use: Construct, args: a})
	default:
		cMakes(r, value, leaf, mark{use: Call, args: a})
	}
}

// cMakes makes a reference of a list of values: to the type that the leaf names.
func cMakes(r *reader, list, leaf node, m mark) {
	typ := r.marks[r.cells[leaf].mark]
	m.name, m.object, m.path = r.text(leaf), typ.object, typ.path
	*r.mark(list) = m
}

// cLambda begins a function without a name.
func cLambda(r *reader, n node) {
	r.open(n, functionLevel, r.at().key)
	r.localParams(cParams(r, r.field(r.field(n, "declarator"), "parameters")))
}

func cCapture(r *reader, n node) {
	r.local("", site{name: r.field(n, "left"), value: r.field(n, "right")}, functionLevel)
}

func cForRange(r *reader, n node) {
	r.open(n, blockLevel, r.at().key)
	cLocal(r, n, r.field(n, "declarator"), 0)
}

func cCatch(r *reader, n node) {
	r.open(n, blockLevel, r.at().key)
	for _, p := range cParams(r, r.field(n, "parameters")) {
		for _, name := range p.names {
			r.local(p.Type, site{whole: p.whole, name: name}, blockLevel)
		}
	}
}

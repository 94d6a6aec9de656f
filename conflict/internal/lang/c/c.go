//go:build cgo

package c

import (
	"path"
	"slices"
	"strings"

	c "github.com/tree-sitter/tree-sitter-c/bindings/go"
	cpp "github.com/tree-sitter/tree-sitter-cpp/bindings/go"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// parseC reads C with its grammar, which is C code.
func parseC() func(string, []byte) code.File { return cGrammar().Parser(code.C) }

// parseCPP reads C++ with its grammar, which is C code.
func parseCPP() func(string, []byte) code.File { return cppGrammar().Parser(code.CPP) }

func cGrammar() *sitter.Grammar {
	g := cppGrammar()
	g.Pointer = c.Language
	g.BareMembers = false
	return g
}

// cppGrammar is C's too: its nodes are those of C++ without the ones for what C does not have.
func cppGrammar() *sitter.Grammar {
	return &sitter.Grammar{
		Pointer:  cpp.Language,
		Names:    []string{"identifier", "type_identifier"},
		Words:    map[string]bool{"this": true},
		Comments: []string{"comment"},
		Tokens:   []string{"string_content"},
		Members:  map[string]sitter.Access{"field_expression": {Object: "argument", Member: "field"}},
		Calls: map[string]sitter.Call{
			"call_expression": {Callee: "function", Arguments: "arguments"},
			"new_expression":  {Callee: "type", Arguments: "arguments"},
		},
		Inner: map[string]string{
			"parenthesized_expression dependent_name dependent_type": "",
			"type_descriptor": "type",
			"qualified_identifier template_type template_function template_method struct_specifier class_specifier " +
				"union_specifier enum_specifier": "name",
		},
		Named:  map[string]string{"initializer_pair": "designator"},
		Spread: []string{"parameter_pack_expansion"},
		Infer: map[string]sitter.Infer{
			"namespace_identifier": cScopeType,
			"qualified_identifier": cQualifiedType,
			"call_expression":      cCalled,
		},
		TypeAt:      map[string]string{"new_expression cast_expression compound_literal_expression": "type"},
		SameType:    map[string]string{"pointer_expression": "argument"},
		Builtin:     []string{"static_cast", "dynamic_cast", "const_cast", "reinterpret_cast", "size_t", "NULL"},
		Nothing:     []string{"null"},
		Ordered:     true,
		BareMembers: true,
		TypeOnly:    cIsType,
		Bare:        cBare,
		Describe:    cDescribe,
		Declares: map[string]sitter.Declaration{
			"namespace_alias_definition": {Kind: code.Module},
			"enumerator":                 {Kind: code.Constant},
		},
		Rules: cRules(),
	}
}

func cRules() map[string]sitter.Rule {
	return map[string]sitter.Rule{
		"preproc_include":                                          cInclude,
		"preproc_def preproc_function_def":                         cMacro,
		"preproc_params attribute_declaration attribute_specifier": sitter.SkipsAll,
		"using_declaration":                                        cUsing,

		"namespace_definition":                             cNamespace,
		"struct_specifier class_specifier union_specifier": cClass,
		"enum_specifier":                                   cEnum,
		"access_specifier":                                 cSection,
		"type_definition":                                  cTypedef,
		"alias_declaration concept_definition":             cAlias,
		"function_definition":                              cFunction,
		"declaration field_declaration":                    cDeclaration,
		"field_initializer":                                cFieldInitializer,

		"template_declaration": sitter.Opens(sitter.NameLevel),
		"type_parameter_declaration optional_type_parameter_declaration " +
			"variadic_type_parameter_declaration": sitter.Binds("name >type_identifier", sitter.ToType),
		"parameter_declaration optional_parameter_declaration variadic_parameter_declaration": cParameter,

		"qualified_identifier":        cQualified,
		"compound_literal_expression": cLiteral,
		"init_declarator":             cInitialised,
		"lambda_expression":           cLambda,
		"lambda_capture_initializer":  cCapture,
		"for_range_loop":              cForRange,
		"catch_clause":                cCatch,
		"case_statement":              sitter.Matches("value"),
		"compound_statement for_statement if_statement while_statement switch_statement": sitter.Opens(
			sitter.BlockLevel),
	}
}

// cIsType tells the names of types and namespaces, and lists of values that make a value of a type.
func cIsType(r *sitter.Reader, n sitter.Node) bool {
	return r.Is(n, "type_identifier", "namespace_identifier", "initializer_list", "argument_list", "parameter_list")
}

// cIsHeader tells files that others include, to which nothing in them is hidden.
func cIsHeader(r *sitter.Reader) bool {
	return strings.HasPrefix(strings.ToLower(path.Ext(r.Name)), ".h")
}

func cInclude(r *sitter.Reader, n sitter.Node) {
	if what := r.Field(n, "path"); r.Is(what, "string_literal", "system_lib_string") {
		r.Imports(code.Import{Module: strings.Trim(r.Text(what), `"<>`), Member: code.All, Line: r.Line(n)}, 0)
	}
}

// cMacro lists a macro. One that only keeps a header from being read twice is none.
func cMacro(r *sitter.Reader, n sitter.Node) {
	name, up := r.Field(n, "name"), r.Parent(n)
	if r.Field(n, "value") == 0 && r.Is(up, "preproc_ifdef") && r.Has(up, "#ifndef") &&
		r.Text(r.Field(up, "name")) == r.Text(name) {
		r.Skip(name, r.Field(up, "name"))
		return
	}
	d := code.Definition{Kind: code.Constant, Visibility: code.Private}
	if cIsHeader(r) {
		d.Visibility = code.Public
	}
	if list := r.Field(n, "parameters"); list != 0 {
		d.Kind = code.Macro
		for p := range r.Children(list) {
			switch r.Kind(p) {
			case "identifier":
				d.Params = append(d.Params, code.Param{Name: r.Keep(r.Text(p))})
			case "...":
				d.Params = append(d.Params, code.Param{Rest: true})
			}
		}
	}
	r.Define(d, sitter.Site{Whole: n, Name: name})
}

// cUsing makes no reference of a namespace that is opened as a whole. One name that is taken out of it
// goes by the same name where the declaration stands: it stands for the other, as an alias does.
func cUsing(r *sitter.Reader, n sitter.Node) {
	if r.Has(n, "namespace") {
		sitter.SkipsAll(r, n)
		return
	}
	path := r.Last(n)
	leaf := r.LeafOf(path)
	if leaf == 0 || !r.Is(path, "qualified_identifier") || r.InFunction() {
		return
	}
	if r.Text(cScopeLeaf(r, r.Field(r.Parent(leaf), "scope"))) == r.Text(leaf) {
		return // the constructors of a base
	}
	d := code.Definition{Name: r.Keep(r.Text(leaf)), Kind: code.Type, Visibility: cVisibility(r, n),
		Type:    r.Written(path),
		Partial: true}
	r.GiveWay(d, sitter.Site{Whole: n})
}

// cParameter leaves out the names of parameters, and binds those of templates.
func cParameter(r *sitter.Reader, n sitter.Node) {
	name := cDeclared(r, r.Field(n, "declarator")).name
	r.Skip(name)
	if name != 0 && r.Is(r.Parent(n), "template_parameter_list") {
		r.Bind(r.Here, r.Text(name), sitter.Binding{At: name, What: sitter.ToType})
	}
}

// cScopeLeaf is the name in a part of a path before its "::", 0 if it is an expression.
func cScopeLeaf(r *sitter.Reader, scope sitter.Node) sitter.Node {
	if r.Is(scope, "namespace_identifier") {
		return scope
	}
	return r.LeafOf(scope)
}

// cQualified reads a path from its begin on: each name in it is taken out of what stands before.
func cQualified(r *sitter.Reader, n sitter.Node) {
	if r.Is(r.Parent(n), "qualified_identifier") {
		return
	}
	path, before := "", sitter.Node(0)
	for steps := 0; r.Is(n, "qualified_identifier"); n, steps = r.Field(n, "name"), steps+1 {
		scope := r.Field(n, "scope")
		leaf := cScopeLeaf(r, scope)
		if scope == 0 {
			continue
		}
		if leaf == 0 || steps > sitter.MaxPath {
			path, before = code.Expression, scope
			continue
		}
		m := r.Mark(leaf)
		m.Use, m.Object, m.Path = code.Read, before, path
		path, before = sitter.Join(path, r.Text(leaf)), leaf
	}
	if leaf := r.LeafOf(n); leaf != 0 && before != 0 {
		m := r.Mark(leaf)
		m.Object, m.Path = before, path
	}
}

// cFieldInitializer reads what a constructor sets: a field, or a base, whose constructor it calls.
func cFieldInitializer(r *sitter.Reader, n sitter.Node) {
	name, self := r.LeafOf(r.First(n)), r.At().Self
	if name == 0 {
		name = r.Child(n, "field_identifier")
	}
	if name == 0 {
		return
	}
	m, text := r.Mark(name), r.Text(name)
	isBase := func(base string) bool { return sitter.PathEnd(base) == text }
	if slices.ContainsFunc(r.Types[self], isBase) || isBase(self) || r.Is(name, "type_identifier") {
		m.Use, m.Args = code.Call, r.Arguments(r.Last(n))
	} else {
		m.Use, m.Typ = code.Read, self
	}
}

// cArguments counts the values in braces, with the names of those that have one.
func cArguments(r *sitter.Reader, list sitter.Node) sitter.Arguments {
	a := r.Arguments(list)
	names := a.Named
	a.Named = nil
	for _, name := range names {
		if field, found := strings.CutPrefix(name, "."); found {
			a.Named = append(a.Named, field)
		}
	}
	return a
}

func cLiteral(r *sitter.Reader, n sitter.Node) {
	r.Uses(r.Field(n, "type"), code.Construct, cArguments(r, r.Field(n, "value")))
}

// cInitialised reads `T x(1)` and `T x{1}`, which call the constructor, and `T x = {.a = 1}`, which writes out a value.
func cInitialised(r *sitter.Reader, n sitter.Node) {
	value, declaration := r.Field(n, "value"), r.Parent(n)
	leaf := r.LeafOf(r.Field(declaration, "type"))
	if leaf == 0 || !r.Is(r.Field(n, "declarator"), "identifier", "qualified_identifier") {
		return
	}
	m := sitter.Mark{Use: code.Call, Args: cArguments(r, value)}
	if r.Is(value, "initializer_list") && (r.Has(n, "=") || len(m.Args.Named) > 0) {
		m.Use = code.Construct
	}
	if r.Is(value, "argument_list", "initializer_list") {
		cMakes(r, value, leaf, m)
	}
}

// cMakes makes a reference of a list of values: to the type that the leaf names.
func cMakes(r *sitter.Reader, list, leaf sitter.Node, m sitter.Mark) {
	typ := r.Marks[r.Cells[leaf].Mark]
	m.Name, m.Object, m.Path = r.Text(leaf), typ.Object, typ.Path
	*r.Mark(list) = m
}

// cLambda begins a function without a name.
func cLambda(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.FunctionLevel, r.At().Key)
	r.LocalParams(cParams(r, r.Field(r.Field(n, "declarator"), "parameters")))
}

func cCapture(r *sitter.Reader, n sitter.Node) {
	r.Local("", sitter.Site{Name: r.Field(n, "left"), Value: r.Field(n, "right")}, sitter.FunctionLevel)
}

func cForRange(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.BlockLevel, r.At().Key)
	cLocal(r, n, r.Field(n, "declarator"), 0)
}

func cCatch(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.BlockLevel, r.At().Key)
	for _, p := range cParams(r, r.Field(n, "parameters")) {
		for _, name := range p.Names {
			r.Local(p.Type, sitter.Site{Whole: p.Whole, Name: name}, sitter.BlockLevel)
		}
	}
}

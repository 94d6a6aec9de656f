//go:build cgo

package c

import (
	"cmp"
	"path"
	"slices"
	"strings"

	c "github.com/tree-sitter/tree-sitter-c/bindings/go"
	cpp "github.com/tree-sitter/tree-sitter-cpp/bindings/go"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/sitter"
)

// parseC reads C with its grammar, which is C code.
func parseC() func(string, []byte) code.File { return withoutMacros(cGrammar().Parser(code.C)) }

// parseCPP reads C++ with its grammar, which is C code.
func parseCPP() func(string, []byte) code.File { return withoutMacros(cppGrammar().Parser(code.CPP)) }

func cGrammar() *sitter.Grammar {
	g := cppGrammar()
	g.Pointer = c.Language
	g.Held = nil
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
			"parenthesized_expression dependent_name dependent_type": "^",
			"type_descriptor": "type",
			"qualified_identifier template_type template_function template_method struct_specifier class_specifier " +
				"union_specifier enum_specifier": "name",
		},
		Named:    map[string]string{"initializer_pair": "designator"},
		Spread:   []string{"parameter_pack_expansion"},
		Closures: map[string]string{"lambda_expression": "declarator/parameters"}, FunctionNames: true,
		Infer: map[string]sitter.Infer{
			"namespace_identifier": cScopeType,
			"qualified_identifier": cQualifiedType,
			"call_expression":      cCalled,
		},
		TypeAt:      map[string]string{"new_expression cast_expression compound_literal_expression": "type"},
		SameType:    map[string]string{"pointer_expression": "argument"},
		Builtin:     []string{"static_cast", "dynamic_cast", "const_cast", "reinterpret_cast"},
		Nothing:     []string{"null"},
		Ordered:     true,
		BareMembers: true,
		TypeOnly:    cIsType,
		Bare:        cBare,
		Held:        cHeld,
		Describe:    cDescribe,
		Declares: map[string]sitter.Declaration{
			"namespace_alias_definition": {Kind: code.Module, Type: "$"},
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
		"primitive_type":                                   cPrimitive,

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

// cPrimitive reads a type that the grammar knows and a header of the library defines.
func cPrimitive(r *sitter.Reader, n sitter.Node) {
	if strings.HasSuffix(r.Text(n), "_t") {
		r.Mark(n).Use = code.Read
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

// cUsing makes a plain reference of a namespace that is opened as a whole. One name that is taken out of it
// goes by the same name where the declaration stands: it stands for the other, as an alias does.
func cUsing(r *sitter.Reader, n sitter.Node) {
	if r.Has(n, "namespace") {
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
	r.DefinePartial(d, sitter.Site{Whole: n})
}

// cParameter leaves out the names of parameters, and binds those of templates.
func cParameter(r *sitter.Reader, n sitter.Node) {
	name := cDeclared(r, r.Field(n, "declarator")).name
	if r.Skip(name); r.Is(r.Parent(n), "template_parameter_list") {
		r.BindHere(name, sitter.Binding{What: sitter.ToType})
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
		switch leaf := cScopeLeaf(r, scope); {
		case scope == 0:
		case leaf == 0 || steps > sitter.MaxPath:
			path, before = code.Expression, scope
		default:
			m := r.Mark(leaf)
			m.Use, m.Object, m.Path = code.Read, before, path
			path, before = sitter.Join(path, r.Text(leaf)), leaf
		}
	}
	if leaf := r.LeafOf(n); leaf != 0 && before != 0 {
		m := r.Mark(leaf)
		m.Object, m.Path = before, path
	}
}

// cFieldInitializer reads what a constructor sets: a field, or a base, whose constructor it calls.
func cFieldInitializer(r *sitter.Reader, n sitter.Node) {
	name, self := cmp.Or(r.LeafOf(r.First(n)), r.Child(n, "field_identifier")), r.At().Self
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
	r.LocalParams(cParams(r, r.Find(n, "declarator/parameters")))
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

// cBare names the type that a pointer, a reference or a smart pointer leads to. Arrays and functions have no name.
func cBare(t string) string {
	for {
		before := t
		t = strings.TrimRight(t, "*& ")
		t = strings.TrimSuffix(t, " const")
		for _, word := range []string{"const ", "volatile ", "struct ", "class ", "union ", "enum ", "typename ",
			"static ", "::"} {
			t = strings.TrimPrefix(t, word)
		}
		if outer, inner, _ := strings.Cut(t, "<"); strings.HasSuffix(outer, "unique_ptr") ||
			strings.HasSuffix(outer, "shared_ptr") {
			t = strings.TrimSuffix(inner, ">")
		}
		if t == before {
			break
		}
	}
	if strings.HasSuffix(t, "]") || strings.Contains(t, "(") {
		return ""
	}
	t, _, _ = strings.Cut(t, "<")
	return strings.ReplaceAll(strings.TrimSpace(t), "::", ".")
}

// cScopeType gives the type or the namespace that a path leads to, seen from where it stands.
func cScopeType(r *sitter.Reader, n sitter.Node, f int32) (string, sitter.Node) {
	name := sitter.Join(r.Marks[r.Cells[n].Mark].Path, r.Text(n))
	for {
		here := &r.Frames[f]
		if key := sitter.Join(here.Key, name); r.IsType(key) {
			return key, 0
		}
		if f == 0 {
			return "", 0
		}
		f = here.Up
	}
}

// cQualifiedType gives the type of what a path leads to: that of a member of a type, or the type itself.
func cQualifiedType(r *sitter.Reader, n sitter.Node, f int32) (string, sitter.Node) {
	leaf := r.LeafOf(n)
	if leaf == 0 {
		return "", 0
	}
	return r.TypeOfPart(r.TypeOf(r.Marks[r.Cells[leaf].Mark].Object, f), r.Text(leaf)), 0
}

// cCalled gives what a call makes. Casts and the makers of smart pointers say it themselves.
func cCalled(r *sitter.Reader, n sitter.Node, f int32) (string, sitter.Node) {
	callee := r.Field(n, "function")
	leaf := r.LeafOf(callee)
	switch name := r.Text(leaf); {
	case leaf == 0:
		return "", 0
	case name == "make_unique" || name == "make_shared" || strings.HasSuffix(name, "_cast"):
		return r.Written(r.First(r.Field(r.Parent(leaf), "arguments"))), 0
	case r.Is(callee, "template_function"):
		callee = leaf
	}
	if !r.Is(callee, "qualified_identifier") {
		return r.TypeOfCall(n, r.Grammar.Calls["call_expression"], f), 0
	}
	of, name := r.TypeOf(r.Marks[r.Cells[leaf].Mark].Object, f), r.Text(leaf)
	if key := sitter.Join(of, name); of != "" && r.IsType(key) {
		return key, 0
	}
	return r.ResultOf(of, name), 0
}

// declared is what a declarator says: the name in it, and the function that the name is one of, if it is.
type declared struct {
	whole    sitter.Node // without the value
	name     sitter.Node // a leaf, or what stands for a name: operator+, ~T
	scope    sitter.Node // the path in front of the name
	function sitter.Node
}

// cDeclared takes a declarator apart. No node declares nothing.
func cDeclared(r *sitter.Reader, declarator sitter.Node) (d declared) {
	if r.Is(declarator, "init_declarator") {
		declarator = r.Field(declarator, "declarator")
	}
	d.whole = declarator
	for n := declarator; n != 0; {
		switch r.Kind(n) {
		case "identifier", "field_identifier", "type_identifier", "operator_name", "destructor_name", "operator_cast":
			d.name = n
			return d
		case "qualified_identifier":
			if d.scope == 0 {
				d.scope = n
			}
			n = r.Field(n, "name")
			continue
		case "template_function", "template_method", "template_type":
			n = r.Field(n, "name")
			continue
		case "function_declarator":
			d.function = n
		case "pointer_declarator", "reference_declarator", "array_declarator":
			d.function = 0
		case "parenthesized_declarator", "attributed_declarator", "bitfield_clause", "variadic_declarator":
		default:
			return d
		}
		n = r.Find(n, "declarator $")
	}
	return d
}

// cOwner is the path of what a declared name belongs to, which stands in front of it: "A.B" in A::B::f.
func cOwner(r *sitter.Reader, d declared) string {
	owner := ""
	for n, steps := d.scope, 0; r.Is(n, "qualified_identifier") &&
		steps < sitter.MaxPath; n, steps = r.Field(n, "name"), steps+1 {
		if leaf := cScopeLeaf(r, r.Field(n, "scope")); leaf != 0 {
			owner = sitter.Join(owner, r.Text(leaf))
		}
	}
	return r.Keep(owner)
}

// cType writes the type that a declaration gives to one of its declarators; of a function the result's.
func cType(r *sitter.Reader, declaration sitter.Node, d declared) string {
	var parts []string
	typ := r.Field(declaration, "type")
	for c := range r.Parts(declaration) {
		if cIsDeclarator(r, c) {
			break
		}
		if r.Is(c, "type_qualifier") && r.Text(c) != "constexpr" {
			parts = append(parts, r.Text(c))
		}
		if c == typ {
			parts = append(parts, cTypeName(r, typ))
		}
	}
	if d.whole == 0 {
		return r.Keep(strings.Join(parts, " "))
	}
	start, end, first := r.Cells[d.whole].Start, r.Cells[d.whole].End, d.name
	if d.scope != 0 {
		first = d.scope
	}
	if d.function != 0 {
		if trailing := r.Child(d.function, "trailing_return_type"); trailing != 0 {
			return r.Written(r.First(trailing))
		}
		parts = append(parts, r.Source[start:r.Cells[d.function].Start])
	} else if d.name != 0 {
		parts = append(parts, r.Source[start:r.Cells[first].Start]+r.Source[r.Cells[d.name].End:end])
	} else {
		parts = append(parts, r.Source[start:end])
	}
	text := strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
	return r.Keep(text[:min(len(text), lang.LongestType)])
}

// cIsDeclarator reports whether a part of a declaration is one of what it declares, which all stand
// behind what it says of them.
func cIsDeclarator(r *sitter.Reader, part sitter.Node) bool {
	f := r.Cells[part].Field
	return f != 0 && r.Fields[f] == "declarator"
}

// cTypeName is a type as written, without the body of one that is defined on the spot.
func cTypeName(r *sitter.Reader, typ sitter.Node) string {
	if body := r.Field(typ, "body"); body != 0 {
		return strings.TrimSpace(r.Source[r.Cells[typ].Start:r.Cells[body].Start])
	}
	return r.Written(typ)
}

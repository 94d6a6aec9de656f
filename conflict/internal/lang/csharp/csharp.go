//go:build cgo

package csharp

import (
	"strings"

	csharp "github.com/tree-sitter/tree-sitter-c-sharp/bindings/go"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// parser reads C# with its grammar, which is C code.
func parser() func(string, []byte) code.File { return grammar().Parser(code.CSharp) }

func grammar() *sitter.Grammar {
	return &sitter.Grammar{
		Pointer:  csharp.Language,
		Names:    []string{"identifier"},
		Words:    map[string]bool{"this": true, "base": false},
		Comments: []string{"comment"},
		Tokens:   []string{"string_literal_content"},
		Members: map[string]sitter.Access{
			"member_access_expression":      {Object: "expression", Member: "name"},
			"qualified_name":                {Object: "qualifier", Member: "name"},
			"alias_qualified_name":          {Object: "alias", Member: "name"},
			"conditional_access_expression": {Object: "^", Member: "$"},
		},
		Calls: map[string]sitter.Call{
			"invocation_expression":      {Callee: "function", Arguments: "arguments"},
			"object_creation_expression": {Callee: "type", Arguments: "arguments"},
		},
		Inner: map[string]string{
			"parenthesized_expression generic_name postfix_unary_expression": "^",
			"nullable_type ref_type primary_constructor_base_type":           "type",
			"member_binding_expression":                                      "name",
		},
		Named: map[string]string{"argument": "name"},
		Closures: map[string]string{"lambda_expression": "parameters >implicit_parameter",
			"anonymous_method_expression": "parameters"},
		FunctionNames: true,
		TypeAt: map[string]string{
			"object_creation_expression cast_expression default_expression": "type",
			"as_expression": "right",
		},
		SameType:    map[string]string{"await_expression with_expression ref_expression": "^"},
		Builtin:     []string{"_", "nameof", "dynamic", "global", "nint", "nuint"},
		Nothing:     []string{"null_literal"},
		Base:        "base",
		Ordered:     true,
		BareMembers: true,
		Bare:        bare,
		Describe:    describe,
		Params:      readParams,
		Bodiless:    true,
		Targets:     sitter.Itself,
		Local:       sitter.InBlock,
		Declares:    declarations(),
		Variables: map[string]sitter.Variable{
			"from_clause join_clause join_into_clause let_clause": {Type: "type", Name: "name >identifier"},
			"query_expression":                         {Name: ">identifier", Opens: true},
			"declaration_expression catch_declaration": {Type: "type", Name: "name"},
			"declaration_pattern recursive_pattern":    {Type: "type", Name: "name", Match: true},
			"tuple_pattern":                            {Name: "name"},
			"foreach_statement":                        {Type: "type", Name: "left", Opens: true},
		},
		Rules: rules(),
	}
}

func declarations() map[string]sitter.Declaration {
	bases := []string{">base_list/*"}
	return map[string]sitter.Declaration{
		"class_declaration struct_declaration record_declaration": {Kind: code.Class, Level: sitter.TypeLevel,
			Bases: bases, Then: primary},
		"interface_declaration": {Kind: code.Interface, Level: sitter.TypeLevel, Bases: bases, Then: primary},
		"enum_declaration":      {Kind: code.Enum, Level: sitter.TypeLevel, Bases: bases, Then: primary},
		// All that the type of a function says is in its own type.
		"delegate_declaration":                   {Kind: code.Type, Type: "type"},
		"enum_member_declaration":                {Kind: code.Member},
		"property_declaration event_declaration": {Kind: code.Field, Type: "type", Value: "value"},
		"indexer_declaration method_declaration constructor_declaration destructor_declaration operator_declaration " +
			"conversion_operator_declaration": {Kind: code.Method, Params: "parameters", Result: "returns type"},
		"local_function_statement": {Kind: code.Function, Params: "parameters", Result: "returns type"},
	}
}

func rules() map[string]sitter.Rule {
	declaration, element := sitter.Elements("variable_declarator", field)
	return map[string]sitter.Rule{
		"using_directive":        using,
		"extern_alias_directive": sitter.SkipsAll,
		"namespace_declaration file_scoped_namespace_declaration": namespace,
		"attribute":               attribute,
		"preproc_if preproc_elif": readCondition,

		"type_parameter":          sitter.Binds("name", sitter.ToType),
		"constructor_initializer": sitter.OtherConstructor(">this|base", ">argument_list"),
		"accessor_declaration":    readAccessor,
		"arrow_expression_clause": sitter.Opens(sitter.FunctionLevel),
		"variable_declaration": func(r *sitter.Reader, n sitter.Node) {
			if isField(r, n) {
				declaration(r, n)
			}
		},
		"variable_declarator": func(r *sitter.Reader, n sitter.Node) {
			if up := r.Parent(n); isField(r, up) {
				element(r, n)
			} else {
				r.Locals(r.Field(n, "name"), r.WrittenAt(up, "type"), sitter.Site{Whole: n, Value: value(r, n)})
			}
		},

		"invocation_expression":                            invocation,
		"object_creation_expression":                       readNew,
		"implicit_object_creation_expression":              newOfDeclared,
		"anonymous_object_creation_expression":             anonymous,
		"assignment_expression":                            assignment,
		"postfix_unary_expression prefix_unary_expression": counts,
		"with_initializer":                                 with,
		"element_binding_expression":                       sitter.Skips("."),
		"argument parameter":                               sitter.Skips("name"),
		"lambda_expression anonymous_method_expression":    lambda,
		"constant_pattern":                                 sitter.Matches("^"),
		"subpattern":                                       subpattern,
		"block for_statement using_statement fixed_statement catch_clause switch_body " +
			"switch_expression_arm": sitter.Opens(sitter.BlockLevel),
		"labeled_statement goto_statement": label,
	}
}

// bare names the type without its arguments; of a task the type that it comes to.
func bare(t string) string {
	for _, word := range []string{"ref ", "out ", "in ", "this ", "global::"} {
		t = strings.TrimPrefix(t, word)
	}
	t = strings.TrimSuffix(t, "?")
	outer, inner, generic := strings.Cut(t, "<")
	switch {
	case strings.HasSuffix(t, "]") || strings.HasPrefix(t, "(") || strings.HasSuffix(t, "*"):
		return ""
	case !generic:
		return t
	}
	switch sitter.PathEnd(outer) {
	case "Task", "ValueTask", "Nullable":
		t, _, _ = strings.Cut(strings.TrimSuffix(strings.TrimSuffix(inner, ">"), "?"), "<")
		return t
	}
	return outer
}

// using reads a using directive. A global one holds for other files too.
func using(r *sitter.Reader, n sitter.Node) {
	sitter.SkipsAll(r, n)
	i := code.Import{Module: r.Written(r.Last(n)), Member: code.All, Reexported: r.Has(n, "global"), Line: r.Line(n)}
	name := r.Field(n, "name")
	if name != 0 {
		i.Member, i.Name = "", r.Text(name)
	}
	r.Imports(i, name)
}

// namespace reads a namespace. The first one of a file is its package; those inside of it,
// and others, are modules of it.
func namespace(r *sitter.Reader, n sitter.Node) {
	name := r.Field(n, "name")
	sitter.SkipsAll(r, name)
	if r.File.Package == "" {
		r.File.Package = r.Written(name)
		return
	}
	if r.Is(n, "namespace_declaration") && (r.Here != 0 || r.Written(name) != r.File.Package) {
		d := code.Definition{Name: r.Written(name), Kind: code.Module, Visibility: code.Public}
		r.Open(n, sitter.ModuleLevel, r.DefinePartial(d, sitter.Site{Whole: n}))
	}
}

// attribute reads an attribute as a call of the class that it names.
func attribute(r *sitter.Reader, n sitter.Node) {
	list := r.Child(n, "attribute_argument_list")
	a := r.Arguments(list)
	for argument := range r.Parts(list) {
		key := r.First(argument)
		if r.Is(key, "assignment_expression") || r.Is(key, "identifier") && r.Has(argument, ":") {
			key = r.Find(key, "left .")
			r.Skip(key)
			a.Named = append(a.Named, r.Keep(r.Text(key)))
		}
	}
	r.Uses(r.Field(n, "name"), code.Call, a)
}

// readCondition leaves out the symbols that the preprocessor asks for.
func readCondition(r *sitter.Reader, n sitter.Node) {
	sitter.SkipsAll(r, r.Field(n, "condition"))
}

// invocation reads a call, which the grammar also takes patterns with positions for.
func invocation(r *sitter.Reader, n sitter.Node) {
	if r.Is(r.Parent(n), "constant_pattern") {
		r.Use(r.Field(n, "function"), code.Match)
	}
}

// readNew reads what is set when an object is made, by a constructor without parameters if no arguments are given.
func readNew(r *sitter.Reader, n sitter.Node) {
	typ := r.Field(n, "type")
	for _, key := range readKeys(r, r.Field(n, "initializer")) {
		m := r.Mark(key)
		m.Typ, m.Use, m.Writes = bare(r.Written(typ)), code.Read, true
	}
}

// readKeys lists the names of fields and properties that an initializer sets.
func readKeys(r *sitter.Reader, values sitter.Node) (keys []sitter.Node) {
	for v := range r.Parts(values) {
		if key := r.Field(v, "left"); r.Is(v, "assignment_expression") && r.Is(key, "identifier") {
			keys = append(keys, key)
		}
	}
	return keys
}

// newOfDeclared reads `new(1)`, whose type is what the variable was declared with.
func newOfDeclared(r *sitter.Reader, n sitter.Node) {
	r.Skip(readKeys(r, r.Child(n, "initializer_expression"))...)
	leaf := r.LeafOf(r.Find(n, "../type ../../type"))
	if leaf == 0 {
		return
	}
	typ, m := r.Marks[r.Cells[leaf].Mark], r.Mark(n)
	m.Name, m.Use, m.Args = r.Text(leaf), code.Call, r.Arguments(r.Child(n, "argument_list"))
	m.Object, m.Path = typ.Object, typ.Path
}

// counts reads what `n++` and its like set.
func counts(r *sitter.Reader, n sitter.Node) {
	if r.Has(n, "++", "--") {
		sitter.Writes("^")(r, n)
	}
}

// anonymous leaves out the names that an object without a type gets.
func anonymous(r *sitter.Reader, n sitter.Node) {
	for c := range r.Each(n, ">identifier") {
		if next := r.Cells[c].After; next < r.Cells[n].After && r.Is(next, "=") {
			r.Skip(c)
		}
	}
}

// with reads what a copy is given in place of the original's.
func with(r *sitter.Reader, n sitter.Node) {
	if key := r.First(n); r.Is(key, "identifier") {
		r.Member(key, r.First(r.Parent(n)))
	}
}

// label leaves labels alone.
func label(r *sitter.Reader, n sitter.Node) {
	if name := r.First(n); r.Is(name, "identifier") && !r.Has(n, "case") {
		r.Skip(name)
	}
}

func lambda(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.FunctionLevel, r.At().Key)
	if list := r.Field(n, "parameters"); r.Is(list, "parameter_list") {
		r.LocalParams(readParams(r, list))
	} else if list != 0 {
		r.Local("", sitter.Site{Name: list}, sitter.FunctionLevel)
	}
}

// subpattern reads the name of a property in a pattern as a member of the type that the pattern names.
func subpattern(r *sitter.Reader, n sitter.Node) {
	key := r.First(n)
	if !r.Has(n, ":") || !r.Is(key, "identifier") {
		return
	}
	typ := r.Find(n, "../../type")
	if typ == 0 {
		r.Skip(key)
		return
	}
	r.Mark(key).Typ = bare(r.Written(typ))
	r.Mark(key).Use = code.Read
}

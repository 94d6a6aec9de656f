//go:build cgo

package csharp

import (
	"maps"
	"slices"
	"strings"

	csharp "github.com/tree-sitter/tree-sitter-c-sharp/bindings/go"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

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
			"conditional_access_expression": {},
		},
		Calls: map[string]sitter.Call{
			"invocation_expression":      {Callee: "function", Arguments: "arguments"},
			"object_creation_expression": {Callee: "type", Arguments: "arguments"},
		},
		Inner: map[string]string{
			"parenthesized_expression":  "",
			"generic_name":              "",
			"nullable_type":             "type",
			"ref_type":                  "type",
			"member_binding_expression": "name",
			"postfix_unary_expression":  "",
		},
		Named: map[string]string{"argument": "name"},
		Infer: map[string]func(*sitter.Reader, sitter.Node, int32) (string, sitter.Node){
			"object_creation_expression": typed,
			"cast_expression":            typed,
			"default_expression":         typed,
			"as_expression": func(r *sitter.Reader, n sitter.Node, _ int32) (string, sitter.Node) {
				return r.Written(r.Field(n, "right")), 0
			},
			"await_expression": readFirst,
			"with_expression":  readFirst,
			"ref_expression":   readFirst,
		},
		Builtin:     []string{"_", "nameof", "dynamic", "global", "nint", "nuint"},
		Nothing:     []string{"null_literal"},
		Base:        "base",
		Ordered:     true,
		BareMembers: true,
		Bare:        bare,
		Rules:       readRules(),
	}
}

func readRules() map[string]sitter.Rule {
	rules := definitionRules()
	maps.Copy(rules, codeRules())
	return rules
}

// definitionRules are those for what stands outside of functions.
func definitionRules() map[string]sitter.Rule {
	return map[string]sitter.Rule{
		"using_directive":                   using,
		"extern_alias_directive":            sitter.SkipsAll,
		"namespace_declaration":             namespace,
		"file_scoped_namespace_declaration": namespace,
		"attribute":                         attribute,
		"preproc_if":                        readCondition,
		"preproc_elif":                      readCondition,

		"class_declaration":               readType(code.Class),
		"struct_declaration":              readType(code.Class),
		"record_declaration":              readType(code.Class),
		"interface_declaration":           readType(code.Interface),
		"enum_declaration":                readType(code.Enum),
		"delegate_declaration":            delegate,
		"type_parameter":                  typeParameter,
		"enum_member_declaration":         enumMember,
		"property_declaration":            property,
		"event_declaration":               property,
		"indexer_declaration":             function,
		"method_declaration":              function,
		"constructor_declaration":         function,
		"destructor_declaration":          function,
		"operator_declaration":            function,
		"conversion_operator_declaration": function,
		"local_function_statement":        function,
		"constructor_initializer":         otherConstructor,
		"accessor_declaration":            readAccessor,
		"arrow_expression_clause":         sitter.Opens(sitter.FunctionLevel),
		"variable_declaration":            variables,
		"variable_declarator":             readDeclarator,
		"parameter":                       func(r *sitter.Reader, n sitter.Node) { r.Skip(r.Field(n, "name")) },
	}
}

// codeRules are those for what stands in functions.
func codeRules() map[string]sitter.Rule {
	return map[string]sitter.Rule{
		"invocation_expression":                invocation,
		"object_creation_expression":           readNew,
		"implicit_object_creation_expression":  newOfDeclared,
		"anonymous_object_creation_expression": anonymous,
		"with_initializer":                     with,
		"element_binding_expression":           func(r *sitter.Reader, n sitter.Node) { r.Skip(n) },
		"argument":                             func(r *sitter.Reader, n sitter.Node) { r.Skip(r.Field(n, "name")) },
		"lambda_expression":                    lambda,
		"anonymous_method_expression":          lambda,
		"query_expression":                     query,
		"from_clause":                          readRange,
		"join_clause":                          readRange,
		"join_into_clause":                     readRange,
		"let_clause":                           readRange,
		"declaration_expression":               designation,
		"declaration_pattern":                  designation,
		"recursive_pattern":                    designation,
		"catch_declaration":                    designation,
		"tuple_pattern":                        tuple,
		"constant_pattern": func(r *sitter.Reader, n sitter.Node) {
			r.UseName(r.First(n), code.Match)
		},
		"subpattern":            subpattern,
		"foreach_statement":     forEach,
		"block":                 sitter.Opens(sitter.BlockLevel),
		"for_statement":         sitter.Opens(sitter.BlockLevel),
		"using_statement":       sitter.Opens(sitter.BlockLevel),
		"fixed_statement":       sitter.Opens(sitter.BlockLevel),
		"catch_clause":          sitter.Opens(sitter.BlockLevel),
		"switch_body":           sitter.Opens(sitter.BlockLevel),
		"switch_expression_arm": sitter.Opens(sitter.BlockLevel),
		"labeled_statement":     label,
		"goto_statement":        label,
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

func typed(r *sitter.Reader, n sitter.Node, _ int32) (string, sitter.Node) {
	return r.Written(r.Field(n, "type")), 0
}

func readFirst(r *sitter.Reader, n sitter.Node, _ int32) (string, sitter.Node) { return "", r.First(n) }

// says reports whether a declaration has one of the modifiers.
func says(r *sitter.Reader, n sitter.Node, words ...string) bool {
	for c := range r.Parts(n) {
		if r.Is(c, "modifier") && slices.Contains(words, r.Text(c)) {
			return true
		}
	}
	return false
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
		r.Open(n, sitter.ModuleLevel, r.GiveWay(d, sitter.Site{Whole: n}))
	}
}

// attribute reads an attribute as a call of the class that it names.
func attribute(r *sitter.Reader, n sitter.Node) {
	list := r.Child(n, "attribute_argument_list")
	a := r.Arguments(list)
	for argument := range r.Parts(list) {
		key := r.First(argument)
		switch {
		case r.Is(key, "assignment_expression"):
			key = r.Field(key, "left")
		case r.Is(key, "identifier") && r.Has(argument, ":"):
		default:
			continue
		}
		r.Skip(key)
		a.Named = append(a.Named, r.Keep(r.Text(key)))
	}
	r.Uses(r.Field(n, "name"), code.Call, a)
}

// readCondition leaves out the symbols that the preprocessor asks for.
func readCondition(r *sitter.Reader, n sitter.Node) {
	if condition := r.Field(n, "condition"); condition != 0 {
		sitter.SkipsAll(r, condition)
	}
}

// invocation reads a call, which the grammar also takes patterns with positions for.
func invocation(r *sitter.Reader, n sitter.Node) {
	callee := r.Field(n, "function")
	if r.Is(r.Parent(n), "constant_pattern") {
		r.UseName(callee, code.Match)
	}
}

// readNew reads what is set when an object is made: without arguments that is all there is to say.
func readNew(r *sitter.Reader, n sitter.Node) {
	typ, values := r.Field(n, "type"), r.Field(n, "initializer")
	keys, a := readKeys(r, values)
	if len(keys) == 0 {
		return
	}
	if r.Field(n, "arguments") == 0 {
		r.Uses(typ, code.Construct, a)
		r.Skip(keys...)
		return
	}
	for _, key := range keys {
		r.Mark(key).Typ = bare(r.Written(typ))
		r.Mark(key).Use = code.Read
	}
}

// readKeys lists the names of fields and properties that an initializer sets, and counts its values.
func readKeys(r *sitter.Reader, values sitter.Node) (keys []sitter.Node, a sitter.Arguments) {
	for v := range r.Parts(values) {
		a.Count++
		if key := r.Field(v, "left"); r.Is(v, "assignment_expression") && r.Is(key, "identifier") {
			keys = append(keys, key)
			a.Named = append(a.Named, r.Keep(r.Text(key)))
		}
	}
	return keys, a
}

// newOfDeclared reads `new(1)`, whose type is what the variable was declared with.
func newOfDeclared(r *sitter.Reader, n sitter.Node) {
	keys, _ := readKeys(r, r.Child(n, "initializer_expression"))
	r.Skip(keys...)
	up := r.Parent(n)
	if r.Is(up, "variable_declarator") {
		up = r.Parent(up)
	}
	leaf := r.LeafOf(r.Field(up, "type"))
	if leaf == 0 {
		return
	}
	typ, m := r.Marks[r.Cells[leaf].Mark], r.Mark(n)
	m.Name, m.Use, m.Args = r.Text(leaf), code.Call, r.Arguments(r.Child(n, "argument_list"))
	m.Object, m.Path = typ.Object, typ.Path
}

// anonymous leaves out the names that an object without a type gets.
func anonymous(r *sitter.Reader, n sitter.Node) {
	for c := range r.Parts(n) {
		if next := r.Cells[c].After; r.Is(c, "identifier") && next < r.Cells[n].After && r.Is(next, "=") {
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

// otherConstructor makes a call of a class of a call of this or base in front of a constructor.
func otherConstructor(r *sitter.Reader, n sitter.Node) {
	word, class := r.Child(n, "this", "base"), r.At().Self
	if r.Is(word, "base") {
		class = r.BaseOf(class)
	}
	if class != "" && word != 0 {
		m := r.Mark(word)
		m.Name, m.Use, m.Args = sitter.PathEnd(class), code.Call, r.Arguments(r.Child(n, "argument_list"))
	}
}

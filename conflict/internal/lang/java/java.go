//go:build cgo

package java

import (
	"slices"
	"strings"

	java "github.com/tree-sitter/tree-sitter-java/bindings/go"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// parser reads Java with its grammar, which is C code.
func parser() func(string, []byte) code.File { return grammar().Parser(code.Java) }

func grammar() *sitter.Grammar {
	bases := []string{">superclass/*", ">super_interfaces/>type_list/*", ">extends_interfaces/>type_list/*"}
	return &sitter.Grammar{
		Pointer:  java.Language,
		Names:    []string{"identifier", "type_identifier"},
		Words:    map[string]bool{"this": true, "super": false},
		Comments: []string{"line_comment", "block_comment"},
		Members: map[string]sitter.Access{
			"field_access":           {Object: "object", Member: "field"},
			"scoped_identifier":      {Object: "scope", Member: "name"},
			"scoped_type_identifier": {Object: "^", Member: "$"},
		},
		Calls: map[string]sitter.Call{
			"method_invocation":          {Callee: "name", Arguments: "arguments", Object: "object"},
			"object_creation_expression": {Callee: "type", Arguments: "arguments"},
			"annotation":                 {Callee: "name", Arguments: "arguments"},
		},
		Inner:       map[string]string{"parenthesized_expression generic_type": "^"},
		Named:       map[string]string{"element_value_pair": "key"},
		Closures:    map[string]string{"lambda_expression": "parameters", "method_reference": ""},
		TypeAt:      map[string]string{"object_creation_expression cast_expression": "type"},
		Builtin:     []string{"String", "Object", "var", "_"},
		Nothing:     []string{"null_literal"},
		Base:        "super",
		Ordered:     true,
		BareMembers: true,
		Apart:       true,
		Bare:        bare,
		Describe:    describe,
		Params:      readParams,
		Targets:     sitter.Itself,
		Local:       sitter.InBlock,
		Declares: map[string]sitter.Declaration{
			"class_declaration":     {Kind: code.Class, Level: sitter.TypeLevel, Bases: bases},
			"record_declaration":    {Kind: code.Class, Level: sitter.TypeLevel, Bases: bases, Then: record},
			"enum_declaration":      {Kind: code.Enum, Level: sitter.TypeLevel, Bases: bases},
			"interface_declaration": {Kind: code.Interface, Level: sitter.TypeLevel, Bases: bases},

			"annotation_type_declaration": {Kind: code.Interface, Level: sitter.TypeLevel},
			"enum_constant":               {Kind: code.Member, Then: enumConstant},
			"method_declaration annotation_type_element_declaration constructor_declaration " +
				"compact_constructor_declaration": {Kind: code.Method, Params: "parameters ../../parameters"},
		},
		Variables: map[string]sitter.Variable{
			"catch_formal_parameter":                {Type: ">catch_type", Name: "name", Whole: true},
			"resource":                              {Type: "type", Name: "name", Value: "value", Whole: true},
			"instanceof_expression":                 {Type: "right", Name: "name"},
			"type_pattern record_pattern_component": {Type: "^", Name: "$", Match: true},
			"enhanced_for_statement":                {Type: "type", Name: "name", Opens: true},
		},
		Rules: rules(),
	}
}

func rules() map[string]sitter.Rule {
	declaration, element := sitter.Elements("variable_declarator", field)
	return map[string]sitter.Rule{
		"package_declaration": readPackage,
		"import_declaration":  readImport,
		"module_declaration":  sitter.SkipsAll,

		"class_body":                             anonymous,
		"field_declaration constant_declaration": declaration,
		"variable_declarator": func(r *sitter.Reader, n sitter.Node) {
			if r.Is(r.Parent(n), "field_declaration", "constant_declaration") {
				element(r, n)
			}
		},
		"explicit_constructor_invocation": sitter.OtherConstructor("constructor", "arguments"),
		"type_parameter":                  sitter.Binds(">type_identifier", sitter.ToValue),

		"local_variable_declaration": variables,
		"lambda_expression":          lambda,
		"record_pattern":             sitter.Matches("^"),
		"switch_label":               label,
		"switch_expression":          statement,
		"assignment_expression":      sitter.Writes("left"),
		"update_expression":          sitter.Writes("^"),
		"block":                      block,
		"static_initializer":         sitter.Opens(sitter.FunctionLevel),
		"constructor_body for_statement catch_clause try_with_resources_statement switch_block " +
			"switch_rule": sitter.Opens(sitter.BlockLevel),
		"labeled_statement break_statement continue_statement": sitter.Skips(">identifier"),
		"method_reference":  methodReference,
		"method_invocation": contained,
	}
}

// bare names the type without its arguments. An array has none of the members of what it holds,
// and of several types it is unknown which.
func bare(t string) string {
	if strings.HasSuffix(t, "]") || strings.Contains(t, "|") {
		return ""
	}
	t, _, _ = strings.Cut(t, "<")
	return t
}

func readPackage(r *sitter.Reader, n sitter.Node) {
	sitter.SkipsAll(r, n)
	r.File.Package = r.Written(r.Child(n, "scoped_identifier", "identifier"))
}

func readImport(r *sitter.Reader, n sitter.Node) {
	sitter.SkipsAll(r, n)
	i := code.Import{Module: r.Text(r.Child(n, "scoped_identifier", "identifier")), Line: r.Line(n)}
	if r.Has(n, "asterisk") {
		i.Member = code.All
		r.Imports(i, 0)
		return
	}
	if before, last := sitter.CutLast(i.Module, "."); before != "" {
		i.Module, i.Member = before, strings.TrimSpace(last)
	}
	i.Name = i.Member
	r.Imports(i, n)
}

// describe fills in what the modifiers say, and else what the place says.
func describe(r *sitter.Reader, n sitter.Node, d *code.Definition) {
	modifiers, inInterface := r.Child(n, "modifiers"), r.Is(r.Parent(n), "interface_body", "annotation_type_body")
	d.Static = r.Has(modifiers, "static")
	d.Final, d.Sealed = r.Has(modifiers, "final"), r.Has(modifiers, "sealed")
	d.ReadOnly = d.Final && d.Kind == code.Field
	switch {
	case r.InFunction() && d.Kind != code.Member:
		d.Visibility = code.Private
	case r.Has(modifiers, "public"), inInterface, d.Kind == code.Member:
		d.Visibility = code.Public
	case r.Has(modifiers, "private"):
		d.Visibility = code.Private
	default:
		d.Visibility = code.Restricted
	}
	if d.Kind != code.Method {
		d.Abstract = d.Kind == code.Class && r.Has(modifiers, "abstract")
		d.Test = d.Kind.IsType() && annotated(r, modifiers, "Nested")
		return
	}
	d.Abstract = r.Has(modifiers, "abstract") || r.Field(n, "body") == 0 && inInterface
	d.Overrides = annotated(r, modifiers, "Override")
	d.Test = annotated(r, modifiers, "Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate")
	d.Result = r.Keep(r.WrittenAt(n, "type") + r.WrittenAt(n, "dimensions"))
	for exception := range r.Each(n, ">throws/*") {
		d.Throws = append(d.Throws, r.Written(exception))
	}
	if r.Is(n, "constructor_declaration", "compact_constructor_declaration") {
		// What the name stands for by itself is the class.
		d.Name = r.TextAt(n, "name")
	}
}

// annotated reports whether one of the annotations has one of the names, whatever package it is named with.
func annotated(r *sitter.Reader, modifiers sitter.Node, names ...string) bool {
	return r.Says(modifiers, ">marker_annotation|annotation/name", names...)
}

// record lists the components of a record: each is a field, and together they are the parameters of a constructor.
func record(r *sitter.Reader, n sitter.Node) {
	list := r.Field(n, "parameters")
	params := readParams(r, list)
	for _, p := range params {
		r.Define(code.Definition{Kind: code.Field, Visibility: code.Public, Type: p.Type},
			sitter.Site{Whole: p.Whole, Name: p.Names[0]})
	}
	if r.Find(n, "body/>compact_constructor_declaration") == 0 {
		r.Define(code.Definition{Name: r.Keep(r.TextAt(n, "name")), Kind: code.Method, Visibility: code.Public,
			Params: sitter.ParamsOf(params)}, sitter.Site{Whole: list})
	}
}

// enumConstant makes a call of the constructor of the arguments of a member of an enumeration.
func enumConstant(r *sitter.Reader, n sitter.Node) {
	arguments := r.Field(n, "arguments")
	r.CallsType(arguments, r.At().Self, r.Arguments(arguments))
}

// anonymous begins the body of a class without a name. What it defines stands in the definition around it.
func anonymous(r *sitter.Reader, n sitter.Node) {
	if made := r.Parent(n); r.Is(made, "object_creation_expression", "enum_constant") {
		if len(slices.Collect(r.Parts(r.Field(made, "arguments")))) == 0 {
			r.Use(r.Field(made, "type"), code.Inherit)
		}
		r.Open(n, sitter.TypeLevel, r.At().Key)
	}
}

// field lists the field that a declarator of a declaration names, and begins it.
func field(r *sitter.Reader, declaration, declarator, whole sitter.Node) {
	d := code.Definition{Kind: code.Field}
	describe(r, declaration, &d)
	d.Static = d.Static || r.Is(declaration, "constant_declaration")
	d.Type = r.Keep(r.WrittenAt(declaration, "type") + r.WrittenAt(declarator, "dimensions"))
	s := sitter.Site{Whole: whole, Name: r.Field(declarator, "name"), Value: r.Field(declarator, "value")}
	provides(r, r.Field(declaration, "type"), s.Value)
	r.Open(whole, sitter.NameLevel, r.Define(d, s))
}

// readParams reads a list of parameters that says their types.
func readParams(r *sitter.Reader, list sitter.Node) (params []sitter.Parameter) {
	for n := range r.Parts(list) {
		p, name, typ := sitter.Parameter{Whole: n}, r.Field(n, "name"), r.Field(n, "type")
		if r.Is(n, "spread_parameter") {
			declarator := r.Child(n, "variable_declarator")
			name, p.Rest = r.Field(declarator, "name"), true
			for c := range r.Parts(n) {
				if !r.Is(c, "modifiers", "marker_annotation", "annotation", "variable_declarator") {
					typ = c
				}
			}
		}
		if name == 0 {
			continue
		}
		p.Name, p.Type, p.Names = r.Keep(r.Text(name)), r.Keep(r.Written(typ)+r.Written(r.Field(n, "dimensions"))),
			[]sitter.Node{name}
		params = append(params, p)
	}
	return params
}

// label reads what a case of a switch compares with, and a default that goes on, which stands for all other cases.
func label(r *sitter.Reader, n sitter.Node) {
	for c := range r.Parts(n) {
		r.Use(c, code.Match)
	}
	if text := r.Text(r.Parent(n)); r.Text(n) == "default" && !strings.Contains(text, "throw ") {
		r.Mark(n).Name, r.Mark(n).Use = code.Default, code.Match
	}
}

// statement says of a switch that gives no value that it may leave out members, unless it throws for all others.
func statement(r *sitter.Reader, n sitter.Node) {
	throws := false
	for _, rest := range r.Within(r.Field(n, "body"), "switch_label") {
		throws = throws || r.Text(rest) == "default"
	}
	if !throws && r.Is(r.Parent(n), "block", "switch_block_statement_group", "constructor_body") {
		r.Mark(n).Name, r.Mark(n).Use = code.Default, code.Match
	}
}

func variables(r *sitter.Reader, n sitter.Node) {
	for v := range r.InField(n, "declarator") {
		typ := r.WrittenAt(n, "type")
		if r.Field(v, "dimensions") != 0 {
			typ = ""
		}
		provides(r, r.Field(n, "type"), r.Field(v, "value"))
		r.Locals(r.Field(v, "name"), typ, sitter.Site{Whole: v, Value: r.Field(v, "value")})
	}
}

// lambda begins a function without a name. One that a method returns provides what the method's result demands.
func lambda(r *sitter.Reader, n sitter.Node) {
	if up := r.Parent(n); r.Is(up, "return_statement") {
		for up = r.Parent(up); up != 0 && !r.Is(up, "lambda_expression"); up = r.Parent(up) {
			if r.Is(up, "method_declaration") {
				r.Use(r.Field(up, "type"), code.Inherit)
				break
			}
		}
	}
	sitter.Closure(r, n)
	for _, name := range r.Within(r.Field(n, "parameters"), "identifier", "formal_parameters") {
		r.Locals(name, "", sitter.Site{})
	}
}

// block begins a block, which in a class stands for a function without a name.
func block(r *sitter.Reader, n sitter.Node) {
	l := sitter.BlockLevel
	if r.Is(r.Parent(n), "class_body") {
		l = sitter.FunctionLevel
	}
	r.Open(n, l, r.At().Key)
}

// methodReference reads `A::b`; in `A::new` it is A alone that is named.
func methodReference(r *sitter.Reader, n sitter.Node) {
	if object, name := r.First(n), r.Last(n); object != name && r.Is(name, "identifier") {
		r.Member(name, object)
		if throwsNothing(r, n) {
			r.Mark(name).Contained = true
		}
	}
}

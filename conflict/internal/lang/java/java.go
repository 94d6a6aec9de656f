//go:build cgo

package java

import (
	"slices"
	"strings"

	java "github.com/tree-sitter/tree-sitter-java/bindings/go"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

func grammar() *sitter.Grammar {
	return &sitter.Grammar{
		Pointer:  java.Language,
		Names:    []string{"identifier", "type_identifier"},
		Words:    map[string]bool{"this": true, "super": false},
		Comments: []string{"line_comment", "block_comment"},
		Members: map[string]sitter.Access{
			"field_access":           {Object: "object", Member: "field"},
			"scoped_identifier":      {Object: "scope", Member: "name"},
			"scoped_type_identifier": {},
		},
		Calls: map[string]sitter.Call{
			"method_invocation":          {Callee: "name", Arguments: "arguments", Object: "object"},
			"object_creation_expression": {Callee: "type", Arguments: "arguments"},
			"annotation":                 {Callee: "name", Arguments: "arguments"},
		},
		Inner: map[string]string{"parenthesized_expression": "", "generic_type": ""},
		Named: map[string]string{"element_value_pair": "key"},
		Infer: map[string]func(*sitter.Reader, sitter.Node, int32) (string, sitter.Node){
			"object_creation_expression": typeOf,
			"cast_expression":            typeOf,
		},
		Builtin:     []string{"String", "Object", "var"},
		Nothing:     []string{"null_literal"},
		Base:        "super",
		Ordered:     true,
		BareMembers: true,
		Apart:       true,
		Bare:        bare,
		Rules:       rules(),
	}
}

func rules() map[string]sitter.Rule {
	return map[string]sitter.Rule{
		"package_declaration": readPackage,
		"import_declaration":  readImport,
		"module_declaration":  sitter.SkipsAll,

		"class_declaration":                   readType(code.Class),
		"record_declaration":                  readType(code.Class),
		"interface_declaration":               readType(code.Interface),
		"annotation_type_declaration":         readType(code.Interface),
		"enum_declaration":                    readType(code.Enum),
		"enum_constant":                       enumConstant,
		"class_body":                          anonymous,
		"field_declaration":                   fields,
		"constant_declaration":                fields,
		"variable_declarator":                 readDeclarator,
		"method_declaration":                  method,
		"annotation_type_element_declaration": method,
		"constructor_declaration":             method,
		"compact_constructor_declaration":     method,
		"explicit_constructor_invocation":     otherConstructor,
		"type_parameter":                      typeParameter,

		"local_variable_declaration":   variables,
		"lambda_expression":            lambda,
		"enhanced_for_statement":       forEach,
		"catch_formal_parameter":       catch,
		"resource":                     resource,
		"instanceof_expression":        instanceOf,
		"type_pattern":                 pattern,
		"record_pattern_component":     pattern,
		"record_pattern":               func(r *sitter.Reader, n sitter.Node) { r.Use(r.First(n), code.Match) },
		"block":                        block,
		"static_initializer":           sitter.Opens(sitter.FunctionLevel),
		"constructor_body":             sitter.Opens(sitter.BlockLevel),
		"for_statement":                sitter.Opens(sitter.BlockLevel),
		"catch_clause":                 sitter.Opens(sitter.BlockLevel),
		"try_with_resources_statement": sitter.Opens(sitter.BlockLevel),
		"switch_block":                 sitter.Opens(sitter.BlockLevel),
		"switch_rule":                  sitter.Opens(sitter.BlockLevel),
		"switch_label":                 readCase,
		"labeled_statement":            readLabel,
		"break_statement":              readLabel,
		"continue_statement":           readLabel,
		"method_reference":             methodReference,
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

// typeOf gives the type that is named in an expression.
func typeOf(r *sitter.Reader, n sitter.Node, _ int32) (string, sitter.Node) {
	return r.Written(r.Field(n, "type")), 0
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
	if dot := strings.LastIndexByte(i.Module, '.'); dot >= 0 {
		i.Module, i.Member = i.Module[:dot], strings.TrimSpace(i.Module[dot+1:])
	}
	i.Name = i.Member
	r.Imports(i, n)
}

// readModifiers are what a declaration begins with, 0 if it has none.
func readModifiers(r *sitter.Reader, n sitter.Node) sitter.Node {
	if m := r.First(n); r.Is(m, "modifiers") {
		return m
	}
	return 0
}

// visibility is what the modifiers say, and else what the place says.
func visibility(r *sitter.Reader, n sitter.Node) code.Visibility {
	switch modifiers := readModifiers(r, n); {
	case r.InFunction():
		return code.Private
	case r.Has(modifiers, "public"), r.Is(r.Parent(n), "interface_body", "annotation_type_body"):
		return code.Public
	case r.Has(modifiers, "private"):
		return code.Private
	}
	return code.Restricted
}

// annotated reports whether a declaration has one of the annotations, whatever package they are named with.
func annotated(r *sitter.Reader, n sitter.Node, names ...string) bool {
	for a := range r.Parts(readModifiers(r, n)) {
		if r.Is(a, "marker_annotation", "annotation") && slices.Contains(names, r.Text(r.LeafOf(r.Field(a, "name")))) {
			return true
		}
	}
	return false
}

// readType makes a rule for the declarations of types of a kind.
func readType(kind code.Kind) sitter.Rule {
	return func(r *sitter.Reader, n sitter.Node) {
		name := r.Field(n, "name")
		d := code.Definition{Kind: kind, Visibility: visibility(r, n), Static: r.Has(readModifiers(r, n), "static"),
			Test: annotated(r, n, "Nested")}
		for c := range r.Parts(n) {
			if !r.Is(c, "superclass", "super_interfaces", "extends_interfaces") {
				continue
			}
			list := c
			if inner := r.Child(c, "type_list"); inner != 0 {
				list = inner
			}
			for t := range r.Parts(list) {
				r.Use(t, code.Inherit)
				d.Bases = append(d.Bases, r.Keep(r.Path(t)))
			}
		}
		r.Open(n, sitter.TypeLevel, r.Define(d, sitter.Site{Whole: n, Name: name}))
		if r.Is(n, "record_declaration") {
			record(r, n, name)
		}
	}
}

// record lists the components of a record: each is a field, and together they are the parameters of a constructor.
func record(r *sitter.Reader, n, name sitter.Node) {
	list := r.Field(n, "parameters")
	params := readParams(r, list)
	for _, p := range params {
		r.Define(code.Definition{Kind: code.Field, Visibility: code.Public, Type: p.Type},
			sitter.Site{Whole: p.Whole, Name: p.Names[0]})
	}
	if !r.Has(r.Field(n, "body"), "compact_constructor_declaration") {
		r.Define(code.Definition{Name: r.Keep(r.Text(name)), Kind: code.Method, Visibility: code.Public,
			Params: sitter.ParamsOf(params)},
			sitter.Site{Whole: list})
	}
}

// enumConstant reads a member of an enumeration, which calls the constructor with its arguments.
func enumConstant(r *sitter.Reader, n sitter.Node) {
	self, arguments := r.At().Self, r.Field(n, "arguments")
	r.Open(n, sitter.NameLevel, r.Define(code.Definition{Kind: code.Member, Visibility: code.Public},
		sitter.Site{Whole: n, Name: r.Field(n, "name")}))
	if arguments != 0 {
		m := r.Mark(arguments)
		m.Name, m.Use, m.Args = sitter.PathEnd(self), code.Call, r.Arguments(arguments)
	}
}

// anonymous begins the body of a class without a name. What it defines stands in the definition around it.
func anonymous(r *sitter.Reader, n sitter.Node) {
	if r.Is(r.Parent(n), "object_creation_expression", "enum_constant") {
		r.Open(n, sitter.TypeLevel, r.At().Key)
	}
}

// fields reads a declaration of one field. Those of several are read where each is named.
func fields(r *sitter.Reader, n sitter.Node) {
	if v := r.Field(n, "declarator"); alone(r, n) {
		field(r, n, v, sitter.Site{Whole: n})
	}
}

func readDeclarator(r *sitter.Reader, n sitter.Node) {
	if up := r.Parent(n); r.Is(up, "field_declaration", "constant_declaration") && !alone(r, up) {
		field(r, up, n, sitter.Site{Whole: n})
	}
}

// alone reports whether a declaration declares one variable.
func alone(r *sitter.Reader, n sitter.Node) bool {
	v := r.Field(n, "declarator")
	return v != 0 && r.NextPart(v) == 0
}

// field lists the field that a declarator of a declaration names, and begins it.
func field(r *sitter.Reader, declaration, declarator sitter.Node, s sitter.Site) {
	d := code.Definition{Kind: code.Field, Visibility: visibility(r, declaration)}
	d.Static = r.Has(readModifiers(r, declaration), "static") || r.Is(declaration, "constant_declaration")
	d.Type = r.Keep(r.Written(r.Field(declaration, "type")) + r.Written(r.Field(declarator, "dimensions")))
	s.Name, s.Value = r.Field(declarator, "name"), r.Field(declarator, "value")
	r.Open(s.Whole, sitter.NameLevel, r.Define(d, s))
}

func method(r *sitter.Reader, n sitter.Node) {
	name, modifiers := r.Field(n, "name"), readModifiers(r, n)
	params := readParams(r, r.Field(n, "parameters"))
	if r.Is(n, "compact_constructor_declaration") {
		params = readParams(r, r.Field(r.Parent(r.Parent(n)), "parameters"))
	}
	d := code.Definition{
		Kind: code.Method, Visibility: visibility(r, n), Params: sitter.ParamsOf(params),
		Static:    r.Has(modifiers, "static"),
		Overrides: annotated(r, n, "Override"),
		Test:      annotated(r, n, "Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate"),
	}
	d.Result = r.Keep(r.Written(r.Field(n, "type")) + r.Written(r.Field(n, "dimensions")))
	for exception := range r.Parts(r.Child(n, "throws")) {
		d.Throws = append(d.Throws, r.Written(exception))
	}
	d.Abstract = r.Has(modifiers, "abstract") ||
		r.Field(n, "body") == 0 && r.Is(r.Parent(n), "interface_body", "annotation_type_body")
	s := sitter.Site{Whole: n, Name: name}
	if r.Is(n, "constructor_declaration", "compact_constructor_declaration") {
		// What the name stands for by itself is the class.
		r.Skip(name)
		d.Name, s.Name = r.Keep(r.Text(name)), 0
	}
	key := r.Define(d, s)
	if r.Field(n, "body") == 0 {
		r.Open(n, sitter.BlockLevel, key)
		r.BindParams(params)
		return
	}
	r.Open(n, sitter.FunctionLevel, key)
	r.LocalParams(params)
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

// otherConstructor makes a call of a class of a call of this or super at the begin of a constructor.
func otherConstructor(r *sitter.Reader, n sitter.Node) {
	word, class := r.Field(n, "constructor"), r.At().Self
	if r.Is(word, "super") {
		class = r.BaseOf(class)
	}
	if class != "" && word != 0 {
		m := r.Mark(word)
		m.Name, m.Use, m.Args = sitter.PathEnd(class), code.Call, r.Arguments(r.Field(n, "arguments"))
	}
}

func typeParameter(r *sitter.Reader, n sitter.Node) {
	if name := r.Child(n, "type_identifier"); name != 0 {
		r.Skip(name)
		r.Bind(r.Here, r.Text(name), sitter.Binding{At: name})
	}
}

// local lists a local variable of a type.
func local(r *sitter.Reader, typ sitter.Node, s sitter.Site) {
	if !r.Is(s.Name, "identifier") {
		return
	}
	text := r.Written(typ)
	if text == "var" {
		text = ""
	}
	r.Local(text, s, sitter.BlockLevel, sitter.FunctionLevel)
}

func variables(r *sitter.Reader, n sitter.Node) {
	for v := range r.InField(n, "declarator") {
		typ := r.Field(n, "type")
		if r.Field(v, "dimensions") != 0 {
			typ = 0
		}
		local(r, typ, sitter.Site{Whole: v, Name: r.Field(v, "name"), Value: r.Field(v, "value")})
	}
}

func lambda(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.FunctionLevel, r.At().Key)
	list := r.Field(n, "parameters")
	switch r.Kind(list) {
	case "formal_parameters":
		r.LocalParams(readParams(r, list))
	case "inferred_parameters":
		for name := range r.Parts(list) {
			local(r, 0, sitter.Site{Name: name})
		}
	default:
		local(r, 0, sitter.Site{Name: list})
	}
}

func forEach(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.BlockLevel, r.At().Key)
	local(r, r.Field(n, "type"), sitter.Site{Name: r.Field(n, "name")})
}

func catch(r *sitter.Reader, n sitter.Node) {
	local(r, r.Child(n, "catch_type"), sitter.Site{Whole: n, Name: r.Field(n, "name")})
}

func resource(r *sitter.Reader, n sitter.Node) {
	local(r, r.Field(n, "type"), sitter.Site{Whole: n, Name: r.Field(n, "name"), Value: r.Field(n, "value")})
}

func instanceOf(r *sitter.Reader, n sitter.Node) {
	local(r, r.Field(n, "right"), sitter.Site{Name: r.Field(n, "name")})
}

// pattern reads a type and a name in a pattern.
func pattern(r *sitter.Reader, n sitter.Node) {
	typ, name := r.First(n), r.Last(n)
	r.Use(typ, code.Match)
	local(r, typ, sitter.Site{Name: name})
}

// block begins a block, which in a class stands for a function without a name.
func block(r *sitter.Reader, n sitter.Node) {
	l := sitter.BlockLevel
	if r.Is(r.Parent(n), "class_body") {
		l = sitter.FunctionLevel
	}
	r.Open(n, l, r.At().Key)
}

func readCase(r *sitter.Reader, n sitter.Node) {
	for label := range r.Parts(n) {
		r.Use(label, code.Match)
	}
}

// readLabel leaves the labels of statements alone.
func readLabel(r *sitter.Reader, n sitter.Node) {
	if name := r.First(n); r.Is(name, "identifier") {
		r.Skip(name)
	}
}

// methodReference reads `A::b`; in `A::new` it is A alone that is named.
func methodReference(r *sitter.Reader, n sitter.Node) {
	if object, name := r.First(n), r.Last(n); object != name && r.Is(name, "identifier") {
		r.Member(name, object)
	}
}

//go:build cgo

package javascript

import (
	"unsafe"

	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

func typescriptGrammar() *sitter.Grammar {
	g := tsGrammar(typescript.LanguageTypescript)
	g.Dialects = map[string]*sitter.Grammar{".tsx": tsGrammar(typescript.LanguageTSX)}
	return g
}

// tsGrammar is JavaScript with types in it. The dialect TSX has elements of JSX too, and no type
// assertions in angle brackets.
func tsGrammar(pointer func() unsafe.Pointer) *sitter.Grammar {
	g := javascriptGrammar()
	g.Pointer = pointer
	g.Names = append(g.Names, "type_identifier")
	g.Members["nested_type_identifier"] = sitter.Access{Object: "module", Member: "name"}
	g.Members["nested_identifier"] = sitter.Access{Object: "object", Member: "property"}
	g.Inner["non_null_expression"] = ""
	g.Inner["generic_type"] = "name"
	g.Infer["as_expression"] = tsTypeOfAs
	g.Infer["satisfies_expression"] = tsTypeOfAs
	g.SelfType = "this"
	g.Bare = tsBare
	g.Rules = withRules(g.Rules, typescriptRules())
	return g
}

func typescriptRules() map[string]sitter.Rule {
	return map[string]sitter.Rule{
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
		"conditional_type":     sitter.Opens(sitter.BlockLevel),
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
func tsTypeOfAs(r *sitter.Reader, n sitter.Node, _ int32) (string, sitter.Node) {
	e := r.First(n)
	if t := r.NextPart(e); t != 0 {
		return r.Written(t), 0
	}
	return "", e
}

func tsAs(r *sitter.Reader, n sitter.Node) {
	e := r.First(n)
	if t := r.NextPart(e); t != 0 && e != 0 {
		jsConstruct(r, t, e)
	}
}

func tsFunctionType(r *sitter.Reader, n sitter.Node) {
	jsOpenFunction(r, n, r.At().Key, jsParams(r, n))
}

// tsSignature reads a method without a body: of an interface, abstract, or one of several signatures of one method.
func tsSignature(r *sitter.Reader, n sitter.Node) {
	name, params, key := r.Field(n, "name"), jsParams(r, n), r.At().Key
	r.Skip(name)
	if tsIsMember(r, n) {
		if jsIsOverload(r, n) {
			key = sitter.Join(key, jsMemberName(r, name))
		} else {
			d := jsMember(r, n, name)
			d.Abstract = (!r.Is(r.Parent(n), "class_body") || d.Abstract) && !r.Has(n, "?")
			key = jsDefineMethod(r, d, sitter.Site{Whole: n, Name: name})
		}
	}
	jsOpenFunction(r, n, key, params)
}

// tsIsMember reports whether a signature stands in what a name is given to, and not in a type that
// is written out somewhere.
func tsIsMember(r *sitter.Reader, n sitter.Node) bool {
	up := r.Parent(n)
	if r.Is(up, "interface_body", "class_body") {
		return true
	}
	for range sitter.MaxSteps {
		if !r.Is(up, "object_type", "intersection_type", "parenthesized_type") {
			break
		}
		up = r.Parent(up)
	}
	return r.Is(up, "type_alias_declaration")
}

func tsProperty(r *sitter.Reader, n sitter.Node) {
	name := r.Field(n, "name")
	if !tsIsMember(r, n) {
		return
	}
	d := jsMember(r, n, name)
	d.Kind, d.Type = code.Field, jsType(r, r.Field(n, "type"))
	if r.Has(n, "?") {
		d.Type += "?"
	}
	r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: n, Name: name}))
}

func tsInterface(r *sitter.Reader, n sitter.Node) {
	d := code.Definition{Kind: code.Interface, Visibility: jsVisibility(r, n)}
	for t := range r.InField(r.Child(n, "extends_type_clause"), "type") {
		r.Use(t, code.Inherit)
		d.Bases = append(d.Bases, r.Keep(r.Path(t)))
	}
	r.Open(n, sitter.TypeLevel, r.Define(d, sitter.Site{Whole: n, Name: r.Field(n, "name")}))
}

// tsAlias reads a named type. The strings of a union are its members.
func tsAlias(r *sitter.Reader, n sitter.Node) {
	value, visibility := r.Field(n, "value"), jsVisibility(r, n)
	r.Open(n, sitter.TypeLevel, r.Define(code.Definition{Kind: code.Type, Visibility: visibility,
		Type: r.Written(value)},
		sitter.Site{Whole: n, Name: r.Field(n, "name")}))
	if !r.Is(value, "union_type") {
		return
	}
	for t := value; t < r.Cells[value].After; t++ {
		if text := r.Child(r.Child(t, "string"), "string_fragment"); r.Is(t, "literal_type") && text != 0 {
			r.Define(code.Definition{Kind: code.Member, Visibility: visibility}, sitter.Site{Whole: t, Name: text})
		}
		if !r.Is(t, "union_type", "parenthesized_type") {
			t = r.Cells[t].After - 1
		}
	}
}

func tsEnum(r *sitter.Reader, n sitter.Node) {
	d := code.Definition{Kind: code.Enum, Visibility: jsVisibility(r, n)}
	r.Open(n, sitter.TypeLevel, r.Define(d, sitter.Site{Whole: n, Name: r.Field(n, "name")}))
	r.At().Enum = true
}

func tsEnumBody(r *sitter.Reader, n sitter.Node) {
	for whole := range r.Parts(n) {
		name := whole
		if r.Is(whole, "enum_assignment") {
			name = r.Field(whole, "name")
		}
		r.Define(code.Definition{Name: jsMemberName(r, name), Kind: code.Member, Visibility: code.Public},
			sitter.Site{Whole: whole, Name: name})
	}
}

func tsNamespace(r *sitter.Reader, n sitter.Node) {
	name := r.Field(n, "name")
	if name == 0 {
		return
	}
	sitter.SkipsAll(r, name)
	d := code.Definition{Name: r.Keep(unquoted(r.Text(name))), Kind: code.Module, Visibility: jsVisibility(r, n)}
	if r.Is(r.Parent(n), "expression_statement") {
		d.Visibility = jsVisibility(r, r.Parent(n))
	}
	r.Open(n, sitter.ModuleLevel, r.Define(d, sitter.Site{Whole: n, Name: name}))
}

// tsImportAlias reads `import A = B.C`.
func tsImportAlias(r *sitter.Reader, n sitter.Node) {
	name := r.First(n)
	of := r.NextPart(name)
	r.Open(n, sitter.NameLevel, r.Define(code.Definition{Kind: code.Type, Visibility: jsVisibility(r, n),
		Type: r.Written(of)},
		sitter.Site{Whole: n, Name: name}))
}

// tsBinds makes a rule for type parameters and the like: the name in the field is known in the frame around.
func tsBinds(field string) sitter.Rule {
	return func(r *sitter.Reader, n sitter.Node) {
		if name := r.Field(n, field); name != 0 {
			r.Skip(name)
			r.Bind(r.Here, r.Text(name), sitter.Binding{At: name})
		}
	}
}

func tsInfer(r *sitter.Reader, n sitter.Node) {
	if name := r.First(n); name != 0 {
		r.Skip(name)
		r.Bind(r.Here, r.Text(name), sitter.Binding{At: name})
	}
}

func tsIndex(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.BlockLevel, r.At().Key)
	r.Skip(r.Field(n, "name"))
}

// tsParameter leaves the names of a tuple's parts alone; those of a function's parameters are bound with it.
func tsParameter(r *sitter.Reader, n sitter.Node) {
	if r.Is(r.Parent(n), "tuple_type") {
		sitter.SkipsAll(r, r.Field(n, "name"))
	}
	jsConstruct(r, r.Field(n, "type"), r.Field(n, "value"))
}

//go:build cgo

package python

import (
	"slices"
	"strings"

	python "github.com/tree-sitter/tree-sitter-python/bindings/go"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// parser reads Python with its grammar, which is C code.
func parser() func(string, []byte) code.File { return grammar().Parser(code.Python) }

func grammar() *sitter.Grammar {
	return &sitter.Grammar{
		Pointer:  python.Language,
		Names:    []string{"identifier"},
		Comments: []string{"comment", "line_continuation"},
		Docs:     []string{"expression_statement"},
		Tokens:   []string{"string_content"},
		Blocks:   []string{"block"},
		Members:  map[string]sitter.Access{"attribute": {Object: "object", Member: "attribute"}},
		Calls:    map[string]sitter.Call{"call": {Callee: "function", Arguments: "arguments"}},
		Inner:    map[string]string{"parenthesized_expression type generic_type": "^"},
		Named:    map[string]string{"keyword_argument": "name"},
		Spread:   []string{"list_splat", "dictionary_splat"},
		SameType: map[string]string{"await": "^"},
		Literals: map[string]string{"list list_comprehension": "list", "dictionary dictionary_comprehension": "dict",
			"set set_comprehension": "set", "tuple": "tuple", "string concatenated_string": "str"},
		Nothing:  []string{"none"},
		Base:     "super",
		SelfType: "Self",
		Bare:     bare,
		Builtin: []string{"int", "str", "bool", "float", "bytes", "object", "list", "dict", "set", "tuple", "property",
			"staticmethod", "classmethod"},
		Makes:  sitter.StartsUpper,
		Params: readParams,
		Targets: func(r *sitter.Reader, target sitter.Node) []sitter.Node {
			return r.Within(target, "identifier", "attribute", "subscript")
		},
		Local: func(r *sitter.Reader, typ string, s sitter.Site) { bind(r, typ, s) },
		Variables: map[string]sitter.Variable{
			"named_expression": {Name: "name", Value: "value", Whole: true},
			"for_statement":    {Name: "left"},
			"except_clause":    {Type: "value", Name: "alias"},
			"splat_pattern":    {Name: ">identifier"},
		},
		Rules: map[string]sitter.Rule{
			"decorated_definition": definition,
			"function_definition class_definition": func(r *sitter.Reader, n sitter.Node) {
				if !r.Is(r.Parent(n), "decorated_definition") {
					definition(r, n)
				}
			},
			"lambda":                              sitter.Closure,
			"type_alias_statement":                alias,
			"assignment":                          assignment,
			"augmented_assignment":                augmented,
			"for_in_clause":                       comprehension,
			"as_pattern":                          as,
			"global_statement nonlocal_statement": outside,
			"list_comprehension set_comprehension dictionary_comprehension " +
				"generator_expression": sitter.Opens(sitter.BlockLevel),
			"import_statement":                 readImport,
			"import_from_statement":            importFrom,
			"future_import_statement":          sitter.SkipsAll,
			"keyword_argument keyword_pattern": sitter.Skips("^"),
			"dotted_name":                      patternPath,
			"call":                             readCall,
			"type":                             quotedType,
		},
	}
}

func visibility(name string) code.Visibility {
	switch {
	case strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__"):
		return code.Public
	case strings.HasPrefix(name, "__"):
		return code.Private
	case strings.HasPrefix(name, "_"):
		return code.Restricted
	}
	return code.Public
}

// bare names the type that an annotation is about: C for Optional[C], "C" and C | None. A
// union of several types has none.
func bare(t string) string {
	t = strings.Trim(t, `"' `)
	if strings.Contains(t, "|") {
		t = sitter.OnlyOf(t, "None")
	}
	outer, rest, generic := strings.Cut(t, "[")
	if !generic {
		return t
	}
	switch sitter.PathEnd(outer) {
	case "Optional", "Annotated", "Final", "ClassVar":
		if arg, _, _ := strings.Cut(strings.TrimSuffix(rest, "]"), ","); !strings.Contains(arg, "[") {
			return strings.Trim(arg, `"' `)
		}
		return ""
	case "Union":
		return ""
	}
	return outer
}

// isTest tells the files in which pytest and unittest look for tests.
func isTest(r *sitter.Reader) bool {
	return strings.HasPrefix(r.FileName(), "test_") || strings.HasSuffix(r.FileName(), "_test.py")
}

// definition reads a function or a class with its decorators.
func definition(r *sitter.Reader, whole sitter.Node) {
	if n := undecorated(r, whole); r.Is(n, "class_definition") {
		readClass(r, whole, n)
	} else if n != 0 {
		function(r, whole, n)
	}
}

// decorators are the last names of a definition's decorators.
type decorators []string

func readDecorators(r *sitter.Reader, whole sitter.Node) (names decorators) {
	for d := range r.Each(whole, ">decorator") {
		names = append(names, r.Text(r.LeafOf(r.Find(d, "^/function ^"))))
	}
	return names
}

// any reports whether one of the names is among the decorators.
func (d decorators) any(names ...string) bool {
	return slices.ContainsFunc(names, func(s string) bool { return slices.Contains(d, s) })
}

func function(r *sitter.Reader, whole, n sitter.Node) {
	name, marked := r.Field(n, "name"), readDecorators(r, whole)
	d := signature(r, n, marked)
	params, receiver := readParams(r, r.Field(n, "parameters")), sitter.Node(0)
	if r.InType() && !marked.any("staticmethod") && len(params) > 0 && !params[0].Rest && !params[0].NamedOnly {
		receiver, params = params[0].Names[0], params[1:]
	}
	if d.Kind != code.Field {
		d.Params = sitter.ParamsOf(params)
	}
	key := sitter.Join(r.At().Key, r.Text(name))
	if isAgain(r, whole, name, marked) {
		r.Skip(name)
	} else {
		key = r.Define(d, sitter.Site{Whole: whole, Name: name})
	}
	if marked.any("overload") {
		r.Open(whole, sitter.BlockLevel, key)
		r.BindParams(params)
		r.Skip(receiver)
		return
	}
	if isTest(r) && (d.Test || marked.any("fixture")) {
		needs(r, params, key)
	}
	r.Open(whole, sitter.FunctionLevel, key)
	r.BindHere(receiver, sitter.Binding{Typ: r.At().Self})
	r.LocalParams(params)
	bindTypes(r, r.Field(n, "type_parameters"))
}

// needs makes references of a test's parameters, which name fixtures of its file or of a conftest.py around it.
func needs(r *sitter.Reader, params []sitter.Parameter, key string) {
	for _, p := range params {
		if p.Name == "" || p.Optional || p.Rest {
			continue
		}
		conftest := code.Import{Module: fixtures, Member: code.All, Guarded: true}
		if !slices.Contains(r.File.Imports, conftest) {
			r.File.Imports = append(r.File.Imports, conftest)
		}
		r.File.References = append(r.File.References, code.Reference{Name: p.Name, Use: code.Read, Args: code.NoCall,
			In: key, Line: r.Line(p.Whole)})
	}
}

// signature says of a function what its name, its decorators and its place say. A property is a field to others.
func signature(r *sitter.Reader, n sitter.Node, marked decorators) code.Definition {
	name := r.Text(r.Field(n, "name"))
	d := code.Definition{Kind: code.Function, Visibility: visibility(name),
		Result: r.Written(r.Field(n, "return_type")),
		Async:  r.Has(n, "async")}
	d.Test = isTest(r) && strings.HasPrefix(name, "test") && !r.InFunction()
	switch {
	case r.InFunction():
		d.Visibility = code.Private
	case r.InType():
		d.Kind, d.Static, d.Overrides = code.Method, marked.any("staticmethod", "classmethod"), marked.any("override")
		d.Abstract = marked.any("abstractmethod", "abstractproperty") || madeFrom(r, r.At().Self, "Protocol")
		if marked.any("property", "cached_property", "abstractproperty") {
			d.Kind, d.Type, d.Result = code.Field, d.Result, ""
			d.ReadOnly = !marked.any("cached_property")
		}
	}
	return d
}

// isAgain reports whether a function is a further part of one that is listed already or comes behind:
// what sets or deletes a property, and the signatures of an overloaded function. A .pyi file has
// nothing but those; the first one is listed.
func isAgain(r *sitter.Reader, whole, name sitter.Node, marked decorators) bool {
	known := r.BoundIn(r.Here, r.Text(name)) != 0 || r.Holds(r.At().Key, r.Text(name))
	if marked.any("overload") {
		return known || !strings.HasSuffix(r.Name, ".pyi")
	}
	if !known || !marked.any("setter", "deleter", "getter") {
		return false
	}
	for d := range r.Each(whole, ">decorator") {
		sitter.SkipsAll(r, d)
	}
	if property := r.LastMember(r.Text(name)); property != nil && marked.any("setter") {
		property.ReadOnly = false
	}
	return true
}

// bindTypes binds the type parameters in a list.
func bindTypes(r *sitter.Reader, list sitter.Node) {
	for t := range r.Parts(list) {
		r.BindHere(r.LeafOf(r.First(t)), sitter.Binding{})
	}
}

func readParams(r *sitter.Reader, list sitter.Node) (params []sitter.Parameter) {
	namedOnly := false
	for n := range r.Parts(list) {
		namedOnly = namedOnly || r.Is(n, "keyword_separator")
		for i := range params {
			params[i].PositionalOnly = params[i].PositionalOnly || r.Is(n, "positional_separator")
		}
		p := code.Param{NamedOnly: namedOnly, Type: r.WrittenAt(n, "type"), Optional: r.Field(n, "value") != 0}
		name := r.Find(n, "name .")
		if r.Is(n, "typed_parameter") {
			name = r.First(n)
		}
		if r.Is(name, "list_splat_pattern", "dictionary_splat_pattern") {
			p.Rest, p.NamedOnly = true, r.Is(name, "dictionary_splat_pattern")
			namedOnly, name = true, r.First(name)
		}
		if r.Is(name, "identifier") {
			p.Name = r.Keep(r.Text(name))
			params = append(params, sitter.Parameter{Param: p, Whole: n, Names: []sitter.Node{name}})
		}
	}
	return params
}

// madeFrom reports whether a type of the file names one of the classes among its bases.
func madeFrom(r *sitter.Reader, key string, classes ...string) bool {
	return slices.ContainsFunc(r.Types[key], func(base string) bool {
		return slices.Contains(classes, sitter.PathEnd(base))
	})
}

func readClass(r *sitter.Reader, whole, n sitter.Node) {
	name := r.Field(n, "name")
	d := code.Definition{Kind: code.Class, Visibility: visibility(r.Text(name))}
	if r.InFunction() {
		d.Visibility = code.Private
	}
	for base := range r.Parts(r.Field(n, "superclasses")) {
		if r.Is(base, "subscript") {
			base = r.Field(base, "value")
		}
		if leaf := r.LeafOf(base); leaf != 0 {
			r.Use(base, code.Inherit)
			d.Bases = append(d.Bases, r.Written(base))
		}
	}
	d.Test = isTest(r) && strings.HasPrefix(r.Text(name), "Test")
	for _, base := range d.Bases {
		switch base = sitter.PathEnd(base); {
		case base == "Protocol":
			d.Kind = code.Interface
		case strings.HasSuffix(base, "Enum") || base == "Flag" || base == "IntFlag":
			d.Kind = code.Enum
		case base == "TestCase" && isTest(r):
			d.Test = true
		}
	}
	kind := d.Kind
	r.Open(whole, sitter.TypeLevel, r.Define(d, sitter.Site{Whole: whole, Name: name}))
	r.At().Enum = kind == code.Enum
	bindTypes(r, r.Field(n, "type_parameters"))
	initFields(r, whole)
}

func alias(r *sitter.Reader, n sitter.Node) {
	if name := r.LeafOf(r.First(r.Field(n, "left"))); name != 0 {
		d := code.Definition{Kind: code.Type, Visibility: visibility(r.Text(name)),
			Type: r.Written(r.Field(n, "right"))}
		r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: n, Name: name}))
		bindTypes(r, r.Child(r.Parent(name), "type_parameter"))
	}
}

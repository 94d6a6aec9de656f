//go:build cgo

package syntax

import (
	"slices"
	"strings"

	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

func pythonGrammar() *grammar {
	return &grammar{
		pointer:  python.Language,
		names:    []string{"identifier"},
		comments: []string{"comment", "line_continuation"},
		docs:     []string{"expression_statement"},
		tokens:   []string{"string_content"},
		blocks:   []string{"block"},
		members:  map[string]access{"attribute": {object: "object", member: "attribute"}},
		calls:    map[string]call{"call": {callee: "function", arguments: "arguments"}},
		inner:    map[string]string{"parenthesized_expression": "", "type": "", "generic_type": ""},
		named:    map[string]string{"keyword_argument": "name"},
		spread:   []string{"list_splat", "dictionary_splat"},
		infer:    map[string]func(*reader, node, int32) (string, node){"await": pythonAwait},
		nothing:  []string{"none"},
		base:     "super",
		selfType: "Self",
		bare:     pythonBare,
		builtin: []string{"int", "str", "bool", "float", "bytes", "object", "list", "dict", "set", "tuple", "property",
			"staticmethod", "classmethod"},
		makes: startsUpper,
		rules: map[string]rule{
			"decorated_definition":     pythonDecorated,
			"function_definition":      pythonDefinition,
			"class_definition":         pythonDefinition,
			"lambda":                   pythonLambda,
			"type_alias_statement":     pythonAlias,
			"assignment":               pythonAssignment,
			"augmented_assignment":     pythonAugmented,
			"named_expression":         pythonNamed,
			"for_statement":            pythonTargets,
			"for_in_clause":            pythonTargets,
			"as_pattern":               pythonAs,
			"except_clause":            pythonExcept,
			"global_statement":         pythonOutside,
			"nonlocal_statement":       pythonOutside,
			"list_comprehension":       opens(blockLevel),
			"set_comprehension":        opens(blockLevel),
			"dictionary_comprehension": opens(blockLevel),
			"generator_expression":     opens(blockLevel),
			"import_statement":         pythonImport,
			"import_from_statement":    pythonImportFrom,
			"future_import_statement":  skipsAll,
			"keyword_argument":         pythonKeyword,
			"keyword_pattern":          pythonKeyword,
			"dotted_name":              pythonPath,
			"call":                     pythonCall,
			"splat_pattern":            pythonSplat,
			"type":                     pythonQuotedType,
		},
	}
}

func pythonVisibility(name string) Visibility {
	switch {
	case strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__"):
		return Public
	case strings.HasPrefix(name, "__"):
		return Private
	case strings.HasPrefix(name, "_"):
		return Restricted
	}
	return Public
}

// pythonBare names the type that an annotation is about: C for Optional[C], "C" and C | None. A
// union of several types has none.
func pythonBare(t string) string {
	t = strings.Trim(t, `"' `)
	if strings.Contains(t, "|") {
		kept := slices.DeleteFunc(strings.Split(t, "|"), func(s string) bool { return strings.TrimSpace(s) == "None" })
		if len(kept) != 1 {
			return ""
		}
		t = strings.TrimSpace(kept[0])
	}
	outer, rest, generic := strings.Cut(t, "[")
	if !generic {
		return t
	}
	switch pathEnd(outer) {
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

func pythonAwait(r *reader, n node, _ int32) (string, node) { return "", r.first(n) }

// pythonIsTest tells the files in which pytest and unittest look for tests.
func pythonIsTest(r *reader) bool {
	return strings.HasPrefix(r.fileName(), "test_") || strings.HasSuffix(r.fileName(), "_test.py")
}

func pythonDecorated(r *reader, n node) {
	if d := r.field(n, "definition"); r.is(d, "class_definition") {
		pythonClass(r, n, d)
	} else if d != 0 {
		pythonFunction(r, n, d)
	}
}

func pythonDefinition(r *reader, n node) {
	switch {
	case r.is(r.parent(n), "decorated_definition"):
	case r.is(n, "class_definition"):
		pythonClass(r, n, n)
	default:
		pythonFunction(r, n, n)
	}
}

// decorators are the last names of a definition's decorators.
type decorators []string

func pythonDecorators(r *reader, whole node) (names decorators) {
	for d := range r.parts(whole) {
		if !r.is(d, "decorator") {
			continue
		}
		e := r.first(d)
		if r.is(e, "call") {
			e = r.field(e, "function")
		}
		names = append(names, r.text(r.leafOf(e)))
	}
	return names
}

// any reports whether one of the names is among the decorators.
func (d decorators) any(names ...string) bool {
	return slices.ContainsFunc(names, func(s string) bool { return slices.Contains(d, s) })
}

func pythonFunction(r *reader, whole, n node) {
	name, marked := r.field(n, "name"), pythonDecorators(r, whole)
	d := pythonSignature(r, n, marked)
	params, receiver := pythonParams(r, r.field(n, "parameters")), node(0)
	if r.inType() && !marked.any("staticmethod") && len(params) > 0 && !params[0].Rest && !params[0].NamedOnly {
		receiver, params = params[0].names[0], params[1:]
	}
	if d.Kind != Field {
		d.Params = paramsOf(params)
	}
	key := join(r.at().key, r.text(name))
	if pythonIsAgain(r, whole, name, marked) {
		r.skip(name)
	} else {
		key = r.define(d, site{whole: whole, name: name})
	}
	if marked.any("overload") {
		r.open(whole, blockLevel, key)
		r.bindParams(params)
		r.skip(receiver)
		return
	}
	r.open(whole, functionLevel, key)
	if receiver != 0 {
		r.skip(receiver)
		r.bind(r.here, r.text(receiver), binding{at: receiver, typ: r.at().self})
	}
	r.localParams(params)
	pythonTypeParams(r, n)
}

// pythonSignature says of a function what its name, its decorators and its place say. A property is a field to others.
func pythonSignature(r *reader, n node, marked decorators) Definition {
	name := r.text(r.field(n, "name"))
	d := Definition{Kind: Function, Visibility: pythonVisibility(name), Result: r.written(r.field(n, "return_type")),
		Async: r.has(n, "async")}
	d.Test = pythonIsTest(r) && strings.HasPrefix(name, "test") && !r.inFunction()
	switch {
	case r.inFunction():
		d.Visibility = Private
	case r.inType():
		d.Kind, d.Static, d.Overrides = Method, marked.any("staticmethod", "classmethod"), marked.any("override")
		d.Abstract = marked.any("abstractmethod", "abstractproperty") || pythonMadeFrom(r, r.at().self, "Protocol")
		if marked.any("property", "cached_property", "abstractproperty") {
			d.Kind, d.Type, d.Result = Field, d.Result, ""
		}
	}
	return d
}

// pythonIsAgain reports whether a function is a further part of one that is listed already or comes behind:
// what sets or deletes a property, and the signatures of an overloaded function. A .pyi file has
// nothing but those; the first one is listed.
func pythonIsAgain(r *reader, whole, name node, marked decorators) bool {
	known := r.bound[place{r.here, r.text(name)}] != 0 || r.holds(r.at().key, r.text(name))
	if marked.any("overload") {
		return known || !strings.HasSuffix(r.name, ".pyi")
	}
	if !known || !marked.any("setter", "deleter", "getter") {
		return false
	}
	for d := range r.parts(whole) {
		if r.is(d, "decorator") {
			skipsAll(r, d)
		}
	}
	return true
}

func pythonTypeParams(r *reader, n node) {
	for list := range r.inField(n, "type_parameters") {
		pythonBindTypes(r, list)
	}
}

func pythonBindTypes(r *reader, list node) {
	for t := range r.parts(list) {
		if name := r.leafOf(r.first(t)); name != 0 {
			r.skip(name)
			r.bind(r.here, r.text(name), binding{at: name})
		}
	}
}

func pythonParams(r *reader, list node) (params []parameter) {
	namedOnly := false
	for n := range r.parts(list) {
		if r.is(n, "keyword_separator") {
			namedOnly = true
			continue
		}
		if r.is(n, "positional_separator") {
			for i := range params {
				params[i].PositionalOnly = true
			}
			continue
		}
		p := Param{NamedOnly: namedOnly, Type: r.written(r.field(n, "type")), Optional: r.field(n, "value") != 0}
		name := r.field(n, "name")
		if name == 0 {
			name = n
		}
		if r.is(n, "typed_parameter") {
			name = r.first(n)
		}
		if r.is(name, "list_splat_pattern", "dictionary_splat_pattern") {
			p.Rest, p.NamedOnly = true, r.is(name, "dictionary_splat_pattern")
			namedOnly, name = true, r.first(name)
		}
		if r.is(name, "identifier") {
			p.Name = r.keep(r.text(name))
			params = append(params, parameter{p, n, []node{name}})
		}
	}
	return params
}

func pythonLambda(r *reader, n node) {
	r.open(n, functionLevel, r.at().key)
	r.localParams(pythonParams(r, r.field(n, "parameters")))
}

// pythonMadeFrom reports whether a type of the file names one of the classes among its bases.
func pythonMadeFrom(r *reader, key string, classes ...string) bool {
	return slices.ContainsFunc(r.types[key], func(base string) bool {
		return slices.Contains(classes, pathEnd(base))
	})
}

func pythonClass(r *reader, whole, n node) {
	name := r.field(n, "name")
	d := Definition{Kind: Class, Visibility: pythonVisibility(r.text(name))}
	if r.inFunction() {
		d.Visibility = Private
	}
	for base := range r.parts(r.field(n, "superclasses")) {
		if r.is(base, "subscript") {
			base = r.field(base, "value")
		}
		if leaf := r.leafOf(base); leaf != 0 {
			r.use(base, Inherit)
			d.Bases = append(d.Bases, r.written(base))
		}
	}
	d.Test = pythonIsTest(r) && strings.HasPrefix(r.text(name), "Test")
	for _, base := range d.Bases {
		switch base = pathEnd(base); {
		case base == "Protocol":
			d.Kind = Interface
		case strings.HasSuffix(base, "Enum") || base == "Flag" || base == "IntFlag":
			d.Kind = Enum
		case base == "TestCase" && pythonIsTest(r):
			d.Test = true
		}
	}
	kind := d.Kind
	r.open(whole, typeLevel, r.define(d, site{whole: whole, name: name}))
	r.at().enum = kind == Enum
	pythonTypeParams(r, n)
	pythonInit(r, whole)
}

func pythonAlias(r *reader, n node) {
	if name := r.leafOf(r.first(r.field(n, "left"))); name != 0 {
		d := Definition{Kind: Type, Visibility: pythonVisibility(r.text(name)), Type: r.written(r.field(n, "right"))}
		r.open(n, nameLevel, r.define(d, site{whole: n, name: name}))
		pythonBindTypes(r, r.child(r.parent(name), "type_parameter"))
	}
}

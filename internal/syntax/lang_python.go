//go:build cgo

package syntax

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

func pythonGrammar() *grammar {
	return &grammar{
		pointer:  python.Language,
		names:    []string{"identifier"},
		comments: []string{"comment", "line_continuation"},
		tokens:   []string{"string_content"},
		blocks:   []string{"block"},
		members:  map[string]access{"attribute": {object: "object", member: "attribute"}},
		calls:    map[string]call{"call": {callee: "function", arguments: "arguments"}},
		inner:    map[string]string{"parenthesized_expression": "", "type": ""},
		named:    map[string]string{"keyword_argument": "name"},
		spread:   []string{"list_splat", "dictionary_splat"},
		infer:    map[string]func(*reader, node, int32) (string, node){"await": pythonAwait},
		nothing:  []string{"none"},
		base:     "super",
		selfType: "Self",
		bare:     pythonBare,
		builtin:  []string{"int", "str", "bool", "float", "bytes", "object", "property", "staticmethod", "classmethod"},
		makes:    startsUpper,
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
			"call":                     pythonSuper,
			"splat_pattern":            pythonSplat,
			"type":                     pythonQuotedType,
		},
	}
}

// startsUpper reports whether a name looks like that of a type.
func startsUpper(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(first)
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

// pythonBare names the type that an annotation is about: C for Optional[C], "C" and C | None. A union of several types has none.
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

// pythonDecorators lists the last names of a definition's decorators.
func pythonDecorators(r *reader, whole node) (names []string) {
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

func pythonFunction(r *reader, whole, n node) {
	name, decorators := r.field(n, "name"), pythonDecorators(r, whole)
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(s string) bool { return slices.Contains(decorators, s) })
	}
	d := Definition{Kind: Function, Visibility: pythonVisibility(r.text(name)), Result: r.written(r.field(n, "return_type"))}
	method := r.inType()
	d.Test = pythonIsTest(r) && strings.HasPrefix(r.text(name), "test") && !r.inFunction()
	if r.inFunction() {
		d.Visibility = Private
	}
	if method {
		d.Kind, d.Static, d.Overrides = Method, has("staticmethod", "classmethod"), has("override")
		d.Abstract = has("abstractmethod", "abstractproperty") || pythonMadeFrom(r, r.at().self, "Protocol")
	}
	params, receiver := pythonParams(r, r.field(n, "parameters")), node(0)
	if method && !has("staticmethod") && len(params) > 0 && !params[0].Rest && !params[0].NamedOnly {
		receiver, params = params[0].names[0], params[1:]
	}
	if d.Params = paramsOf(params); method && has("property", "cached_property", "abstractproperty") {
		d.Kind, d.Type, d.Params, d.Result = Field, d.Result, nil, ""
	}
	key := join(r.at().key, r.text(name))
	if again := has("setter", "deleter", "getter") && r.holds(r.at().key, r.text(name)); again || has("overload") {
		r.skip(name)
	} else {
		key = r.define(d, site{whole: whole, name: name})
	}
	r.open(whole, functionLevel, key)
	if receiver != 0 {
		r.skip(receiver)
		r.bind(r.here, r.text(receiver), binding{at: receiver, typ: r.at().self})
	}
	r.localParams(params)
	pythonTypeParams(r, n)
}

func pythonTypeParams(r *reader, n node) {
	for list := range r.inField(n, "type_parameters") {
		for t := range r.parts(list) {
			if name := r.leafOf(r.first(t)); name != 0 {
				r.skip(name)
				r.bind(r.here, r.text(name), binding{at: name})
			}
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
}

func pythonAlias(r *reader, n node) {
	if name := r.leafOf(r.first(r.field(n, "left"))); name != 0 {
		d := Definition{Kind: Type, Visibility: pythonVisibility(r.text(name)), Type: r.written(r.field(n, "right"))}
		r.open(n, nameLevel, r.define(d, site{whole: n, name: name}))
	}
}

// pythonNames goes through the names that a target binds.
func pythonNames(r *reader, target node) iter.Seq[node] {
	return func(yield func(node) bool) {
		for n := target; target != 0 && n < r.cells[target].after; n++ {
			switch {
			case r.is(n, "attribute", "subscript"):
				n = r.cells[n].after - 1
			case r.is(n, "identifier") && !yield(n):
				return
			}
		}
	}
}

func pythonAssignment(r *reader, n node) {
	left, typ, value := r.field(n, "left"), r.written(r.field(n, "type")), r.field(n, "right")
	if r.is(left, "attribute") {
		pythonAttribute(r, left, site{whole: n, value: value}, typ)
		return
	}
	if r.is(left, "identifier") {
		if key := pythonBind(r, typ, site{whole: n, name: left, value: value}); key != "" {
			r.open(n, nameLevel, key)
		}
		return
	}
	for name := range pythonNames(r, left) {
		pythonBind(r, "", site{whole: n, name: name})
	}
	for c := range r.parts(left) {
		if r.is(c, "attribute") {
			pythonAttribute(r, c, site{whole: n}, "")
		}
	}
}

// pythonBind binds a name that is assigned to, and returns the key of the definition that this makes, "" if it makes none.
func pythonBind(r *reader, typ string, s site) string {
	name := r.text(s.name)
	if r.inFunction() {
		if b := r.bound[place{r.around(functionLevel), name}]; r.binds[b].what != elsewhere {
			r.local(typ, s, functionLevel)
		}
		return ""
	}
	key, scope := join(r.at().key, name), r.around(typeLevel)
	switch {
	case name == "__all__":
		r.skip(s.name)
		return ""
	case scope != 0 && r.holds(r.at().key, name):
		r.skip(s.name)
		r.hold(r.at().key, name, binding{at: s.name, typ: typ, value: s.value, what: toNamed})
		return key
	case scope == 0 && r.bound[place{0, name}] != 0:
		r.skip(s.name)
		r.bind(0, name, binding{at: s.name, typ: typ, value: s.value, what: toNamed})
		return key
	}
	d := Definition{Kind: pythonVariableKind(name), Visibility: pythonVisibility(name), Type: typ}
	if scope != 0 {
		d.Kind, d.Static = Field, typ == ""
		if r.frames[scope].enum && !strings.HasPrefix(name, "_") {
			d.Kind, d.Static = Member, false
		}
	}
	return r.define(d, s)
}

func pythonVariableKind(name string) Kind {
	if name == strings.ToUpper(name) && strings.ContainsFunc(name, unicode.IsUpper) {
		return Constant
	}
	return Variable
}

// pythonAttribute lists a field that a method sets on its own object.
func pythonAttribute(r *reader, left node, s site, typ string) {
	object, self := r.field(left, "object"), r.at().self
	s.name = r.field(left, "attribute")
	if !r.is(object, "identifier") || s.name == 0 || self == "" || !r.inFunction() {
		return
	}
	if b := r.bound[place{r.around(functionLevel), r.text(object)}]; r.binds[b].typ != self {
		return
	}
	name := r.text(s.name)
	r.attribute(Definition{Kind: Field, Visibility: pythonVisibility(name), Type: typ}, self, s)
}

func pythonAugmented(r *reader, n node) {
	if left := r.field(n, "left"); r.is(left, "identifier") && r.inFunction() {
		pythonBind(r, "", site{whole: n, name: left})
	}
}

func pythonNamed(r *reader, n node) {
	if name := r.field(n, "name"); name != 0 {
		pythonBind(r, "", site{whole: n, name: name, value: r.field(n, "value")})
	}
}

func pythonTargets(r *reader, n node) {
	for name := range pythonNames(r, r.field(n, "left")) {
		if r.is(n, "for_in_clause") {
			r.local("", site{name: name}, blockLevel)
		} else {
			pythonBind(r, "", site{name: name})
		}
	}
}

// pythonAs reads `value as name`, which stands in with statements, except clauses and patterns.
func pythonAs(r *reader, n node) {
	target := r.child(n, "as_pattern_target")
	if target == 0 {
		target = r.last(n)
	}
	typ := ""
	if r.is(r.parent(n), "except_clause") {
		typ = r.path(r.first(n))
	}
	for name := range pythonNames(r, target) {
		pythonBind(r, typ, site{name: name})
	}
}

func pythonExcept(r *reader, n node) {
	if name := r.field(n, "alias"); r.is(name, "identifier") {
		pythonBind(r, r.written(r.field(n, "value")), site{name: name})
	}
}

func pythonOutside(r *reader, n node) {
	for name := range r.parts(n) {
		r.skip(name)
		if r.inFunction() {
			r.bind(r.around(functionLevel), r.text(name), binding{at: name, what: elsewhere})
		}
	}
}

func pythonImport(r *reader, n node) {
	skipsAll(r, n)
	for item := range r.inField(n, "name") {
		i := Import{Module: r.text(item), Line: r.line(item)}
		i.Name, _, _ = strings.Cut(i.Module, ".")
		if r.is(item, "aliased_import") {
			i.Module, i.Name = r.text(r.field(item, "name")), r.text(r.field(item, "alias"))
		}
		r.imports(i, item)
	}
}

func pythonImportFrom(r *reader, n node) {
	skipsAll(r, n)
	module := r.written(r.field(n, "module_name"))
	if r.child(n, "wildcard_import") != 0 {
		r.imports(Import{Module: module, Member: All, Line: r.line(n)}, n)
	}
	for item := range r.inField(n, "name") {
		i := Import{Module: module, Member: r.text(item), Name: r.text(item), Line: r.line(item)}
		if r.is(item, "aliased_import") {
			i.Member, i.Name = r.text(r.field(item, "name")), r.text(r.field(item, "alias"))
		}
		r.imports(i, item)
	}
}

func pythonKeyword(r *reader, n node) { r.skip(r.first(n)) }

// pythonPath reads what a pattern names: a bare name binds, a path is compared with, and so is a class before its parentheses.
func pythonPath(r *reader, n node) {
	if !strings.HasSuffix(r.kind(r.parent(n)), "pattern") {
		return
	}
	var names []node
	for name := range r.parts(n) {
		names = append(names, name)
	}
	if len(names) == 1 && !r.is(r.parent(n), "class_pattern") {
		pythonBind(r, "", site{name: names[0]})
		return
	}
	r.use(names[len(names)-1], Match)
	for i, name := range names[1:] {
		r.member(name, names[i])
		r.mark(name).path = r.source[r.cells[names[0]].start:r.cells[names[i]].end]
	}
}

// pythonSuper makes no reference of super itself.
func pythonSuper(r *reader, n node) {
	if callee := r.field(n, "function"); r.text(callee) == "super" {
		r.skip(callee)
	}
}

func pythonSplat(r *reader, n node) {
	if name := r.first(n); r.is(name, "identifier") {
		pythonBind(r, "", site{name: name})
	}
}

// pythonQuotedType makes a reference of a type in quotes, if it is a mere name.
func pythonQuotedType(r *reader, n node) {
	text := r.child(r.child(n, "string"), "string_content")
	if text != 0 && !strings.ContainsFunc(r.text(text), func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		r.use(text, Read)
	}
}

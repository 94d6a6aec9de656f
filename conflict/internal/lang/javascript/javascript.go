//go:build cgo

package javascript

import (
	"maps"
	"strings"

	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

func javascriptGrammar() *sitter.Grammar {
	return &sitter.Grammar{
		Pointer:  javascript.Language,
		Names:    []string{"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"},
		Words:    map[string]bool{"this": true, "super": false},
		Comments: []string{"comment", "html_comment", "hash_bang_line"},
		Members:  map[string]sitter.Access{"member_expression": {Object: "object", Member: "property"}},
		Calls: map[string]sitter.Call{
			"call_expression": {Callee: "function", Arguments: "arguments"},
			"new_expression":  {Callee: "constructor", Arguments: "arguments"},
		},
		Inner:  map[string]string{"parenthesized_expression": ""},
		Spread: []string{"spread_element"},
		Infer: map[string]func(*sitter.Reader, sitter.Node, int32) (string, sitter.Node){
			"new_expression": jsTypeOfNew,
			"await_expression": func(r *sitter.Reader, n sitter.Node, _ int32) (string, sitter.Node) {
				return "", r.First(n)
			},
		},
		Nothing: []string{"null", "undefined"},
		// The grammar reads await in front of a parenthesis as a name in some places.
		Builtin:      []string{"arguments", "await"},
		NamedMembers: true,
		Base:         "super",
		Bare:         func(t string) string { return t },
		Rules:        javascriptRules(),
	}
}

func javascriptRules() map[string]sitter.Rule {
	return map[string]sitter.Rule{
		"import_statement":      jsImport,
		"export_statement":      jsExport,
		"call_expression":       jsCall,
		"assignment_expression": jsAssignment,
		"await_expression":      func(r *sitter.Reader, n sitter.Node) { jsAwaits(r, r.First(n)) },
		"return_statement":      func(r *sitter.Reader, n sitter.Node) { jsAwaits(r, r.First(n)) },
		"pair":                  jsPair,

		"function_declaration":           jsFunction,
		"generator_function_declaration": jsFunction,
		"function_expression":            jsFunctionValue,
		"generator_function":             jsFunctionValue,
		"arrow_function":                 jsFunctionValue,
		"class_declaration":              jsClass,
		"class":                          jsClassValue,
		"method_definition":              jsMethod,
		"field_definition":               jsField,
		"class_static_block":             sitter.Opens(sitter.FunctionLevel),

		"variable_declarator":      jsVariable,
		"statement_block":          jsBlock,
		"switch_body":              sitter.Opens(sitter.BlockLevel),
		"for_statement":            sitter.Opens(sitter.BlockLevel),
		"for_in_statement":         jsForIn,
		"catch_clause":             jsCatch,
		"switch_case":              func(r *sitter.Reader, n sitter.Node) { r.Use(r.Field(n, "value"), code.Match) },
		"jsx_opening_element":      jsElement,
		"jsx_self_closing_element": jsElement,
		"jsx_closing_element":      sitter.SkipsAll,
		"jsx_namespace_name":       sitter.SkipsAll,
	}
}

// withRules gives rules with others put in or in place.
func withRules(rules, more map[string]sitter.Rule) map[string]sitter.Rule {
	maps.Copy(rules, more)
	return rules
}

// unquoted is the text of a string without its quotes.
func unquoted(text string) string {
	if len(text) >= 2 && strings.ContainsRune("\"'`", rune(text[0])) {
		return text[1 : len(text)-1]
	}
	return text
}

func jsImport(r *sitter.Reader, n sitter.Node) {
	module, line, types := unquoted(r.Text(r.Field(n, "source"))), r.Line(n), r.Has(n, "type")
	clause := r.Child(n, "import_clause", "import_require_clause")
	if clause == 0 {
		r.Imports(code.Import{Module: module, Line: line}, 0)
		return
	}
	if r.Is(clause, "import_require_clause") {
		name := r.First(clause)
		r.Imports(code.Import{Module: unquoted(r.Text(r.Field(clause, "source"))), Name: r.Text(name), TypeOnly: types,
			Line: line}, name)
		return
	}
	for c := range r.Parts(clause) {
		switch r.Kind(c) {
		case "identifier":
			r.Imports(code.Import{Module: module, Member: "default", Name: r.Text(c), TypeOnly: types, Line: line}, c)
		case "namespace_import":
			r.Imports(code.Import{Module: module, Name: r.Text(r.First(c)), TypeOnly: types, Line: line}, r.First(c))
		case "named_imports":
			for s := range r.Parts(c) {
				name, alias := r.Field(s, "name"), r.Field(s, "alias")
				if alias == 0 {
					alias = name
				}
				r.Skip(name)
				r.Imports(code.Import{Module: module, Member: unquoted(r.Text(name)), Name: r.Text(alias),
					TypeOnly: types ||
						r.Has(s, "type"), Line: r.Line(s)}, alias)
			}
		}
	}
}

func jsExport(r *sitter.Reader, n sitter.Node) {
	source := r.Field(n, "source")
	if source == 0 {
		jsExportOwn(r, n)
		return
	}
	i := code.Import{Module: unquoted(r.Text(source)), Reexported: true, TypeOnly: r.Has(n, "type"), Line: r.Line(n)}
	clause := r.Child(n, "export_clause", "namespace_export")
	switch {
	case clause == 0:
		i.Member = code.All
		r.Imports(i, 0)
	case r.Is(clause, "namespace_export"):
		sitter.SkipsAll(r, clause)
		i.Name = unquoted(r.Text(r.First(clause)))
		r.Imports(i, 0)
	default:
		sitter.SkipsAll(r, clause)
		types := i.TypeOnly
		for s := range r.Parts(clause) {
			i.TypeOnly = types || r.Has(s, "type")
			i.Member, i.Line = unquoted(r.Text(r.Field(s, "name"))), r.Line(s)
			i.Name = i.Member
			if alias := r.Field(s, "alias"); alias != 0 {
				i.Name = unquoted(r.Text(alias))
			}
			r.Imports(i, 0)
		}
	}
}

// jsExportOwn reads an export of what the file defines. What it says of a declaration is read where that is.
func jsExportOwn(r *sitter.Reader, n sitter.Node) {
	for s := range r.Parts(r.Child(n, "export_clause")) {
		name, alias := r.Field(s, "name"), r.Field(s, "alias")
		r.Given[r.Text(name)] = true
		r.Skip(alias)
		if r.Text(alias) == "default" {
			r.Main = r.Text(name)
		}
	}
	if r.Has(n, "default") {
		r.Main = r.Text(r.Field(r.Field(n, "declaration"), "name"))
	}
	value := r.Field(n, "value")
	switch {
	case r.Has(n, "="):
		value = r.First(n)
	case r.Has(n, "namespace"):
		sitter.SkipsAll(r, n)
	}
	if value != 0 {
		jsGive(r, "default", sitter.Site{Whole: n, Value: value})
	}
}

// jsGive reads a value that the file gives out under a name. One that has a name in the file is
// known by that, others by the name given here.
func jsGive(r *sitter.Reader, name string, s sitter.Site) {
	v := s.Value
	if r.Is(v, "identifier") {
		r.Given[r.Text(v)] = true
		if name == "default" {
			r.Main = r.Text(v)
		}
		return
	}
	d := code.Definition{Name: name, Kind: code.Constant, Visibility: code.Public}
	switch {
	case jsIsFunction(r, v):
		d.Kind = code.Function
		d = jsCallable(r, d, v)
	case r.Is(v, "class"):
		d.Kind = code.Class
	}
	if own := r.Field(v, "name"); own != 0 && d.Kind != code.Constant {
		d.Name = r.Keep(r.Text(own))
	}
	d.Name = r.Keep(d.Name)
	if name == "default" {
		r.Main = d.Name
	}
	if d.Kind == code.Class {
		jsOpenClass(r, s.Whole, d, s)
		return
	}
	r.Open(s.Whole, sitter.NameLevel, r.Define(d, s))
}

func jsCall(r *sitter.Reader, n sitter.Node) {
	callee, list := r.Field(n, "function"), r.Field(n, "arguments")
	switch {
	case r.Is(list, "template_string"):
		r.Uses(callee, code.Call, sitter.Arguments{Count: 1, Spread: true})
	case r.Is(callee, "import"):
		if s := r.First(list); r.Is(s, "string") {
			r.Imports(code.Import{Module: unquoted(r.Text(s)), Line: r.Line(n)}, 0)
		}
	case r.Is(callee, "super"):
		jsSuper(r, callee, list)
	case r.Is(callee, "identifier") && r.Text(callee) == "require":
		if s := r.First(list); r.Is(s, "string") {
			r.Skip(callee)
			jsRequire(r, n, unquoted(r.Text(s)))
		}
	case jsIsTest(r):
		jsTest(r, n, callee, list)
	}
	jsWaits(r, callee, list)
}

// jsAwaits says of a call that its value is awaited, or handed on.
func jsAwaits(r *sitter.Reader, n sitter.Node) {
	for r.Is(n, "parenthesized_expression") {
		n = r.First(n)
	}
	if leaf := r.LeafOf(r.Field(n, "function")); leaf != 0 && r.Is(n, "call_expression") {
		r.Mark(leaf).Awaited = true
	}
}

// jsWaits reads calls that wait for others: f().then(…), Promise.all([f(), g()]).
func jsWaits(r *sitter.Reader, callee, list sitter.Node) {
	if !r.Is(callee, "member_expression") {
		return
	}
	object := r.Field(callee, "object")
	switch r.Text(r.Field(callee, "property")) {
	case "then", "catch", "finally":
		jsAwaits(r, object)
	}
	if r.Text(object) != "Promise" {
		return
	}
	for argument := range r.Parts(list) {
		jsAwaits(r, argument)
		if r.Is(argument, "array") {
			for e := range r.Parts(argument) {
				jsAwaits(r, e)
			}
		}
	}
}

// jsSuper makes a call of the base class of a call of super.
func jsSuper(r *sitter.Reader, callee, list sitter.Node) {
	base := r.BaseOf(r.At().Self)
	if base == "" {
		return
	}
	m := r.Mark(callee)
	m.Use, m.Args, m.Name = code.Call, r.Arguments(list), sitter.PathEnd(base)
	m.Path = strings.TrimSuffix(strings.TrimSuffix(base, m.Name), ".")
}

// jsRequire reads what a call of require is bound to: the module, one member of it, or several.
func jsRequire(r *sitter.Reader, n sitter.Node, module string) {
	i, to := code.Import{Module: module, Line: r.Line(n)}, r.Parent(n)
	if property := r.Field(to, "property"); r.Is(to, "member_expression") {
		r.Skip(property)
		i.Member, to = r.Text(property), r.Parent(to)
	}
	name := r.Field(to, "name")
	switch {
	case !r.Is(to, "variable_declarator"):
		i.Member = ""
		r.Imports(i, 0)
	case r.Is(name, "identifier"):
		i.Name = r.Text(name)
		r.Imports(i, name)
	case i.Member != "" || !r.Is(name, "object_pattern"):
		r.Imports(i, 0)
	default:
		jsRequireParts(r, i, name)
	}
}

// jsRequireParts reads the members of a module that an object pattern takes. A member that is taken
// apart in turn is imported once for each part.
func jsRequireParts(r *sitter.Reader, i code.Import, pattern sitter.Node) {
	for p := range r.Parts(pattern) {
		i.Member = r.Text(p)
		switch r.Kind(p) {
		case "pair_pattern":
			i.Member = unquoted(r.Text(r.Field(p, "key")))
			p = r.Field(p, "value")
		case "object_assignment_pattern":
			i.Member = r.Text(r.Field(p, "left"))
		case "rest_pattern":
			i.Member = ""
		}
		for leaf := range jsLeaves(r, p) {
			i.Name = r.Text(leaf)
			r.Imports(i, leaf)
		}
	}
}

// jsRequires reports whether a variable's value is a module or a member of it.
func jsRequires(r *sitter.Reader, value sitter.Node) bool {
	if r.Is(value, "member_expression") {
		value = r.Field(value, "object")
	}
	callee := r.Field(value, "function")
	return r.Is(value, "call_expression") && r.Is(callee, "identifier") && r.Text(callee) == "require" &&
		r.Is(r.First(r.Field(value, "arguments")), "string")
}

// jsAssignment reads what is given out through module.exports, and what a constructor makes the fields of.
func jsAssignment(r *sitter.Reader, n sitter.Node) {
	left, right := r.Field(n, "left"), r.Field(n, "right")
	if r.Is(left, "identifier") {
		r.Rebind(r.Text(left), left, right)
		return
	}
	object, property := r.Field(left, "object"), r.Field(left, "property")
	if !r.Is(left, "member_expression") || object == 0 || property == 0 {
		return
	}
	switch path := r.Path(left); {
	case path == "module.exports" && r.Is(right, "object"):
		sitter.SkipsAll(r, left)
		jsGiveAll(r, right)
	case path == "module.exports":
		sitter.SkipsAll(r, left)
		jsGive(r, "default", sitter.Site{Whole: n, Value: right})
	case r.Is(object, "this") && r.At().Self != "" && r.InFunction():
		name := r.Text(property)
		r.Attribute(code.Definition{Kind: code.Field, Visibility: jsMemberVisibility(r, 0, name)}, r.At().Self,
			sitter.Site{Whole: n, Name: property, Value: right})
	default:
		if of := r.Path(object); of == "exports" || of == "module.exports" {
			sitter.SkipsAll(r, left)
			jsGive(r, r.Text(property), sitter.Site{Whole: n, Value: right})
		}
	}
}

// jsGiveAll gives out what an object's entries name. Entries that are functions in place are read where they stand.
func jsGiveAll(r *sitter.Reader, object sitter.Node) {
	for p := range r.Parts(object) {
		value := p
		if r.Is(p, "pair") {
			value = r.Field(p, "value")
		}
		if r.Is(value, "identifier", "shorthand_property_identifier") {
			r.Given[r.Text(value)] = true
		}
	}
}

// jsIsGiven reports whether an entry of an object is one of module.exports.
func jsIsGiven(r *sitter.Reader, entry sitter.Node) bool {
	to := r.Parent(r.Parent(entry))
	return r.Is(to, "assignment_expression") && r.Text(r.Field(to, "left")) == "module.exports"
}

// jsPair defines a function that stands in module.exports.
func jsPair(r *sitter.Reader, n sitter.Node) {
	if value := r.Field(n, "value"); jsIsFunction(r, value) && jsIsGiven(r, n) {
		jsGive(r, unquoted(r.Text(r.Field(n, "key"))), sitter.Site{Whole: n, Value: value})
	}
}

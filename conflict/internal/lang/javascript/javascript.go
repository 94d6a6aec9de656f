//go:build cgo

package javascript

import (
	"strings"

	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
	"delegate/internal/text/lazyregexp"
)

// parseJavaScript reads JavaScript with its grammar, which is C code.
func parseJavaScript() func(string, []byte) code.File {
	return javascriptGrammar().Parser(code.JavaScript)
}

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
		Inner:    map[string]string{"parenthesized_expression": "^"},
		Spread:   []string{"spread_element"},
		Infer:    map[string]sitter.Infer{"new_expression": typeOfNew},
		SameType: map[string]string{"await_expression": "^"},
		Literals: map[string]string{"array": "Array", "string template_string": "String", "regex": "RegExp"},
		Nothing:  []string{"null", "undefined"},
		// The grammar reads await in front of a parenthesis as a name in some places.
		Builtin:      []string{"arguments", "await"},
		NamedMembers: true,
		Base:         "super",
		Bare:         func(t string) string { return t },
		Describe:     func(r *sitter.Reader, n sitter.Node, d *code.Definition) { d.Visibility = visibility(r, n) },
		Targets:      targets,
		Local: func(r *sitter.Reader, typ string, s sitter.Site) {
			r.Local(typ, s, sitter.BlockLevel, sitter.FunctionLevel)
		},
		Declares: map[string]sitter.Declaration{
			"class_declaration": {Kind: code.Class, Level: sitter.TypeLevel, Bases: bases()},
		},
		Variables: map[string]sitter.Variable{"catch_clause": {Name: "parameter", Opens: true}},
		Rules:     javascriptRules(),
	}
}

func javascriptRules() map[string]sitter.Rule {
	return map[string]sitter.Rule{
		"import_statement":      readImport,
		"export_statement":      export,
		"call_expression":       call,
		"assignment_expression": assignment,
		"await_expression return_statement": func(r *sitter.Reader, n sitter.Node) {
			awaits(r, r.First(n))
			if r.Is(n, "return_statement") {
				givenBack(r, n)
			}
		},
		"unary_expression": func(r *sitter.Reader, n sitter.Node) {
			if r.Has(n, "void") { // says that nobody waits
				awaits(r, r.Field(n, "argument"))
			}
		},
		"pair": pair,

		"augmented_assignment_expression": sitter.Writes("left"),
		"update_expression":               sitter.Writes("argument"),

		"function_declaration generator_function_declaration":   function,
		"function_expression generator_function arrow_function": functionValue,
		"class":              classValue,
		"method_definition":  method,
		"field_definition":   field,
		"class_static_block": sitter.Opens(sitter.FunctionLevel),

		"variable_declarator":       variable,
		"statement_block":           block,
		"switch_body for_statement": sitter.Opens(sitter.BlockLevel),
		"for_in_statement":          forIn,
		"switch_case":               switchCase,
		"switch_default":            switchDefault,
		"jsx_opening_element jsx_self_closing_element": element,
		"jsx_closing_element jsx_namespace_name":       sitter.SkipsAll,
	}
}

// switchCase reads what a case compares with: a name, or a string that is one of the values of what is looked at.
func switchCase(r *sitter.Reader, n sitter.Node) {
	value := r.Field(n, "value")
	r.Use(value, code.Match)
	looked := r.First(r.Find(n, "../../value"))
	if text := r.Child(value, "string_fragment"); text != 0 && r.LeafOf(looked) != 0 {
		r.Mark(text).Use = code.Match
		r.Member(text, looked)
		r.Mark(text).Around = r.Field(looked, "object")
	}
}

// switchDefault notes a default that goes on, which stands for all other cases.
func switchDefault(r *sitter.Reader, n sitter.Node) {
	if !unreached.MatchString(r.Text(n)) {
		r.Mark(n).Name, r.Mark(n).Use = code.Default, code.Match
	}
}

// unreached tells a default that no value is meant to come to.
var unreached = lazyregexp.New(`throw |(?i:never|unreach|exhausti)`)

// unquoted is the text of a string without its quotes.
func unquoted(text string) string {
	if len(text) >= 2 && strings.ContainsRune("\"'`", rune(text[0])) {
		return text[1 : len(text)-1]
	}
	return text
}

func readImport(r *sitter.Reader, n sitter.Node) {
	i := code.Import{Module: unquoted(r.TextAt(n, "source")), TypeOnly: r.Has(n, "type"), Line: r.Line(n)}
	take := func(member string, name sitter.Node) {
		i.Member, i.Name = member, r.Text(name)
		r.Imports(i, name)
	}
	if clause := r.Child(n, "import_require_clause"); clause != 0 {
		i.Module = unquoted(r.TextAt(clause, "source"))
		take("", r.First(clause))
		return
	}
	clause := r.Child(n, "import_clause")
	if clause == 0 {
		take("", 0)
	}
	types := i.TypeOnly
	for c := range r.Parts(clause) {
		switch r.Kind(c) {
		case "identifier":
			take("default", c)
		case "namespace_import":
			take("", r.First(c))
		case "named_imports":
			for s := range r.Parts(c) {
				r.Skip(r.Field(s, "name"))
				i.TypeOnly, i.Line = types || r.Has(s, "type"), r.Line(s)
				take(unquoted(r.TextAt(s, "name")), r.Find(s, "alias name"))
			}
		}
	}
}

func export(r *sitter.Reader, n sitter.Node) {
	source := r.Field(n, "source")
	if source == 0 {
		exportOwn(r, n)
		return
	}
	i := code.Import{Module: unquoted(r.Text(source)), Reexported: true, TypeOnly: r.Has(n, "type"), Line: r.Line(n)}
	clause := r.Child(n, "export_clause", "namespace_export")
	sitter.SkipsAll(r, clause)
	switch {
	case clause == 0:
		i.Member = code.All
		r.Imports(i, 0)
	case r.Is(clause, "namespace_export"):
		i.Name = unquoted(r.Text(r.First(clause)))
		r.Imports(i, 0)
	default:
		types := i.TypeOnly
		for s := range r.Parts(clause) {
			i.TypeOnly, i.Line = types || r.Has(s, "type"), r.Line(s)
			i.Member, i.Name = unquoted(r.TextAt(s, "name")), unquoted(r.TextAt(s, "alias name"))
			r.Imports(i, 0)
		}
	}
}

// exportOwn reads an export of what the file defines. What it says of a declaration is read where that is.
func exportOwn(r *sitter.Reader, n sitter.Node) {
	for s := range r.Parts(r.Child(n, "export_clause")) {
		name, alias := r.Field(s, "name"), r.Field(s, "alias")
		r.Skip(alias)
		if alias != 0 && r.Text(alias) != "default" && r.Text(alias) != r.Text(name) {
			r.Also[r.Keep(unquoted(r.Text(alias)))] = r.Text(name)
		} else {
			r.Given[r.Text(name)] = true
		}
		if r.Text(alias) == "default" {
			r.Main = r.Text(name)
		}
	}
	if r.Has(n, "default") {
		r.Main = r.TextAt(n, "declaration/name")
	}
	value := r.Field(n, "value")
	switch {
	case r.Has(n, "="):
		value = r.First(n)
	case r.Has(n, "namespace"):
		sitter.SkipsAll(r, n)
	}
	if value != 0 {
		give(r, "default", sitter.Site{Whole: n, Value: value})
	}
}

// give reads a value that the file gives out under a name. One that has a name in the file is
// known by that, others by the name given here.
func give(r *sitter.Reader, name string, s sitter.Site) {
	v := s.Value
	if r.Is(v, "identifier") {
		if name == "default" {
			r.Main = r.Text(v)
		}
		if name == "default" || name == r.Text(v) {
			r.Given[r.Text(v)] = true
		} else {
			r.Also[name] = r.Text(v)
		}
		return
	}
	d := code.Definition{Name: name, Kind: code.Constant, Visibility: code.Public}
	if own := r.Field(v, "name"); own != 0 && (isFunction(r, v) || r.Is(v, "class")) {
		d.Name = r.Text(own)
	}
	d.Name = r.Keep(d.Name)
	if name == "default" {
		r.Main = d.Name
	}
	defineValue(r, s.Whole, d, s)
}

func call(r *sitter.Reader, n sitter.Node) {
	callee, list := r.Field(n, "function"), r.Field(n, "arguments")
	if r.File.Language == code.JavaScript {
		asks(r, n, callee)
	}
	switch {
	case r.Is(list, "template_string"):
		r.Uses(callee, code.Call, sitter.Arguments{Count: 1, Spread: true})
	case r.Is(callee, "import"):
		if s := r.First(list); r.Is(s, "string") {
			i := code.Import{Module: unquoted(r.Text(s)), Guarded: isGuarded(r, n), Line: r.Line(n)}
			if up := r.Parent(n); r.Is(up, "nested_type_identifier", "member_expression") && r.First(up) == n {
				i.Member = r.Text(r.Find(up, "name property")) // import("./a").B, a type
				i.TypeOnly = true
			}
			if up := r.Parent(n); r.Is(up, "await_expression") && r.Is(r.Parent(up), "variable_declarator") {
				if name := r.Field(r.Parent(up), "name"); r.Is(name, "object_pattern") {
					requireParts(r, i, name)
					break
				} else if r.Is(name, "identifier") {
					i.Name = r.Text(name)
					r.Imports(i, name)
					break
				}
			}
			r.Imports(i, 0)
		}
	case r.Is(callee, "super"):
		super(r, callee, list)
	case replaces[r.Text(callee)]:
		if s := r.First(list); r.Is(s, "string") {
			r.Imports(code.Import{Module: unquoted(r.Text(s)), Guarded: isGuarded(r, n), Line: r.Line(n)}, 0)
		}
	case r.Is(callee, "identifier") && r.Text(callee) == "require":
		if s := r.First(list); r.Is(s, "string") {
			r.Skip(callee)
			require(r, n, unquoted(r.Text(s)))
		}
	case isTest(r):
		readTest(r, n, callee, list)
	}
	waits(r, callee, list)
	spies(r, callee, list)
	if object := only(r, list, "object"); object != 0 {
		written(r, object, r.Path(callee))
	}
}

// replaces are the calls that name a module which tests put another one in place of, or whose path is asked for.
var replaces = map[string]bool{"jest.mock": true, "jest.doMock": true, "jest.unmock": true, "jest.requireActual": true,
	"vi.mock": true, "vi.doMock": true, "vi.importActual": true, "require.resolve": true, "td.replace": true}

// spies reads calls that take a member of an object by its name in a string.
func spies(r *sitter.Reader, callee, list sitter.Node) {
	switch r.Text(callee) {
	case "jest.spyOn", "vi.spyOn", "sinon.stub", "sinon.spy", "mock.method", "t.mock.method", "jest.replaceProperty":
		object := r.First(list)
		if text := r.Child(r.NextPart(object), "string_fragment"); text != 0 && r.LeafOf(object) != 0 {
			r.Mark(text).Use = code.Read
			r.Member(text, object)
		}
	}
}

// asks notes a member that JavaScript calls only where it is there: x.f?.(), x.f && x.f(), if (x.f) x.f().
func asks(r *sitter.Reader, n, callee sitter.Node) {
	if r.Child(n, "optional_chain", "?.") != 0 && r.Is(callee, "member_expression") {
		r.Asks(r.TextAt(callee, "property"))
	}
	part := n
	for up := r.Parent(n); up != 0 && !isFunction(r, up); part, up = up, r.Parent(up) {
		condition := r.Find(up, "condition")
		if r.Is(up, "binary_expression") && r.Has(up, "&&") {
			condition = r.Field(up, "left")
		}
		for r.Is(condition, "parenthesized_expression") {
			condition = r.First(condition)
		}
		if part != condition && r.Is(callee, "member_expression") && r.Text(condition) == r.Text(callee) {
			r.Asks(r.TextAt(callee, "property"))
		}
	}
}

// awaits says of a call that its value is awaited, or handed on.
func awaits(r *sitter.Reader, n sitter.Node) {
	for r.Is(n, "parenthesized_expression") {
		n = r.First(n)
	}
	if leaf := r.LeafOf(r.Field(n, "function")); leaf != 0 && r.Is(n, "call_expression") {
		r.Mark(leaf).Awaited = true
	}
}

// waits reads calls that wait for others: f().then(…), Promise.all([f(), g()]).
func waits(r *sitter.Reader, callee, list sitter.Node) {
	if !r.Is(callee, "member_expression") {
		return
	}
	object := r.Field(callee, "object")
	switch r.Text(r.Field(callee, "property")) {
	case "then", "catch", "finally":
		awaits(r, object)
	}
	if r.Text(object) != "Promise" {
		return
	}
	for argument := range r.Parts(list) {
		awaits(r, argument)
		if r.Is(argument, "array") {
			for e := range r.Parts(argument) {
				awaits(r, e)
			}
		}
	}
}

// super makes a call of the base class of a call of super.
func super(r *sitter.Reader, callee, list sitter.Node) {
	base := r.BaseOf(r.At().Self)
	if base == "" {
		return
	}
	r.CallsType(callee, base, r.Arguments(list))
	m := r.Mark(callee)
	m.Path = strings.TrimSuffix(strings.TrimSuffix(base, m.Name), ".")
}

// require reads what a call of require is bound to: the module, one member of it, or several.
func require(r *sitter.Reader, n sitter.Node, module string) {
	i, to := code.Import{Module: module, Guarded: isGuarded(r, n), Line: r.Line(n)}, r.Parent(n)
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
		requireParts(r, i, name)
	}
}

// isGuarded reports whether a call stands in a block whose failure the file catches.
func isGuarded(r *sitter.Reader, n sitter.Node) bool {
	for up := n; !startsFunction(r, up) && !r.Is(up, "class"); up = r.Parent(up) {
		if up == 0 {
			return false
		}
		if try := r.Parent(up); r.Is(try, "try_statement") {
			return r.Field(try, "body") == up && r.Field(try, "handler") != 0
		}
	}
	return false
}

// requireParts reads the members of a module that an object pattern takes. A member that is taken
// apart in turn is imported once for each part.
func requireParts(r *sitter.Reader, i code.Import, pattern sitter.Node) {
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
		for _, leaf := range targets(r, p) {
			i.Name = r.Text(leaf)
			r.Imports(i, leaf)
		}
	}
}

// requires reports whether a variable's value is a module or a member of it.
func requires(r *sitter.Reader, value sitter.Node) bool {
	if r.Is(value, "member_expression") {
		value = r.Field(value, "object")
	}
	if r.Is(value, "await_expression") {
		value = r.First(value)
		return r.Is(value, "call_expression") && r.Is(r.Field(value, "function"), "import") &&
			r.Is(r.First(r.Field(value, "arguments")), "string")
	}
	callee := r.Field(value, "function")
	return r.Is(value, "call_expression") && r.Is(callee, "identifier") && r.Text(callee) == "require" &&
		r.Is(r.First(r.Field(value, "arguments")), "string")
}

// assignment reads what is given out through module.exports, and what a constructor makes the fields of.
func assignment(r *sitter.Reader, n sitter.Node) {
	left, right := r.Field(n, "left"), r.Field(n, "right")
	sitter.Writes("left")(r, n)
	if r.Is(left, "identifier") {
		r.Rebind(r.Text(left), left, right)
		return
	}
	object, property := r.Field(left, "object"), r.Field(left, "property")
	if !r.Is(left, "member_expression") || object == 0 || property == 0 {
		return
	}
	isWhole, of := r.Path(left) == "module.exports", r.Path(object)
	isPart := of == "exports" || of == "module.exports"
	if isWhole || isPart {
		sitter.SkipsAll(r, left)
	}
	switch {
	case isWhole && r.Is(right, "object"):
		giveAll(r, right)
	case isWhole:
		give(r, "default", sitter.Site{Whole: n, Value: right})
	case isPart:
		give(r, r.Text(property), sitter.Site{Whole: n, Value: right})
	case r.Is(object, "this") && r.At().Self != "" && r.InFunction():
		name := r.Text(property)
		r.Attribute(code.Definition{Kind: code.Field, Visibility: memberVisibility(r, 0, name)}, r.At().Self,
			sitter.Site{Whole: n, Name: property, Value: right})
	}
}

// giveAll gives out what an object's entries name. Entries that are functions in place are read where they stand.
func giveAll(r *sitter.Reader, object sitter.Node) {
	for p := range r.Parts(object) {
		if value := r.First(p); r.Is(p, "spread_element") && r.Is(value, "call_expression") && requires(r, value) {
			from := unquoted(r.Text(r.First(r.Field(value, "arguments"))))
			r.Imports(code.Import{Module: from, Member: code.All, Reexported: true, Line: r.Line(p)}, 0)
		}
		if value := r.Find(p, "value ."); r.Is(value, "identifier", "shorthand_property_identifier") {
			if key := unquoted(r.TextAt(p, "key")); key != "" && key != r.Text(value) {
				r.Also[key] = r.Text(value)
			} else {
				r.Given[r.Text(value)] = true
			}
		}
	}
}

// isGiven reports whether an entry of an object is one of module.exports.
func isGiven(r *sitter.Reader, entry sitter.Node) bool {
	to := r.Parent(r.Parent(entry))
	return r.Is(to, "assignment_expression") && r.Text(r.Field(to, "left")) == "module.exports"
}

// pair defines a function that stands in module.exports.
func pair(r *sitter.Reader, n sitter.Node) {
	if value := r.Field(n, "value"); isFunction(r, value) && isGiven(r, n) {
		give(r, unquoted(r.Text(r.Field(n, "key"))), sitter.Site{Whole: n, Value: value})
	}
}

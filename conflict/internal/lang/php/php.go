//go:build cgo

package php

import (
	"cmp"
	"slices"
	"strings"

	php "github.com/tree-sitter/tree-sitter-php/bindings/go"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
	"delegate/internal/text/lazyregexp"
)

// parser reads PHP with its grammar, which is C code.
func parser() func(string, []byte) code.File { return grammar().Parser(code.PHP) }

func grammar() *sitter.Grammar {
	return &sitter.Grammar{
		Pointer:  php.LanguagePHP,
		Names:    []string{"name"},
		Words:    map[string]bool{"relative_scope": true},
		Comments: []string{"comment"},
		Tokens:   []string{"string_content"},
		Members: map[string]sitter.Access{
			"member_access_expression nullsafe_member_access_expression": {Object: "object", Member: "name"},
			"scoped_property_access_expression":                          {Object: "scope", Member: "name"},
			"class_constant_access_expression":                           {Object: "^", Member: "$"},
		},
		Calls: map[string]sitter.Call{
			"function_call_expression": {Callee: "function", Arguments: "arguments"},
			"member_call_expression nullsafe_member_call_expression": {Callee: "name", Arguments: "arguments",
				Object: "object"},
			"scoped_call_expression": {Callee: "name", Arguments: "arguments", Object: "scope"},
		},
		Inner: map[string]string{
			"parenthesized_expression variable_name named_type optional_type": "^",
			"qualified_name relative_name":                                    "$",
		},
		Named:  map[string]string{"argument": "name"},
		Spread: []string{"variadic_unpacking", "variadic_placeholder"},
		Infer: map[string]sitter.Infer{
			"variable_name":              variableType,
			"relative_scope":             scopeType,
			"object_creation_expression": newType,
		},
		TypeAt:   map[string]string{"qualified_name": "."},
		SameType: map[string]string{"assignment_expression": "right", "clone_expression": "^"},
		Builtin: []string{"self", "static", "parent", "__DIR__", "__FILE__", "__LINE__", "__CLASS__",
			"__FUNCTION__", "__METHOD__", "__NAMESPACE__", "isset", "empty", "unset"},
		Nothing:      []string{"null"},
		SelfType:     "self",
		NamedMembers: true,
		Bare:         bare,
		Describe:     describe,
		Params:       readParams,
		Targets:      targets,
		Local:        local,
		Declares: map[string]sitter.Declaration{
			"class_declaration trait_declaration": {Kind: code.Class, Level: sitter.TypeLevel},
			"interface_declaration":               {Kind: code.Interface, Level: sitter.TypeLevel},
			"enum_declaration":                    {Kind: code.Enum, Level: sitter.TypeLevel},
			"enum_case":                           {Kind: code.Member},
			"method_declaration function_definition": {Kind: code.Function, Params: "parameters",
				Result: "return_type"},
		},
		Variables: map[string]sitter.Variable{
			"assignment_expression reference_assignment_expression": {Name: "left", Value: "right", Whole: true},
			"catch_clause":                {Type: "type", Name: "name"},
			"static_variable_declaration": {Name: "name", Value: "value", Whole: true},
		},
		Rules: rules(),
	}
}

func rules() map[string]sitter.Rule {
	constants, aConstant := sitter.Elements("const_element", constant)
	properties, aProperty := sitter.Elements("property_element", property)
	return map[string]sitter.Rule{
		"namespace_definition":      namespace,
		"namespace_use_declaration": use,
		"include_expression include_once_expression require_expression require_once_expression": include,
		"qualified_name relative_name": qualified,
		"variable_name":                variable,

		"anonymous_class":      anonymous,
		"use_as_clause":        sitter.Skips(">name"),
		"const_declaration":    constants,
		"const_element":        aConstant,
		"property_declaration": properties,
		"property_element":     aProperty,

		"attribute": attribute,
		"member_access_expression member_call_expression scoped_call_expression": member,
		"function_call_expression":                  define,
		"object_creation_expression":                readNew,
		"class_constant_access_expression":          classConstant,
		"anonymous_function arrow_function":         sitter.Closure,
		"foreach_statement":                         forEach,
		"global_declaration":                        global,
		"match_condition_list":                      sitter.Matches("*"),
		"case_statement":                            sitter.Matches("value"),
		"match_default_expression switch_statement": other,
		"array_creation_expression":                 callback,
		"assignment_expression reference_assignment_expression augmented_assignment_expression": sitter.Writes("left"),
		"update_expression":                    sitter.Writes("argument"),
		"goto_statement named_label_statement": sitter.Skips(">name"),
	}
}

// bare names the type that may also be null. A union of several types has no name.
func bare(t string) string {
	t = strings.TrimPrefix(t, "?")
	t = sitter.OnlyOf(t, "null")
	if strings.Contains(t, "&") || strings.HasPrefix(t, "(") {
		return ""
	}
	if t == "static" {
		return "self"
	}
	return dotted(t)
}

// dotted writes a name with dots, without the one in front that says where it begins.
func dotted(name string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, `\`), `\`, ".")
}

func variableType(r *sitter.Reader, n sitter.Node, f int32) (string, sitter.Node) {
	if r.Text(n) == "$this" {
		return r.Frames[f].Self, 0
	}
	at := r.Lookup(r.Text(n), f, n)
	if at.Binding == 0 {
		return "", 0
	}
	return r.Solve(at.Binding), 0
}

// scopeType gives the type that self, static and parent stand for.
func scopeType(r *sitter.Reader, n sitter.Node, f int32) (string, sitter.Node) {
	if r.Text(n) == "parent" {
		return r.BaseOf(r.Frames[f].Self), 0
	}
	return r.Frames[f].Self, 0
}

func newType(r *sitter.Reader, n sitter.Node, f int32) (string, sitter.Node) {
	class := classOf(r, n)
	switch r.Text(class) {
	case "self", "static":
		return r.Frames[f].Self, 0
	case "parent":
		return r.BaseOf(r.Frames[f].Self), 0
	}
	if r.Is(class, "name", "qualified_name") {
		return r.Text(class), 0
	}
	return "", 0
}

// namespace reads the namespace of a file. Others in the same file are modules of it.
func namespace(r *sitter.Reader, n sitter.Node) {
	name := r.Field(n, "name")
	sitter.SkipsAll(r, name)
	if r.File.Package == "" {
		r.File.Package = r.Written(name)
	} else if body := r.Field(n, "body"); body != 0 && name != 0 {
		d := code.Definition{Name: r.Keep(dotted(r.Text(name))), Kind: code.Module, Visibility: code.Public}
		r.Open(n, sitter.ModuleLevel, r.DefinePartial(d, sitter.Site{Whole: n}))
	}
}

// use lists what a use declaration names, in a group or not.
func use(r *sitter.Reader, n sitter.Node) {
	sitter.SkipsAll(r, n)
	list, prefix := n, ""
	if group := r.Child(n, "namespace_use_group"); group != 0 {
		list, prefix = group, r.Text(r.Child(n, "namespace_name"))+`\`
	}
	for clause := range r.Parts(list) {
		if !r.Is(clause, "namespace_use_clause") {
			continue
		}
		i := code.Import{Module: strings.TrimPrefix(prefix+r.Text(r.First(clause)), `\`),
			Name: r.Text(r.Field(clause, "alias")), Line: r.Line(clause)}
		before, last := sitter.CutLast(i.Module, `\`)
		if i.Name = cmp.Or(i.Name, last); before != "" {
			i.Module, i.Member = before, last
		}
		r.Imports(i, clause)
	}
}

// include lists a file that is included by its name, or by its place seen from the file.
func include(r *sitter.Reader, n sitter.Node) {
	name, from := r.First(n), ""
	if r.Is(name, "parenthesized_expression") {
		name = r.First(name)
	}
	if r.Is(name, "binary_expression") && r.Text(r.Field(name, "left")) == "__DIR__" {
		name, from = r.Field(name, "right"), "."
	}
	if content := r.Child(name, "string_content"); r.Is(name, "string", "encapsed_string") &&
		r.First(name) == r.Last(name) && content != 0 {
		r.Imports(code.Import{Module: from + r.Text(content), Member: code.All, Line: r.Line(n)}, 0)
	}
}

// qualified reads a name with a path in front.
func qualified(r *sitter.Reader, n sitter.Node) {
	prefix, leaf := r.Child(n, "namespace_name"), r.Last(n)
	if prefix == 0 || !r.Is(leaf, "name") {
		return
	}
	sitter.SkipsAll(r, prefix)
	m := r.Mark(leaf)
	m.Object, m.Path = prefix, dotted(r.Text(prefix))
}

// variable leaves out the names of variables, but for those of fields that are taken out of a class.
func variable(r *sitter.Reader, n sitter.Node) {
	if !r.Is(r.Parent(n), "scoped_property_access_expression") || r.Field(r.Parent(n), "name") != n {
		r.Skip(r.First(n))
	}
}

// classOf is the class that an expression makes an object of, 0 if that is no name.
func classOf(r *sitter.Reader, n sitter.Node) sitter.Node {
	return r.Child(n, "name", "qualified_name", "relative_name", "relative_scope")
}

func readNew(r *sitter.Reader, n sitter.Node) {
	class, arguments := classOf(r, n), r.Arguments(r.Child(n, "arguments"))
	r.Uses(class, code.Call, arguments)
	switch r.Text(class) {
	case "parent":
		r.CallsType(class, r.BaseOf(r.At().Self), arguments)
	case "self", "static":
		r.CallsType(class, r.At().Self, arguments)
	}
}

func attribute(r *sitter.Reader, n sitter.Node) {
	r.Uses(r.First(n), code.Call, r.Arguments(r.Field(n, "parameters")))
}

// member leaves out members whose names are to be computed.
func member(r *sitter.Reader, n sitter.Node) {
	name := r.Field(n, "name")
	if !r.Is(name, "name") {
		r.Skip(name)
	}
	if base := r.BaseOf(r.At().Self); r.Text(r.Field(n, "scope")) == "parent" && r.Text(name) == "__construct" {
		r.CallsBase(name, base, r.Arguments(r.Field(n, "arguments")))
	}
}

// callback reads an array of an object or a class and the name of a method, which PHP takes for the method.
func callback(r *sitter.Reader, n sitter.Node) {
	first, second := r.First(n), r.Last(n)
	if r.NextPart(first) != second || first == second {
		return
	}
	object, text := r.First(first), r.Child(r.First(second), "string_content")
	switch {
	case text == 0 || !plainName.MatchString(r.Text(text)):
	case r.Is(object, "class_constant_access_expression") && r.Text(r.Last(object)) == "class":
		r.Mark(text).Use = code.Read
		r.Member(text, r.First(object))
	case r.Is(object, "object_creation_expression") || r.Text(object) == "$this":
		r.Mark(text).Use = code.Read
		r.Member(text, object)
	}
}

var plainName = lazyregexp.New(`^[A-Za-z_]\w*$`)

// other marks what has no case of its own in a match, and every switch, which goes on without one.
func other(r *sitter.Reader, n sitter.Node) {
	r.Mark(n).Name, r.Mark(n).Use = code.Default, code.Match
}

// classConstant leaves out the word class, which gives the name of a class.
func classConstant(r *sitter.Reader, n sitter.Node) {
	if last := r.Last(n); r.Text(last) == "class" {
		r.Skip(last)
	}
}

// visibility is what a member says of itself. Without a word, as for all that is no member, it is public.
func visibility(r *sitter.Reader, n sitter.Node) code.Visibility {
	for c := range r.Each(n, ">visibility_modifier") {
		switch text := r.Text(c); {
		case strings.HasPrefix(text, "private"):
			return code.Private
		case strings.HasPrefix(text, "protected"):
			return code.Restricted
		}
	}
	return code.Public
}

// describe fills in what a declaration says of itself.
func describe(r *sitter.Reader, n sitter.Node, d *code.Definition) {
	d.Visibility = visibility(r, n)
	switch {
	case d.Kind == code.Member:
	case d.Kind.IsType():
		d.Final, d.Abstract = r.Child(n, "final_modifier") != 0, r.Child(n, "abstract_modifier") != 0
		d.Bases, d.Test = readBases(r, n), strings.HasSuffix(r.TextAt(n, "name"), "Test")
	case d.Kind != code.Function:
		d.Type, d.Static = r.WrittenAt(n, "type"), r.Has(n, "static_modifier")
		d.ReadOnly = r.Child(n, "readonly_modifier") != 0
	case r.InType():
		d.Kind, d.Static, d.Abstract = code.Method, r.Has(n, "static_modifier"), r.Field(n, "body") == 0
		d.Overrides = r.Says(n, "attributes/*/*/^", "Override")
		d.Test = strings.HasSuffix(r.At().Self, "Test") && strings.HasPrefix(r.TextAt(n, "name"), "test") ||
			r.Says(n, "attributes/*/*/^", "Test")
		promote(r, r.Field(n, "parameters"))
	}
}

// promote lists the parameters of a constructor that are fields too.
func promote(r *sitter.Reader, list sitter.Node) {
	for _, p := range readParams(r, list) {
		if r.Is(p.Whole, "property_promotion_parameter") {
			field := code.Definition{Name: p.Name, Kind: code.Field, Visibility: visibility(r, p.Whole), Type: p.Type,
				ReadOnly: r.Field(p.Whole, "readonly") != 0}
			r.Define(field, sitter.Site{Whole: p.Whole, Name: r.First(p.Names[0])})
		}
	}
}

// readBases lists what a type extends, implements, and takes in as traits.
func readBases(r *sitter.Reader, n sitter.Node) (bases []string) {
	lists := []sitter.Node{r.Child(n, "base_clause"), r.Child(n, "class_interface_clause")}
	for _, list := range slices.AppendSeq(lists, r.Each(n, "body/>use_declaration")) {
		for base := range r.Each(list, ">name|qualified_name") {
			r.Use(r.LeafOf(base), code.Inherit)
			bases = append(bases, r.Keep(dotted(r.Text(base))))
		}
	}
	return bases
}

// anonymous begins a class without a name, which goes by the one that PHP has for it.
func anonymous(r *sitter.Reader, n sitter.Node) {
	d := code.Definition{Name: nameless, Kind: code.Class, Visibility: code.Private, Bases: readBases(r, n)}
	r.Open(n, sitter.TypeLevel, r.Define(d, sitter.Site{Whole: n}))
}

func constant(r *sitter.Reader, declaration, element, whole sitter.Node) {
	d := code.Definition{Kind: code.Constant}
	describe(r, declaration, &d)
	d.Static = r.InType()
	s := sitter.Site{Whole: whole, Name: r.First(element), Value: r.Last(element)}
	r.Open(whole, sitter.NameLevel, r.Define(d, s))
}

// property lists a field, without the sign in front of its name.
func property(r *sitter.Reader, declaration, element, whole sitter.Node) {
	d := code.Definition{Kind: code.Field}
	describe(r, declaration, &d)
	s := sitter.Site{Whole: whole, Name: r.Find(element, "name/^"), Value: r.Field(element, "default_value")}
	if s.Value == 0 {
		s.Value = sitter.Unset
	}
	r.Open(whole, sitter.NameLevel, r.Define(d, s))
}

// readParams reads parameters, which have no sign in front where arguments name them.
func readParams(r *sitter.Reader, list sitter.Node) (params []sitter.Parameter) {
	for n := range r.Parts(list) {
		name := r.Field(n, "name")
		if r.Is(name, "by_ref") {
			name = r.First(name)
		}
		if !r.Is(name, "variable_name") {
			continue
		}
		p := code.Param{
			Name: r.Keep(r.Text(r.First(name))), Type: r.Written(r.Field(n, "type")),
			Optional: r.Field(n, "default_value") != 0, Rest: r.Is(n, "variadic_parameter"),
		}
		params = append(params, sitter.Parameter{Param: p, Whole: n, Names: []sitter.Node{name}})
	}
	return params
}

// define lists the constant that a call of define makes, and the name that one of class_alias gives to a class.
func define(r *sitter.Reader, n sitter.Node) {
	list := r.Field(n, "arguments")
	argument := r.First(r.First(list))
	switch r.Text(r.Field(n, "function")) {
	case "class_exists", "interface_exists", "enum_exists", "trait_exists", "function_exists", "method_exists",
		"property_exists", "defined", "is_callable":
		r.Asks(asked(r, r.First(r.Last(list))))
		r.Asks(asked(r, argument))
	}
	if r.Text(r.Field(n, "function")) == "class_alias" {
		classAlias(r, n, argument, r.First(r.NextPart(r.First(list))))
		return
	}
	if r.Text(r.Field(n, "function")) != "define" || !r.Is(argument, "string", "encapsed_string") {
		return
	}
	if name := r.First(argument); r.Is(name, "string_content") && !r.InFunction() {
		r.Define(code.Definition{Kind: code.Constant, Visibility: code.Public}, sitter.Site{Whole: n, Name: name})
	}
}

// asked is the last name of what an argument names: in a string, or before ::class.
func asked(r *sitter.Reader, n sitter.Node) string {
	if r.Is(n, "class_constant_access_expression") && r.Text(r.Last(n)) == "class" {
		return r.Text(r.LeafOf(r.First(n)))
	}
	text := r.Text(r.Child(n, "string_content"))
	return text[strings.LastIndexAny(text, `\:`)+1:]
}

// classAlias lists a further name of a class, if it is one of the file's own namespace.
func classAlias(r *sitter.Reader, n, class, name sitter.Node) {
	path := strings.TrimPrefix(strings.ReplaceAll(strings.Trim(r.Text(name), `"'`), `\\`, `\`), `\`)
	before, last := sitter.CutLast(path, `\`)
	if r.Is(name, "string", "encapsed_string") && before == r.File.Package && last != "" {
		r.Define(code.Definition{Name: r.Keep(last), Kind: code.Type, Visibility: code.Public,
			Type: r.Keep(r.Text(r.LeafOf(r.First(class))))}, sitter.Site{Whole: n})
	}
}

// targets are the variables that a target sets.
func targets(r *sitter.Reader, target sitter.Node) []sitter.Node {
	return r.Within(target, "variable_name", "member_access_expression", "nullsafe_member_access_expression",
		"scoped_property_access_expression", "class_constant_access_expression", "subscript_expression",
		"member_call_expression", "dynamic_variable_name")
}

// local lists a variable of a function. What is not in one is known to the whole file and is no definition.
func local(r *sitter.Reader, typ string, s sitter.Site) {
	if b := r.BoundIn(r.Around(sitter.FunctionLevel), r.Text(s.Name)); r.Text(s.Name) != "$this" &&
		r.Binds[b].What != sitter.Elsewhere {
		r.Local(typ, s, sitter.FunctionLevel)
	}
}

// forEach reads what stands between `as` and the body.
func forEach(r *sitter.Reader, n sitter.Node) {
	after := r.Child(n, "as")
	for c := range r.Parts(n) {
		if after != 0 && c > after && c != r.Field(n, "body") {
			for _, name := range targets(r, c) {
				local(r, "", sitter.Site{Name: name})
			}
		}
	}
}

func global(r *sitter.Reader, n sitter.Node) {
	for name := range r.Parts(n) {
		if r.InFunction() {
			r.Bind(r.Around(sitter.FunctionLevel), r.Text(name), sitter.Binding{At: name, What: sitter.Elsewhere})
		}
	}
}

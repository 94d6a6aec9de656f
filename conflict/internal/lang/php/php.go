//go:build cgo

package php

import (
	"slices"
	"strings"

	php "github.com/tree-sitter/tree-sitter-php/bindings/go"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

func grammar() *sitter.Grammar {
	return &sitter.Grammar{
		Pointer:  php.LanguagePHP,
		Names:    []string{"name"},
		Words:    map[string]bool{"relative_scope": true},
		Comments: []string{"comment"},
		Tokens:   []string{"string_content"},
		Members: map[string]sitter.Access{
			"member_access_expression":          {Object: "object", Member: "name"},
			"nullsafe_member_access_expression": {Object: "object", Member: "name"},
			"scoped_property_access_expression": {Object: "scope", Member: "name"},
			"class_constant_access_expression":  {},
		},
		Calls: map[string]sitter.Call{
			"function_call_expression":        {Callee: "function", Arguments: "arguments"},
			"member_call_expression":          {Callee: "name", Arguments: "arguments", Object: "object"},
			"nullsafe_member_call_expression": {Callee: "name", Arguments: "arguments", Object: "object"},
			"scoped_call_expression":          {Callee: "name", Arguments: "arguments", Object: "scope"},
		},
		Inner: map[string]string{
			"parenthesized_expression": "",
			"variable_name":            "",
			"named_type":               "",
			"optional_type":            "",
			"qualified_name":           sitter.LastPart,
			"relative_name":            sitter.LastPart,
		},
		Named:  map[string]string{"argument": "name"},
		Spread: []string{"variadic_unpacking", "variadic_placeholder"},
		Infer: map[string]func(*sitter.Reader, sitter.Node, int32) (string, sitter.Node){
			"variable_name":  variableType,
			"relative_scope": scopeType,
			"qualified_name": func(r *sitter.Reader, n sitter.Node, _ int32) (string, sitter.Node) {
				return r.Text(n), 0
			},
			"object_creation_expression": newType,
			"assignment_expression": func(r *sitter.Reader, n sitter.Node, _ int32) (string, sitter.Node) {
				return "", r.Field(n, "right")
			},
			"clone_expression": func(r *sitter.Reader, n sitter.Node, _ int32) (string, sitter.Node) {
				return "", r.First(n)
			},
		},
		Builtin: []string{"self", "static", "parent", "__DIR__", "__FILE__", "__LINE__", "__CLASS__",
			"__FUNCTION__", "__METHOD__", "__NAMESPACE__", "isset", "empty", "unset"},
		Nothing:      []string{"null"},
		SelfType:     "self",
		NamedMembers: true,
		Bare:         bare,
		Rules:        rules(),
	}
}

func rules() map[string]sitter.Rule {
	return map[string]sitter.Rule{
		"namespace_definition":      namespace,
		"namespace_use_declaration": use,
		"include_expression":        include,
		"include_once_expression":   include,
		"require_expression":        include,
		"require_once_expression":   include,
		"qualified_name":            qualified,
		"relative_name":             qualified,
		"variable_name":             variable,

		"class_declaration":     readType(code.Class),
		"trait_declaration":     readType(code.Class),
		"interface_declaration": readType(code.Interface),
		"enum_declaration":      readType(code.Enum),
		"anonymous_class":       anonymous,
		"use_as_clause":         rename,
		"enum_case":             readCase,
		"const_declaration":     alone(constant),
		"const_element":         oneOf(constant),
		"property_declaration":  alone(property),
		"property_element":      oneOf(property),
		"method_declaration":    function,
		"function_definition":   function,

		"attribute":                        attribute,
		"member_access_expression":         member,
		"member_call_expression":           member,
		"scoped_call_expression":           member,
		"function_call_expression":         define,
		"object_creation_expression":       readNew,
		"class_constant_access_expression": classConstant,
		"anonymous_function":               closure,
		"arrow_function":                   closure,
		"assignment_expression":            assignment,
		"reference_assignment_expression":  assignment,
		"foreach_statement":                forEach,
		"catch_clause":                     catch,
		"static_variable_declaration":      static,
		"global_declaration":               global,
		"match_condition_list":             match,
		"case_statement": func(r *sitter.Reader, n sitter.Node) {
			r.UseName(r.Field(n, "value"), code.Match)
		},
		"goto_statement":        label,
		"named_label_statement": label,
	}
}

// bare names the type that may also be null. A union of several types has no name.
func bare(t string) string {
	t = strings.TrimPrefix(t, "?")
	if strings.Contains(t, "|") {
		kept := slices.DeleteFunc(strings.Split(t, "|"), func(s string) bool { return strings.TrimSpace(s) == "null" })
		if len(kept) != 1 {
			return ""
		}
		t = strings.TrimSpace(kept[0])
	}
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
		r.Open(n, sitter.ModuleLevel, r.GiveWay(d, sitter.Site{Whole: n}))
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
		last := i.Module
		if at := strings.LastIndexByte(i.Module, '\\'); at >= 0 {
			i.Module, i.Member, last = i.Module[:at], i.Module[at+1:], i.Module[at+1:]
		}
		if i.Name == "" {
			i.Name = last
		}
		r.Imports(i, clause)
	}
}

// include lists a file that is included by its name, or by its place beside the file.
func include(r *sitter.Reader, n sitter.Node) {
	name, beside := r.First(n), ""
	if r.Is(name, "parenthesized_expression") {
		name = r.First(name)
	}
	if r.Is(name, "binary_expression") && r.Text(r.Field(name, "left")) == "__DIR__" {
		name, beside = r.Field(name, "right"), "."
	}
	if content := r.Child(name, "string_content"); r.Is(name, "string", "encapsed_string") &&
		r.First(name) == r.Last(name) && content != 0 {
		r.Imports(code.Import{Module: beside + r.Text(content), Member: code.All, Line: r.Line(n)}, 0)
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
	class := classOf(r, n)
	r.Uses(class, code.Call, r.Arguments(r.Child(n, "arguments")))
	self := r.At().Self
	switch r.Text(class) {
	case "parent":
		self = r.BaseOf(self)
	case "self", "static":
	default:
		return
	}
	if self != "" {
		m := r.Mark(class)
		m.Name, m.Use, m.Args = sitter.PathEnd(self), code.Call, r.Arguments(r.Child(n, "arguments"))
	}
}

func attribute(r *sitter.Reader, n sitter.Node) {
	r.Uses(r.First(n), code.Call, r.Arguments(r.Field(n, "parameters")))
}

// member leaves out members whose names are to be computed.
func member(r *sitter.Reader, n sitter.Node) {
	if name := r.Field(n, "name"); !r.Is(name, "name") {
		r.Skip(name)
	}
}

// classConstant leaves out the word class, which gives the name of a class.
func classConstant(r *sitter.Reader, n sitter.Node) {
	if last := r.Last(n); r.Text(last) == "class" {
		r.Skip(last)
	}
}

func match(r *sitter.Reader, n sitter.Node) {
	for condition := range r.Parts(n) {
		r.UseName(condition, code.Match)
	}
}

func label(r *sitter.Reader, n sitter.Node) { r.Skip(r.Child(n, "name")) }

// rename leaves out the names that methods of a trait get.
func rename(r *sitter.Reader, n sitter.Node) {
	for name := range r.Parts(n) {
		if r.Is(name, "name") {
			r.Skip(name)
		}
	}
}

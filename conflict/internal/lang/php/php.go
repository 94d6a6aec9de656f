//go:build cgo

package syntax

import (
	"slices"
	"strings"

	php "github.com/tree-sitter/tree-sitter-php/bindings/go"
)

func phpGrammar() *grammar {
	return &grammar{
		pointer:  php.LanguagePHP,
		names:    []string{"name"},
		words:    map[string]bool{"relative_scope": true},
		comments: []string{"comment"},
		tokens:   []string{"string_content"},
		members: map[string]access{
			"member_access_expression":          {object: "object", member: "name"},
			"nullsafe_member_access_expression": {object: "object", member: "name"},
			"scoped_property_access_expression": {object: "scope", member: "name"},
			"class_constant_access_expression":  {},
		},
		calls: map[string]call{
			"function_call_expression":        {callee: "function", arguments: "arguments"},
			"member_call_expression":          {callee: "name", arguments: "arguments", object: "object"},
			"nullsafe_member_call_expression": {callee: "name", arguments: "arguments", object: "object"},
			"scoped_call_expression":          {callee: "name", arguments: "arguments", object: "scope"},
		},
		inner: map[string]string{
			"parenthesized_expression": "",
			"variable_name":            "",
			"named_type":               "",
			"optional_type":            "",
			"qualified_name":           lastPart,
			"relative_name":            lastPart,
		},
		named:  map[string]string{"argument": "name"},
		spread: []string{"variadic_unpacking", "variadic_placeholder"},
		infer: map[string]func(*reader, node, int32) (string, node){
			"variable_name":              phpVariableType,
			"relative_scope":             phpScopeType,
			"qualified_name":             func(r *reader, n node, _ int32) (string, node) { return r.text(n), 0 },
			"object_creation_expression": phpNewType,
			"assignment_expression": func(r *reader, n node, _ int32) (string, node) {
				return "", r.field(n, "right")
			},
			"clone_expression": func(r *reader, n node, _ int32) (string, node) { return "", r.first(n) },
		},
		builtin: []string{"self", "static", "parent", "__DIR__", "__FILE__", "__LINE__", "__CLASS__",
			"__FUNCTION__", "__METHOD__", "__NAMESPACE__", "isset", "empty", "unset"},
		nothing:      []string{"null"},
		selfType:     "self",
		namedMembers: true,
		bare:         phpBare,
		rules:        phpRules(),
	}
}

func phpRules() map[string]rule {
	return map[string]rule{
		"namespace_definition":      phpNamespace,
		"namespace_use_declaration": phpUse,
		"include_expression":        phpInclude,
		"include_once_expression":   phpInclude,
		"require_expression":        phpInclude,
		"require_once_expression":   phpInclude,
		"qualified_name":            phpQualified,
		"relative_name":             phpQualified,
		"variable_name":             phpVariable,

		"class_declaration":     phpType(Class),
		"trait_declaration":     phpType(Class),
		"interface_declaration": phpType(Interface),
		"enum_declaration":      phpType(Enum),
		"anonymous_class":       phpAnonymous,
		"use_as_clause":         phpRename,
		"enum_case":             phpCase,
		"const_declaration":     phpAlone(phpConstant),
		"const_element":         phpOneOf(phpConstant),
		"property_declaration":  phpAlone(phpProperty),
		"property_element":      phpOneOf(phpProperty),
		"method_declaration":    phpFunction,
		"function_definition":   phpFunction,

		"attribute":                        phpAttribute,
		"member_access_expression":         phpMember,
		"member_call_expression":           phpMember,
		"scoped_call_expression":           phpMember,
		"function_call_expression":         phpDefine,
		"object_creation_expression":       phpNew,
		"class_constant_access_expression": phpClassConstant,
		"anonymous_function":               phpClosure,
		"arrow_function":                   phpClosure,
		"assignment_expression":            phpAssignment,
		"reference_assignment_expression":  phpAssignment,
		"foreach_statement":                phpForEach,
		"catch_clause":                     phpCatch,
		"static_variable_declaration":      phpStatic,
		"global_declaration":               phpGlobal,
		"match_condition_list":             phpMatch,
		"case_statement":                   func(r *reader, n node) { r.useName(r.field(n, "value"), Match) },
		"goto_statement":                   phpLabel,
		"named_label_statement":            phpLabel,
	}
}

// phpBare names the type that may also be null. A union of several types has no name.
func phpBare(t string) string {
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
	return phpDotted(t)
}

// phpDotted writes a name with dots, without the one in front that says where it begins.
func phpDotted(name string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, `\`), `\`, ".")
}

func phpVariableType(r *reader, n node, f int32) (string, node) {
	if r.text(n) == "$this" {
		return r.frames[f].self, 0
	}
	at := r.lookup(r.text(n), f, n)
	if at.binding == 0 {
		return "", 0
	}
	return r.solve(at.binding), 0
}

// phpScopeType gives the type that self, static and parent stand for.
func phpScopeType(r *reader, n node, f int32) (string, node) {
	if r.text(n) == "parent" {
		return r.baseOf(r.frames[f].self), 0
	}
	return r.frames[f].self, 0
}

func phpNewType(r *reader, n node, f int32) (string, node) {
	class := phpClassOf(r, n)
	switch r.text(class) {
	case "self", "static":
		return r.frames[f].self, 0
	case "parent":
		return r.baseOf(r.frames[f].self), 0
	}
	if r.is(class, "name", "qualified_name") {
		return r.text(class), 0
	}
	return "", 0
}

// phpNamespace reads the namespace of a file. Others in the same file are modules of it.
func phpNamespace(r *reader, n node) {
	name := r.field(n, "name")
	skipsAll(r, name)
	if r.file.Package == "" {
		r.file.Package = r.written(name)
	} else if body := r.field(n, "body"); body != 0 && name != 0 {
		d := Definition{Name: r.keep(phpDotted(r.text(name))), Kind: Module, Visibility: Public}
		r.open(n, moduleLevel, r.giveWay(d, site{whole: n}))
	}
}

// phpUse lists what a use declaration names, in a group or not.
func phpUse(r *reader, n node) {
	skipsAll(r, n)
	list, prefix := n, ""
	if group := r.child(n, "namespace_use_group"); group != 0 {
		list, prefix = group, r.text(r.child(n, "namespace_name"))+`\`
	}
	for clause := range r.parts(list) {
		if !r.is(clause, "namespace_use_clause") {
			continue
		}
		i := Import{Module: strings.TrimPrefix(prefix+r.text(r.first(clause)), `\`),
			Name: r.text(r.field(clause, "alias")), Line: r.line(clause)}
		last := i.Module
		if at := strings.LastIndexByte(i.Module, '\\'); at >= 0 {
			i.Module, i.Member, last = i.Module[:at], i.Module[at+1:], i.Module[at+1:]
		}
		if i.Name == "" {
			i.Name = last
		}
		r.imports(i, clause)
	}
}

// phpInclude lists a file that is included by its name, or by its place beside the file.
func phpInclude(r *reader, n node) {
	name, beside := r.first(n), ""
	if r.is(name, "parenthesized_expression") {
		name = r.first(name)
	}
	if r.is(name, "binary_expression") && r.text(r.field(name, "left")) == "__DIR__" {
		name, beside = r.field(name, "right"), "."
	}
	if content := r.child(name, "string_content"); r.is(name, "string", "encapsed_string") &&
		r.first(name) == r.last(name) && content != 0 {
		r.imports(Import{Module: beside + r.text(content), Member: All, Line: r.line(n)}, 0)
	}
}

// phpQualified reads a name with a path in front.
func phpQualified(r *reader, n node) {
	prefix, leaf := r.child(n, "namespace_name"), r.last(n)
	if prefix == 0 || !r.is(leaf, "name") {
		return
	}
	skipsAll(r, prefix)
	m := r.mark(leaf)
	m.object, m.path = prefix, phpDotted(r.text(prefix))
}

// phpVariable leaves out the names of variables, but for those of fields that are taken out of a class.
func phpVariable(r *reader, n node) {
	if !r.is(r.parent(n), "scoped_property_access_expression") || r.field(r.parent(n), "name") != n {
		r.skip(r.first(n))
	}
}

// phpClassOf is the class that an expression makes an object of, 0 if that is no name.
func phpClassOf(r *reader, n node) node {
	return r.child(n, "name", "qualified_name", "relative_name", "relative_scope")
}

func phpNew(r *reader, n node) {
	class := phpClassOf(r, n)
	r.uses(class, Call, r.arguments(r.child(n, "arguments")))
	self := r.at().self
	switch r.text(class) {
	case "parent":
		self = r.baseOf(self)
	case "self", "static":
	default:
		return
	}
	if self != "" {
		m := r.mark(class)
		m.name, m.use, m.args = pathEnd(self), Call, r.arguments(r.child(n, "arguments"))
	}
}

func phpAttribute(r *reader, n node) {
	r.uses(r.first(n), Call, r.arguments(r.field(n, "parameters")))
}

// phpMember leaves out members whose names are to be computed.
func phpMember(r *reader, n node) {
	if name := r.field(n, "name"); !r.is(name, "name") {
		r.skip(name)
	}
}

// phpClassConstant leaves out the word class, which gives the name of a class.
func phpClassConstant(r *reader, n node) {
	if last := r.last(n); r.text(last) == "class" {
		r.skip(last)
	}
}

func phpMatch(r *reader, n node) {
	for condition := range r.parts(n) {
		r.useName(condition, Match)
	}
}

func phpLabel(r *reader, n node) { r.skip(r.child(n, "name")) }

// phpRename leaves out the names that methods of a trait get.
func phpRename(r *reader, n node) {
	for name := range r.parts(n) {
		if r.is(name, "name") {
			r.skip(name)
		}
	}
}

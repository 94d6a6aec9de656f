//go:build cgo

package syntax

import (
	"strings"

	rust "github.com/tree-sitter/tree-sitter-rust/bindings/go"
)

func rustGrammar() *grammar {
	return &grammar{
		pointer:  rust.Language,
		names:    []string{"identifier", "type_identifier", "shorthand_field_identifier"},
		words:    map[string]bool{"self": true, "crate": false, "super": false},
		comments: []string{"line_comment", "block_comment"},
		members: map[string]access{
			"field_expression":       {object: "value", member: "field"},
			"scoped_identifier":      {object: "path", member: "name"},
			"scoped_type_identifier": {object: "path", member: "name"},
		},
		calls: map[string]call{"call_expression": {callee: "function", arguments: "arguments"}},
		inner: map[string]string{
			"parenthesized_expression":    "",
			"generic_type":                "type",
			"generic_type_with_turbofish": "type",
			"generic_function":            "function",
			"bracketed_type":              "",
			"qualified_type":              "type",
			"reference_type":              "type",
			"pointer_type":                "type",
			"dynamic_type":                "trait",
			"abstract_type":               "trait",
			"higher_ranked_trait_bound":   "type",
			"removed_trait_bound":         "",
		},
		named:  map[string]string{"field_initializer": "field", "shorthand_field_initializer": ""},
		spread: []string{"base_field_initializer"},
		infer: map[string]func(*reader, node, int32) (string, node){
			"self":                 rustSelf,
			"call_expression":      rustCalled,
			"struct_expression":    rustStructType,
			"type_cast_expression": rustCastType,
			"reference_expression": rustReferred,
			"unary_expression":     rustReferred,
		},
		builtin:      []string{"Some", "None", "Ok", "Err", "Option", "Result", "String", "Vec", "Box"},
		ordered:      true,
		namedMembers: true,
		typeOnly:     rustIsType,
		selfType:     "Self",
		bare:         rustBare,
		rules:        rustRules(),
	}
}

func rustRules() map[string]rule {
	return map[string]rule{
		"use_declaration":          rustUse,
		"extern_crate_declaration": rustExternCrate,
		"attribute_item":           rustAttribute,
		"inner_attribute_item":     rustAttribute,
		"lifetime":                 skipsAll,
		"label":                    skipsAll,

		"mod_item":                       rustModule,
		"struct_item":                    rustType(Class),
		"union_item":                     rustType(Class),
		"enum_item":                      rustType(Enum),
		"trait_item":                     rustType(Interface),
		"impl_item":                      rustImpl,
		"enum_variant":                   rustVariant,
		"field_declaration":              rustField,
		"ordered_field_declaration_list": rustTuple,
		"function_item":                  rustFunction,
		"function_signature_item":        rustFunction,
		"const_item":                     rustValue(Constant),
		"static_item":                    rustValue(Variable),
		"type_item":                      rustAlias,
		"associated_type":                rustAlias,
		"type_parameter":                 rustTypeParameter,
		"const_parameter":                rustTypeParameter,
		"type_binding":                   func(r *reader, n node) { r.skip(r.field(n, "name")) },
		"function_type":                  rustFunctionType,

		"macro_definition":   rustMacro,
		"token_tree_pattern": skipsAll,
		"token_tree":         rustTokens,

		"block":              opens(blockLevel),
		"if_expression":      opens(blockLevel),
		"while_expression":   opens(blockLevel),
		"closure_expression": rustClosure,
		"let_declaration":    rustLet,
		"let_condition":      rustLet,
		"for_expression":     rustFor,
		"match_arm":          rustArm,
		"struct_expression":  rustStruct,
		"call_expression":    rustOwnCall,
	}
}

// rustBare names the type that a reference, a pointer or a box holds. Tuples, slices and functions have no name.
func rustBare(t string) string {
	for {
		before := t
		t = strings.TrimLeft(t, "&* ")
		if strings.HasPrefix(t, "'") {
			_, t, _ = strings.Cut(t, " ")
		}
		for _, word := range []string{"mut ", "const ", "dyn ", "impl "} {
			t = strings.TrimPrefix(t, word)
		}
		if outer, inner, _ := strings.Cut(t, "<"); rustHolds(outer) {
			t = strings.TrimSuffix(inner, ">")
		}
		if t == before {
			break
		}
	}
	if strings.HasPrefix(t, "(") || strings.HasPrefix(t, "[") || strings.HasPrefix(t, "<") {
		return ""
	}
	if end := strings.IndexAny(t, "<+(! "); end >= 0 {
		t = t[:end]
	}
	return strings.ReplaceAll(t, "::", ".")
}

// rustHolds reports whether a type lends the methods of what it holds.
func rustHolds(t string) bool {
	switch t[strings.LastIndexByte(t, ':')+1:] {
	case "Box", "Rc", "Arc":
		return true
	}
	return false
}

// rustIsType tells the names of types and the begins of paths, which are never those of variables.
func rustIsType(r *reader, n node) bool {
	return r.is(n, "type_identifier") || r.is(n, "identifier") && r.field(r.parent(n), "path") == n
}

// rustSelf gives the type of self, unless it stands for the surrounding module in a path.
func rustSelf(r *reader, n node, f int32) (string, node) {
	if r.is(r.parent(n), "scoped_identifier", "scoped_type_identifier") {
		return "", 0
	}
	return r.frames[f].self, 0
}

// rustCalled gives what a call makes. Of a type that is not in the file it is known by custom alone.
func rustCalled(r *reader, n node, f int32) (string, node) {
	if t := r.typeOfCall(n, r.grammar.calls["call_expression"], f); t != "" {
		return t, 0
	}
	callee := r.field(n, "function")
	if !r.is(callee, "scoped_identifier") {
		return "", 0
	}
	name := r.text(r.field(callee, "name"))
	if name != "new" && name != "default" && name != "from" && !strings.HasPrefix(name, "with_") {
		return "", 0
	}
	path, root := r.path(r.field(callee, "path")), r.rootOf(r.field(callee, "path"))
	if path == Expression || !startsUpper(pathEnd(path)) || root != 0 && !r.lookup(r.text(root), f, root).foreign() {
		return "", 0
	}
	return path, 0
}

func rustStructType(r *reader, n node, f int32) (string, node) {
	if t := r.typeOf(r.field(n, "name"), f); t != "" {
		return t, 0
	}
	return r.written(r.field(n, "name")), 0
}

func rustCastType(r *reader, n node, _ int32) (string, node) { return r.written(r.field(n, "type")), 0 }

// rustReferred gives the expression that a reference is made to or a pointer points to.
func rustReferred(r *reader, n node, _ int32) (string, node) {
	if r.has(n, "-", "!") {
		return "", 0
	}
	return "", r.last(n)
}

// rustUse lists what a use declaration takes in.
func rustUse(r *reader, n node) {
	skipsAll(r, n)
	rustUseTree(r, r.field(n, "argument"), "", r.has(n, "visibility_modifier"))
}

// mostUseDepth bounds the groups inside of one another in a use declaration.
const mostUseDepth = 32

// rustUseTree lists the imports of a part of a use declaration, all inside of a module.
func rustUseTree(r *reader, n node, module string, again bool) {
	i := Import{Reexported: again, Line: r.line(n)}
	switch r.kind(n) {
	case "use_list":
		for item := range r.parts(n) {
			if strings.Count(module, "::") < mostUseDepth {
				rustUseTree(r, item, module, again)
			}
		}
		return
	case "scoped_use_list":
		rustUseTree(r, r.field(n, "list"), rustJoin(module, rustPath(r, r.field(n, "path"))), again)
		return
	case "use_wildcard":
		i.Module, i.Member = rustJoin(module, rustPath(r, r.first(n))), All
		r.imports(i, 0)
		return
	case "use_as_clause":
		i.Name = r.text(r.field(n, "alias"))
		n = r.field(n, "path")
	}
	i.Module = rustJoin(module, rustPath(r, n))
	if r.is(n, "self") {
		i.Module = module
	} else if at := strings.LastIndex(i.Module, "::"); at >= 0 {
		i.Module, i.Member = i.Module[:at], i.Module[at+2:]
	}
	switch i.Name {
	case "_":
		i.Name = ""
	case "":
		i.Name = i.Member
		if i.Name == "" {
			i.Name = i.Module[strings.LastIndexByte(i.Module, ':')+1:]
		}
	}
	r.imports(i, n)
}

// rustPath is a path as written, without space.
func rustPath(r *reader, n node) string { return strings.Join(strings.Fields(r.text(n)), "") }

func rustJoin(module, path string) string {
	if module == "" || path == "" {
		return module + path
	}
	return module + "::" + path
}

func rustExternCrate(r *reader, n node) {
	skipsAll(r, n)
	i := Import{Module: r.text(r.field(n, "name")), Name: r.text(r.field(n, "alias")),
		Reexported: r.has(n, "visibility_modifier"), Line: r.line(n)}
	if i.Name == "" {
		i.Name = i.Module
	}
	r.imports(i, n)
}

// rustAttribute leaves out what attributes say, but for traits to derive and attributes that are
// named with a path: these are made by someone.
func rustAttribute(r *reader, n node) {
	a := r.child(n, "attribute")
	name := r.first(a)
	for part := range r.parts(a) {
		derive := r.text(name) == "derive"
		if part == name && r.leaf(part) || part != name && !derive {
			skipsAll(r, part)
		}
	}
}

// rustAttributed reports whether one of the attributes in front of an item has a name that the test takes.
func rustAttributed(r *reader, item node, test func(a node) bool) bool {
	for n := r.previousPart(item); r.is(n, "attribute_item"); n = r.previousPart(n) {
		if test(r.child(n, "attribute")) {
			return true
		}
	}
	return false
}

// rustIsTest tells the attributes of tests: #[test], those of other runners such as #[tokio::test], and #[cfg(test)].
func rustIsTest(r *reader) func(a node) bool {
	return func(a node) bool {
		switch r.text(r.leafOf(r.first(a))) {
		case "test", "rstest":
			return true
		case "cfg":
			return r.text(r.field(a, "arguments")) == "(test)"
		}
		return false
	}
}

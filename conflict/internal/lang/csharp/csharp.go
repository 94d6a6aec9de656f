//go:build cgo

package syntax

import (
	"maps"
	"slices"
	"strings"

	csharp "github.com/tree-sitter/tree-sitter-c-sharp/bindings/go"
)

func csharpGrammar() *grammar {
	return &grammar{
		pointer:  csharp.Language,
		names:    []string{"identifier"},
		words:    map[string]bool{"this": true, "base": false},
		comments: []string{"comment"},
		tokens:   []string{"string_literal_content"},
		members: map[string]access{
			"member_access_expression":      {object: "expression", member: "name"},
			"qualified_name":                {object: "qualifier", member: "name"},
			"alias_qualified_name":          {object: "alias", member: "name"},
			"conditional_access_expression": {},
		},
		calls: map[string]call{
			"invocation_expression":      {callee: "function", arguments: "arguments"},
			"object_creation_expression": {callee: "type", arguments: "arguments"},
		},
		inner: map[string]string{
			"parenthesized_expression":  "",
			"generic_name":              "",
			"nullable_type":             "type",
			"ref_type":                  "type",
			"member_binding_expression": "name",
			"postfix_unary_expression":  "",
		},
		named: map[string]string{"argument": "name"},
		infer: map[string]func(*reader, node, int32) (string, node){
			"object_creation_expression": csharpTyped,
			"cast_expression":            csharpTyped,
			"default_expression":         csharpTyped,
			"as_expression": func(r *reader, n node, _ int32) (string, node) {
				return r.written(r.field(n, "right")), 0
			},
			"await_expression": csharpFirst,
			"with_expression":  csharpFirst,
			"ref_expression":   csharpFirst,
		},
		builtin:     []string{"_", "nameof", "dynamic", "global", "nint", "nuint"},
		nothing:     []string{"null_literal"},
		base:        "base",
		ordered:     true,
		bareMembers: true,
		bare:        csharpBare,
		rules:       csharpRules(),
	}
}

func csharpRules() map[string]rule {
	rules := csharpDefinitionRules()
	maps.Copy(rules, csharpCodeRules())
	return rules
}

// csharpDefinitionRules are those for what stands outside of functions.
func csharpDefinitionRules() map[string]rule {
	return map[string]rule{
		"using_directive":                   csharpUsing,
		"extern_alias_directive":            skipsAll,
		"namespace_declaration":             csharpNamespace,
		"file_scoped_namespace_declaration": csharpNamespace,
		"attribute":                         csharpAttribute,
		"preproc_if":                        csharpCondition,
		"preproc_elif":                      csharpCondition,

		"class_declaration":               csharpType(Class),
		"struct_declaration":              csharpType(Class),
		"record_declaration":              csharpType(Class),
		"interface_declaration":           csharpType(Interface),
		"enum_declaration":                csharpType(Enum),
		"delegate_declaration":            csharpDelegate,
		"type_parameter":                  csharpTypeParameter,
		"enum_member_declaration":         csharpEnumMember,
		"property_declaration":            csharpProperty,
		"event_declaration":               csharpProperty,
		"indexer_declaration":             csharpFunction,
		"method_declaration":              csharpFunction,
		"constructor_declaration":         csharpFunction,
		"destructor_declaration":          csharpFunction,
		"operator_declaration":            csharpFunction,
		"conversion_operator_declaration": csharpFunction,
		"local_function_statement":        csharpFunction,
		"constructor_initializer":         csharpOtherConstructor,
		"accessor_declaration":            csharpAccessor,
		"arrow_expression_clause":         opens(functionLevel),
		"variable_declaration":            csharpVariables,
		"variable_declarator":             csharpDeclarator,
		"parameter":                       func(r *reader, n node) { r.skip(r.field(n, "name")) },
	}
}

// csharpCodeRules are those for what stands in functions.
func csharpCodeRules() map[string]rule {
	return map[string]rule{
		"invocation_expression":                csharpInvocation,
		"object_creation_expression":           csharpNew,
		"implicit_object_creation_expression":  csharpNewOfDeclared,
		"anonymous_object_creation_expression": csharpAnonymous,
		"with_initializer":                     csharpWith,
		"element_binding_expression":           func(r *reader, n node) { r.skip(n) },
		"argument":                             func(r *reader, n node) { r.skip(r.field(n, "name")) },
		"lambda_expression":                    csharpLambda,
		"anonymous_method_expression":          csharpLambda,
		"query_expression":                     csharpQuery,
		"from_clause":                          csharpRange,
		"join_clause":                          csharpRange,
		"join_into_clause":                     csharpRange,
		"let_clause":                           csharpRange,
		"declaration_expression":               csharpDesignation,
		"declaration_pattern":                  csharpDesignation,
		"recursive_pattern":                    csharpDesignation,
		"catch_declaration":                    csharpDesignation,
		"tuple_pattern":                        csharpTuple,
		"constant_pattern":                     func(r *reader, n node) { r.useName(r.first(n), Match) },
		"subpattern":                           csharpSubpattern,
		"foreach_statement":                    csharpForEach,
		"block":                                opens(blockLevel),
		"for_statement":                        opens(blockLevel),
		"using_statement":                      opens(blockLevel),
		"fixed_statement":                      opens(blockLevel),
		"catch_clause":                         opens(blockLevel),
		"switch_body":                          opens(blockLevel),
		"switch_expression_arm":                opens(blockLevel),
		"labeled_statement":                    csharpLabel,
		"goto_statement":                       csharpLabel,
	}
}

// csharpBare names the type without its arguments; of a task the type that it comes to.
func csharpBare(t string) string {
	for _, word := range []string{"ref ", "out ", "in ", "this ", "global::"} {
		t = strings.TrimPrefix(t, word)
	}
	t = strings.TrimSuffix(t, "?")
	outer, inner, generic := strings.Cut(t, "<")
	switch {
	case strings.HasSuffix(t, "]") || strings.HasPrefix(t, "(") || strings.HasSuffix(t, "*"):
		return ""
	case !generic:
		return t
	}
	switch pathEnd(outer) {
	case "Task", "ValueTask", "Nullable":
		t, _, _ = strings.Cut(strings.TrimSuffix(strings.TrimSuffix(inner, ">"), "?"), "<")
		return t
	}
	return outer
}

func csharpTyped(r *reader, n node, _ int32) (string, node) { return r.written(r.field(n, "type")), 0 }

func csharpFirst(r *reader, n node, _ int32) (string, node) { return "", r.first(n) }

// csharpSays reports whether a declaration has one of the modifiers.
func csharpSays(r *reader, n node, words ...string) bool {
	for c := range r.parts(n) {
		if r.is(c, "modifier") && slices.Contains(words, r.text(c)) {
			return true
		}
	}
	return false
}

// csharpUsing reads a using directive. A global one holds for other files too.
func csharpUsing(r *reader, n node) {
	skipsAll(r, n)
	i := Import{Module: r.written(r.last(n)), Member: All, Reexported: r.has(n, "global"), Line: r.line(n)}
	name := r.field(n, "name")
	if name != 0 {
		i.Member, i.Name = "", r.text(name)
	}
	r.imports(i, name)
}

// csharpNamespace reads a namespace. The first one of a file is its package; those inside of it,
// and others, are modules of it.
func csharpNamespace(r *reader, n node) {
	name := r.field(n, "name")
	skipsAll(r, name)
	if r.file.Package == "" {
		r.file.Package = r.written(name)
		return
	}
	if r.is(n, "namespace_declaration") && (r.here != 0 || r.written(name) != r.file.Package) {
		d := Definition{Name: r.written(name), Kind: Module, Visibility: Public}
		r.open(n, moduleLevel, r.giveWay(d, site{whole: n}))
	}
}

// csharpAttribute reads an attribute as a call of the class that it names.
func csharpAttribute(r *reader, n node) {
	list := r.child(n, "attribute_argument_list")
	a := r.arguments(list)
	for argument := range r.parts(list) {
		key := r.first(argument)
		switch {
		case r.is(key, "assignment_expression"):
			key = r.field(key, "left")
		case r.is(key, "identifier") && r.has(argument, ":"):
		default:
			continue
		}
		r.skip(key)
		a.named = append(a.named, r.keep(r.text(key)))
	}
	r.uses(r.field(n, "name"), Call, a)
}

// csharpCondition leaves out the symbols that the preprocessor asks for.
func csharpCondition(r *reader, n node) {
	if condition := r.field(n, "condition"); condition != 0 {
		skipsAll(r, condition)
	}
}

// csharpInvocation reads a call, which the grammar also takes patterns with positions for.
func csharpInvocation(r *reader, n node) {
	callee := r.field(n, "function")
	if r.is(r.parent(n), "constant_pattern") {
		r.useName(callee, Match)
	}
}

// csharpNew reads what is set when an object is made: without arguments that is all there is to say.
func csharpNew(r *reader, n node) {
	typ, values := r.field(n, "type"), r.field(n, "initializer")
	keys, a := csharpKeys(r, values)
	if len(keys) == 0 {
		return
	}
	if r.field(n, "arguments") == 0 {
		r.uses(typ, Construct, a)
		r.skip(keys...)
		return
	}
	for _, key := range keys {
		r.mark(key).typ = csharpBare(r.written(typ))
		r.mark(key).use = Read
	}
}

// csharpKeys lists the names of fields and properties that an initializer sets, and counts its values.
func csharpKeys(r *reader, values node) (keys []node, a arguments) {
	for v := range r.parts(values) {
		a.count++
		if key := r.field(v, "left"); r.is(v, "assignment_expression") && r.is(key, "identifier") {
			keys = append(keys, key)
			a.named = append(a.named, r.keep(r.text(key)))
		}
	}
	return keys, a
}

// csharpNewOfDeclared reads `new(1)`, whose type is what the variable was declared with.
func csharpNewOfDeclared(r *reader, n node) {
	keys, _ := csharpKeys(r, r.child(n, "initializer_expression"))
	r.skip(keys...)
	up := r.parent(n)
	if r.is(up, "variable_declarator") {
		up = r.parent(up)
	}
	leaf := r.leafOf(r.field(up, "type"))
	if leaf == 0 {
		return
	}
	typ, m := r.marks[r.cells[leaf].mark], r.mark(n)
	m.name, m.use, m.args = r.text(leaf), Call, r.arguments(r.child(n, "argument_list"))
	m.object, m.path = typ.object, typ.path
}

// csharpAnonymous leaves out the names that an object without a type gets.
func csharpAnonymous(r *reader, n node) {
	for c := range r.parts(n) {
		if next := r.cells[c].after; r.is(c, "identifier") && next < r.cells[n].after && r.is(next, "=") {
			r.skip(c)
		}
	}
}

// csharpWith reads what a copy is given in place of the original's.
func csharpWith(r *reader, n node) {
	if key := r.first(n); r.is(key, "identifier") {
		r.member(key, r.first(r.parent(n)))
	}
}

// csharpLabel leaves labels alone.
func csharpLabel(r *reader, n node) {
	if name := r.first(n); r.is(name, "identifier") && !r.has(n, "case") {
		r.skip(name)
	}
}

// csharpOtherConstructor makes a call of a class of a call of this or base in front of a constructor.
func csharpOtherConstructor(r *reader, n node) {
	word, class := r.child(n, "this", "base"), r.at().self
	if r.is(word, "base") {
		class = r.baseOf(class)
	}
	if class != "" && word != 0 {
		m := r.mark(word)
		m.name, m.use, m.args = pathEnd(class), Call, r.arguments(r.child(n, "argument_list"))
	}
}

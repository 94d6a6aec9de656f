//go:build cgo

package rust

import (
	"cmp"
	"strings"

	rust "github.com/tree-sitter/tree-sitter-rust/bindings/go"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// parser reads Rust with its grammar, which is C code.
func parser() func(string, []byte) code.File { return grammar().Parser(code.Rust) }

func grammar() *sitter.Grammar {
	return &sitter.Grammar{
		Pointer:  rust.Language,
		Names:    []string{"identifier", "type_identifier", "shorthand_field_identifier"},
		Words:    map[string]bool{"self": true, "crate": false, "super": false},
		Comments: []string{"line_comment", "block_comment"},
		Members: map[string]sitter.Access{
			"field_expression":                         {Object: "value", Member: "field"},
			"scoped_identifier scoped_type_identifier": {Object: "path", Member: "name"},
		},
		Calls: map[string]sitter.Call{"call_expression": {Callee: "function", Arguments: "arguments"}},
		Inner: map[string]string{
			"parenthesized_expression bracketed_type removed_trait_bound": "^",
			"generic_type generic_type_with_turbofish qualified_type reference_type pointer_type " +
				"higher_ranked_trait_bound": "type",
			"generic_function":           "function",
			"dynamic_type abstract_type": "trait",
		},
		Named:  map[string]string{"field_initializer": "field", "shorthand_field_initializer": "^"},
		Spread: []string{"base_field_initializer"},
		Infer: map[string]sitter.Infer{
			"self":                                  readSelf,
			"call_expression":                       called,
			"struct_expression":                     structType,
			"reference_expression unary_expression": referred,
		},
		TypeAt:       map[string]string{"type_cast_expression": "type"},
		Builtin:      []string{"Some", "None", "Ok", "Err", "Option", "Result", "String", "Vec", "Box"},
		Ordered:      true,
		NamedMembers: true,
		TypeOnly:     isType,
		SelfType:     "Self",
		Bare:         bare,
		Held:         held,
		Describe:     describe,
		Params:       readParams,
		Targets:      readBound,
		Local:        sitter.InBlock,
		Declares: map[string]sitter.Declaration{
			"struct_item union_item": {Kind: code.Class, Level: sitter.TypeLevel, Then: readDerived},
			"enum_item":              {Kind: code.Enum, Level: sitter.TypeLevel, Then: readDerived},
			"trait_item": {Kind: code.Interface, Level: sitter.TypeLevel, Bases: []string{"bounds/*"},
				Then: bindSelf},
			"mod_item":                  {Kind: code.Module, Level: sitter.ModuleLevel},
			"enum_variant":              {Kind: code.Member, Type: "body"}, // what it holds
			"field_declaration":         {Kind: code.Field, Type: "type"},
			"type_item associated_type": {Kind: code.Type, Type: "type"},
			// Its parameters depend on the rule that is taken, so that it lists none.
			"macro_definition": {Kind: code.Macro},
			"function_item function_signature_item": {Kind: code.Function, Params: "parameters",
				Result: "return_type"},
		},
		Rules: rules(),
	}
}

func rules() map[string]sitter.Rule {
	return map[string]sitter.Rule{
		"use_declaration":                     use,
		"extern_crate_declaration":            externCrate,
		"attribute_item inner_attribute_item": attribute,
		"lifetime label token_tree_pattern":   sitter.SkipsAll,

		"impl_item":                      impl,
		"ordered_field_declaration_list": tuple,
		"const_item":                     value(code.Constant),
		"static_item":                    value(code.Variable),
		"type_parameter const_parameter": sitter.Binds("name", sitter.ToType),
		"type_binding":                   sitter.Skips("name"),
		"function_type":                  functionType,
		"token_tree":                     readTokens,
		"binary_expression":              operator,
		"generic_type":                   keyed,
		"macro_invocation":               formatted,

		"block if_expression while_expression": sitter.Opens(sitter.BlockLevel),
		"closure_expression":                   sitter.Closure,
		"let_declaration let_condition":        let,
		"for_expression":                       readFor,
		"match_arm":                            arm,
		"struct_expression":                    readStruct,
		"call_expression": func(r *sitter.Reader, n sitter.Node) {
			own(r, r.Field(n, "function"))
		},
	}
}

// bare names the type that a reference, a pointer or a box holds. Tuples, slices and functions have no name.
func bare(t string) string {
	for {
		before := t
		t = strings.TrimLeft(t, "&* ")
		if strings.HasPrefix(t, "'") {
			_, t, _ = strings.Cut(t, " ")
		}
		for _, word := range []string{"mut ", "const ", "dyn ", "impl "} {
			t = strings.TrimPrefix(t, word)
		}
		outer, inner, _ := strings.Cut(t, "<")
		switch outer[strings.LastIndexByte(outer, ':')+1:] {
		case "Box", "Rc", "Arc":
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

// isType tells the names of types and the begins of paths, which are never those of variables.
func isType(r *sitter.Reader, n sitter.Node) bool {
	return r.Is(n, "type_identifier") || r.Is(n, "identifier") && r.Field(r.Parent(n), "path") == n
}

// readSelf gives the type of self, unless it stands for the surrounding module in a path.
func readSelf(r *sitter.Reader, n sitter.Node, f int32) (string, sitter.Node) {
	if r.Is(r.Parent(n), "scoped_identifier", "scoped_type_identifier") {
		return "", 0
	}
	return r.Frames[f].Self, 0
}

// called gives what a call makes. Of a type that is not in the file it is known by custom alone.
func called(r *sitter.Reader, n sitter.Node, f int32) (string, sitter.Node) {
	if t := r.TypeOfCall(n, r.Grammar.Calls["call_expression"], f); t != "" {
		return t, 0
	}
	callee := r.Field(n, "function")
	if !r.Is(callee, "scoped_identifier") {
		return "", 0
	}
	name := r.Text(r.Field(callee, "name"))
	if name != "new" && name != "default" && name != "from" && !strings.HasPrefix(name, "with_") {
		return "", 0
	}
	path, root := r.Path(r.Field(callee, "path")), r.RootOf(r.Field(callee, "path"))
	if path == code.Expression || !sitter.StartsUpper(sitter.PathEnd(path)) ||
		root != 0 && !r.Lookup(r.Text(root), f, root).FromOutside() {
		return "", 0
	}
	return path, 0
}

func structType(r *sitter.Reader, n sitter.Node, f int32) (string, sitter.Node) {
	if t := r.TypeOf(r.Field(n, "name"), f); t != "" {
		return t, 0
	}
	return r.Written(r.Field(n, "name")), 0
}

// referred gives the expression that a reference is made to or a pointer points to.
func referred(r *sitter.Reader, n sitter.Node, _ int32) (string, sitter.Node) {
	if r.Has(n, "-", "!") {
		return "", 0
	}
	return "", r.Last(n)
}

// use lists what a use declaration takes in.
func use(r *sitter.Reader, n sitter.Node) {
	sitter.SkipsAll(r, n)
	useTree(r, r.Field(n, "argument"), "", r.Has(n, "visibility_modifier"))
}

// mostUseDepth bounds the groups inside of one another in a use declaration.
const mostUseDepth = 32

// useTree lists the imports of a part of a use declaration, all inside of a module.
func useTree(r *sitter.Reader, n sitter.Node, module string, again bool) {
	i := code.Import{Reexported: again, Line: r.Line(n)}
	switch r.Kind(n) {
	case "use_list":
		for item := range r.Parts(n) {
			if strings.Count(module, "::") < mostUseDepth {
				useTree(r, item, module, again)
			}
		}
		return
	case "scoped_use_list":
		useTree(r, r.Field(n, "list"), join(module, readPath(r, r.Field(n, "path"))), again)
		return
	case "use_wildcard":
		i.Module, i.Member = join(module, readPath(r, r.First(n))), code.All
		r.Imports(i, 0)
		return
	case "use_as_clause":
		i.Name = r.Text(r.Field(n, "alias"))
		n = r.Field(n, "path")
	}
	i.Module = join(module, readPath(r, n))
	if r.Is(n, "self") {
		i.Module = module
	} else if before, last := sitter.CutLast(i.Module, "::"); before != "" {
		i.Module, i.Member = before, last
	}
	_, last := sitter.CutLast(i.Module, ":")
	if i.Name = cmp.Or(i.Name, i.Member, last); i.Name == "_" {
		i.Name = ""
	}
	r.Imports(i, n)
}

// readPath is a path as written, without space.
func readPath(r *sitter.Reader, n sitter.Node) string {
	return strings.Join(strings.Fields(r.Text(n)), "")
}

func join(module, path string) string {
	if module == "" || path == "" {
		return module + path
	}
	return module + "::" + path
}

func externCrate(r *sitter.Reader, n sitter.Node) {
	sitter.SkipsAll(r, n)
	i := code.Import{Module: r.Text(r.Field(n, "name")), Name: r.Text(r.Field(n, "alias")),
		Reexported: r.Has(n, "visibility_modifier"), Line: r.Line(n)}
	i.Name = cmp.Or(i.Name, i.Module)
	r.Imports(i, n)
}

// attribute leaves out what attributes say, but for traits to derive and attributes that are
// named with a path: these are made by someone.
func attribute(r *sitter.Reader, n sitter.Node) {
	a := r.Child(n, "attribute")
	name := r.First(a)
	for part := range r.Parts(a) {
		derive := r.Text(name) == "derive"
		if part == name && r.Leaf(part) || part != name && !derive {
			sitter.SkipsAll(r, part)
		}
	}
}

// attributed reports whether one of the attributes in front of an item has a name that the test takes.
func attributed(r *sitter.Reader, item sitter.Node, test func(name string, a sitter.Node) bool) bool {
	for n := r.PreviousPart(item); r.Is(n, "attribute_item"); n = r.PreviousPart(n) {
		if a := r.Child(n, "attribute"); test(r.Text(r.LeafOf(r.First(a))), a) {
			return true
		}
	}
	return false
}

// isTest tells the attributes of tests: #[test], those of other runners such as #[tokio::test], and #[cfg(test)].
func isTest(r *sitter.Reader, item sitter.Node) bool {
	return attributed(r, item, func(name string, a sitter.Node) bool {
		return name == "test" || name == "rstest" || name == "cfg" && r.TextAt(a, "arguments") == "(test)"
	})
}

// readSimple is the name that a pattern binds the whole value to, 0 if it takes the value apart.
func readSimple(r *sitter.Reader, pattern sitter.Node) sitter.Node {
	for r.Is(pattern, "mut_pattern", "ref_pattern", "reference_pattern") {
		pattern = r.Last(pattern)
	}
	if r.Is(pattern, "identifier") && !sitter.StartsUpper(r.Text(pattern)) {
		return pattern
	}
	return 0
}

// readBound lists the names that a pattern binds, and says of all others in it that they are compared with.
// A bare name binds unless it is a constant, a member of an enumeration or a type, all of which
// begin with a capital letter.
func readBound(r *sitter.Reader, pattern sitter.Node) (names []sitter.Node) {
	for n := pattern; n != 0 && n < r.Cells[pattern].After; n++ {
		switch r.Kind(n) {
		case "shorthand_field_identifier":
			names = append(names, n)
		case "identifier":
			up := r.Parent(n)
			if r.Field(up, "type") == n || sitter.StartsUpper(r.Text(n)) && !r.Is(up, "captured_pattern") {
				r.Use(n, code.Match)
			} else {
				names = append(names, n)
			}
		case "type_identifier", "scoped_identifier", "scoped_type_identifier", "generic_type",
			"generic_type_with_turbofish":
			r.Use(n, code.Match)
			n = r.Cells[n].After - 1
		case "macro_invocation", "const_block":
			n = r.Cells[n].After - 1
		}
	}
	return names
}

// locals lists the variables of a pattern, which stand for something from the end of the site's from on.
func locals(r *sitter.Reader, pattern sitter.Node, typ string, s sitter.Site) {
	if simple := readSimple(r, pattern); simple != 0 {
		pattern = simple
	}
	s.From = r.Cells[s.From].After - 1
	r.Locals(pattern, typ, s)
}

func let(r *sitter.Reader, n sitter.Node) {
	locals(r, r.Field(n, "pattern"), r.WrittenAt(n, "type"),
		sitter.Site{Whole: n, Value: r.Field(n, "value"), From: n})
}

func readFor(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.BlockLevel, r.At().Key)
	if value := r.Field(n, "value"); value != 0 {
		locals(r, r.Field(n, "pattern"), "", sitter.Site{From: value})
	}
}

// arm begins an arm of a match, whose pattern may have a condition.
func arm(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.BlockLevel, r.At().Key)
	whole := r.Field(n, "pattern")
	if pattern := r.First(whole); pattern != 0 && pattern != r.Field(whole, "condition") {
		locals(r, pattern, "", sitter.Site{From: pattern})
	}
	if simple := readSimple(r, r.First(whole)); r.Field(whole, "condition") == 0 &&
		(simple != 0 || strings.TrimSpace(r.Text(whole)) == "_") {
		r.Mark(n).Name, r.Mark(n).Use = code.Default, code.Match // stands for all other values
	}
}

// own gives the name of the surrounding type to a leaf that says Self.
func own(r *sitter.Reader, leaf sitter.Node) {
	if self := r.At().Self; leaf != 0 && self != "" && r.Text(leaf) == "Self" {
		r.Mark(leaf).Name = sitter.PathEnd(self)
	}
}

func readStruct(r *sitter.Reader, n sitter.Node) {
	name := r.Field(n, "name")
	r.Uses(name, code.Construct, r.Arguments(r.Field(n, "body")))
	own(r, name)
}

// readTokens reads what is handed to a macro, which has no syntax but tokens: names, paths, and
// calls as far as they look like such.
func readTokens(r *sitter.Reader, n sitter.Node) {
	var tokens []sitter.Node
	for c := range r.Children(n) {
		if !r.Flagged(c, sitter.IsComment) {
			tokens = append(tokens, c)
		}
	}
	for i := 1; i+1 < len(tokens); i++ {
		if r.Is(tokens[i], "identifier") {
			token(r, tokens, i)
		}
	}
}

// token reads a name among tokens, of which it is neither the first nor the last.
func token(r *sitter.Reader, tokens []sitter.Node, i int) {
	name, before, after := tokens[i], r.Text(tokens[i-1]), tokens[i+1]
	switch before {
	case "let", "fn", "struct", "enum", "trait", "type", "mod", "'", "mut":
		r.Skip(name)
		return
	case "|":
		if r.Is(after, "|", ",", ":") {
			r.Skip(name)
			return
		}
	}
	switch {
	case r.Is(after, "token_tree") && strings.HasPrefix(r.Text(after), "("):
		m := r.Mark(name)
		m.Use, m.Args = code.Call, tokenArguments(r, after)
	case r.Text(after) == ":":
		r.Skip(name)
	case before != "." && before != "::" && r.Text(after) != "::" && r.Is(r.At().Node, "macro_definition") &&
		!sitter.StartsUpper(r.Text(name)):
		r.Skip(name)
	}
	if before == "." || before == "::" {
		tokenMember(r, tokens, i)
	}
}

// tokenMember takes a name among tokens out of what stands before it.
func tokenMember(r *sitter.Reader, tokens []sitter.Node, i int) {
	name, path := tokens[i], ""
	first := i
	for first >= 2 && r.Is(tokens[first-1], ".", "::") {
		first -= 2
		if i-first > 2*sitter.MaxPath || !r.Is(tokens[first], "identifier", "self", "super", "crate", "metavariable") {
			r.Mark(name).Path = code.Expression
			return
		}
		path = sitter.Join(strings.TrimPrefix(r.Text(tokens[first]), "$"), path)
	}
	if first == i-2 && !r.Is(tokens[first], "metavariable") {
		r.Member(name, tokens[first])
	} else {
		r.Mark(name).Path = strings.TrimSuffix(path, ".")
	}
}

// tokenArguments counts arguments by the commas between them, as far as no comma may be of another kind.
func tokenArguments(r *sitter.Reader, tree sitter.Node) (a sitter.Arguments) {
	open := false
	for c := range r.Children(tree) {
		switch {
		case c == tree+1 || r.Cells[c].After == r.Cells[tree].After || r.Flagged(c, sitter.IsComment):
		case r.Text(c) == ",":
			open = false
		default:
			if !open {
				a.Count, open = a.Count+1, true
			}
			if r.Is(c, "|", "<", "metavariable", "token_repetition") {
				a.Spread = true
			}
		}
	}
	return a
}

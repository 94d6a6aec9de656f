//go:build cgo

package javascript

import (
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// variable reads one variable of a declaration: at the top of a file or a namespace a definition,
// in a function a Local.
func variable(r *sitter.Reader, n sitter.Node) {
	name, value, declaration := r.Field(n, "name"), r.Field(n, "value"), r.Parent(n)
	if requires(r, value) {
		return
	}
	typ := typeAt(r, n, "type")
	construct(r, r.Field(n, "type"), value)
	levels := levelsOf(r, declaration)
	scope := r.Frames[r.Around(levels...)].Level
	s := sitter.Site{Whole: n, Name: name, Value: value}
	if r.First(declaration) == n && r.NextPart(n) == 0 {
		s.Whole = declaration
	}
	if value == 0 {
		s.Value = sitter.Unset
	}
	d := code.Definition{Kind: code.Variable, Visibility: visibility(r, declaration), Type: typ}
	if r.Is(declaration+1, "const") {
		d.Kind = code.Constant
	}
	inFile, isName := scope == sitter.FileLevel || scope == sitter.ModuleLevel, r.Is(name, "identifier")
	switch {
	case isName && (inFile || isFunction(r, value) || r.Is(value, "class")):
		defineValue(r, n, d, s)
	case !inFile:
		locals(r, typ, s, levels)
	default:
		for _, leaf := range targets(r, name) {
			r.Define(d, sitter.Site{Whole: s.Whole, Name: leaf})
		}
	}
}

// levelsOf are the frames in which a declaration binds its names.
func levelsOf(r *sitter.Reader, declaration sitter.Node) []sitter.Level {
	if r.Is(declaration, "variable_declaration") || r.Text(r.Field(declaration, "kind")) == "var" {
		return []sitter.Level{sitter.FunctionLevel, sitter.ModuleLevel, sitter.FileLevel}
	}
	return []sitter.Level{sitter.BlockLevel, sitter.FunctionLevel, sitter.ModuleLevel, sitter.FileLevel}
}

// locals binds the names of a pattern in a function.
func locals(r *sitter.Reader, typ string, s sitter.Site, levels []sitter.Level) {
	if r.Is(s.Name, "identifier") {
		r.Local(typ, s, levels...)
		return
	}
	for _, leaf := range targets(r, s.Name) {
		r.Local("", sitter.Site{Name: leaf}, levels...)
	}
}

// block begins a block, unless it is the body of a namespace, which binds its names itself.
func block(r *sitter.Reader, n sitter.Node) {
	if !r.Is(r.Parent(n), "module", "internal_module") {
		r.Open(n, sitter.BlockLevel, r.At().Key)
	}
}

func forIn(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.BlockLevel, r.At().Key)
	if kind := r.Field(n, "kind"); kind != 0 {
		locals(r, "", sitter.Site{Name: r.Field(n, "left")}, levelsOf(r, n))
	}
}

func typeOfNew(r *sitter.Reader, n sitter.Node, f int32) (string, sitter.Node) {
	class := r.Field(n, "constructor")
	if t := r.TypeOf(class, f); r.IsType(t) {
		return t, 0
	}
	if path := r.Path(class); path != code.Expression && r.RootOf(class) != 0 {
		return path, 0
	}
	return "", 0
}

// construct reads an object that is written out for a declared type, or a string that is one of the type's members.
func construct(r *sitter.Reader, annotation, value sitter.Node) {
	typ := annotation
	if r.Is(annotation, "type_annotation") {
		typ = r.First(annotation)
	}
	leaf := r.LeafOf(typ)
	switch {
	case leaf == 0:
	case r.Is(value, "object"):
		r.Uses(typ, code.Construct, entries(r, value))
	case r.Is(value, "string"):
		if text := r.Child(value, "string_fragment"); text != 0 {
			m := r.Mark(text)
			m.Use, m.Typ = code.Match, r.Keep(r.Path(typ))
		}
	}
}

// entries counts the entries of an object.
func entries(r *sitter.Reader, object sitter.Node) (a sitter.Arguments) {
	for p := range r.Parts(object) {
		a.Count++
		switch r.Kind(p) {
		case "pair":
			a.Named = append(a.Named, memberName(r, r.Field(p, "key")))
		case "method_definition":
			a.Named = append(a.Named, memberName(r, r.Field(p, "name")))
		case "shorthand_property_identifier":
			a.Named = append(a.Named, r.Keep(r.Text(p)))
		case "spread_element":
			a.Spread = true
		}
	}
	return a
}

// element reads a JSX element, which makes a component if its name is not that of a tag of the language.
func element(r *sitter.Reader, n sitter.Node) {
	name := r.Field(n, "name")
	if r.Is(name, "identifier") && !sitter.StartsUpper(r.Text(name)) {
		r.Skip(name)
		return
	}
	var a sitter.Arguments
	for p := range r.InField(n, "attribute") {
		a.Count++
		if r.Is(p, "jsx_attribute") {
			a.Named = append(a.Named, r.Keep(r.Text(r.First(p))))
		} else {
			a.Spread = true
		}
	}
	if up := r.Parent(n); r.Is(up, "jsx_element") && r.NextPart(n) != r.Field(up, "close_tag") {
		a.Count, a.Named = a.Count+1, append(a.Named, "children")
	}
	r.Uses(name, code.Construct, a)
}

// isTest tells the files in which test runners look for tests.
func isTest(r *sitter.Reader) bool {
	return strings.Contains(r.FileName(), ".test.") || strings.Contains(r.FileName(), ".spec.") ||
		slices.Contains(strings.Split(r.Name, "/"), "__tests__")
}

// readTest reads a call that makes a test or a group of tests: describe("…", () => …).
func readTest(r *sitter.Reader, n, callee, list sitter.Node) {
	// it.only("…"), it.each(table)("…"), it.skip.each(table)("…")
	for range 4 {
		switch {
		case r.Is(callee, "member_expression"):
			callee = r.Field(callee, "object")
		case r.Is(callee, "call_expression"):
			callee = r.Field(callee, "function")
		}
	}
	if !r.Is(callee, "identifier") || !slices.Contains([]string{"describe", "it", "test", "suite", "context"},
		r.Text(callee)) {
		return
	}
	title, body := r.First(list), r.Last(list)
	if !r.Is(title, "string", "template_string") || !isFunction(r, body) {
		return
	}
	d := code.Definition{Name: r.Keep(unquoted(r.Text(title))), Kind: code.Function, Visibility: code.Private,
		Test: true}
	r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: n}))
}

// isOverload reports whether a function is declared again right behind, so that this is one of its signatures.
func isOverload(r *sitter.Reader, n sitter.Node) bool {
	if r.Field(n, "body") != 0 {
		return false
	}
	last := n
	for r.Is(r.Parent(last), "export_statement", "ambient_declaration") {
		last = r.Parent(last)
	}
	next := r.NextPart(last)
	for r.Is(next, "export_statement", "ambient_declaration") {
		next = r.First(next)
	}
	return r.Is(next, "function_signature", "function_declaration", "generator_function_declaration",
		"method_signature", "abstract_method_signature", "method_definition") &&
		r.Text(r.Field(next, "name")) == r.Text(r.Field(n, "name"))
}

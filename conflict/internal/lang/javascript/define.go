//go:build cgo

package javascript

import (
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// isFunction reports whether an expression is a function written out.
func isFunction(r *sitter.Reader, n sitter.Node) bool {
	return r.Is(n, "arrow_function", "function_expression", "generator_function")
}

// startsFunction reports whether a node is a function with a body, written out or declared.
func startsFunction(r *sitter.Reader, n sitter.Node) bool {
	return isFunction(r, n) ||
		r.Is(n, "function_declaration", "generator_function_declaration", "method_definition")
}

// visibility is that of a declaration which is no member: public behind the word export, and for
// what a .d.ts file is about.
func visibility(r *sitter.Reader, n sitter.Node) code.Visibility {
	up := r.Parent(n)
	ambient := r.Is(up, "ambient_declaration")
	if ambient {
		up = r.Parent(up)
	}
	if r.Is(up, "export_statement") || ambient && up == 0 && strings.HasSuffix(r.Name, ".d.ts") {
		return code.Public
	}
	return code.Private
}

// memberVisibility is that of a member, of which modifiers may say more.
func memberVisibility(r *sitter.Reader, n sitter.Node, name string) code.Visibility {
	switch modifier := r.Text(r.Child(n, "accessibility_modifier")); {
	case modifier == "private" || strings.HasPrefix(name, "#"):
		return code.Private
	case modifier == "protected":
		return code.Restricted
	}
	return code.Public
}

// callable fills in what a function says of itself.
func callable(r *sitter.Reader, d code.Definition, function sitter.Node) code.Definition {
	d.Params, d.Async = sitter.ParamsOf(readParams(r, function)), r.Has(function, "async")
	d.Result = typeAt(r, function, "return_type")
	return d
}

// defineValue lists what a value makes of a definition: a function, a class, or what it is already.
// It begins it at a node.
func defineValue(r *sitter.Reader, n sitter.Node, d code.Definition, s sitter.Site) {
	level := sitter.NameLevel
	switch {
	case isFunction(r, s.Value):
		d.Kind = code.Function
		d = callable(r, d, s.Value)
	case r.Is(s.Value, "class"):
		d.Kind, level = code.Class, sitter.TypeLevel
		d.Bases = r.Bases(s.Value, bases()...)
	}
	r.Open(n, level, r.Define(d, s))
}

// typeAt is the type in the annotation of a field, without the colon in front.
func typeAt(r *sitter.Reader, n sitter.Node, field string) string { return r.WrittenAt(n, field+"/^") }

// readParams reads the parameters of a function.
func readParams(r *sitter.Reader, function sitter.Node) (params []sitter.Parameter) {
	if name := r.Field(function, "parameter"); name != 0 {
		return []sitter.Parameter{{Param: code.Param{Name: r.Keep(r.Text(name))}, Whole: name,
			Names: []sitter.Node{name}}}
	}
	for n := range r.Parts(r.Field(function, "parameters")) {
		p, pattern := sitter.Parameter{Whole: n}, r.Find(n, "pattern left .")
		if r.Is(pattern, "this") {
			continue
		}
		p.Type = typeAt(r, n, "type")
		p.Optional = r.Is(n, "assignment_pattern", "optional_parameter") || r.Field(n, "value") != 0
		if r.Is(pattern, "rest_pattern") {
			p.Rest, pattern = true, r.First(pattern)
		}
		switch {
		case r.Is(pattern, "identifier"):
			p.Name = r.Keep(r.Text(pattern))
		case r.Is(pattern, "object_pattern"):
			p.Name = r.Written(pattern)
		}
		p.Names = targets(r, pattern)
		params = append(params, p)
	}
	return params
}

// targets are the leaves that a pattern binds.
func targets(r *sitter.Reader, pattern sitter.Node) (leaves []sitter.Node) {
	r.Walk(pattern, func(n sitter.Node) bool {
		if n != pattern && r.Fields[r.Cells[n].Field] == "right" {
			return false
		}
		if r.Is(n, "identifier", "shorthand_property_identifier_pattern") {
			leaves = append(leaves, n)
		}
		return !r.Is(n, "member_expression", "subscript_expression", "computed_property_name", "non_null_expression")
	})
	return leaves
}

// function reads the declaration of a function.
func function(r *sitter.Reader, n sitter.Node) {
	name, params := r.Field(n, "name"), readParams(r, n)
	key := sitter.Join(r.At().Key, r.Text(name))
	if isOverload(r, n) {
		r.Skip(name)
	} else {
		key = r.Define(callable(r, code.Definition{Kind: code.Function, Visibility: visibility(r, n)}, n),
			sitter.Site{Whole: n, Name: name})
	}
	r.OpenFunction(n, key, params)
}

// functionValue reads a function in an expression, which has its name only inside of itself.
func functionValue(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.FunctionLevel, r.At().Key)
	if r.Is(n, "arrow_function") {
		awaits(r, r.Field(n, "body"))
		given(r, n, r.Field(n, "body"))
	} else {
		r.At().Self = ""
	}
	r.BindHere(r.Field(n, "name"), sitter.Binding{})
	r.LocalParams(readParams(r, n))
}

// bases lead to what a class is made from.
func bases() []string {
	return []string{">class_heritage/>extends_clause/value", ">class_heritage/>implements_clause/*",
		">class_heritage/*"}
}

// classValue reads a class in an expression, which has its own name only inside of itself.
// One that a variable or an export names has been read with that.
func classValue(r *sitter.Reader, n sitter.Node) {
	if !r.Is(r.Parent(n), "variable_declarator", "export_statement", "assignment_expression") ||
		r.At().Level != sitter.TypeLevel {
		r.Bases(n, bases()...)
		r.Open(n, sitter.TypeLevel, r.At().Key)
	}
	r.BindHere(r.Field(n, "name"), sitter.Binding{Typ: r.At().Self})
}

// memberName is the name of a member as others write it behind the dot.
func memberName(r *sitter.Reader, n sitter.Node) string { return r.Keep(unquoted(r.Text(n))) }

// member fills in what the modifiers of a member say.
func member(r *sitter.Reader, n, name sitter.Node) code.Definition {
	d := code.Definition{Name: memberName(r, name), Kind: code.Method}
	d.Visibility = memberVisibility(r, n, d.Name)
	d.Static, d.Abstract, d.Overrides = r.Has(n, "static", "static get"), r.Has(n, "abstract"),
		r.Has(n, "override_modifier")
	if r.Has(n, "get") {
		d.Kind = code.Field // which is read without a call
	}
	return d
}

// method reads a method with a body, be it of a class or of an object.
func method(r *sitter.Reader, n sitter.Node) {
	name, params := r.Field(n, "name"), readParams(r, n)
	key := r.At().Key
	switch {
	case r.InType() && r.Is(r.Parent(n), "class_body"):
		key = defineMethod(r, member(r, n, name), sitter.Site{Whole: n, Name: name})
	case isGiven(r, n):
		key = r.Define(callable(r, code.Definition{Name: memberName(r, name), Kind: code.Function,
			Visibility: code.Public}, n),
			sitter.Site{Whole: n})
	}
	r.Skip(name)
	r.Open(n, sitter.FunctionLevel, key)
	if !r.Is(r.Parent(n), "class_body") {
		r.At().Self = ""
	}
	r.LocalParams(params)
	parameterFields(r, n)
}

// defineMethod lists a method; of the two that get and set a property, one Field.
func defineMethod(r *sitter.Reader, d code.Definition, s sitter.Site) string {
	d = callable(r, d, s.Whole)
	if r.Has(s.Whole, "get", "set", "static get") {
		d.Kind, d.Type, d.Result = code.Field, d.Result, ""
		if d.Type == "" && len(d.Params) == 1 {
			d.Type = d.Params[0].Type
		}
		d.Params = nil
		sets := r.Has(s.Whole, "set")
		if r.Holds(r.At().Key, d.Name) {
			if other := r.LastMember(d.Name); other != nil && sets {
				other.ReadOnly = false
			}
			return sitter.Join(r.At().Key, d.Name)
		}
		d.ReadOnly = !sets
	}
	return r.Define(d, s)
}

// parameterFields lists the parameters of a constructor that are fields too.
func parameterFields(r *sitter.Reader, n sitter.Node) {
	for p := range r.Parts(r.Field(n, "parameters")) {
		name := r.Field(p, "pattern")
		if r.Is(name, "identifier") && (r.Has(p, "readonly", "accessibility_modifier", "override_modifier")) {
			r.Attribute(code.Definition{Kind: code.Field, Visibility: memberVisibility(r, p, ""),
				ReadOnly: r.Has(p, "readonly"), Type: typeAt(r, p, "type")}, r.At().Self,
				sitter.Site{Whole: p, Name: name})
		}
	}
}

// field reads a field of a class. One that holds a function is called like a method.
func field(r *sitter.Reader, n sitter.Node) {
	name, value := r.Find(n, "property name"), r.Field(n, "value")
	d := member(r, n, name)
	d.Kind, d.Type, d.ReadOnly = code.Field, typeAt(r, n, "type"), r.Has(n, "readonly")
	if r.Has(n, "?") {
		d.Type += "?"
	}
	if isFunction(r, value) {
		d.Kind = code.Method
		d = callable(r, d, value)
	}
	construct(r, r.Field(n, "type"), value)
	r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: n, Name: name, Value: value}))
}

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
		if inFile && d.Kind == code.Constant {
			parts(r, value)
		}
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
		callee = r.Find(callee, "object function .")
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

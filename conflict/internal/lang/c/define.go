//go:build cgo

package c

import (
	"cmp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// cVisibility is that of what stands where the reader is. What is static is hidden from other
// files, unless these include it.
func cVisibility(r *sitter.Reader, n sitter.Node) code.Visibility {
	if r.InFunction() {
		return code.Private
	}
	for f := r.Here; f != 0; f = r.Frames[f].Up {
		if section := r.Frames[f].Section; section != "" {
			return section
		}
	}
	if !r.InType() && cSays(r, n, "static") && !cIsHeader(r) {
		return code.Private
	}
	return code.Public
}

// cSays reports whether a declaration has one of the words in front.
func cSays(r *sitter.Reader, n sitter.Node, words ...string) bool {
	for c := range r.Children(n) {
		if r.Is(c, "storage_class_specifier", "type_qualifier", "virtual", "virtual_specifier") &&
			slices.Contains(words, r.Text(c)) {
			return true
		}
		if r.Is(n, "declaration", "field_declaration") && cIsDeclarator(r, c) {
			break
		}
	}
	return false
}

// cWhole is a declaration with the template that it stands in.
func cWhole(r *sitter.Reader, n sitter.Node) sitter.Node {
	for r.Is(r.Parent(n), "template_declaration") {
		n = r.Parent(n)
	}
	return n
}

// cNamespace begins a namespace. Each file, and each part of a file, may open it again.
func cNamespace(r *sitter.Reader, n sitter.Node) {
	name := r.Field(n, "name")
	if name == 0 {
		r.Open(n, sitter.NameLevel, r.At().Key)
		r.At().Section = code.Private
		return
	}
	for leaf := name; leaf < r.Cells[name].After; leaf++ {
		if r.Is(leaf, "namespace_identifier") {
			d := code.Definition{Name: r.Keep(r.Text(leaf)), Kind: code.Module, Visibility: cVisibility(r, n)}
			r.Open(n, sitter.ModuleLevel, r.DefinePartial(d, sitter.Site{Whole: n}))
		}
	}
}

// cTypedefName is the name that a typedef gives to the type that it defines, 0 if there is none.
func cTypedefName(r *sitter.Reader, typ sitter.Node) sitter.Node {
	if name := r.Find(typ, "../declarator"); r.Is(r.Parent(typ), "type_definition") && r.Is(name, "type_identifier") {
		return name
	}
	return 0
}

func cClass(r *sitter.Reader, n sitter.Node) {
	body, name := r.Field(n, "body"), r.Field(n, "name")
	if body == 0 {
		return
	}
	d := code.Definition{Kind: code.Class, Visibility: cVisibility(r, n)}
	for base := range r.Each(n, ">base_class_clause/*") {
		if leaf := r.LeafOf(base); leaf != 0 {
			r.Use(base, code.Inherit)
			d.Bases = append(d.Bases, r.Keep(cBare(r.Written(base))))
		}
	}
	r.Open(n, sitter.TypeLevel, cTypeKey(r, n, name, d))
	if r.At().Section = code.Public; r.Is(n, "class_specifier") {
		r.At().Section = code.Private
	}
}

// cTypeKey lists a type and returns its key. One without a name goes by that of its typedef, or
// else of what is declared with it.
func cTypeKey(r *sitter.Reader, n, name sitter.Node, d code.Definition) string {
	s := sitter.Site{Whole: cWhole(r, n), Name: name}
	own := cDeclared(r, name)
	if owner := cOwner(r, own); owner != "" {
		r.Open(n, sitter.NameLevel, sitter.Join(r.At().Key, owner))
		s.Name = own.name
	}
	if last := r.Parent(own.name); r.Is(last, "template_type") {
		d.Name, s.Name = r.Written(last), 0
	}
	if name != 0 {
		return r.Define(d, s)
	}
	if s.Name = cTypedefName(r, n); s.Name != 0 {
		s.Whole = r.Parent(n)
		return r.Define(d, s)
	}
	key, with := r.At().Key, r.Keep(r.Text(cDeclared(r, r.Field(r.Parent(n), "declarator")).name))
	if with == "" || sitter.PathEnd(key) == with {
		return key
	}
	return sitter.Join(key, with)
}

func cEnum(r *sitter.Reader, n sitter.Node) {
	if r.Field(n, "body") == 0 {
		return
	}
	outer := r.At().Key
	key := cTypeKey(r, n, r.Field(n, "name"), code.Definition{Kind: code.Enum, Visibility: cVisibility(r, n)})
	switch {
	case !r.IsType(key) || key == r.At().Key:
	case r.Has(n, "class", "struct"):
		r.Open(n, sitter.TypeLevel, key)
		r.At().Section, r.At().Enum = code.Public, true
	default:
		r.Open(n, sitter.NameLevel, outer)
		r.At().Enum = true
	}
}

// cDescribe says what others see, and whether what an enumeration lists are its members: without a
// name it has but constants. Unless the enumeration is a class, its members stand next to it.
func cDescribe(r *sitter.Reader, n sitter.Node, d *code.Definition) {
	d.Visibility = cVisibility(r, n)
	if d.Kind == code.Constant && r.At().Enum {
		d.Kind = code.Member
	}
}

// cSection begins the public, protected or private members of a class.
func cSection(r *sitter.Reader, n sitter.Node) {
	if !r.Is(r.Parent(n), "field_declaration_list") {
		return
	}
	r.At().Section = code.Private
	switch r.Text(n) {
	case "public":
		r.At().Section = code.Public
	case "protected":
		r.At().Section = code.Restricted
	}
}

func cTypedef(r *sitter.Reader, n sitter.Node) {
	typ := r.Field(n, "type")
	for declarator := range r.InField(n, "declarator") {
		own := cDeclared(r, declarator)
		same := r.Text(r.Field(typ, "name")) == r.Text(own.name) ||
			r.Field(typ, "name") == 0 && declarator == cTypedefName(r, typ)
		if r.Field(typ, "body") != 0 && same {
			r.Skip(own.name)
			continue
		}
		own.function = 0
		d, s := code.Definition{Kind: code.Type, Visibility: cVisibility(r, n), Type: cType(r, n, own)},
			sitter.Site{Whole: n, Name: own.name}
		if same {
			d.Partial = r.Field(typ, "name") != 0
			r.DefinePartial(d, s)
		} else {
			r.Define(d, s)
		}
	}
}

func cAlias(r *sitter.Reader, n sitter.Node) {
	d := code.Definition{Kind: code.Type, Visibility: cVisibility(r, n), Type: r.Written(r.Field(n, "type"))}
	r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: cWhole(r, n), Name: r.Field(n, "name")}))
}

// cFunction reads a function with a body.
func cFunction(r *sitter.Reader, n sitter.Node) {
	own := cDeclared(r, r.Field(n, "declarator"))
	if cTest(r, n, own) {
		return
	}
	if own.name == 0 {
		r.Open(n, sitter.FunctionLevel, r.At().Key)
		return
	}
	if owner := cOwner(r, own); owner != "" {
		r.Open(n, sitter.TypeLevel, sitter.Join(r.At().Key, owner))
		r.At().Section = code.Public
	}
	params := cParams(r, r.Field(own.function, "parameters"))
	d := cCallable(r, n, own, params)
	s := cNamed(r, &d, sitter.Site{Whole: cWhole(r, n), Name: own.name})
	key := r.Define(d, s)
	if r.Field(n, "body") == 0 {
		r.Open(n, sitter.BlockLevel, key)
		return
	}
	r.Open(n, sitter.FunctionLevel, key)
	r.LocalParams(params)
}

// cCallable gives what a declaration says of a function.
func cCallable(r *sitter.Reader, n sitter.Node, own declared, params []sitter.Parameter) code.Definition {
	d := code.Definition{Kind: code.Function, Visibility: cVisibility(r, n), Params: sitter.ParamsOf(params),
		Result: cType(r, n, own)}
	if r.InType() {
		d.Kind, d.Static, d.Overrides = code.Method, cSays(r, n, "static"), cSays(r, own.function, "override")
		if cSays(r, own.function, "const") {
			d.Receiver = "const"
		}
		d.Abstract = r.Child(n, "pure_virtual_clause") != 0 ||
			cSays(r, n, "virtual") && r.Text(r.Field(n, "default_value")) == "0"
	}
	return d
}

// cNamed gives names to functions whose names are no mere identifiers. That of a constructor stands
// for the class, not for the function.
func cNamed(r *sitter.Reader, d *code.Definition, s sitter.Site) sitter.Site {
	text := r.Text(s.Name)
	switch {
	case r.Is(s.Name, "destructor_name", "operator_name", "operator_cast"):
		if declarator := r.Field(s.Name, "declarator"); declarator != 0 {
			text = r.Source[r.Cells[s.Name].Start:r.Cells[declarator].Start]
		}
		r.Skip(r.Child(s.Name, "identifier"))
	case r.InType() && text == sitter.PathEnd(r.At().Self):
		r.Skip(s.Name)
	default:
		return s
	}
	d.Name, s.Name = r.Keep(strings.Join(strings.Fields(text), " ")), 0
	return s
}

// cTest lists what GoogleTest makes of TEST(Suite, Name) and its like.
func cTest(r *sitter.Reader, n sitter.Node, own declared) bool {
	switch r.Text(own.name) {
	case "TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P":
	default:
		return false
	}
	list := r.Field(own.function, "parameters")
	suite, name := r.LeafOf(r.Field(r.First(list), "type")), r.LeafOf(r.Field(r.Last(list), "type"))
	if r.Field(n, "type") != 0 || suite == 0 || suite == name {
		return false
	}
	r.Skip(own.name, name)
	if r.Text(own.name) == "TEST" {
		r.Skip(suite)
	}
	d := code.Definition{Name: r.Keep(r.Text(suite) + "." + r.Text(name)), Kind: code.Function,
		Visibility: code.Private, Test: true}
	r.Open(n, sitter.FunctionLevel, r.Define(d, sitter.Site{Whole: n}))
	return true
}

// cParams reads the parameters of a function, which may have no names.
func cParams(r *sitter.Reader, list sitter.Node) (params []sitter.Parameter) {
	for n := range r.Children(list) {
		p := sitter.Parameter{Whole: n}
		switch r.Kind(n) {
		case "parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration":
			own := cDeclared(r, r.Field(n, "declarator"))
			p.Optional, p.Rest = r.Field(n, "default_value") != 0, r.Is(n, "variadic_parameter_declaration")
			own.function = 0
			if p.Type = cType(r, n, own); p.Type == "void" {
				continue
			}
			if own.name != 0 {
				p.Name, p.Names = r.Keep(r.Text(own.name)), []sitter.Node{own.name}
			}
		case "variadic_parameter", "...":
			p.Rest = true
		default:
			continue
		}
		params = append(params, p)
	}
	return params
}

// cDeclaration reads a declaration of variables, of fields, or of functions without their bodies.
func cDeclaration(r *sitter.Reader, n sitter.Node) {
	if r.Is(r.Parent(n), "friend_declaration") {
		return
	}
	declarators := slices.Collect(r.InField(n, "declarator"))
	for _, declarator := range declarators {
		whole := cWhole(r, n)
		if len(declarators) > 1 {
			whole = declarator
		}
		own := cDeclared(r, declarator)
		switch {
		case r.InFunction():
			cLocal(r, n, declarator, whole)
		case own.name == 0:
		case own.function != 0 || r.Is(own.name, "operator_cast"):
			cPrototype(r, n, own, whole)
		default:
			cVariable(r, n, own, sitter.Site{Whole: whole, Name: own.name, Value: r.Field(declarator, "value")})
		}
	}
}

// cPrototype lists a function that is declared only, unless the file has its body too.
func cPrototype(r *sitter.Reader, n sitter.Node, own declared, whole sitter.Node) {
	params := cParams(r, r.Field(own.function, "parameters"))
	d := cCallable(r, n, own, params)
	d.Partial = !r.InType()
	s := cNamed(r, &d, sitter.Site{Whole: whole, Name: own.name})
	key := r.DefinePartial(d, s)
	if whole == cWhole(r, n) {
		r.Open(n, sitter.BlockLevel, key)
	}
}

func cVariable(r *sitter.Reader, n sitter.Node, own declared, s sitter.Site) {
	d := code.Definition{Kind: code.Variable, Visibility: cVisibility(r, n), Type: cType(r, n, own)}
	if owner := cOwner(r, own); owner != "" {
		r.Open(n, sitter.TypeLevel, sitter.Join(r.At().Key, owner))
	}
	switch {
	case r.InType():
		d.Kind, d.Static = code.Field, cSays(r, n, "static")
	case cSays(r, n, "constexpr") || cSays(r, n, "const") && !r.Is(own.whole, "pointer_declarator"):
		d.Kind = code.Constant
	}
	d.Partial = cSays(r, n, "extern") && s.Value == 0
	define := r.Define
	if d.Partial || d.Static {
		define = r.DefinePartial
	}
	key := define(d, s)
	if d.Kind == code.Field && !d.Static && s.Value == 0 {
		cMadeByDefault(r, n, own)
	}
	if s.Whole == cWhole(r, n) {
		r.Open(n, sitter.NameLevel, key)
	}
}

// cMadeByDefault makes a field without a value a call of the constructor without arguments, in a type that has no
// constructor of its own to make it otherwise.
func cMadeByDefault(r *sitter.Reader, n sitter.Node, own declared) {
	leaf, list := r.Field(n, "type"), r.Parent(n)
	if !r.Grammar.BareMembers || !r.Is(leaf, "type_identifier") || !r.Is(own.whole, "field_identifier") {
		return
	}
	class := r.Text(r.Field(r.Parent(list), "name"))
	for part := range r.Parts(list) {
		if made := cDeclared(r, r.Field(part, "declarator")); made.function != 0 && r.Text(made.name) == class {
			return
		}
	}
	r.Uses(leaf, code.Call, sitter.Arguments{})
}

// cLocal lists the variable that a declarator of a declaration in a function makes.
func cLocal(r *sitter.Reader, n, declarator, whole sitter.Node) {
	own := cDeclared(r, declarator)
	typ := cType(r, n, own)
	s := sitter.Site{Whole: whole, Name: own.name, Value: cmp.Or(r.Field(declarator, "value"), r.Field(n, "value"))}
	if r.Is(r.Field(n, "type"), "placeholder_type_specifier") {
		typ = ""
	}
	if own.function != 0 {
		if !cVariableAfterAll(r, n, own) {
			r.Skip(own.name)
			return
		}
		typ = cTypeName(r, r.Field(n, "type"))
	}
	if leaf := r.Field(n, "type"); r.Is(leaf, "type_identifier") && r.Is(declarator, "identifier") &&
		r.Grammar.BareMembers && !cSays(r, n, "extern") {
		r.Uses(leaf, code.Call, sitter.Arguments{}) // the constructor without arguments
	}
	if own.name != 0 {
		r.Local(typ, s, sitter.BlockLevel, sitter.FunctionLevel)
		return
	}
	for _, name := range r.Within(declarator, "identifier") {
		r.Local("", sitter.Site{Name: name}, sitter.BlockLevel, sitter.FunctionLevel)
	}
}

// cVariableAfterAll tells `T x(y);` in a function, which the grammar takes for the declaration of a function:
// it calls the constructor of T with other variables.
func cVariableAfterAll(r *sitter.Reader, n sitter.Node, own declared) bool {
	list, leaf := r.Field(own.function, "parameters"), r.LeafOf(r.Field(n, "type"))
	if leaf == 0 || r.First(list) == 0 {
		return false
	}
	for p := range r.Parts(list) {
		name := r.Field(p, "type")
		if !r.Is(name, "type_identifier") || r.Field(p, "declarator") != 0 ||
			!r.Lookup(r.Text(name), r.Here, own.name).Local {
			return false
		}
	}
	cMakes(r, list, leaf, sitter.Mark{Use: code.Call, Args: r.Arguments(list)})
	for p := range r.Parts(list) {
		r.Skip(r.Field(p, "type"))
	}
	return true
}

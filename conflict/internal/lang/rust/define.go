//go:build cgo

package rust

import (
	"strconv"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// modifier reads what an item says of its visibility, if it does.
func modifier(r *sitter.Reader, item sitter.Node, otherwise code.Visibility) code.Visibility {
	switch r.Text(r.Child(item, "visibility_modifier")) {
	case "":
		return otherwise
	case "pub":
		return code.Public
	}
	return code.Restricted
}

// visibility is that of an item. Members of traits are visible where the trait is, and other
// members in their module, as far as they do not say so themselves.
func visibility(r *sitter.Reader, n sitter.Node) code.Visibility {
	owner := r.Parent(r.Parent(n))
	switch {
	case r.InFunction():
		return code.Private
	case r.Is(owner, "trait_item"):
		return modifier(r, owner, code.Private)
	case r.Is(owner, "impl_item") && r.Field(owner, "trait") != 0:
		return code.Public
	case r.InType():
		return modifier(r, n, code.Private)
	}
	return modifier(r, n, code.Private)
}

func readModule(r *sitter.Reader, n sitter.Node) {
	d := code.Definition{Kind: code.Module, Visibility: visibility(r, n), Test: attributed(r, n, isTest(r))}
	key := r.Define(d, sitter.Site{Whole: n, Name: r.Field(n, "name")})
	if r.Field(n, "body") != 0 {
		r.Open(n, sitter.ModuleLevel, key)
	}
}

// openType begins the body of a type, in which Self stands for it.
func openType(r *sitter.Reader, n sitter.Node, key string) {
	r.Open(n, sitter.TypeLevel, key)
	r.Bind(r.Here, "Self", sitter.Binding{At: n, Typ: key, What: sitter.ToType})
}

// readType makes a rule for the declarations of types of a kind.
func readType(kind code.Kind) sitter.Rule {
	return func(r *sitter.Reader, n sitter.Node) {
		d := code.Definition{Kind: kind, Visibility: visibility(r, n)}
		for bound := range r.Parts(r.Field(n, "bounds")) {
			if leaf := r.LeafOf(bound); leaf != 0 {
				r.Use(bound, code.Inherit)
				d.Bases = append(d.Bases, r.Keep(r.Path(bound)))
			}
		}
		openType(r, n, r.Define(d, sitter.Site{Whole: n, Name: r.Field(n, "name")}))
	}
}

// impl begins the methods of a type, whichever file defines it. Of one that is not in the file
// it lists a part, with the trait.
func impl(r *sitter.Reader, n sitter.Node) {
	typ, trait := r.Field(n, "type"), r.Field(n, "trait")
	name := r.Keep(r.Text(r.LeafOf(typ)))
	if name == "" {
		name = r.Written(inside(r, typ))
	}
	key := sitter.Join(r.At().Key, name)
	if leaf := r.LeafOf(trait); leaf != 0 {
		r.Use(trait, code.Inherit)
		d := code.Definition{Name: name, Kind: code.Class, Visibility: code.Restricted,
			Bases:   []string{r.Keep(r.Path(trait))},
			Partial: true}
		r.GiveWay(d, sitter.Site{Whole: n})
	}
	openType(r, n, key)
}

// inside is the type that references and pointers lead to.
func inside(r *sitter.Reader, typ sitter.Node) sitter.Node {
	for r.Is(typ, "reference_type", "pointer_type", "parenthesized_type") {
		typ = r.Last(typ)
	}
	return typ
}

// variant lists a member of an enumeration. Its type is what it holds.
func variant(r *sitter.Reader, n sitter.Node) {
	d := code.Definition{Kind: code.Member, Visibility: modifier(r, r.Parent(r.Parent(n)), code.Private),
		Type: r.Written(r.Field(n, "body"))}
	r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: n, Name: r.Field(n, "name")}))
}

// field lists a field. Those of a member of an enumeration are visible where that is.
func field(r *sitter.Reader, n sitter.Node) {
	d := code.Definition{Kind: code.Field, Visibility: modifier(r, n, code.Private),
		Type: r.Written(r.Field(n, "type"))}
	if v := r.Parent(r.Parent(n)); r.Is(v, "enum_variant") {
		d.Visibility = modifier(r, r.Parent(r.Parent(v)), code.Private)
	}
	r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: n, Name: r.Field(n, "name")}))
}

// tuple lists the fields of a type that have numbers for names.
func tuple(r *sitter.Reader, n sitter.Node) {
	if !r.Is(r.Parent(n), "struct_item") {
		return
	}
	count, word := 0, ""
	for part := range r.Parts(n) {
		if r.Is(part, "visibility_modifier") {
			word = r.Text(part)
		}
		if r.Is(part, "visibility_modifier", "attribute_item") {
			continue
		}
		d := code.Definition{Name: strconv.Itoa(count), Kind: code.Field, Visibility: code.Restricted,
			Type: r.Written(part)}
		switch word {
		case "":
			d.Visibility = code.Private
		case "pub":
			d.Visibility = code.Public
		}
		r.Define(d, sitter.Site{Whole: part})
		r.Hold(r.At().Key, d.Name, sitter.Binding{At: part, Typ: d.Type, What: sitter.ToNamed})
		count, word = count+1, ""
	}
}

func function(r *sitter.Reader, n sitter.Node) {
	d := code.Definition{
		Kind: code.Function, Visibility: visibility(r, n), Result: r.Written(r.Field(n, "return_type")),
		Test: attributed(r, n, isTest(r)),
	}
	list := r.Field(n, "parameters")
	params := readParams(r, list)
	d.Params, d.Async = sitter.ParamsOf(params), r.Has(r.Child(n, "function_modifiers"), "async")
	if r.InType() {
		d.Kind, d.Abstract = code.Method, r.Field(n, "body") == 0
		d.Static = !takesSelf(r, list)
		d.Overrides = r.Field(r.Parent(r.Parent(n)), "trait") != 0
	}
	key := r.Define(d, sitter.Site{Whole: n, Name: r.Field(n, "name")})
	if r.Field(n, "body") == 0 {
		r.Open(n, sitter.BlockLevel, key)
		for _, p := range params {
			r.Skip(p.Names...)
		}
		return
	}
	r.Open(n, sitter.FunctionLevel, key)
	r.LocalParams(params)
}

// takesSelf reports whether a list of parameters begins with the receiver.
func takesSelf(r *sitter.Reader, list sitter.Node) bool {
	first := r.First(list)
	return r.Is(first, "self_parameter") || r.Is(r.Field(first, "pattern"), "self")
}

// readParams reads the parameters of a function or a closure, without the receiver.
func readParams(r *sitter.Reader, list sitter.Node) (params []sitter.Parameter) {
	for n := range r.Parts(list) {
		p, pattern := sitter.Parameter{Whole: n}, n
		switch r.Kind(n) {
		case "self_parameter", "attribute_item":
			continue
		case "variadic_parameter":
			p.Rest, pattern = true, r.Field(n, "pattern")
		case "parameter":
			p.Type, pattern = r.Written(r.Field(n, "type")), r.Field(n, "pattern")
		default:
			if r.Is(list, "parameters") {
				p.Type, pattern = r.Written(n), 0
			}
		}
		if r.Is(pattern, "self") {
			continue
		}
		p.Names = readBound(r, pattern)
		p.Name = r.Keep(r.Text(readSimple(r, pattern)))
		params = append(params, p)
	}
	return params
}

// readValue makes a rule for the declarations of constants and of global variables.
func readValue(kind code.Kind) sitter.Rule {
	return func(r *sitter.Reader, n sitter.Node) {
		name, value := r.Field(n, "name"), r.Field(n, "value")
		if r.Text(name) == "_" {
			r.Skip(name)
			return
		}
		d := code.Definition{Kind: kind, Visibility: visibility(r, n), Type: r.Written(r.Field(n, "type")),
			Static: r.InType()}
		d.Abstract = r.InType() && value == 0
		r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: n, Name: name, Value: value}))
	}
}

func alias(r *sitter.Reader, n sitter.Node) {
	d := code.Definition{Kind: code.Type, Visibility: visibility(r, n), Type: r.Written(r.Field(n, "type")),
		Abstract: r.Is(n, "associated_type")}
	r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: n, Name: r.Field(n, "name")}))
}

func typeParameter(r *sitter.Reader, n sitter.Node) {
	if name := r.Field(n, "name"); name != 0 {
		r.Skip(name)
		r.Bind(r.Here, r.Text(name), sitter.Binding{At: name, What: sitter.ToType})
	}
}

// functionType leaves out the names of parameters in the type of a function.
func functionType(r *sitter.Reader, n sitter.Node) {
	for p := range r.Parts(r.Field(n, "parameters")) {
		r.Skip(r.Field(p, "pattern"))
	}
}

// macro lists a macro. Its parameters depend on the rule that is taken, so that it lists none.
func macro(r *sitter.Reader, n sitter.Node) {
	d := code.Definition{Kind: code.Macro, Visibility: code.Restricted}
	if attributed(r, n, func(a sitter.Node) bool { return r.Text(r.First(a)) == "macro_export" }) {
		d.Visibility = code.Public
	}
	r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: n, Name: r.Field(n, "name")}))
}

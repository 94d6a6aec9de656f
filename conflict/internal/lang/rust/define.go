//go:build cgo

package rust

import (
	"strconv"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// modifier is what an item says of its visibility: private where it says nothing.
func modifier(r *sitter.Reader, item sitter.Node) code.Visibility {
	switch r.Text(r.Child(item, "visibility_modifier")) {
	case "":
		return code.Private
	case "pub":
		return code.Public
	}
	return code.Restricted
}

// describe fills in what an item says of itself. Members of traits and of enumerations are visible
// where these are, and all else in its module as far as it does not say so itself.
func describe(r *sitter.Reader, n sitter.Node, d *code.Definition) {
	owner, inType := r.Find(n, "../.."), r.InType()
	d.Visibility = modifier(r, n)
	switch {
	case d.Kind == code.Member:
		d.Visibility = modifier(r, owner)
	case d.Kind == code.Macro:
		d.Visibility = code.Restricted
		if attributed(r, n, func(name string, _ sitter.Node) bool { return name == "macro_export" }) {
			d.Visibility = code.Public
		}
	case d.Kind == code.Field:
		if r.Is(owner, "enum_variant") {
			d.Visibility = modifier(r, r.Find(owner, "../.."))
		}
	case r.InFunction():
		d.Visibility = code.Private
	case r.Is(owner, "trait_item"):
		d.Visibility = modifier(r, owner)
	case r.Is(owner, "impl_item") && r.Field(owner, "trait") != 0:
		d.Visibility = code.Public
	}
	switch d.Kind {
	case code.Module:
		d.Test = isTest(r, n)
	case code.Type:
		d.Abstract = r.Is(n, "associated_type")
	case code.Constant, code.Variable:
		d.Static, d.Abstract = inType, inType && r.Field(n, "value") == 0
	case code.Function:
		d.Test, d.Async = isTest(r, n), r.Has(r.Child(n, "function_modifiers"), "async")
		if inType {
			d.Kind, d.Abstract, d.Overrides = code.Method, r.Field(n, "body") == 0, r.Field(owner, "trait") != 0
			first := r.Find(n, "parameters/^")
			d.Static = !r.Is(first, "self_parameter") && !r.Is(r.Field(first, "pattern"), "self")
			if r.Is(first, "self_parameter") {
				d.Receiver = receiver(r, first)
			}
		}
	}
}

// bindSelf says what Self stands for in the body of a type.
func bindSelf(r *sitter.Reader, n sitter.Node) {
	r.Bind(r.Here, "Self", sitter.Binding{At: n, Typ: r.At().Key, What: sitter.ToType})
}

// derivable are the methods of the traits that a type can derive and that are called by name.
// The others stand for themselves.
var derivable = map[string]string{"Clone": "clone", "Default": "default", "PartialEq": "eq",
	"PartialOrd": "partial_cmp", "Ord": "cmp", "Hash": "hash", "Debug": "fmt", "Copy": "Copy", "Eq": "Eq"}

// readDerived begins a type, with the methods that it derives.
func readDerived(r *sitter.Reader, n sitter.Node) {
	bindSelf(r, n)
	attributed(r, n, func(name string, a sitter.Node) bool {
		if name == "derive" {
			for _, trait := range r.Within(r.Field(a, "arguments"), "identifier") {
				name := strings.Clone(r.Text(trait)) // which lets go of the source
				if method := derivable[name]; method != "" {
					r.Define(code.Definition{Name: method, Kind: code.Method, Visibility: code.Public, Overrides: true,
						Static: method == "default", Partial: true, Type: name}, sitter.Site{Whole: trait})
				}
			}
		}
		return false
	})
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
	part := code.Definition{Name: name, Kind: code.Class, Visibility: code.Restricted, Partial: true}
	if r.Is(typ, "scoped_type_identifier") {
		part.Type = r.Keep(r.Path(typ))
	}
	if leaf := r.LeafOf(trait); leaf != 0 {
		r.Use(trait, code.Inherit)
		part.Bases = []string{r.Keep(r.Path(trait))}
	}
	if part.Type != "" || part.Bases != nil {
		r.DefinePartial(part, sitter.Site{Whole: n})
	}
	r.Open(n, sitter.TypeLevel, key)
	bindSelf(r, n)
}

// inside is the type that references and pointers lead to.
func inside(r *sitter.Reader, typ sitter.Node) sitter.Node {
	for r.Is(typ, "reference_type", "pointer_type", "parenthesized_type") {
		typ = r.Last(typ)
	}
	return typ
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

// value makes a rule for the declarations of constants and of global variables.
func value(kind code.Kind) sitter.Rule {
	return func(r *sitter.Reader, n sitter.Node) {
		if name := r.Field(n, "name"); r.Text(name) == "_" {
			r.Skip(name)
		} else {
			sitter.Declaration{Kind: kind, Type: "type", Value: "value"}.Read(r, n)
		}
	}
}

// functionType leaves out the names of parameters in the type of a function.
func functionType(r *sitter.Reader, n sitter.Node) {
	for p := range r.Each(n, "parameters/*") {
		r.Skip(r.Field(p, "pattern"))
	}
}

//go:build cgo

package javascript

import (
	"slices"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
	"delegate/internal/text/lazyregexp"
)

// mostParts is how many entries of an object are listed; what has more is a table.
const mostParts = 100

// parts lists the entries of an object that a constant holds, which others take out of it.
func parts(r *sitter.Reader, value sitter.Node) {
	for r.Is(value, "as_expression", "satisfies_expression", "parenthesized_expression") {
		value = r.First(value)
	}
	if entries := slices.Collect(r.Parts(value)); r.Is(value, "object") && len(entries) <= mostParts {
		for _, p := range entries {
			d := code.Definition{Kind: code.Field, Visibility: code.Public, Static: true}
			d.Name = memberName(r, r.Find(p, "key name ."))
			switch f := r.Find(p, "value ."); {
			case !r.Is(p, "pair", "method_definition", "shorthand_property_identifier") ||
				r.Is(r.Field(p, "key"), "computed_property_name"):
				continue
			case r.Is(p, "method_definition"):
				d.Kind = code.Method
				d = callable(r, d, p)
			case isFunction(r, f):
				d.Kind = code.Method
				d = callable(r, d, f)
			}
			r.Define(d, sitter.Site{Whole: p})
		}
	}
}

// construct reads an object that is written out for a declared type, or a string that is one of the type's members.
func construct(r *sitter.Reader, annotation, value sitter.Node) {
	typ := annotation
	if r.Is(annotation, "type_annotation") {
		typ = r.First(annotation)
	}
	leaf := r.LeafOf(typ)
	mapped := r.Child(r.Child(typ, "index_signature"), "mapped_type_clause")
	switch {
	case r.Is(typ, "object_type") && mapped != 0 && r.Is(value, "object"):
		if of := r.Field(mapped, "type"); r.LeafOf(of) != 0 && !partly.MatchString(r.Text(typ)) {
			recordKeys(r, of, value)
		}
	case leaf == 0:
	case r.Is(value, "object"):
		if r.Is(typ, "generic_type") && r.Text(leaf) == "Record" {
			recordKeys(r, r.First(r.Field(typ, "type_arguments")), value)
		}
		r.Uses(typ, code.Construct, entries(r, value))
		inside(r, value, r.Path(typ))
	case r.Is(value, "string"):
		if text := r.Child(value, "string_fragment"); text != 0 {
			m := r.Mark(text)
			m.Use, m.Typ = code.Match, r.Keep(r.Path(typ))
		}
	}
}

// partly tells a mapped type that need not have all members.
var partly = lazyregexp.New(`\]\s*\+?\?\s*:`)

// recordKeys reads the keys of an object that has one for each member of a type, as a match of them.
func recordKeys(r *sitter.Reader, typ, object sitter.Node) {
	of := r.Path(typ)
	for p := range r.Parts(object) {
		key := r.Field(p, "key")
		if r.Is(key, "string") {
			key = r.Child(key, "string_fragment")
		}
		m := r.Mark(p)
		m.Use, m.Typ, m.Name = code.Match, r.Keep(of), r.Keep(r.Text(key))
		if r.Is(key, "computed_property_name") {
			m.Name = r.Keep(r.Text(r.LeafOf(r.First(key))))
		}
		if !r.Is(p, "pair", "method_definition") {
			m.Name = code.Default // spread
		}
	}
}

// written reads an object that is handed over or given back where its type does not stand: as a value of what the
// path names.
func written(r *sitter.Reader, object sitter.Node, path string) {
	if !r.Is(object, "object") || path == "" || path == code.Expression {
		return
	}
	m := r.Mark(object)
	m.Path, m.Name = sitter.CutLast(r.Keep(path), ".")
	m.Use, m.Args = code.Construct, entries(r, object)
}

// given reads an object that a function gives back whose result is declared.
func given(r *sitter.Reader, function, object sitter.Node) {
	for r.Is(object, "parenthesized_expression") {
		object = r.First(object)
	}
	typ := r.First(r.Field(function, "return_type"))
	if r.Is(typ, "generic_type") && r.Text(r.LeafOf(typ)) == "Promise" {
		typ = r.First(r.Field(typ, "type_arguments"))
	}
	if r.LeafOf(typ) != 0 && r.Text(r.LeafOf(typ)) != "Record" {
		written(r, object, r.Path(typ))
		inside(r, object, r.Path(typ))
	}
}

// inside reads the objects that are written out in the fields of one, each as a value of what the path of its field
// leads to.
func inside(r *sitter.Reader, object sitter.Node, path string) {
	if !r.Is(object, "object") || path == "" || path == code.Expression {
		return
	}
	for p := range r.Parts(object) {
		value, at := r.Field(p, "value"), path+"."+memberName(r, r.Field(p, "key"))
		values := []sitter.Node{value}
		switch {
		case !r.Is(p, "pair"):
			continue
		case r.Is(value, "array"):
			values = slices.Collect(r.Parts(value))
		}
		for _, v := range values {
			written(r, v, at)
			inside(r, v, at)
		}
	}
}

// entries counts the entries of an object.
func entries(r *sitter.Reader, object sitter.Node) (a sitter.Arguments) {
	for p := range r.Parts(object) {
		a.Count++
		if a.Spread = a.Spread || r.Is(p, "spread_element"); r.Is(p, "pair", "method_definition",
			"shorthand_property_identifier") {
			a.Named = append(a.Named, memberName(r, r.Find(p, "key name .")))
		}
	}
	return a
}

// only is the one part of a kind, 0 if there are several or none.
func only(r *sitter.Reader, list sitter.Node, kind string) (one sitter.Node) {
	for p := range r.Parts(list) {
		if r.Is(p, kind) {
			if one != 0 {
				return 0
			}
			one = p
		}
	}
	return one
}

// givenBack reads what a return gives back.
func givenBack(r *sitter.Reader, n sitter.Node) {
	for up := r.Parent(n); up != 0; up = r.Parent(up) {
		if startsFunction(r, up) {
			given(r, up, r.First(n))
			return
		}
	}
}

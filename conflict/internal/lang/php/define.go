//go:build cgo

package php

import (
	"iter"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// visibility is what a member says of itself. Without a word, as for all that is no member, it is public.
func visibility(r *sitter.Reader, n sitter.Node) code.Visibility {
	for c := range head(r, n) {
		switch text := r.Text(c); {
		case !r.Is(c, "visibility_modifier"):
		case strings.HasPrefix(text, "private"):
			return code.Private
		case strings.HasPrefix(text, "protected"):
			return code.Restricted
		}
	}
	return code.Public
}

// head goes through what a declaration says before it comes to what it declares.
func head(r *sitter.Reader, declaration sitter.Node) iter.Seq[sitter.Node] {
	return func(yield func(sitter.Node) bool) {
		for c := range r.Parts(declaration) {
			if r.Is(c, "const_element", "property_element") || !yield(c) {
				return
			}
		}
	}
}

// declared gives what a declaration of constants or fields says of each of them.
func declared(r *sitter.Reader, declaration sitter.Node, kind code.Kind) code.Definition {
	d := code.Definition{Kind: kind, Visibility: visibility(r, declaration)}
	for c := range head(r, declaration) {
		if r.Is(c, "static_modifier") {
			d.Static = true
		}
		if f := r.Cells[c].Field; f != 0 && r.Fields[f] == "type" {
			d.Type = r.Written(c)
		}
	}
	return d
}

// attributed reports whether a declaration has an attribute of the name.
func attributed(r *sitter.Reader, n sitter.Node, name string) bool {
	for group := range r.Parts(r.Field(n, "attributes")) {
		for a := range r.Parts(group) {
			if r.Text(r.LeafOf(r.First(a))) == name {
				return true
			}
		}
	}
	return false
}

// readBases lists what a type extends, implements, and takes in as traits.
func readBases(r *sitter.Reader, n sitter.Node) (bases []string) {
	take := func(list sitter.Node) {
		for base := range r.Parts(list) {
			if r.Is(base, "name", "qualified_name") {
				r.Use(r.LeafOf(base), code.Inherit)
				bases = append(bases, r.Keep(dotted(r.Text(base))))
			}
		}
	}
	take(r.Child(n, "base_clause"))
	take(r.Child(n, "class_interface_clause"))
	for part := range r.Parts(r.Field(n, "body")) {
		if r.Is(part, "use_declaration") {
			take(part)
		}
	}
	return bases
}

// readType makes a rule for the declarations of types of a kind.
func readType(kind code.Kind) sitter.Rule {
	return func(r *sitter.Reader, n sitter.Node) {
		name := r.Field(n, "name")
		d := code.Definition{Kind: kind, Visibility: code.Public, Bases: readBases(r, n),
			Test: strings.HasSuffix(r.Text(name), "Test")}
		r.Open(n, sitter.TypeLevel, r.Define(d, sitter.Site{Whole: n, Name: name}))
	}
}

// anonymous begins a class without a name. What it defines stands in the definition around it.
func anonymous(r *sitter.Reader, n sitter.Node) {
	readBases(r, n)
	r.Open(n, sitter.TypeLevel, r.At().Key)
}

func readCase(r *sitter.Reader, n sitter.Node) {
	d := code.Definition{Kind: code.Member, Visibility: code.Public}
	r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: n, Name: r.Field(n, "name")}))
}

// readOnly is what a declaration declares, 0 if that is several things.
func readOnly(r *sitter.Reader, declaration sitter.Node) (only sitter.Node) {
	for n := range r.Parts(declaration) {
		if !r.Is(n, "const_element", "property_element") {
			continue
		}
		if only != 0 {
			return 0
		}
		only = n
	}
	return only
}

// alone makes a rule for declarations that reads those of one element as a whole.
func alone(read func(r *sitter.Reader, declaration, element, whole sitter.Node)) sitter.Rule {
	return func(r *sitter.Reader, n sitter.Node) {
		if only := readOnly(r, n); only != 0 {
			read(r, n, only, n)
		}
	}
}

// oneOf makes a rule for elements that reads those of declarations with several.
func oneOf(read func(r *sitter.Reader, declaration, element, whole sitter.Node)) sitter.Rule {
	return func(r *sitter.Reader, n sitter.Node) {
		if up := r.Parent(n); readOnly(r, up) == 0 {
			read(r, up, n, n)
		}
	}
}

func constant(r *sitter.Reader, declaration, element, whole sitter.Node) {
	d := declared(r, declaration, code.Constant)
	d.Static = r.InType()
	r.Open(whole, sitter.NameLevel, r.Define(d,
		sitter.Site{Whole: whole, Name: r.First(element), Value: r.Last(element)}))
}

// property lists a field, without the sign in front of its name.
func property(r *sitter.Reader, declaration, element, whole sitter.Node) {
	d := declared(r, declaration, code.Field)
	value := r.Field(element, "default_value")
	if value == 0 {
		value = sitter.Unset
	}
	r.Open(whole, sitter.NameLevel, r.Define(d,
		sitter.Site{Whole: whole, Name: r.First(r.Field(element, "name")), Value: value}))
}

func function(r *sitter.Reader, n sitter.Node) {
	name, params := r.Field(n, "name"), readParams(r, r.Field(n, "parameters"))
	d := code.Definition{Kind: code.Function, Visibility: visibility(r, n), Params: sitter.ParamsOf(params),
		Result: r.Written(r.Field(n, "return_type"))}
	if r.InType() {
		d.Kind, d.Static, d.Overrides = code.Method, r.Has(n, "static_modifier"), attributed(r, n, "Override")
		d.Abstract = r.Field(n, "body") == 0
		d.Test = strings.HasSuffix(r.At().Self, "Test") && strings.HasPrefix(r.Text(name), "test") ||
			attributed(r, n, "Test")
	}
	for _, p := range params {
		if r.Is(p.Whole, "property_promotion_parameter") {
			field := code.Definition{Name: p.Name, Kind: code.Field, Visibility: visibility(r, p.Whole), Type: p.Type}
			r.Define(field, sitter.Site{Whole: p.Whole, Name: r.First(p.Names[0])})
		}
	}
	key := r.Define(d, sitter.Site{Whole: n, Name: name})
	if r.Field(n, "body") == 0 {
		r.Open(n, sitter.BlockLevel, key)
		return
	}
	r.Open(n, sitter.FunctionLevel, key)
	r.LocalParams(params)
}

// readParams reads parameters, which have no sign in front where arguments name them.
func readParams(r *sitter.Reader, list sitter.Node) (params []sitter.Parameter) {
	for n := range r.Parts(list) {
		name := r.Field(n, "name")
		if r.Is(name, "by_ref") {
			name = r.First(name)
		}
		if !r.Is(name, "variable_name") {
			continue
		}
		p := code.Param{
			Name: r.Keep(r.Text(r.First(name))), Type: r.Written(r.Field(n, "type")),
			Optional: r.Field(n, "default_value") != 0, Rest: r.Is(n, "variadic_parameter"),
		}
		params = append(params, sitter.Parameter{Param: p, Whole: n, Names: []sitter.Node{name}})
	}
	return params
}

// define lists the constant that a call of define makes, and the name that one of class_alias gives to a class.
func define(r *sitter.Reader, n sitter.Node) {
	list := r.Field(n, "arguments")
	argument := r.First(r.First(list))
	if r.Text(r.Field(n, "function")) == "class_alias" {
		classAlias(r, n, argument, r.First(r.NextPart(r.First(list))))
		return
	}
	if r.Text(r.Field(n, "function")) != "define" || !r.Is(argument, "string", "encapsed_string") {
		return
	}
	if name := r.First(argument); r.Is(name, "string_content") && !r.InFunction() {
		r.Define(code.Definition{Kind: code.Constant, Visibility: code.Public}, sitter.Site{Whole: n, Name: name})
	}
}

// classAlias lists a further name of a class, if it is one of the file's own namespace.
func classAlias(r *sitter.Reader, n, class, name sitter.Node) {
	before, last := "", strings.TrimPrefix(strings.ReplaceAll(strings.Trim(r.Text(name), `"'`), `\\`, `\`), `\`)
	if i := strings.LastIndexByte(last, '\\'); i >= 0 {
		before, last = last[:i], last[i+1:]
	}
	if r.Is(name, "string", "encapsed_string") && before == r.File.Package && last != "" {
		r.Define(code.Definition{Name: r.Keep(last), Kind: code.Type, Visibility: code.Public,
			Type: r.Keep(r.Text(r.LeafOf(r.First(class))))}, sitter.Site{Whole: n})
	}
}

func closure(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.FunctionLevel, r.At().Key)
	r.LocalParams(readParams(r, r.Field(n, "parameters")))
}

// variables lists the variables that a target sets.
func variables(r *sitter.Reader, target sitter.Node) (all []sitter.Node) {
	for n := target; target != 0 && n < r.Cells[target].After; n++ {
		switch {
		case r.Is(n, "variable_name"):
			all = append(all, n)
		case strings.Contains(r.Kind(n), "access_expression") ||
			r.Is(n, "subscript_expression", "member_call_expression", "dynamic_variable_name"):
			n = r.Cells[n].After - 1
		}
	}
	return all
}

// local lists a variable of a function. What is not in one is known to the whole file and is no definition.
func local(r *sitter.Reader, typ string, s sitter.Site) {
	if b := r.BoundIn(r.Around(sitter.FunctionLevel), r.Text(s.Name)); r.Text(s.Name) != "$this" &&
		r.Binds[b].What != sitter.Elsewhere {
		r.Local(typ, s, sitter.FunctionLevel)
	}
}

func assignment(r *sitter.Reader, n sitter.Node) {
	left := r.Field(n, "left")
	if r.Is(left, "variable_name") {
		local(r, "", sitter.Site{Whole: n, Name: left, Value: r.Field(n, "right")})
		return
	}
	if r.Is(left, "list_literal", "array_creation_expression") {
		for _, name := range variables(r, left) {
			local(r, "", sitter.Site{Whole: n, Name: name})
		}
	}
}

// forEach reads what stands between `as` and the body.
func forEach(r *sitter.Reader, n sitter.Node) {
	after := r.Child(n, "as")
	for c := range r.Parts(n) {
		if after != 0 && c > after && c != r.Field(n, "body") {
			for _, name := range variables(r, c) {
				local(r, "", sitter.Site{Name: name})
			}
		}
	}
}

func catch(r *sitter.Reader, n sitter.Node) {
	if name := r.Field(n, "name"); name != 0 {
		local(r, r.Written(r.Field(n, "type")), sitter.Site{Name: name})
	}
}

func static(r *sitter.Reader, n sitter.Node) {
	if name := r.Field(n, "name"); name != 0 {
		local(r, "", sitter.Site{Whole: n, Name: name, Value: r.Field(n, "value")})
	}
}

func global(r *sitter.Reader, n sitter.Node) {
	for name := range r.Parts(n) {
		if r.InFunction() {
			r.Bind(r.Around(sitter.FunctionLevel), r.Text(name), sitter.Binding{At: name, What: sitter.Elsewhere})
		}
	}
}

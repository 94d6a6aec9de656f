//go:build cgo

package php

import (
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// visibility is what a member says of itself. Without a word, as for all that is no member, it is public.
func visibility(r *sitter.Reader, n sitter.Node) code.Visibility {
	for c := range r.Each(n, ">visibility_modifier") {
		switch text := r.Text(c); {
		case strings.HasPrefix(text, "private"):
			return code.Private
		case strings.HasPrefix(text, "protected"):
			return code.Restricted
		}
	}
	return code.Public
}

// describe fills in what a declaration says of itself.
func describe(r *sitter.Reader, n sitter.Node, d *code.Definition) {
	d.Visibility = visibility(r, n)
	switch {
	case d.Kind == code.Member:
	case d.Kind.IsType():
		d.Bases, d.Test = readBases(r, n), strings.HasSuffix(r.TextAt(n, "name"), "Test")
	case d.Kind != code.Function:
		d.Type, d.Static = r.WrittenAt(n, "type"), r.Has(n, "static_modifier")
	case r.InType():
		d.Kind, d.Static, d.Overrides = code.Method, r.Has(n, "static_modifier"), attributed(r, n, "Override")
		d.Abstract = r.Field(n, "body") == 0
		d.Test = strings.HasSuffix(r.At().Self, "Test") && strings.HasPrefix(r.TextAt(n, "name"), "test") ||
			attributed(r, n, "Test")
		promote(r, r.Field(n, "parameters"))
	}
}

// promote lists the parameters of a constructor that are fields too.
func promote(r *sitter.Reader, list sitter.Node) {
	for _, p := range readParams(r, list) {
		if r.Is(p.Whole, "property_promotion_parameter") {
			field := code.Definition{Name: p.Name, Kind: code.Field, Visibility: visibility(r, p.Whole), Type: p.Type}
			r.Define(field, sitter.Site{Whole: p.Whole, Name: r.First(p.Names[0])})
		}
	}
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
	lists := []sitter.Node{r.Child(n, "base_clause"), r.Child(n, "class_interface_clause")}
	for _, list := range slices.AppendSeq(lists, r.Each(n, "body/>use_declaration")) {
		for base := range r.Each(list, ">name|qualified_name") {
			r.Use(r.LeafOf(base), code.Inherit)
			bases = append(bases, r.Keep(dotted(r.Text(base))))
		}
	}
	return bases
}

// anonymous begins a class without a name. What it defines stands in the definition around it.
func anonymous(r *sitter.Reader, n sitter.Node) {
	readBases(r, n)
	r.Open(n, sitter.TypeLevel, r.At().Key)
}

func constant(r *sitter.Reader, declaration, element, whole sitter.Node) {
	d := code.Definition{Kind: code.Constant}
	describe(r, declaration, &d)
	d.Static = r.InType()
	s := sitter.Site{Whole: whole, Name: r.First(element), Value: r.Last(element)}
	r.Open(whole, sitter.NameLevel, r.Define(d, s))
}

// property lists a field, without the sign in front of its name.
func property(r *sitter.Reader, declaration, element, whole sitter.Node) {
	d := code.Definition{Kind: code.Field}
	describe(r, declaration, &d)
	s := sitter.Site{Whole: whole, Name: r.Find(element, "name/^"), Value: r.Field(element, "default_value")}
	if s.Value == 0 {
		s.Value = sitter.Unset
	}
	r.Open(whole, sitter.NameLevel, r.Define(d, s))
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
	path := strings.TrimPrefix(strings.ReplaceAll(strings.Trim(r.Text(name), `"'`), `\\`, `\`), `\`)
	before, last := sitter.CutLast(path, `\`)
	if r.Is(name, "string", "encapsed_string") && before == r.File.Package && last != "" {
		r.Define(code.Definition{Name: r.Keep(last), Kind: code.Type, Visibility: code.Public,
			Type: r.Keep(r.Text(r.LeafOf(r.First(class))))}, sitter.Site{Whole: n})
	}
}

func closure(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.FunctionLevel, r.At().Key)
	r.LocalParams(readParams(r, r.Field(n, "parameters")))
}

// targets are the variables that a target sets.
func targets(r *sitter.Reader, target sitter.Node) []sitter.Node {
	return r.Within(target, "variable_name", "member_access_expression", "nullsafe_member_access_expression",
		"scoped_property_access_expression", "class_constant_access_expression", "subscript_expression",
		"member_call_expression", "dynamic_variable_name")
}

// local lists a variable of a function. What is not in one is known to the whole file and is no definition.
func local(r *sitter.Reader, typ string, s sitter.Site) {
	if b := r.BoundIn(r.Around(sitter.FunctionLevel), r.Text(s.Name)); r.Text(s.Name) != "$this" &&
		r.Binds[b].What != sitter.Elsewhere {
		r.Local(typ, s, sitter.FunctionLevel)
	}
}

// forEach reads what stands between `as` and the body.
func forEach(r *sitter.Reader, n sitter.Node) {
	after := r.Child(n, "as")
	for c := range r.Parts(n) {
		if after != 0 && c > after && c != r.Field(n, "body") {
			for _, name := range targets(r, c) {
				local(r, "", sitter.Site{Name: name})
			}
		}
	}
}

func global(r *sitter.Reader, n sitter.Node) {
	for name := range r.Parts(n) {
		if r.InFunction() {
			r.Bind(r.Around(sitter.FunctionLevel), r.Text(name), sitter.Binding{At: name, What: sitter.Elsewhere})
		}
	}
}

//go:build cgo

package javascript

import (
	"maps"
	"slices"
	"strings"
	"unsafe"

	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/sitter"
	"delegate/internal/text/shorten"
)

// parseTypeScript reads TypeScript with its grammar, which is C code.
func parseTypeScript() func(string, []byte) code.File {
	return typescriptGrammar().Parser(code.TypeScript)
}

func typescriptGrammar() *sitter.Grammar {
	g := tsGrammar(typescript.LanguageTypescript)
	g.Dialects = map[string]*sitter.Grammar{".tsx": tsGrammar(typescript.LanguageTSX)}
	return g
}

// tsGrammar is JavaScript with types in it. The dialect TSX has elements of JSX too, and no type
// assertions in angle brackets.
func tsGrammar(pointer func() unsafe.Pointer) *sitter.Grammar {
	g := javascriptGrammar()
	g.Pointer = pointer
	g.Names = append(g.Names, "type_identifier")
	g.Members["nested_type_identifier"] = sitter.Access{Object: "module", Member: "name"}
	g.Members["nested_identifier"] = sitter.Access{Object: "object", Member: "property"}
	g.Inner["non_null_expression"] = "^"
	g.Inner["generic_type"] = "name"
	g.Infer["as_expression satisfies_expression"] = typeOfAs
	g.SelfType = "this"
	g.Bare = bare
	maps.Copy(g.Declares, map[string]sitter.Declaration{
		"abstract_class_declaration": {Kind: code.Class, Level: sitter.TypeLevel, Bases: bases()},
		"interface_declaration": {Kind: code.Interface, Level: sitter.TypeLevel,
			Bases: []string{">extends_type_clause/type"}},
		"type_alias_declaration": {Kind: code.Type, Level: sitter.TypeLevel, Type: "value", Then: union},
		"enum_declaration":       {Kind: code.Enum, Level: sitter.TypeLevel, Then: enumMembers},
		"import_alias":           {Kind: code.Type, Name: "^", Type: "^/+"},
	})
	maps.Copy(g.Rules, typescriptRules())
	return g
}

func typescriptRules() map[string]sitter.Rule {
	return map[string]sitter.Rule{
		"function_signature":                         function,
		"public_field_definition":                    field,
		"method_signature abstract_method_signature": signature,
		"property_signature": func(r *sitter.Reader, n sitter.Node) {
			if isMember(r, n) {
				field(r, n)
			}
		},
		"module internal_module": namespace,

		"function_type constructor_type call_signature construct_signature": func(r *sitter.Reader, n sitter.Node) {
			r.OpenFunction(n, r.At().Key, readParams(r, n))
		},
		"conditional_type":                      sitter.Opens(sitter.BlockLevel),
		"mapped_type_clause type_parameter":     sitter.Binds("name", sitter.ToValue),
		"infer_type":                            sitter.Binds("^", sitter.ToValue),
		"index_signature":                       index,
		"required_parameter optional_parameter": parameter,
		"as_expression satisfies_expression":    as,
	}
}

// typeOfAs gives the type behind the word, or the expression itself if none is there.
func typeOfAs(r *sitter.Reader, n sitter.Node, _ int32) (string, sitter.Node) {
	e := r.First(n)
	if t := r.NextPart(e); t != 0 {
		return r.Written(t), 0
	}
	return "", e
}

func as(r *sitter.Reader, n sitter.Node) {
	e := r.First(n)
	if t := r.NextPart(e); t != 0 && e != 0 {
		construct(r, t, e)
	}
}

// signature reads a method without a body: of an interface, abstract, or one of several signatures of one method.
func signature(r *sitter.Reader, n sitter.Node) {
	name, params, key := r.Field(n, "name"), readParams(r, n), r.At().Key
	r.Skip(name)
	if isMember(r, n) {
		if isOverload(r, n) {
			key = sitter.Join(key, memberName(r, name))
		} else {
			d := member(r, n, name)
			d.Abstract = (!r.Is(r.Parent(n), "class_body") || d.Abstract) && !r.Has(n, "?")
			key = defineMethod(r, d, sitter.Site{Whole: n, Name: name})
		}
	}
	r.OpenFunction(n, key, params)
}

// isMember reports whether a signature stands in what a name is given to, and not in a type that
// is written out somewhere.
func isMember(r *sitter.Reader, n sitter.Node) bool {
	up := r.Parent(n)
	if r.Is(up, "interface_body", "class_body") {
		return true
	}
	for range sitter.MaxSteps {
		if !r.Is(up, "object_type", "intersection_type", "parenthesized_type") {
			break
		}
		up = r.Parent(up)
	}
	return r.Is(up, "type_alias_declaration")
}

// union lists the strings of a named union, which are its members.
func union(r *sitter.Reader, n sitter.Node) {
	value := r.Field(n, "value")
	if !r.Is(value, "union_type") {
		return
	}
	variants(r, n, value)
	r.Walk(value, func(t sitter.Node) bool {
		if text := r.Find(t, ">string/>string_fragment"); r.Is(t, "literal_type") && text != 0 {
			r.Define(code.Definition{Kind: code.Member, Visibility: visibility(r, n)},
				sitter.Site{Whole: t, Name: text})
		}
		return r.Is(t, "union_type", "parenthesized_type")
	})
}

// variants lists what tells the alternatives of a union of objects apart, as its members: the strings of the one
// property that all of them have with a string for its type, and that property.
func variants(r *sitter.Reader, n, union sitter.Node) {
	texts := map[string][]sitter.Node{}
	objects := 0
	r.Walk(union, func(t sitter.Node) bool {
		if r.Is(t, "object_type") {
			objects++
			for p := range r.Parts(t) {
				text := r.Find(p, "type/>literal_type/>string/>string_fragment")
				if r.Is(p, "property_signature") && text != 0 {
					texts[r.TextAt(p, "name")] = append(texts[r.TextAt(p, "name")], text)
				}
			}
		}
		return r.Is(t, "union_type", "parenthesized_type")
	})
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if objects > 1 && len(texts[name]) == objects {
			r.Define(code.Definition{Name: r.Keep(name), Kind: code.Field, Visibility: code.Public},
				sitter.Site{Whole: r.Parent(r.Parent(r.Parent(r.Parent(texts[name][0]))))})
			for _, text := range texts[name] {
				r.Define(code.Definition{Name: r.Keep(r.Text(text)), Kind: code.Member, Visibility: visibility(r, n)},
					sitter.Site{Whole: text})
			}
			return
		}
	}
}

func enumMembers(r *sitter.Reader, n sitter.Node) {
	r.At().Enum = true
	for whole := range r.Each(n, "body/*") {
		name := whole
		if r.Is(whole, "enum_assignment") {
			name = r.Field(whole, "name")
		}
		r.Define(code.Definition{Name: memberName(r, name), Kind: code.Member, Visibility: code.Public},
			sitter.Site{Whole: whole, Name: name})
	}
}

func namespace(r *sitter.Reader, n sitter.Node) {
	name := r.Field(n, "name")
	if name == 0 {
		return
	}
	sitter.SkipsAll(r, name)
	d := code.Definition{Name: r.Keep(unquoted(r.Text(name))), Kind: code.Module, Visibility: visibility(r, n)}
	if r.Is(r.Parent(n), "expression_statement") {
		d.Visibility = visibility(r, r.Parent(n))
	}
	r.Open(n, sitter.ModuleLevel, r.Define(d, sitter.Site{Whole: n, Name: name}))
}

func index(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.BlockLevel, r.At().Key)
	r.Skip(r.Field(n, "name"))
}

// parameter leaves the names of a tuple's parts alone; those of a function's parameters are bound with it.
func parameter(r *sitter.Reader, n sitter.Node) {
	if r.Is(r.Parent(n), "tuple_type") {
		sitter.SkipsAll(r, r.Field(n, "name"))
	}
	construct(r, r.Field(n, "type"), r.Field(n, "value"))
}

// bare names the type that an annotation is about: C for C<T>, C | null and Promise<C>. A union
// of several types has none. A type that is written out in place is no named one for certain, and
// is given as it is written.
func bare(t string) string {
	t = strings.TrimSuffix(t, "?")
	if inPlace(t) {
		return short(t)
	}
	if strings.ContainsAny(t, "({=[&\"'") {
		return ""
	}
	named := strings.TrimPrefix(sitter.OnlyOf(t, "null", "undefined", ""), "readonly ")
	if named == "any" || named == "unknown" {
		return ""
	}
	if inside, found := strings.CutPrefix(named, "Promise<"); found {
		named = strings.TrimSuffix(inside, ">")
	}
	named, _, _ = strings.Cut(named, "<")
	return named
}

// longestInPlace is how many bytes of a type that is written out in place are given.
const longestInPlace = 60

// short is the begin of a type's text, which ends before a dot or a backslash so that it cannot be taken for a path.
func short(t string) string {
	if i := strings.IndexAny(t, `.\`); i > 0 {
		t = t[:i]
	}
	return shorten.Prefix(t, longestInPlace)
}

// inPlace reports whether all alternatives of a type are objects, functions, tuples or literals,
// none of which is a class.
func inPlace(t string) bool {
	found := false
	for _, one := range lang.Alternatives(t) {
		switch ends := one[:1] + one[len(one)-1:]; {
		case one == "null" || one == "undefined":
		case one[0] == '(':
			return strings.Contains(one, ") =>") && ends != "()"
		case ends == "{}" && !isMapped(one), ends == "[]" && !strings.HasSuffix(one, "[]"),
			ends == `""`, ends == "''", ends == "``":
			found = true
		default:
			return false
		}
	}
	return found
}

// isMapped reports whether an object type takes its members from another: { [K in keyof T]: … }.
func isMapped(t string) bool {
	inside, _, _ := strings.Cut(t, ":")
	return strings.Contains(inside, "[") && strings.Contains(inside, " in ")
}

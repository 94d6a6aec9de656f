//go:build cgo

package ruby

import (
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// readBases lists what a class is made from, and the modules that it takes in.
func readBases(r *sitter.Reader, n sitter.Node) (bases []string) {
	from := []sitter.Node{r.Find(n, "superclass/^")}
	for part := range r.Each(n, "body/>call") {
		if slices.Contains([]string{"include", "extend", "prepend"}, r.TextAt(part, "method")) {
			from = slices.AppendSeq(from, r.Each(part, "arguments/*"))
		}
	}
	for _, base := range from {
		if r.Is(base, "constant", "scope_resolution") {
			r.Use(base, code.Inherit)
			bases = append(bases, r.Keep(r.Path(base)))
		}
	}
	return bases
}

func class(r *sitter.Reader, n sitter.Node) {
	name := r.Field(n, "name")
	d := code.Definition{Kind: code.Class, Visibility: code.Public, Bases: readBases(r, n)}
	if r.Is(n, "module") {
		d.Kind = code.Module
	}
	leaf := r.LeafOf(name)
	d.Test = d.Kind == code.Class && isTest(r) &&
		(strings.HasSuffix(r.Text(leaf), "Test") || strings.HasPrefix(r.Text(leaf), "Test"))
	if scope := r.Field(name, "scope"); scope != 0 {
		if path := r.Path(scope); path != code.Expression {
			r.Open(n, sitter.NameLevel, sitter.Join(r.At().Key, r.Keep(path)))
		}
	}
	r.Open(n, sitter.TypeLevel, r.Define(d, sitter.Site{Whole: n, Name: leaf}))
}

// constant lists a constant, or the class that it is set to.
func constant(r *sitter.Reader, n, name, value sitter.Node) {
	maker := r.Text(r.Field(value, "receiver"))
	method := r.Text(r.Field(value, "method"))
	d := code.Definition{Kind: code.Constant, Visibility: code.Public, Static: r.InType()}
	if !(method == "new" && (maker == "Struct" || maker == "Class" || maker == "Module") ||
		maker == "Data" && method == "define") {
		r.Open(n, sitter.NameLevel, r.Define(d, sitter.Site{Whole: n, Name: name, Value: value}))
		return
	}
	d.Kind, d.Static = code.Class, false
	arguments := r.Field(value, "arguments")
	if base := r.First(arguments); maker == "Class" && r.LeafOf(base) != 0 {
		r.Use(base, code.Inherit)
		d.Bases = []string{r.Keep(r.Path(base))}
	}
	r.Open(n, sitter.TypeLevel, r.Define(d, sitter.Site{Whole: n, Name: name}))
	if maker == "Struct" || maker == "Data" {
		fields(r, arguments, code.Definition{Visibility: code.Public, ReadOnly: maker == "Data"})
		if !strings.Contains(r.Text(r.Field(value, "block")), "def initialize") {
			r.Define(code.Definition{Name: "initialize", Kind: code.Method, Visibility: code.Public,
				Params: positions(r, arguments, maker == "Struct")}, sitter.Site{Whole: n})
		}
	}
}

// positions are the parameters by which a value of a struct is made with its fields.
func positions(r *sitter.Reader, list sitter.Node, optional bool) (all []code.Param) {
	byName := false
	for n := range r.Parts(list) {
		byName = byName || r.Is(n, "pair") && strings.Contains(r.Text(n), "keyword_init: true")
	}
	for n := range r.Parts(list) {
		if name := named(r, n); name != "" {
			all = append(all, code.Param{Name: r.Keep(name), Optional: optional, NamedOnly: byName})
		}
	}
	return all
}

// fields lists the fields that symbols or strings name.
func fields(r *sitter.Reader, list sitter.Node, like code.Definition) {
	for n := range r.Parts(list) {
		if name := named(r, n); name != "" {
			d := like
			d.Name, d.Kind = r.Keep(name), code.Field
			d.ReadOnly = d.ReadOnly && r.LastMember(name+"=") == nil
			r.Define(d, sitter.Site{Whole: n})
			r.Hold(r.At().Key, d.Name, sitter.Binding{At: n, What: sitter.ToNamed})
		}
	}
}

// named is the name that a symbol or a string says, "" for others.
func named(r *sitter.Reader, n sitter.Node) string {
	switch r.Kind(n) {
	case "simple_symbol":
		return strings.TrimPrefix(r.Text(n), ":")
	case "string":
		return r.Text(r.Child(n, "string_content"))
	}
	return ""
}

// memberVisibility is what stands around a definition, as in `private def f`, or else in front of it.
func memberVisibility(r *sitter.Reader, n sitter.Node) code.Visibility {
	if up := r.Parent(n); r.Is(up, "argument_list") {
		if s := section(r.Text(r.Field(r.Parent(up), "method"))); s != "" {
			return s
		}
	}
	if r.InType() && r.At().Section != "" && !r.Is(n, "singleton_method") {
		return r.At().Section
	}
	return code.Public
}

// moduleFunction stands for the visibility of methods that a module has as well as what includes it.
const moduleFunction code.Visibility = "module_function"

func readMethod(r *sitter.Reader, n sitter.Node) {
	name, params := r.Field(n, "name"), readParams(r, r.Field(n, "parameters"))
	d := code.Definition{Kind: code.Function, Visibility: memberVisibility(r, n), Abstract: isAbstract(r, n)}
	both := d.Visibility == moduleFunction
	if both {
		d.Visibility = code.Public
	}
	for _, p := range params {
		if !r.Is(p.Whole, "block_parameter") {
			d.Params = append(d.Params, p.Param)
		}
	}
	s := sitter.Site{Whole: n, Name: name}
	if r.InType() {
		d.Kind = code.Method
		d.Static = both || r.Is(n, "singleton_method") || r.Is(r.Parent(r.Parent(n)), "singleton_class")
		d.Test = isTest(r) && strings.HasPrefix(r.Text(name), "test_")
	}
	if of, sets := strings.CutSuffix(r.Text(name), "="); sets && r.InType() {
		if field := r.LastMember(of); field != nil {
			field.ReadOnly = false
		}
	}
	if !r.Leaf(name) {
		d.Name, s.Name = r.Keep(r.Text(name)), 0
		sitter.SkipsAll(r, name)
		r.Hold(r.At().Key, d.Name, sitter.Binding{At: n, What: sitter.ToNamed})
	}
	r.Open(n, sitter.FunctionLevel, r.Define(d, s))
	r.LocalParams(params)
}

// isAbstract reports whether all that a method does is to say that others have to provide it.
func isAbstract(r *sitter.Reader, n sitter.Node) bool {
	body := r.Field(n, "body")
	if r.Is(body, "body_statement") {
		body = r.First(body)
	}
	return r.Is(body, "call") && r.TextAt(body, "method") == "raise" &&
		r.TextAt(body, "arguments/^") == "NotImplementedError"
}

// readParams reads the parameters of a method or a block. That for a block is among them, for its name.
func readParams(r *sitter.Reader, list sitter.Node) (params []sitter.Parameter) {
	for n := range r.Parts(list) {
		p, name := sitter.Parameter{Whole: n}, r.Field(n, "name")
		switch r.Kind(n) {
		case "identifier":
			name = n
		case "optional_parameter":
			p.Optional = true
		case "keyword_parameter":
			p.NamedOnly, p.Optional = true, r.Field(n, "value") != 0
		case "splat_parameter", "forward_parameter":
			p.Rest = true
		case "hash_splat_parameter":
			p.Rest, p.NamedOnly = true, true
		case "hash_splat_nil":
			continue
		case "destructured_parameter":
			p.Names = r.Within(n, "identifier")
		}
		if name != 0 {
			p.Name, p.Names = r.Keep(r.Text(name)), []sitter.Node{name}
		}
		params = append(params, p)
	}
	return params
}

// directive reads the calls with which a file takes in others and a class says more about
// itself. It reports whether one is such.
func directive(r *sitter.Reader, n, method, list sitter.Node) bool {
	name := r.Text(method)
	switch name {
	case "require", "require_relative", "load":
		require(r, n, list, name)
	case "include", "extend", "prepend":
		if r.At().Level != sitter.TypeLevel {
			return false
		}
	case "attr_accessor", "attr_reader", "attr_writer":
		if r.At().Level != sitter.TypeLevel {
			return false
		}
		fields(r, list, code.Definition{Visibility: memberVisibility(r, n), ReadOnly: name == "attr_reader",
			Static: r.Is(r.Parent(r.Parent(n)), "singleton_class")})
	case "define_method":
		if name := named(r, r.First(list)); name != "" {
			again(r, n, name, "")
		} else if r.InType() { // which are made does not show
			r.Define(code.Definition{Kind: code.Constant, Visibility: code.Private}, sitter.Site{Name: method})
		}
		return false
	case "alias_method":
		again(r, n, named(r, r.First(list)), named(r, r.NextPart(r.First(list))))
	case "public", "protected", "private", "module_function", "private_class_method", "private_constant":
		change(r, list, section(name))
	default:
		return false
	}
	r.Skip(method)
	return true
}

// again lists a method under a further name. One that the type has from elsewhere takes anything.
func again(r *sitter.Reader, n sitter.Node, name, of string) {
	if !r.InType() || name == "" {
		return
	}
	d := code.Definition{Name: r.Keep(name), Kind: code.Method, Visibility: code.Public,
		Params: []code.Param{{Rest: true}, {Rest: true, NamedOnly: true}}}
	if o := last(r, func(o *code.Definition) bool { return o.Name == of && o.Kind == code.Method }); o != nil {
		d.Params, d.Visibility, d.Static = o.Params, o.Visibility, o.Static
	}
	r.Define(d, sitter.Site{Whole: n})
	r.Hold(r.At().Key, d.Name, sitter.Binding{At: n, What: sitter.ToNamed})
}

func require(r *sitter.Reader, n, list sitter.Node, how string) {
	what := r.First(list)
	if !r.Is(what, "string") || r.First(what) != r.Last(what) {
		return
	}
	module := r.Text(r.Child(what, "string_content"))
	if how == "require_relative" && !strings.HasPrefix(module, ".") {
		module = "./" + module
	}
	r.Imports(code.Import{Module: module, Member: code.All, Guarded: isGuarded(r, n), Line: r.Line(n)}, 0)
}

// isGuarded reports whether a call stands in front of a rescue of what a missing file raises.
func isGuarded(r *sitter.Reader, n sitter.Node) bool {
	if up := r.Parent(n); r.Is(up, "rescue_modifier") {
		return r.Field(up, "body") == n
	}
	for clause := range r.Each(r.Parent(n), ">rescue") {
		if caught := r.Text(r.Field(clause, "exceptions")); strings.Contains(caught, "LoadError") ||
			strings.Contains(caught, "ScriptError") || strings.HasSuffix(caught, "Exception") {
			return true
		}
	}
	return false
}

// mostChanged bounds how many definitions back a visibility is changed.
const mostChanged = 4000

// last is the last of the type's members that is the one, nil if none is.
func last(r *sitter.Reader, is func(*code.Definition) bool) *code.Definition {
	all := r.File.Definitions
	for i := len(all) - 1; i >= max(0, len(all)-mostChanged); i-- {
		if all[i].Container == r.At().Key && is(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

// change sets the visibility of members that are named after their definition.
func change(r *sitter.Reader, list sitter.Node, visibility code.Visibility) {
	for n := range r.Parts(list) {
		name := named(r, n)
		if !r.Holds(r.At().Key, name) {
			continue
		}
		if d := last(r, func(d *code.Definition) bool { return d.Name == name }); d != nil {
			d.Visibility = visibility
			if visibility == moduleFunction {
				d.Visibility, d.Static = code.Public, true
			}
		}
	}
}

// test lists the tests, and the groups of tests, that are calls with a text and a block. It
// reports whether the call makes one.
func test(r *sitter.Reader, n, method sitter.Node) bool {
	what, block := r.First(r.Field(n, "arguments")), r.Field(n, "block")
	switch r.Text(method) {
	case "it", "test", "specify", "describe", "context", "feature", "scenario":
	default:
		return false
	}
	name := named(r, what)
	if r.Is(what, "constant", "scope_resolution") {
		name = r.Path(what)
	}
	if name == "" || block == 0 || !isTest(r) {
		return false
	}
	r.Skip(method)
	d := code.Definition{Name: r.Keep(name), Kind: code.Function, Visibility: code.Private, Test: true}
	r.Open(n, sitter.FunctionLevel, r.Define(d, sitter.Site{Whole: n}))
	return true
}

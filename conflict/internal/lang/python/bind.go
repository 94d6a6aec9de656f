//go:build cgo

package python

import (
	"slices"
	"strings"
	"unicode"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

func assignment(r *sitter.Reader, n sitter.Node) {
	sitter.Writes("left")(r, n)
	left, typ, value := r.Field(n, "left"), r.Written(r.Field(n, "type")), r.Field(n, "right")
	if r.Is(left, "attribute") {
		attribute(r, left, sitter.Site{Whole: n, Value: value}, typ)
		return
	}
	if r.Is(left, "identifier") {
		if key := bind(r, typ, sitter.Site{Whole: n, Name: left, Value: value}); key != "" &&
			!r.Is(value, "assignment") {
			r.Open(n, sitter.NameLevel, key)
		}
		return
	}
	r.Locals(left, "", sitter.Site{Whole: n})
	for c := range r.Each(left, ">attribute") {
		attribute(r, c, sitter.Site{Whole: n}, "")
	}
}

// bind binds a name that is assigned to, and returns the key of the definition that this
// makes, "" if it makes none.
func bind(r *sitter.Reader, typ string, s sitter.Site) string {
	name := r.Text(s.Name)
	if r.InFunction() {
		if b := r.BoundIn(r.Around(sitter.FunctionLevel), name); r.Binds[b].What != sitter.Elsewhere {
			r.Local(typ, s, sitter.FunctionLevel)
		}
		return ""
	}
	key, scope := sitter.Join(r.At().Key, name), r.Around(sitter.TypeLevel)
	switch {
	case name == "__all__":
		r.Skip(s.Name)
		return ""
	case scope != 0 && r.Holds(r.At().Key, name):
		r.Skip(s.Name)
		r.Hold(r.At().Key, name, sitter.Binding{At: s.Name, Typ: typ, Value: s.Value, What: sitter.ToNamed})
		return key
	case scope == 0 && r.BoundIn(0, name) != 0:
		r.Skip(s.Name)
		r.Bind(0, name, sitter.Binding{At: s.Name, Typ: typ, Value: s.Value, What: sitter.ToNamed})
		return key
	}
	d := code.Definition{Kind: variableKind(name), Visibility: visibility(name), Type: typ}
	if scope != 0 {
		d.Kind, d.Static = code.Field, typ == ""
		if r.Frames[scope].Enum && !strings.HasPrefix(name, "_") {
			d.Kind, d.Static = code.Member, false
		}
		d.ReadOnly = typ != "" && isFixed(r, r.Frames[scope].Node)
	}
	return r.Define(d, s)
}

func variableKind(name string) code.Kind {
	if name == strings.ToUpper(name) && strings.ContainsFunc(name, unicode.IsUpper) {
		return code.Constant
	}
	return code.Variable
}

// attribute lists a field that a method sets on its own object.
func attribute(r *sitter.Reader, left sitter.Node, s sitter.Site, typ string) {
	object, self := r.Field(left, "object"), r.At().Self
	s.Name = r.Field(left, "attribute")
	if !r.Is(object, "identifier") || s.Name == 0 || self == "" || !r.InFunction() {
		return
	}
	if b := r.BoundIn(r.Around(sitter.FunctionLevel), r.Text(object)); r.Binds[b].Typ != self {
		return
	}
	name := r.Text(s.Name)
	r.Attribute(code.Definition{Kind: code.Field, Visibility: visibility(name), Type: typ}, self, s)
}

func augmented(r *sitter.Reader, n sitter.Node) {
	sitter.Writes("left")(r, n)
	if left := r.Field(n, "left"); r.Is(left, "identifier") && r.InFunction() {
		bind(r, "", sitter.Site{Whole: n, Name: left})
	}
}

func comprehension(r *sitter.Reader, n sitter.Node) {
	for _, name := range r.Targets(r, r.Field(n, "left")) {
		r.Local("", sitter.Site{Name: name}, sitter.BlockLevel)
	}
}

// as reads `value as name`, which stands in with statements, except clauses and patterns.
func as(r *sitter.Reader, n sitter.Node) {
	typ := ""
	if r.Is(r.Parent(n), "except_clause") {
		typ = r.Path(r.First(n))
	}
	for _, name := range r.Targets(r, r.Find(n, ">as_pattern_target $")) {
		bind(r, typ, sitter.Site{Name: name})
	}
}

func outside(r *sitter.Reader, n sitter.Node) {
	for name := range r.Parts(n) {
		r.Skip(name)
		if r.InFunction() {
			r.Bind(r.Around(sitter.FunctionLevel), r.Text(name), sitter.Binding{At: name, What: sitter.Elsewhere})
		}
	}
}

func readImport(r *sitter.Reader, n sitter.Node) {
	sitter.SkipsAll(r, n)
	for item := range r.InField(n, "name") {
		i := code.Import{Module: r.Text(item), Guarded: isGuarded(r, n), TypeOnly: isForTypes(r, n), Line: r.Line(item)}
		i.Name, _, _ = strings.Cut(i.Module, ".")
		if r.Is(item, "aliased_import") {
			i.Module, i.Name = r.Text(r.Field(item, "name")), r.Text(r.Field(item, "alias"))
		}
		r.Imports(i, item)
	}
}

func importFrom(r *sitter.Reader, n sitter.Node) {
	sitter.SkipsAll(r, n)
	module := r.Written(r.Field(n, "module_name"))
	if r.Child(n, "wildcard_import") != 0 {
		r.Imports(code.Import{Module: module, Member: code.All, Line: r.Line(n)}, n)
	}
	for item := range r.InField(n, "name") {
		i := code.Import{Module: module, Member: r.Text(item), Name: r.Text(item), Guarded: isGuarded(r, n),
			TypeOnly: isForTypes(r, n), Line: r.Line(item)}
		if r.Is(item, "aliased_import") {
			i.Member, i.Name = r.Text(r.Field(item, "name")), r.Text(r.Field(item, "alias"))
		}
		r.Imports(i, item)
	}
}

// isForTypes reports whether an import stands below `if TYPE_CHECKING:`, which no program runs.
func isForTypes(r *sitter.Reader, n sitter.Node) bool {
	condition := r.Parent(r.Parent(n))
	return r.Is(condition, "if_statement") && r.Field(condition, "consequence") == r.Parent(n) &&
		sitter.PathEnd(r.TextAt(condition, "condition")) == "TYPE_CHECKING"
}

// isGuarded reports whether an import stands in a statement that goes on where it fails.
func isGuarded(r *sitter.Reader, n sitter.Node) bool {
	try := r.Parent(r.Parent(n))
	if r.Is(try, "with_statement") {
		with := r.Text(r.Child(try, "with_clause"))
		return strings.Contains(with, "suppress(") && strings.Contains(with, "Error")
	}
	if !r.Is(r.Parent(n), "block") || !r.Is(try, "try_statement") || r.Field(try, "body") != r.Parent(n) {
		return false
	}
	for clause := range r.Each(try, ">except_clause") {
		if caught := r.Text(r.First(clause)); strings.Contains(caught, "ImportError") ||
			strings.Contains(caught, "ModuleNotFoundError") || strings.HasPrefix(caught, "Exception") ||
			r.Is(r.First(clause), "block") {
			return true
		}
	}
	return false
}

// patternPath reads what a pattern names: a bare name binds, a path is compared with, and so is a
// class before its parentheses.
func patternPath(r *sitter.Reader, n sitter.Node) {
	if !strings.HasSuffix(r.Kind(r.Parent(n)), "pattern") {
		return
	}
	names := slices.Collect(r.Parts(n))
	if len(names) == 1 && !r.Is(r.Parent(n), "class_pattern") {
		bind(r, "", sitter.Site{Name: names[0]})
		return
	}
	r.Use(names[len(names)-1], code.Match)
	for i, name := range names[1:] {
		r.Member(name, names[i])
		r.Mark(name).Path = r.Source[r.Cells[names[0]].Start:r.Cells[names[i]].End]
	}
}

// readCall makes no reference of super itself, and a call of the class of a call of cls.
func readCall(r *sitter.Reader, n sitter.Node) {
	callee, self := r.Field(n, "function"), r.At().Self
	list := r.Field(n, "arguments")
	byName(r, r.Text(callee), list)
	if r.Text(r.Field(callee, "attribute")) == "__init__" && r.TextAt(callee, "object/function") == "super" {
		a := r.Arguments(list)
		a.Spread = a.Spread || len(r.Types[self]) > 1
		r.CallsBase(r.Field(callee, "attribute"), r.BaseOf(self), a)
	}
	switch r.Text(callee) {
	case "super":
		r.Skip(callee)
	case "hasattr":
		if name := r.Last(r.Field(n, "arguments")); r.Is(name, "string") {
			r.Asks(r.Text(r.Child(name, "string_content")))
		}
	case "cls":
		if b := r.BoundIn(r.Around(sitter.FunctionLevel), "cls"); self != "" && r.Binds[b].Typ == self {
			r.Mark(callee).Name = sitter.PathEnd(self)
		}
	}
}

// byName reads calls that take a member of an object by its name in a string.
func byName(r *sitter.Reader, callee string, list sitter.Node) {
	object := r.First(list)
	name := r.NextPart(object)
	text, end := r.Child(name, "string_content"), sitter.PathEnd(callee)
	switch {
	case !r.Is(name, "string") || r.LeafOf(object) == 0:
	case end == "setattr" || end == "delattr", end == "getattr" && r.NextPart(name) == 0,
		strings.HasSuffix(callee, "patch.object"):
		r.Mark(text).Use = code.Read
		r.Member(text, object)
	}
}

// quotedType makes a reference of a type in quotes, if it is a mere name.
func quotedType(r *sitter.Reader, n sitter.Node) {
	text := r.Child(r.Child(n, "string"), "string_content")
	if text != 0 && !strings.ContainsFunc(r.Text(text), func(c rune) bool {
		return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	}) {
		r.Mark(text).Use = code.Read
	}
}

// mostFieldSteps bounds how many bases and statements are looked at for the fields of one class.
const mostFieldSteps = 400

// initFields lists the __init__ that a class is given from its fields, unless it writes its own
// or has a base whose fields the file does not show.
func initFields(r *sitter.Reader, whole sitter.Node) {
	n := undecorated(r, whole)
	if !isMade(r, whole) || writes(r, n, "__init__") {
		return
	}
	steps := mostFieldSteps
	if params, known := madeParams(r, whole, &steps); known {
		r.Define(code.Definition{Name: "__init__", Kind: code.Method, Visibility: code.Public, Params: params},
			sitter.Site{Whole: r.Child(n, "class")})
	}
}

// undecorated is what is defined inside of decorators.
func undecorated(r *sitter.Reader, whole sitter.Node) sitter.Node {
	if r.Is(whole, "decorated_definition") {
		return r.Field(whole, "definition")
	}
	return whole
}

// isMade reports whether a class is given its __init__ by a decorator or by NamedTuple.
func isMade(r *sitter.Reader, whole sitter.Node) bool {
	for base := range r.Parts(r.Field(undecorated(r, whole), "superclasses")) {
		if r.Text(r.LeafOf(base)) == "NamedTuple" {
			return true
		}
	}
	maker, call := readMaker(r, whole)
	return maker != "" && r.Text(option(r, call, "init")) != "False"
}

// readMaker is the decorator that makes a class from its fields, "" if there is none, and the
// expression in which it stands.
func readMaker(r *sitter.Reader, whole sitter.Node) (maker string, in sitter.Node) {
	for d := range r.Each(whole, ">decorator") {
		switch maker := r.TextAt(d, "^/function ^"); maker {
		case "dataclass", "dataclasses.dataclass", "pydantic.dataclasses.dataclass",
			"attr.s", "attr.attrs", "attr.define", "attr.frozen", "attr.mutable",
			"attrs.define", "attrs.frozen", "attrs.mutable", "define", "frozen", "mutable":
			return maker, r.First(d)
		}
	}
	return "", 0
}

// option is the value of a call's argument by name, 0 if it has none.
func option(r *sitter.Reader, call sitter.Node, name string) sitter.Node {
	for a := range r.Parts(r.Field(call, "arguments")) {
		if r.Is(a, "keyword_argument") && r.Text(r.Field(a, "name")) == name {
			return r.Field(a, "value")
		}
	}
	return 0
}

// isFixed reports whether a class whose decorator makes it from its fields lets nobody set them.
func isFixed(r *sitter.Reader, class sitter.Node) bool {
	if r.Is(r.Parent(class), "decorated_definition") {
		class = r.Parent(class)
	}
	maker, call := readMaker(r, class)
	return sitter.PathEnd(maker) == "frozen" || r.Text(option(r, call, "frozen")) == "True"
}

// writes reports whether a class has a method of the name in its body.
func writes(r *sitter.Reader, class sitter.Node, name string) bool {
	for part := range r.Parts(r.Field(class, "body")) {
		if f := undecorated(r, part); r.Is(f, "function_definition") && r.Text(r.Field(f, "name")) == name {
			return true
		}
	}
	return false
}

// madeParams gives a parameter for each field of a class: those of its bases first, from the last base on.
// known is false if one of the bases comes from elsewhere and may have fields, or if no steps are left.
func madeParams(r *sitter.Reader, whole sitter.Node, steps *int) (params []code.Param, known bool) {
	class := undecorated(r, whole)
	for _, base := range slices.Backward(slices.Collect(r.Parts(r.Field(class, "superclasses")))) {
		inherited, known := baseParams(r, base, steps)
		if !known {
			return nil, false
		}
		for _, p := range inherited {
			params = with(params, p)
		}
	}
	if !isMade(r, whole) {
		return params, true
	}
	maker, call := readMaker(r, whole)
	namedOnly := r.Text(option(r, call, "kw_only")) == "True"
	for part := range r.Parts(r.Field(class, "body")) {
		if *steps--; *steps < 0 {
			return nil, false
		}
		p, ok := field(r, r.First(part))
		switch {
		case sitter.PathEnd(p.Type) == "KW_ONLY":
			namedOnly = true
		case ok:
			p.NamedOnly = p.NamedOnly || namedOnly
			if maker != "" && sitter.PathEnd(maker) != "dataclass" {
				p.Name = strings.TrimLeft(p.Name, "_") // attrs calls them so
			}
			params = with(params, p)
		}
	}
	return params, true
}

// baseParams gives the parameters of a base's fields. The bases of the language itself have none.
func baseParams(r *sitter.Reader, base sitter.Node, steps *int) (params []code.Param, known bool) {
	if *steps--; *steps < 0 {
		return nil, false
	}
	if r.Is(base, "subscript") {
		base = r.Field(base, "value")
	}
	switch name := r.Text(r.LeafOf(base)); name {
	case "ABC", "Generic", "Protocol", "NamedTuple":
		return nil, true
	default:
		b := r.BoundIn(0, name)
		whole := r.Binds[b].At
		switch {
		case r.Is(base, "keyword_argument"), r.Is(base, "identifier") && b == 0:
			return nil, true
		case r.Is(base, "identifier") && r.Is(undecorated(r, whole), "class_definition"):
			return madeParams(r, whole, steps)
		}
		return nil, false
	}
}

// with adds a parameter, or puts it in the place of one with its name.
func with(params []code.Param, p code.Param) []code.Param {
	if i := slices.IndexFunc(params, func(o code.Param) bool { return o.Name == p.Name }); i >= 0 {
		params[i] = p
		return params
	}
	return append(params, p)
}

// field reads `name: type = value` in the body of a class, with what the value says if it
// calls field and its like.
func field(r *sitter.Reader, n sitter.Node) (p code.Param, ok bool) {
	left, value := r.Field(n, "left"), r.Field(n, "right")
	if !r.Is(n, "assignment") || !r.Is(left, "identifier") {
		return p, false
	}
	p = code.Param{Name: r.Keep(r.Text(left)), Type: r.Written(r.Field(n, "type")), Optional: value != 0}
	outer, _, _ := strings.Cut(p.Type, "[")
	called := false
	switch r.Text(r.LeafOf(r.Field(value, "function"))) {
	case "ib", "attrib", "field":
		called = true
		p.Optional = max(option(r, value, "default"), option(r, value, "default_factory"),
			option(r, value, "factory")) != 0
		p.NamedOnly = r.Text(option(r, value, "kw_only")) == "True"
	}
	return p, sitter.PathEnd(outer) != "ClassVar" && (p.Type != "" || called) &&
		r.Text(option(r, value, "init")) != "False"
}

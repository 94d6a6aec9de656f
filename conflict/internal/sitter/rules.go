//go:build cgo

package sitter

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"delegate/conflict/code"
)

// Declaration says how nodes of a kind declare something. The texts are paths, as Find follows them.
type Declaration struct {
	Kind  code.Kind
	Level Level // of the frame that the node opens; functions open their own
	// Name leads to the name; "" is the field of that name.
	Name                        string
	Type, Value, Params, Result string
	// Bases lead to all that a type is made from.
	Bases []string
	// Then is done in the frame that has been opened. It may be nil.
	Then Rule
}

// Variable says how nodes of a kind declare variables of a function. The texts are paths, as Find
// and Each follow them.
type Variable struct {
	Opens             bool // a block that lasts to the end of the node
	Name, Type, Value string
	Whole             bool // the variable is the node and not only its name
	Match             bool // values are compared with the type
}

// Find follows a path from a node: the names of fields, or ".." for the parent, "^" for the first and
// "$" for the last part, "+" for the part behind the node, and ">a|b" for the first child of a kind,
// with slashes between. Of several paths, with spaces between, it takes the first that leads anywhere.
// 0 if none does.
func (r *Reader) Find(n Node, paths string) Node {
	for path := range strings.FieldsSeq(paths) {
		at := n
		for step := range strings.SplitSeq(path, "/") {
			at = r.step(at, step)
		}
		if at != 0 {
			return at
		}
	}
	return 0
}

func (r *Reader) step(n Node, step string) Node {
	switch step {
	case ".":
		return n
	case "..":
		return r.Parent(n)
	case "^":
		return r.First(n)
	case "$":
		return r.Last(n)
	case "+":
		return r.NextPart(n)
	}
	if kinds, found := strings.CutPrefix(step, ">"); found {
		return r.Child(n, strings.Split(kinds, "|")...)
	}
	return r.Field(n, step)
}

// TextAt is the text of what a path leads to.
func (r *Reader) TextAt(n Node, path string) string { return r.Text(r.Find(n, path)) }

// WrittenAt is what a path leads to as types are listed.
func (r *Reader) WrittenAt(n Node, path string) string { return r.Written(r.Find(n, path)) }

// Each goes through all that the steps of a path lead to: ">a|b" to all parts of the kinds, a field to
// all in it, "*" to all parts, and other steps as in Find. Of several paths it takes what Find does.
func (r *Reader) Each(n Node, path string) iter.Seq[Node] {
	if strings.Contains(path, " ") {
		return slices.Values([]Node{r.Find(n, path)})
	}
	step, rest, more := strings.Cut(path, "/")
	if !more {
		return r.steps(n, step)
	}
	return func(yield func(Node) bool) {
		for c := range r.steps(n, step) {
			for d := range r.Each(c, rest) {
				if !yield(d) {
					return
				}
			}
		}
	}
}

func (r *Reader) steps(n Node, step string) iter.Seq[Node] {
	kinds, isKinds := strings.CutPrefix(step, ">")
	switch step {
	case "*":
		return r.Parts(n)
	case ".", "..", "^", "$", "+":
		return slices.Values([]Node{r.step(n, step)})
	}
	if !isKinds {
		return r.InField(n, step)
	}
	of := strings.Split(kinds, "|")
	return func(yield func(Node) bool) {
		for c := range r.Parts(n) {
			if r.Is(c, of...) && !yield(c) {
				return
			}
		}
	}
}

// Says reports whether what a path leads to, such as modifiers or annotations, has one of the words or names.
func (r *Reader) Says(n Node, path string, words ...string) bool {
	for at := range r.Each(n, path) {
		if slices.Contains(words, r.Text(cmp.Or(r.LeafOf(at), at))) {
			return true
		}
	}
	return false
}

// Walk goes through a node and all inside of it, but for what is inside of nodes for which visit is false.
func (r *Reader) Walk(root Node, visit func(Node) bool) {
	for n := root; root != 0 && n < r.Cells[root].After; {
		if visit(n) {
			n++
		} else {
			n = r.Cells[n].After
		}
	}
}

// Within lists the nodes of some kinds in a node, but for those inside of nodes of others.
func (r *Reader) Within(root Node, kinds string, but ...string) (all []Node) {
	r.Walk(root, func(n Node) bool {
		if r.Is(n, strings.Split(kinds, "|")...) {
			all = append(all, n)
		}
		return !r.Is(n, but...)
	})
	return all
}

// Opens makes a rule for nodes that bind names and are no definitions.
func Opens(l Level) Rule {
	return func(r *Reader, n Node) { r.Open(n, l, r.At().Key) }
}

// Closure is a rule for functions without a name, whose parameters stand in the field of that name.
func Closure(r *Reader, n Node) {
	r.Open(n, FunctionLevel, r.At().Key)
	r.LocalParams(r.Params(r, r.Field(n, "parameters")))
}

// Skips makes a rule for nodes in which what the path leads to is no reference.
func Skips(path string) Rule {
	return func(r *Reader, n Node) {
		for c := range r.Each(n, path) {
			r.Skip(c)
		}
	}
}

// Matches makes a rule for nodes that compare with what the path leads to.
func Matches(path string) Rule {
	return func(r *Reader, n Node) {
		for c := range r.Each(n, path) {
			r.Use(c, code.Match)
		}
	}
}

// Binds makes a rule for type parameters and the like: the name is known in the frame around.
func Binds(path string, what bound) Rule {
	return func(r *Reader, n Node) {
		r.BindHere(r.Find(n, path), Binding{What: what})
	}
}

// Read lists what a node declares, and opens its frame.
func (t Declaration) Read(r *Reader, n Node) {
	d := code.Definition{Kind: t.Kind, Type: r.WrittenAt(n, t.Type), Result: r.WrittenAt(n, t.Result)}
	d.Bases = r.Bases(n, t.Bases...)
	var params []Parameter
	if t.Params != "" {
		params = r.Params(r, r.Find(n, t.Params))
		d.Params = ParamsOf(params)
	}
	r.Describe(r, n, &d)
	s := Site{Whole: n, Name: r.Find(n, cmp.Or(t.Name, "name")), Value: r.Find(n, t.Value)}
	if d.Name != "" {
		// Nothing can refer to the definition by its name alone.
		r.Skip(s.Name)
		d.Name, s.Name = r.Keep(d.Name), 0
	}
	key := r.Define(d, s)
	if t.Params != "" {
		r.OpenFunction(n, key, params)
	} else {
		r.Open(n, t.Level, key)
		r.At().Section = d.Visibility
	}
	if t.Then != nil {
		t.Then(r, n)
	}
}

// OpenFunction begins a function. One without a body lists no Locals.
func (r *Reader) OpenFunction(n Node, key string, params []Parameter) {
	if r.Field(n, "body") == 0 && !r.Bodiless {
		r.Open(n, BlockLevel, key)
		r.BindParams(params)
		return
	}
	r.Open(n, FunctionLevel, key)
	r.LocalParams(params)
}

// Bases lists all that a type is made from, and says so of the names.
func (r *Reader) Bases(n Node, paths ...string) (bases []string) {
	for _, path := range paths {
		for base := range r.Each(n, path) {
			if r.LeafOf(base) != 0 {
				r.Use(base, code.Inherit)
				bases = append(bases, r.Keep(r.Path(base)))
			}
		}
	}
	return bases
}

// read lists the variables that a node declares.
func (v Variable) read(r *Reader, n Node) {
	if v.Opens {
		r.Open(n, BlockLevel, r.At().Key)
	}
	typ, s := r.Find(n, v.Type), Site{Value: r.Find(n, v.Value)}
	if v.Whole {
		s.Whole = n
	}
	if v.Match {
		r.Use(typ, code.Match)
	}
	for target := range r.Each(n, v.Name) {
		r.Locals(target, r.Written(typ), s)
	}
}

// Locals lists the variables that a target binds. The type and the value are those of one that is all of it.
func (r *Reader) Locals(target Node, typ string, s Site) {
	for _, name := range r.Targets(r, target) {
		if name == target {
			r.Grammar.Local(r, typ, Site{Whole: s.Whole, Name: name, Value: s.Value, From: s.From})
		} else {
			r.Grammar.Local(r, "", Site{Whole: s.Whole, Name: name, From: s.From})
		}
	}
}

// Itself is what a target binds that is a mere name.
func Itself(r *Reader, target Node) []Node {
	if r.Is(target, "identifier") && r.Text(target) != "_" {
		return []Node{target}
	}
	return nil
}

// InBlock lists a variable of the block or function around it. One that is called "var" has no declared type.
func InBlock(r *Reader, typ string, s Site) {
	if typ == "var" {
		typ = ""
	}
	r.Local(typ, s, BlockLevel, FunctionLevel)
}

// Elements makes the rules for declarations of several things and for those, which are nodes of a kind.
// One that a declaration declares alone is read with all of that.
func Elements(kinds string, read func(r *Reader, declaration, element, whole Node)) (declaration, element Rule) {
	only := func(r *Reader, n Node) (one Node) {
		for e := range r.Each(n, ">"+kinds) {
			if one != 0 {
				return 0
			}
			one = e
		}
		return one
	}
	declaration = func(r *Reader, n Node) {
		if one := only(r, n); one != 0 {
			read(r, n, one, n)
		}
	}
	element = func(r *Reader, n Node) {
		if up := r.Parent(n); only(r, up) == 0 {
			read(r, up, n, n)
		}
	}
	return declaration, element
}

// OtherConstructor makes a rule for calls of another constructor, by a word for the type or for its base.
func OtherConstructor(word, arguments string) Rule {
	return func(r *Reader, n Node) {
		at, typ := r.Find(n, word), r.At().Self
		if r.Is(at, r.Base) {
			typ = r.BaseOf(typ)
		}
		r.CallsType(at, typ, r.Arguments(r.Find(n, arguments)))
	}
}

// CallsType makes a call of a type of what stands for it, such as this or super in front of arguments.
func (r *Reader) CallsType(n Node, typ string, a Arguments) {
	if n != 0 && typ != "" {
		m := r.Mark(n)
		m.Name, m.Use, m.Args = PathEnd(typ), code.Call, a
	}
}

// CallsBase makes a call of a type, from which the surrounding one is made, of what calls the constructor of the base.
func (r *Reader) CallsBase(n Node, base string, a Arguments) {
	if base = r.Bare(base); n != 0 && base != "" {
		r.CallsType(n, base, a)
		m := r.Mark(n)
		m.Alone, m.Typ = true, ""
		m.Path, _ = CutLast(base, ".")
	}
}

// OnlyOf is the one alternative of a union type that is not among those that stand for no value, "" if it has several.
func OnlyOf(union string, nothing ...string) (only string) {
	for part := range strings.SplitSeq(union, "|") {
		if part = strings.TrimSpace(part); slices.Contains(nothing, part) {
			continue
		}
		if only != "" {
			return ""
		}
		only = part
	}
	return only
}

// CutLast splits a path at the last separator; before is "" if there is none.
func CutLast(path, separator string) (before, last string) {
	if i := strings.LastIndex(path, separator); i >= 0 {
		return path[:i], path[i+len(separator):]
	}
	return "", path
}

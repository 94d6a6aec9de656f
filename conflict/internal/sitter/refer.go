//go:build cgo

package sitter

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Mark is what the rules say of a leaf that stands for a name.
type Mark struct {
	Name   string // in place of the leaf's text
	Object Node   // what the name is taken out of
	Path   string // what the name is taken out of, if it is no node of its own
	Typ    string // the type of what the name is taken out of, if the rule knows it
	Use    code.Use
	Args   Arguments
	// Alone is set where the name is taken out of nothing, whatever Object is.
	Alone bool
	// Around is what Object is taken out of, whose type tells it where that of Object does not show.
	Around Node
	// Writes is set where the name is set to something.
	Writes bool
	// Typed is set where the name is meant only if what it is taken out of is of a type with a name of its own.
	Typed bool
	// Contained is as in code.Reference.
	Contained bool
	// Awaited calls give their value to who waits for it.
	Awaited bool
}

// Arguments are what a call or a construction hands over.
type Arguments struct {
	Count  int
	Named  []string
	Spread bool
	// Functions are the numbers of parameters of functions written in place, and names what may name one.
	Functions []int
	names     []Node
}

// Function notes an argument, if it is a function or the name of one.
func (a *Arguments) Function(r *Reader, n Node) {
	path, written := r.Closures[r.Kind(n)]
	switch {
	case !written:
		if r.FunctionNames && r.Is(n, "identifier") {
			a.names = append(a.names, n)
		}
	case path == "":
		a.Functions = append(a.Functions, code.AnyNumber)
	default:
		list, count := r.Find(n, path), 1
		if !r.Flagged(list, IsName) && !r.Is(list, "implicit_parameter") {
			count = r.count(list)
		}
		a.Functions = append(a.Functions, count)
	}
}

// functions are the numbers of parameters of all functions that arguments hand over.
func (r *Reader) functions(a Arguments) []int {
	for _, n := range a.names {
		name := r.Text(n)
		found := r.Lookup(name, r.Here, n)
		if found.Binding == 0 || found.Local {
			continue
		}
		for _, d := range r.File.Definitions {
			if d.Name == name && d.Container == found.owner && d.Callable() {
				a.Functions = append(a.Functions, len(d.Params))
				break
			}
		}
	}
	return a.Functions
}

// Mark gives the leaf's own mark to write to.
func (r *Reader) Mark(n Node) *Mark {
	c := &r.Cells[n]
	if c.Mark == 0 {
		r.Marks = append(r.Marks, Mark{})
		c.Mark = int32(len(r.Marks)) - 1
	}
	return &r.Marks[c.Mark]
}

// Unmarked reports whether no rule has said anything of a leaf so far, but that a path begins with it.
func (r *Reader) Unmarked(n Node) bool { return r.Cells[n].Mark == 0 && !r.Cells[n].skip }

// Skip says that leaves are no references, declared names for example. It does nothing to no node.
func (r *Reader) Skip(leaves ...Node) {
	for _, n := range leaves {
		r.Cells[n].skip = n != 0
	}
}

// SkipsAll is a rule for nodes in which no name is a reference.
func SkipsAll(r *Reader, n Node) {
	for leaf := n; n != 0 && leaf < r.Cells[n].After; leaf++ {
		if r.Leaf(leaf) && r.Flagged(leaf, isNamed) {
			r.Skip(leaf)
		}
	}
}

// Asks says that the definition around asks whether there is something of a name before it uses it, so that its
// references to the name need nothing.
func (r *Reader) Asks(name string) {
	if name != "" {
		r.asked[member{r.At().Key, name}] = true
	}
}

// Member says that the leaf is a name taken out of an object, which may be a value, a type or a module.
func (r *Reader) Member(leaf, object Node) {
	if leaf == 0 || object == 0 {
		return
	}
	r.Mark(leaf).Object = object
	r.Cells[r.LeafOf(object)].root = true
}

// Use says what is done with the name that an expression or a type ends in. It does nothing to what
// ends in no name, such as a number.
func (r *Reader) Use(n Node, u code.Use) {
	if leaf := r.LeafOf(n); leaf != 0 {
		r.Mark(leaf).Use = u
	}
}

// Writes is a rule for nodes that set what stands at a path.
func Writes(path string) Rule {
	return func(r *Reader, n Node) {
		if leaf := r.LeafOf(r.Find(n, path)); leaf != 0 {
			r.Mark(leaf).Writes = true
		}
	}
}

// Uses says that a name is called or constructed, and with what.
func (r *Reader) Uses(n Node, u code.Use, a Arguments) {
	if leaf := r.LeafOf(n); leaf != 0 {
		m := r.Mark(leaf)
		m.Use, m.Args = u, a
	}
}

// LeafOf finds the leaf with the name that an expression or a type ends in: c of a.b.c, List of
// List<T>. 0 if it ends in none.
func (r *Reader) LeafOf(n Node) Node {
	for n != 0 && !r.Flagged(n, IsName) {
		if a, found := r.Grammar.Members[r.Kind(n)]; found {
			_, member := a.parts(r, n)
			return member
		}
		field, found := r.Inner[r.Kind(n)]
		if !found {
			return 0
		}
		n = r.step(n, field)
	}
	return n
}

// parts are the object and the member of a node that takes one out of the other.
func (a Access) parts(r *Reader, n Node) (object, member Node) {
	return r.step(n, a.Object), r.lastOf(r.step(n, a.Member))
}

// lastOf is the leaf in a node that stands for a member: the node itself, or what is inside its type arguments.
func (r *Reader) lastOf(n Node) Node {
	if path, found := r.Inner[r.Kind(n)]; found && n != 0 {
		return r.step(n, path)
	}
	return n
}

// mark is what every node does that takes a member out of an object.
func (a Access) mark(r *Reader, n Node) {
	object, member := a.parts(r, n)
	r.Member(member, object)
}

// mark is what every node does that calls something.
func (c Call) mark(r *Reader, n Node) {
	callee := r.Field(n, c.Callee)
	if c.Object != "" {
		r.Member(r.lastOf(callee), r.Field(n, c.Object))
	}
	r.Uses(callee, code.Call, r.Arguments(r.Field(n, c.Arguments)))
}

// Arguments counts what the parts of a node hand over.
func (r *Reader) Arguments(list Node) (a Arguments) {
	for n := range r.Parts(list) {
		a.Count++
		if a.Function(r, n); r.Is(n, "argument") {
			a.Function(r, r.Last(n))
		}
		if r.Flagged(n, isSpread) || r.Flagged(r.First(n), isSpread) {
			a.Spread = true
		}
		if field, found := r.Named[r.Kind(n)]; found {
			if name := r.step(n, field); name != 0 {
				r.Skip(name)
				a.Named = append(a.Named, r.Keep(r.Text(name)))
			}
		}
	}
	return a
}

// referAll is the second pass. It also takes off the room that the lists have to grow.
func (r *Reader) referAll() {
	r.Here = 0
	next := int32(1)
	for n := range Node(len(r.Cells)) {
		for r.Here != 0 && n >= r.Frames[r.Here].after {
			r.Here = r.Frames[r.Here].Up
		}
		for ; int(next) < len(r.Frames) && r.Frames[next].Node == n; next++ {
			r.Here = next
		}
		if r.Cells[n].Mark != 0 || r.Flagged(n, IsName) {
			r.refer(n)
		}
	}
	r.File.Definitions, r.File.References = slices.Clone(r.File.Definitions), slices.Clone(r.File.References)
}

// refer lists a leaf as a reference, unless it is none or its name is bound in a function.
func (r *Reader) refer(n Node) {
	c, m := r.Cells[n], r.Marks[r.Cells[n].Mark]
	if c.skip || !r.Flagged(n, IsName) && m.Use == "" && m.Object == 0 {
		return
	}
	if m.Name == "" {
		m.Name = r.Text(n)
	}
	if m.Name == "" || r.asked[member{r.At().Key, m.Name}] {
		return // the parser has put it in, or the code goes on without it
	}
	ref := code.Reference{Name: m.Name, Qualifier: m.Path, Type: m.Typ, Use: m.Use, Args: code.NoCall, Writes: m.Writes,
		In: r.At().Key, Line: r.Line(n)}
	switch {
	case m.Object != 0 && !m.Alone:
		if ref.Type = r.TypeOf(m.Object, r.Here); ref.Type == "" && m.Around != 0 {
			ref.Type = r.TypeOf(m.Around, r.Here)
		}
		if m.Path == "" {
			ref.Qualifier = r.Path(m.Object)
		}
		if m.Typed && !StartsUpper(PathEnd(ref.Type)) {
			return
		}
		if r.Grammar.Held != nil && m.Use == code.Call {
			ref.Held = r.Grammar.Held(r, m.Object, r.Here)
		}
	case m.Typ == "" && m.Path == "":
		found := r.Lookup(ref.Name, r.Here, n)
		if found.Local && m.Use == code.Call && r.Apart {
			found = r.lookupMember(ref.Name, r.Here)
		}
		if found.Local || found.what == toModule && c.root ||
			found.Binding == 0 && slices.Contains(r.Builtin, ref.Name) {
			return
		}
		if ref.Type = found.owner; r.Grammar.Held != nil && m.Use == code.Call && found.owner != "" {
			ref.Held = r.Grammar.Held(r, 0, r.Here)
		}
	}
	if r.asked[member{r.At().Key, PathEnd(ref.Qualifier)}] {
		return
	}
	switch m.Use {
	case "":
		ref.Use = code.Read
	case code.Call, code.Construct:
		ref.Args, ref.Named, ref.Spread, ref.Awaited = m.Args.Count, m.Args.Named, m.Args.Spread, m.Awaited
	}
	ref.Functions, ref.Contained = r.functions(m.Args), m.Contained
	if len(ref.Qualifier) > lang.LongestPath {
		ref.Qualifier = code.Expression
	}
	ref.Name, ref.Qualifier, ref.Type = r.Keep(ref.Name), r.Keep(ref.Qualifier), r.Keep(ref.Type)
	r.File.References = append(r.File.References, ref)
}

// MaxPath bounds the names in a qualifier. What is longer counts as an expression.
const MaxPath = 16

// Path writes an expression as names with dots between, Expression if it is not a path of names.
func (r *Reader) Path(n Node) string {
	var names []string
	for range MaxPath {
		kind := r.Kind(n)
		_, isWord := r.Words[kind]
		if isWord || r.Flagged(n, IsName) {
			root := r.Text(n)
			if m := r.Marks[r.Cells[n].Mark]; m.Object == 0 || m.Path == "" {
			} else if root = m.Path + "." + root; m.Path == code.Expression {
				return code.Expression
			}
			if names == nil {
				return root
			}
			names = append(names, root)
			slices.Reverse(names)
			return strings.Join(names, ".")
		}
		if a, found := r.Grammar.Members[kind]; found {
			object, member := a.parts(r, n)
			names = append(names, r.Text(member))
			n = object
		} else if field, found := r.Inner[kind]; found {
			n = r.step(n, field)
		} else {
			return code.Expression
		}
		if n == 0 {
			return code.Expression
		}
	}
	return code.Expression
}

// PathEnd is the last name of a path.
func PathEnd(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// StartsUpper reports whether a name looks like that of a type.
func StartsUpper(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(first)
}

//go:build cgo

package syntax

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mark is what the rules say of a leaf that stands for a name.
type mark struct {
	skip   bool   // no reference: a declared name, a key
	root   bool   // the begin of a path
	name   string // in place of the leaf's text
	object node   // what the name is taken out of
	path   string // what the name is taken out of, if it is no node of its own
	typ    string // the type of what the name is taken out of, if the rule knows it
	use    Use
	args   arguments
	// awaited calls give their value to who waits for it.
	awaited bool
}

// arguments are what a call or a construction hands over.
type arguments struct {
	count  int
	named  []string
	spread bool
}

// The marks that most leaves share. They stand first among the reader's marks and are copied before
// anything is written to them.
const (
	noMark = iota
	skipMark
	rootMark
	sharedMarks
)

// newMarks gives the shared marks, with room for more.
func newMarks(room int) []mark {
	return append(make([]mark, 0, room), mark{}, mark{skip: true}, mark{root: true})
}

// mark gives the leaf's own mark to write to.
func (r *reader) mark(n node) *mark {
	c := &r.cells[n]
	if c.mark < sharedMarks {
		r.marks = append(r.marks, r.marks[c.mark])
		c.mark = int32(len(r.marks)) - 1
	}
	return &r.marks[c.mark]
}

// skip says that leaves are no references, declared names for example. It does nothing to no node.
func (r *reader) skip(leaves ...node) {
	for _, n := range leaves {
		switch c := &r.cells[n]; {
		case n == 0:
		case c.mark < sharedMarks:
			c.mark = skipMark
		default:
			r.marks[c.mark].skip = true
		}
	}
}

// begins says that a path begins with a leaf. It does nothing to no node.
func (r *reader) begins(n node) {
	switch c := &r.cells[n]; {
	case n == 0:
	case c.mark == noMark:
		c.mark = rootMark
	case c.mark >= sharedMarks:
		r.marks[c.mark].root = true
	}
}

// skipsAll is a rule for nodes in which no name is a reference.
func skipsAll(r *reader, n node) {
	for leaf := n; n != 0 && leaf < r.cells[n].after; leaf++ {
		if r.leaf(leaf) && r.flagged(leaf, isNamed) {
			r.skip(leaf)
		}
	}
}

// member says that the leaf is a name taken out of an object, which may be a value, a type or a module.
func (r *reader) member(leaf, object node) {
	if leaf == 0 || object == 0 {
		return
	}
	r.mark(leaf).object = object
	r.begins(r.leafOf(object))
}

// use says what is done with the name that an expression or a type ends in. It does nothing to other expressions.
func (r *reader) use(n node, u Use) {
	if leaf := r.leafOf(n); leaf != 0 {
		r.mark(leaf).use = u
	}
}

// useName is use for what may also be no name at all, such as a number.
func (r *reader) useName(n node, u Use) {
	if leaf := r.leafOf(n); leaf != 0 {
		r.mark(leaf).use = u
	}
}

// uses says that a name is called or constructed, and with what.
func (r *reader) uses(n node, u Use, a arguments) {
	if leaf := r.leafOf(n); leaf != 0 {
		m := r.mark(leaf)
		m.use, m.args = u, a
	}
}

// leafOf finds the leaf with the name that an expression or a type ends in: c of a.b.c, List of
// List<T>. 0 if it ends in none.
func (r *reader) leafOf(n node) node {
	for n != 0 && !r.flagged(n, isName) {
		if a, found := r.grammar.members[r.kind(n)]; found {
			_, member := a.parts(r, n)
			return member
		}
		field, found := r.inner[r.kind(n)]
		if !found {
			return 0
		}
		n = r.innerOf(n, field)
	}
	return n
}

// parts are the object and the member of a node that takes one out of the other.
func (a access) parts(r *reader, n node) (object, member node) {
	if a.member == "" {
		return r.first(n), r.lastOf(r.last(n))
	}
	return r.field(n, a.object), r.lastOf(r.field(n, a.member))
}

// lastOf is the leaf in a node that stands for a member: the node itself, or what is inside its type arguments.
func (r *reader) lastOf(n node) node {
	if field, found := r.inner[r.kind(n)]; found && n != 0 {
		return r.innerOf(n, field)
	}
	return n
}

func (r *reader) innerOf(n node, field string) node {
	switch field {
	case "":
		return r.first(n)
	case lastPart:
		return r.last(n)
	}
	return r.field(n, field)
}

// mark is what every node does that takes a member out of an object.
func (a access) mark(r *reader, n node) {
	object, member := a.parts(r, n)
	r.member(member, object)
}

// mark is what every node does that calls something.
func (c call) mark(r *reader, n node) {
	callee := r.field(n, c.callee)
	if c.object != "" {
		r.member(r.lastOf(callee), r.field(n, c.object))
	}
	r.uses(callee, Call, r.arguments(r.field(n, c.arguments)))
}

// arguments counts what the parts of a node hand over.
func (r *reader) arguments(list node) (a arguments) {
	for n := range r.parts(list) {
		a.count++
		if r.flagged(n, isSpread) || r.flagged(r.first(n), isSpread) {
			a.spread = true
		}
		if field, found := r.named[r.kind(n)]; found {
			if name := r.innerOf(n, field); name != 0 {
				r.skip(name)
				a.named = append(a.named, r.keep(r.text(name)))
			}
		}
	}
	return a
}

// referAll is the second pass. It also takes off the room that the lists have to grow.
func (r *reader) referAll() {
	r.here = 0
	next := int32(1)
	for n := range node(len(r.cells)) {
		for r.here != 0 && n >= r.frames[r.here].after {
			r.here = r.frames[r.here].up
		}
		for ; int(next) < len(r.frames) && r.frames[next].node == n; next++ {
			r.here = next
		}
		if r.cells[n].mark != noMark || r.flagged(n, isName) {
			r.refer(n)
		}
	}
	r.file.Definitions, r.file.References = slices.Clone(r.file.Definitions), slices.Clone(r.file.References)
}

// refer lists a leaf as a reference, unless it is none or its name is bound in a function.
func (r *reader) refer(n node) {
	m := r.marks[r.cells[n].mark]
	if m.skip || !r.flagged(n, isName) && m.use == "" && m.object == 0 {
		return
	}
	if m.name == "" {
		m.name = r.text(n)
	}
	if m.name == "" {
		return // the parser has put it in
	}
	ref := Reference{Name: m.name, Qualifier: m.path, Type: m.typ, Use: m.use, Args: NoCall, In: r.at().key,
		Line: r.line(n)}
	switch {
	case m.object != 0:
		ref.Type = r.typeOf(m.object, r.here)
		if m.path == "" {
			ref.Qualifier = r.path(m.object)
		}
	case m.typ == "" && m.path == "":
		found := r.lookup(ref.Name, r.here, n)
		if found.local && m.use == Call && r.apart {
			found = r.lookupMember(ref.Name, r.here)
		}
		if found.local || found.what == toModule && m.root ||
			found.binding == 0 && slices.Contains(r.builtin, ref.Name) {
			return
		}
		ref.Type = found.owner
	}
	switch m.use {
	case "":
		ref.Use = Read
	case Call, Construct:
		ref.Args, ref.Named, ref.Spread, ref.Awaited = m.args.count, m.args.named, m.args.spread, m.awaited
	}
	if len(ref.Qualifier) > longestPath {
		ref.Qualifier = Expression
	}
	ref.Name, ref.Qualifier, ref.Type = r.keep(ref.Name), r.keep(ref.Qualifier), r.keep(ref.Type)
	r.file.References = append(r.file.References, ref)
}

// maxPath bounds the names in a qualifier. What is longer counts as an expression.
const maxPath = 16

// path writes an expression as names with dots between, Expression if it is not a path of names.
func (r *reader) path(n node) string {
	var names []string
	for range maxPath {
		kind := r.kind(n)
		_, isWord := r.words[kind]
		if isWord || r.flagged(n, isName) {
			root := r.text(n)
			if m := r.marks[r.cells[n].mark]; m.object == 0 || m.path == "" {
			} else if root = m.path + "." + root; m.path == Expression {
				return Expression
			}
			if names == nil {
				return root
			}
			names = append(names, root)
			slices.Reverse(names)
			return strings.Join(names, ".")
		}
		if a, found := r.grammar.members[kind]; found {
			object, member := a.parts(r, n)
			names = append(names, r.text(member))
			n = object
		} else if field, found := r.inner[kind]; found {
			n = r.innerOf(n, field)
		} else {
			return Expression
		}
		if n == 0 {
			return Expression
		}
	}
	return Expression
}

// pathEnd is the last name of a path.
func pathEnd(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// startsUpper reports whether a name looks like that of a type.
func startsUpper(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(first)
}

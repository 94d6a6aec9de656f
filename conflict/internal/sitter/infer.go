//go:build cgo

package syntax

// found is what a name stands for at some place.
type found struct {
	binding int32 // 0 if the file binds it nowhere
	what    bound
	// local names are bound in a function and are no definitions of their own.
	local bool
	// owner is the Key of the definition that the name is a member of or nested in, "" at the top of the file.
	owner string
}

// foreign reports whether the name is imported or bound nowhere in the file.
func (f found) foreign() bool {
	return f.binding == 0 || f.owner == "" && (f.what == toMember || f.what == toModule)
}

// lookup finds what a name used at a node in a frame stands for.
func (r *reader) lookup(name string, f int32, at node) found {
	bare := true
	for {
		here := &r.frames[f]
		switch {
		case here.level == typeLevel && bare && (here.enum || !r.namedMembers):
			if b := r.memberOf(here.key, name); b != 0 {
				return found{binding: b, what: toMember, owner: here.key}
			}
		case here.level == functionLevel && !r.bareMembers:
			bare = false
		}
		if b := r.visible(r.bound[place{f, name}], f, at); b != 0 && r.binds[b].what != elsewhere {
			what := r.binds[b].what
			return found{binding: b, what: what, owner: here.key, local: (what == toValue || what == toType) &&
				here.level != fileLevel}
		}
		if f == 0 {
			return found{}
		}
		f = here.up
	}
}

// lookupMember finds a name among the members of the types around a frame alone.
func (r *reader) lookupMember(name string, f int32) found {
	for ; f != 0; f = r.frames[f].up {
		here := &r.frames[f]
		if here.level != typeLevel {
			continue
		}
		if b := r.memberOf(here.key, name); b != 0 {
			return found{binding: b, what: toMember, owner: here.key}
		}
	}
	return found{}
}

// visible takes the binding of a chain that is in force at a node: the last one before it where order matters.
func (r *reader) visible(b, f int32, at node) int32 {
	if !r.ordered || f == 0 {
		return b
	}
	typeOnly := r.typeOnly != nil && r.typeOnly(r, at)
	for range maxSteps {
		if b == 0 || r.binds[b].what != toValue || r.binds[b].at <= at && !typeOnly {
			break
		}
		b = r.binds[b].previous
	}
	return b
}

// maxBases bounds the chain of types in which a member is looked for.
const maxBases = 8

// memberOf finds a member of a type, or of the types that it is made from, as far as they are in
// the file. 0 if it is in none.
func (r *reader) memberOf(key, name string) int32 {
	for range maxBases {
		if b := r.held[member{key, name}]; b != 0 {
			return b
		}
		bases := r.types[key]
		if len(bases) == 0 {
			return 0
		}
		for _, extra := range bases[1:] {
			if b := r.held[member{extra, name}]; b != 0 {
				return b
			}
		}
		key = bases[0]
	}
	return 0
}

// resultOf gives what a callable of a type gives, "" if the file does not say.
func (r *reader) resultOf(key, name string) string {
	of := key
	for range maxBases {
		if result, found := r.results[of+"."+name]; found {
			if result = r.bare(result); result != "" && result == r.selfType {
				return key
			}
			return result
		}
		if of = r.baseOf(of); of == "" {
			break
		}
	}
	return ""
}

// baseOf is the first type that a type of the file is made from, "" if there is none.
func (r *reader) baseOf(key string) string {
	if bases := r.types[key]; len(bases) > 0 {
		return bases[0]
	}
	return ""
}

// maxSteps bounds how far a type is followed along one expression, and maxSolving from one into another.
const (
	maxSteps   = 64
	maxSolving = 32
)

// typeOf gives the type of an expression in a frame as far as the file shows it, without what the
// grammar's bare takes off.
func (r *reader) typeOf(n node, f int32) string {
	if r.depth >= maxSolving {
		return ""
	}
	r.depth++
	defer func() { r.depth-- }()
	for range maxSteps {
		if n == 0 {
			return ""
		}
		kind := r.kind(n)
		if r.flagged(n, isName) {
			return r.typeOfName(n, f)
		}
		if infer, found := r.infer[kind]; found {
			t, next := infer(r, n, f)
			if next == 0 {
				return r.bare(t)
			}
			n = next
			continue
		}
		if r.words[kind] {
			return r.frames[f].self
		}
		if kind == r.base {
			return r.baseOf(r.frames[f].self)
		}
		if c, found := r.grammar.calls[kind]; found {
			return r.typeOfCall(n, c, f)
		}
		if a, found := r.grammar.members[kind]; found {
			return r.typeOfMember(n, a, f)
		}
		field, found := r.inner[kind]
		if !found {
			return ""
		}
		n = r.innerOf(n, field)
	}
	return ""
}

func (r *reader) typeOfName(n node, f int32) string {
	name := r.text(n)
	at := r.lookup(name, f, n)
	if at.binding == 0 {
		return ""
	}
	if key := join(at.owner, name); !at.local && r.isType(key) {
		return key
	}
	return r.solve(at.binding)
}

// isType reports whether the file defines a type with the key.
func (r *reader) isType(key string) bool {
	_, found := r.types[key]
	return found
}

func (r *reader) typeOfMember(n node, a access, f int32) string {
	object, member := a.parts(r, n)
	t := r.typeOf(object, f)
	if t == "" {
		return ""
	}
	name := r.text(member)
	if key := t + "." + name; r.isType(key) {
		return key
	}
	if b := r.memberOf(t, name); b != 0 {
		return r.solve(b)
	}
	return ""
}

// typeOfCall gives the type that a call makes a value of: the callee itself if it is a type, or the callee's result.
func (r *reader) typeOfCall(n node, c call, f int32) string {
	callee := r.field(n, c.callee)
	object := r.field(n, c.object)
	if c.object == "" {
		if a, found := r.grammar.members[r.kind(callee)]; found && callee != 0 {
			object, callee = a.parts(r, callee)
		}
	}
	name := r.text(callee)
	if object != 0 {
		return r.typeOfMethod(name, object, f)
	}
	if name == r.base {
		return r.baseOf(r.frames[f].self)
	}
	if !r.flagged(callee, isName) {
		return ""
	}
	at := r.lookup(name, f, callee)
	if at.local && r.apart {
		at = r.lookupMember(name, f)
	}
	key := join(at.owner, name)
	switch {
	case at.local:
		return ""
	case r.isType(key):
		return key
	case r.results[key] != "":
		return r.bare(r.results[key])
	case at.foreign() && r.makes != nil && r.makes(name):
		return name
	}
	return r.resultOf(at.owner, name)
}

// typeOfMethod gives the result of calling a name on an object.
func (r *reader) typeOfMethod(name string, object node, f int32) string {
	if t := r.typeOf(object, f); t != "" {
		if key := t + "." + name; r.isType(key) {
			return key
		}
		return r.resultOf(t, name)
	}
	if r.makes == nil || !r.makes(name) {
		return ""
	}
	path, root := r.path(object), r.rootOf(object)
	if path == Expression || root == 0 || !r.lookup(r.text(root), f, root).foreign() {
		return ""
	}
	return path + "." + name
}

// rootOf is the leaf that a path begins with, 0 if it begins with none that is a name.
func (r *reader) rootOf(n node) node {
	for range maxPath {
		if n == 0 || r.flagged(n, isName) {
			return n
		}
		a, found := r.grammar.members[r.kind(n)]
		if !found {
			return 0
		}
		n, _ = a.parts(r, n)
	}
	return 0
}

// maxChain bounds how many values of a variable are compared.
const maxChain = 16

// solve gives the type of what a binding holds. Where order does not tell which of several values
// is meant, they must all have it.
func (r *reader) solve(b int32) string {
	head := &r.binds[b]
	if !head.solved {
		// A value that refers to itself finds no type.
		head.solved = true
		head.answer = r.solveChain(b)
	}
	return head.answer
}

func (r *reader) solveChain(b int32) string {
	agreed := ""
	for i, links := b, 0; i != 0; i, links = r.binds[i].previous, links+1 {
		one := r.binds[i]
		if one.typ != "" {
			return r.ownType(one)
		}
		if one.value == unset || r.is(one.value, r.nothing...) {
			continue
		}
		t := r.typeOf(one.value, one.from)
		if t == "" || agreed != "" && t != agreed || links == maxChain {
			return ""
		}
		agreed = t
		if r.ordered {
			break
		}
	}
	return agreed
}

// ownType gives the declared type of a binding. What stands for the surrounding type is that.
func (r *reader) ownType(b binding) string {
	t := r.bare(b.typ)
	if t != "" && t == r.selfType {
		return r.frames[b.from].self
	}
	return t
}

// join puts a key together.
func join(container, name string) string {
	if container == "" {
		return name
	}
	return container + "." + name
}

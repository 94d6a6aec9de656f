//go:build cgo

package sitter

import (
	"delegate/conflict/code"
)

// found is what a name stands for at some place.
type found struct {
	Binding int32 // 0 if the file binds it nowhere
	what    bound
	// Local names are bound in a function and are no definitions of their own.
	Local bool
	// owner is the Key of the definition that the name is a member of or nested in, "" at the top of the file.
	owner string
}

// FromOutside reports whether the name is imported or bound nowhere in the file.
func (f found) FromOutside() bool {
	return f.Binding == 0 || f.owner == "" && (f.what == toMember || f.what == toModule)
}

// Lookup finds what a name used at a node in a frame stands for.
func (r *Reader) Lookup(name string, f int32, at Node) found {
	bare := true
	for {
		here := &r.Frames[f]
		switch {
		case here.Level == TypeLevel && bare && (here.Enum || !r.NamedMembers):
			if b := r.MemberOf(here.Key, name); b != 0 {
				return found{Binding: b, what: toMember, owner: here.Key}
			}
		case here.Level == FunctionLevel && !r.BareMembers:
			bare = false
		}
		if b := r.visible(r.BoundIn(f, name), f, at); b != 0 && r.Binds[b].What != Elsewhere {
			what := r.Binds[b].What
			return found{Binding: b, what: what, owner: here.Key, Local: (what == ToValue || what == ToType) &&
				here.Level != FileLevel}
		}
		if f == 0 {
			return found{}
		}
		f = here.Up
	}
}

// lookupMember finds a name among the members of the types around a frame alone.
func (r *Reader) lookupMember(name string, f int32) found {
	for ; f != 0; f = r.Frames[f].Up {
		here := &r.Frames[f]
		if here.Level != TypeLevel {
			continue
		}
		if b := r.MemberOf(here.Key, name); b != 0 {
			return found{Binding: b, what: toMember, owner: here.Key}
		}
	}
	return found{}
}

// visible takes the binding of a chain that is in force at a node: the last one before it where order matters.
func (r *Reader) visible(b, f int32, at Node) int32 {
	if !r.Ordered || f == 0 {
		return b
	}
	typeOnly := r.TypeOnly != nil && r.TypeOnly(r, at)
	for range MaxSteps {
		if b == 0 || r.Binds[b].What != ToValue || r.Binds[b].At <= at && !typeOnly {
			break
		}
		b = r.Binds[b].previous
	}
	return b
}

// maxBases bounds the chain of types in which a member is looked for.
const maxBases = 8

// MemberOf finds a member of a type, or of the types that it is made from, as far as they are in
// the file. 0 if it is in none.
func (r *Reader) MemberOf(key, name string) int32 {
	for range maxBases {
		if b := r.held[member{key, name}]; b != 0 {
			return b
		}
		bases := r.Types[key]
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

// ResultOf gives what a callable of a type gives, "" if the file does not say.
func (r *Reader) ResultOf(key, name string) string {
	of := key
	for range maxBases {
		if result, found := r.results[of+"."+name]; found {
			if result = r.Bare(result); result != "" && result == r.SelfType {
				return key
			}
			return result
		}
		if of = r.BaseOf(of); of == "" {
			break
		}
	}
	return ""
}

// BaseOf is the first type that a type of the file is made from, "" if there is none.
func (r *Reader) BaseOf(key string) string {
	if bases := r.Types[key]; len(bases) > 0 {
		return bases[0]
	}
	return ""
}

// MaxSteps bounds how far a type is followed along one expression, and maxSolving from one into another.
const (
	MaxSteps   = 64
	maxSolving = 32
)

// TypeOf gives the type of an expression in a frame as far as the file shows it, without what the
// grammar's bare takes off.
func (r *Reader) TypeOf(n Node, f int32) string {
	if r.depth >= maxSolving {
		return ""
	}
	r.depth++
	defer func() { r.depth-- }()
	for range MaxSteps {
		if n == 0 {
			return ""
		}
		kind := r.Kind(n)
		if r.Flagged(n, IsName) {
			return r.typeOfName(n, f)
		}
		if infer, found := r.Infer[kind]; found {
			t, next := infer(r, n, f)
			if next == 0 {
				return r.Bare(t)
			}
			n = next
			continue
		}
		if t, found := r.Literals[kind]; found {
			return t
		}
		if path, found := r.TypeAt[kind]; found {
			return r.Bare(r.WrittenAt(n, path))
		}
		if path, found := r.SameType[kind]; found {
			n = r.Find(n, path)
			continue
		}
		if r.Words[kind] {
			return r.Frames[f].Self
		}
		if kind == r.Base {
			return r.BaseOf(r.Frames[f].Self)
		}
		if c, found := r.Grammar.Calls[kind]; found {
			return r.TypeOfCall(n, c, f)
		}
		if a, found := r.Grammar.Members[kind]; found {
			object, member := a.parts(r, n)
			return r.TypeOfPart(r.TypeOf(object, f), r.Text(member))
		}
		field, found := r.Inner[kind]
		if !found {
			return ""
		}
		n = r.step(n, field)
	}
	return ""
}

func (r *Reader) typeOfName(n Node, f int32) string {
	name := r.Text(n)
	at := r.Lookup(name, f, n)
	if at.Binding == 0 {
		return ""
	}
	if key := Join(at.owner, name); !at.Local && r.IsType(key) {
		return key
	}
	return r.Solve(at.Binding)
}

// IsType reports whether the file defines a type with the key.
func (r *Reader) IsType(key string) bool {
	_, found := r.Types[key]
	return found
}

// TypeOfPart gives the type in a type, or that of one of its members.
func (r *Reader) TypeOfPart(t, name string) string {
	if t == "" {
		return ""
	}
	if key := t + "." + name; r.IsType(key) {
		return key
	}
	if b := r.MemberOf(t, name); b != 0 {
		return r.Solve(b)
	}
	return ""
}

// TypeOfCall gives the type that a call makes a value of: the callee itself if it is a type, or the callee's result.
func (r *Reader) TypeOfCall(n Node, c Call, f int32) string {
	callee := r.Field(n, c.Callee)
	object := r.Field(n, c.Object)
	if c.Object == "" {
		if a, found := r.Grammar.Members[r.Kind(callee)]; found && callee != 0 {
			object, callee = a.parts(r, callee)
		}
	}
	name := r.Text(callee)
	if object != 0 {
		return r.typeOfMethod(name, object, f)
	}
	if name == r.Base {
		return r.BaseOf(r.Frames[f].Self)
	}
	if !r.Flagged(callee, IsName) {
		return ""
	}
	at := r.Lookup(name, f, callee)
	if at.Local && r.Apart {
		at = r.lookupMember(name, f)
	}
	key := Join(at.owner, name)
	switch {
	case at.Local:
		return ""
	case r.IsType(key):
		return key
	case r.results[key] != "":
		return r.Bare(r.results[key])
	case at.FromOutside() && r.Makes != nil && r.Makes(name):
		return name
	}
	return r.ResultOf(at.owner, name)
}

// typeOfMethod gives the result of calling a name on an object.
func (r *Reader) typeOfMethod(name string, object Node, f int32) string {
	if t := r.TypeOf(object, f); t != "" {
		if key := t + "." + name; r.IsType(key) {
			return key
		}
		return r.ResultOf(t, name)
	}
	if r.Makes == nil || !r.Makes(name) {
		return ""
	}
	path, root := r.Path(object), r.RootOf(object)
	if path == code.Expression || root == 0 || !r.Lookup(r.Text(root), f, root).FromOutside() {
		return ""
	}
	return path + "." + name
}

// RootOf is the leaf that a path begins with, 0 if it begins with none that is a name.
func (r *Reader) RootOf(n Node) Node {
	for range MaxPath {
		if n == 0 || r.Flagged(n, IsName) {
			return n
		}
		a, found := r.Grammar.Members[r.Kind(n)]
		if !found {
			return 0
		}
		n, _ = a.parts(r, n)
	}
	return 0
}

// maxChain bounds how many values of a variable are compared.
const maxChain = 16

// Solve gives the type of what a binding holds. Where order does not tell which of several values
// is meant, they must all have it.
func (r *Reader) Solve(b int32) string {
	head := &r.Binds[b]
	if !head.solved {
		// A value that refers to itself finds no type.
		head.solved = true
		head.answer = r.solveChain(b)
	}
	return head.answer
}

func (r *Reader) solveChain(b int32) string {
	agreed := ""
	for i, links := b, 0; i != 0; i, links = r.Binds[i].previous, links+1 {
		one := r.Binds[i]
		if one.Typ != "" {
			return r.ownType(one)
		}
		if one.Value == Unset || r.Is(one.Value, r.Nothing...) {
			continue
		}
		t := r.TypeOf(one.Value, one.from)
		if t == "" || agreed != "" && t != agreed || links == maxChain {
			return ""
		}
		agreed = t
		if r.Ordered {
			break
		}
	}
	return agreed
}

// TypeWritten is the type of a binding as declared, "" if it says none.
func (r *Reader) TypeWritten(b int32) string {
	if b <= 0 {
		return ""
	}
	return r.Binds[b].Typ
}

// ownType gives the declared type of a binding. What stands for the surrounding type is that.
func (r *Reader) ownType(b Binding) string {
	t := r.Bare(b.Typ)
	if t != "" && t == r.SelfType {
		return r.Frames[b.from].Self
	}
	return t
}

// Join puts a key together.
func Join(container, name string) string {
	if container == "" {
		return name
	}
	return container + "." + name
}

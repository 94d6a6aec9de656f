package golang

import (
	"go/ast"
	"go/types"
)

// binding is one name that a function or a type's parameters bind.
type binding struct {
	name   string
	typ    ast.Expr // type of a variable, what a type stands for; nil if it does not show
	isType bool
	hides  int // index of the binding of the same name around it, -1 for none
}

// scope is the stack of the names bound where the walk is. A name is bound from its declaration
// to the end of its block.
type scope struct {
	bound  []binding
	latest map[string]int // index of the innermost binding of a name
	block  int            // index of the first binding of the innermost block
}

// open begins a block and returns what close needs to end it.
func (s *scope) open() (around int) {
	around, s.block = s.block, len(s.bound)
	return around
}

// close ends the innermost block and unbinds its names.
func (s *scope) close(around int) {
	for i := len(s.bound) - 1; i >= s.block; i-- {
		if b := s.bound[i]; b.hides >= 0 {
			s.latest[b.name] = b.hides
		} else {
			delete(s.latest, b.name)
		}
	}
	s.bound, s.block = s.bound[:s.block], around
}

// bind makes a name known until the end of the block. The blank name and none bind nothing.
func (s *scope) bind(b binding) {
	if b.name == "" || b.name == "_" {
		return
	}
	b.hides = -1
	if hidden, found := s.latest[b.name]; found {
		b.hides = hidden
	}
	s.latest[b.name] = len(s.bound)
	s.bound = append(s.bound, b)
}

// find is the innermost binding of a name.
func (s *scope) find(name string) (binding, bool) {
	if i, found := s.latest[name]; found {
		return s.bound[i], true
	}
	return binding{}, false
}

// inBlock reports whether the innermost block itself binds a name, so that := does not bind it anew.
func (s *scope) inBlock(name string) bool {
	i, found := s.latest[name]
	return found && i >= s.block
}

// predeclared reports whether a name is bound in every Go file.
func predeclared(name string) bool { return types.Universe.Lookup(name) != nil }

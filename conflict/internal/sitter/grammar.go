//go:build cgo

package syntax

import (
	"bytes"
	"path"
	"strings"
	"sync"
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// grammar is all that the reader knows of one language. The kinds and fields of nodes are those of
// the language's tree-sitter grammar.
//
// A file is read in two passes over its nodes, both from front to back. In the first one the rules
// say what each node means:
// they list definitions and imports, bind names and mark the leaves that stand for a declared name,
// a callee, a member and so on.
// In the second one the reader resolves every name that no rule has taken out and lists it as a
// reference if it is bound nowhere inside a function.
type grammar struct {
	// pointer gives the C grammar.
	pointer func() unsafe.Pointer
	// dialects are the grammars to take instead for files with these endings.
	dialects map[string]*grammar

	// names are the leaves that refer to something unless a rule says otherwise.
	names []string
	// words are leaves that may begin a path without being references. Those set to true have the
	// type that they stand in: this.
	words map[string]bool
	// comments are no part of what the code says.
	comments []string
	// docs are nodes that say nothing but what a definition is for where they hold a mere string
	// and stand first in its body.
	docs []string
	// tokens are nodes to take as one piece in spite of their children, such as the text of a string.
	tokens []string
	// blocks are nodes whose extent is not to be seen from their tokens, but from the layout.
	blocks []string

	// members are nodes that take a part out of a value or a module, with the fields of the two.
	members map[string]access
	// calls are nodes that call something.
	calls map[string]call
	// inner are nodes that stand for a child of theirs: the field of it, "" for the first named
	// one, lastPart for the last one.
	// Parentheses and type arguments are such.
	inner map[string]string
	// named are arguments that may be given by name, with the field of the name, "" for the first named child.
	named map[string]string
	// spread are arguments that stand for any number of them, or hold such a node as their first named child.
	spread []string

	// ordered is set where a name is bound from its declaration on, and not all over the block.
	ordered bool
	// bareMembers is set where the members of the surrounding type can be named without this.
	bareMembers bool
	// namedMembers is set where members of a type can only be named with an object or the type
	// before them, even among themselves. Those of enumerations can.
	namedMembers bool

	// apart is set where functions and variables have names apart, so that a local variable does not hide a method.
	apart bool

	// typeOnly reports whether a name stands where only types and modules can, in an ordered
	// language. Variables do not hide them there. It may be nil.
	typeOnly func(r *reader, at node) bool

	// rules say what nodes mean, by kind. A rule runs after what the tables above say of the node
	// and before the node's children.
	rules map[string]rule
	// infer gives the type of expressions of a kind, or else another expression that has the same type.
	infer map[string]func(r *reader, n node, f int32) (string, node)
	// base is the word, or the function, that stands for what the surrounding type is made from: super.
	base string
	// selfType is the type that stands for the surrounding one in results.
	selfType string
	// builtin are names of the language itself, which are no references where the file does not bind them.
	builtin []string
	// nothing are values that say nothing of a variable's type: null.
	nothing []string
	// bare takes off a type, as written, what is not its name: type arguments, pointers, and the absence of a value.
	bare func(string) string
	// makes reports whether a call of this name, which the file does not define, makes a value of a
	// type with the name. It may be nil.
	makes func(name string) bool

	once sync.Once
	made *table
}

// lastPart stands for the last part of a node in place of a field.
const lastPart = "<last>"

// rule reads one node.
type rule func(r *reader, n node)

// access names the fields of a node that takes a member out of an object. Without names they are
// its first and its last part.
type access struct{ object, member string }

// call names the fields of a node that calls something. A call with an object field calls its callee on the object.
type call struct{ callee, arguments, object string }

// The flags of kinds of nodes.
const (
	isNamed = 1 << iota
	isName
	isComment
	isToken
	isBlock
	isSpread
	isDoc
)

// table is a grammar by the numbers of its kinds and fields.
type table struct {
	language *sitter.Language
	kinds    []string
	fields   []string
	flags    []uint8
	rules    [][]rule
}

// compiled gives the grammar's table, made once.
func (g *grammar) compiled() *table {
	g.once.Do(func() { g.made = g.compile() })
	return g.made
}

func (g *grammar) compile() *table {
	l := sitter.NewLanguage(g.pointer())
	n := int(l.NodeKindCount())
	t := &table{language: l, kinds: make([]string, n), fields: make([]string, l.FieldCount()+1),
		flags: make([]uint8, n), rules: make([][]rule, n)}
	flags := g.flags()
	for i := range t.kinds {
		id := uint16(i)
		kind := l.NodeKindForId(id)
		t.kinds[i] = kind
		if !l.NodeKindIsNamed(id) {
			t.rules[i] = g.rulesFor("'" + kind)
			t.flags[i] = flags["'"+kind]
			continue
		}
		t.flags[i] = isNamed | flags[kind]
		t.rules[i] = g.rulesFor(kind)
	}
	for i := 1; i < len(t.fields); i++ {
		t.fields[i] = l.FieldNameForId(uint16(i))
	}
	return t
}

// flags collects what the lists say of each kind.
func (g *grammar) flags() map[string]uint8 {
	all := map[string]uint8{}
	for flag, kinds := range map[uint8][]string{isName: g.names, isComment: g.comments, isToken: g.tokens,
		isBlock: g.blocks, isSpread: g.spread, isDoc: g.docs} {
		for _, kind := range kinds {
			all[kind] |= flag
		}
	}
	return all
}

// rulesFor gives what is to do at nodes of a kind, in order.
func (g *grammar) rulesFor(kind string) (all []rule) {
	if a, found := g.members[kind]; found {
		all = append(all, a.mark)
	}
	if c, found := g.calls[kind]; found {
		all = append(all, c.mark)
	}
	if own, found := g.rules[kind]; found {
		all = append(all, own)
	}
	return all
}

// dialect is the grammar for a file of the language.
func (g *grammar) dialect(name string) *grammar {
	if d, found := g.dialects[strings.ToLower(path.Ext(name))]; found {
		return d
	}
	return g
}

// Parse reads a file in the language of the grammar.
func (g *grammar) Parse(language Language, name string, data []byte) File {
	if at := firstNotUTF8(data); at >= 0 {
		return File{Language: language, Faults: []Fault{{Line: 1 + bytes.Count(data[:at], []byte("\n")),
			Reason: "not UTF-8 text"}}}
	}
	g = g.dialect(name)
	return newReader(g, parseTree(g.compiled(), data), name).read(language)
}

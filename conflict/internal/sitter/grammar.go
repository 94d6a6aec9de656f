//go:build cgo

package sitter

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Grammar is all that the reader knows of one language. The kinds and fields of nodes are those of
// the language's tree-sitter grammar. A key of a table is one kind or several with spaces between.
//
// A file is read in two passes over its nodes, both from front to back. In the first one the rules
// say what each node means: they list definitions and imports, bind names and mark the leaves that
// stand for a declared name, a callee, a member and so on. In the second one the reader resolves
// every name that no rule has taken out and lists it as a reference if it is bound nowhere inside a
// function.
type Grammar struct {
	// Pointer gives the C grammar.
	Pointer func() unsafe.Pointer
	// Dialects are the grammars to take instead for files with these endings.
	Dialects map[string]*Grammar

	// Names are the leaves that refer to something unless a rule says otherwise.
	Names []string
	// Words are leaves that may begin a path without being references. Those set to true have the
	// type that they stand in: this.
	Words map[string]bool
	// Comments are no part of what the code says.
	Comments []string
	// Docs are nodes that say nothing but what a definition is for where they hold a mere string
	// and stand first in its body.
	Docs []string
	// Tokens are nodes to take as one piece in spite of their children, such as the text of a string.
	Tokens []string
	// Blocks are nodes whose extent is not to be seen from their tokens, but from the layout.
	Blocks []string

	// Members are nodes that take a part out of a value or a module, with the fields of the two.
	Members map[string]Access
	// Calls are nodes that call something.
	Calls map[string]Call
	// Inner are nodes that stand for a child of theirs, with the step to it. Parentheses and type
	// arguments are such.
	Inner map[string]string
	// Named are arguments that may be given by name, with the step to the name.
	Named map[string]string
	// Spread are arguments that stand for any number of them, or hold such a node as their first named child.
	Spread []string

	// Closures are functions that are written in place, or named as a value, with the step to their parameters.
	Closures map[string]string
	// FunctionNames is set where a mere name hands over a function.
	FunctionNames bool

	// Ordered is set where a name is bound from its declaration on, and not all over the block.
	Ordered bool
	// BareMembers is set where the members of the surrounding type can be named without this.
	BareMembers bool
	// NamedMembers is set where members of a type can only be named with an object or the type
	// before them, even among themselves. Those of enumerations can.
	NamedMembers bool

	// Apart is set where functions and variables have names apart, so that a local variable does not hide a method.
	Apart bool

	// TypeOnly reports whether a name stands where only types and modules can, in an ordered
	// language. Variables do not hide them there. It may be nil.
	TypeOnly func(r *Reader, at Node) bool

	// Declares and Variables are nodes that declare something.
	Declares  map[string]Declaration
	Variables map[string]Variable
	// Rules say what other nodes mean, by kind. A rule runs after what the tables above say of the
	// node and before the node's children.
	Rules map[string]Rule
	// Describe fills in what a declaration says of itself in its modifiers and by its place: its
	// visibility at least. A name that it sets is one by which nothing can refer to the definition.
	Describe func(r *Reader, n Node, d *code.Definition)
	// Params reads a list of parameters.
	Params func(r *Reader, list Node) []Parameter
	// Bodiless is set where functions without a body list their parameters as Locals too.
	Bodiless bool
	// Targets are the names that something binds which a value is assigned to, and Local lists one of them.
	Targets func(r *Reader, target Node) []Node
	Local   func(r *Reader, typ string, s Site)

	// TypeAt leads to the type that an expression names, and SameType to another expression of its type.
	TypeAt, SameType map[string]string
	Infer            map[string]Infer
	// Held says how a frame holds an object, and 0 stands for the value that the code around belongs to. It may be nil.
	Held func(r *Reader, object Node, f int32) code.Holding
	// Literals are the types of values that are written out, as the language calls them.
	Literals map[string]string
	// Base is the word, or the function, that stands for what the surrounding type is made from: super.
	Base string
	// SelfType is the type that stands for the surrounding one in results.
	SelfType string
	// Builtin are names of the language itself, which are no references where the file does not bind them.
	Builtin []string
	// Nothing are values that say nothing of a variable's type: null.
	Nothing []string
	// Bare takes off a type, as written, what is not its name: type arguments, pointers, and the absence of a value.
	Bare func(string) string
	// Makes reports whether a call of this name, which the file does not define, makes a value of a
	// type with the name. It may be nil.
	Makes func(name string) bool

	once sync.Once
	made *table
}

// Infer gives the type of an expression in a frame, or else another expression that has the same type.
type Infer func(r *Reader, n Node, f int32) (string, Node)

// Rule reads one node.
type Rule func(r *Reader, n Node)

// Access has the steps from a node to an object and to the member that it takes out of it, as Find has them.
type Access struct{ Object, Member string }

// Call names the fields of a node that calls something. A call with an object field calls its callee on the object.
type Call struct{ Callee, Arguments, Object string }

// The flags of kinds of nodes.
const (
	isNamed = 1 << iota
	IsName
	IsComment
	isToken
	isBlock
	isSpread
	isDoc
)

// table is a grammar by the numbers of its kinds and fields.
type table struct {
	language *sitter.Language
	kinds    []string
	Fields   []string
	flags    []uint8
	rules    [][]Rule
}

// compiled gives the grammar's table, made once.
func (g *Grammar) compiled() *table {
	g.once.Do(func() { g.made = g.compile() })
	return g.made
}

func (g *Grammar) compile() *table {
	l := sitter.NewLanguage(g.Pointer())
	n := int(l.NodeKindCount())
	t := &table{language: l, kinds: make([]string, n), Fields: make([]string, l.FieldCount()+1),
		flags: make([]uint8, n), rules: make([][]Rule, n)}
	flags, rules := g.flags(), g.allRules()
	for i := range t.kinds {
		id := uint16(i)
		kind := l.NodeKindForId(id)
		t.kinds[i] = kind
		if l.NodeKindIsNamed(id) {
			t.flags[i], t.rules[i] = isNamed|flags[kind], rules[kind]
		}
	}
	for i := 1; i < len(t.Fields); i++ {
		t.Fields[i] = l.FieldNameForId(uint16(i))
	}
	return t
}

// flags collects what the lists say of each kind.
func (g *Grammar) flags() map[string]uint8 {
	all := map[string]uint8{}
	for flag, kinds := range map[uint8][]string{IsName: g.Names, IsComment: g.Comments, isToken: g.Tokens,
		isBlock: g.Blocks, isSpread: g.Spread, isDoc: g.Docs} {
		for _, kind := range kinds {
			all[kind] |= flag
		}
	}
	return all
}

// allRules gives what is to do at nodes of each kind, in order.
func (g *Grammar) allRules() map[string][]Rule {
	g.Members, g.Calls, g.Inner, g.Named = byKind(g.Members), byKind(g.Calls), byKind(g.Inner), byKind(g.Named)
	g.TypeAt, g.SameType, g.Infer = byKind(g.TypeAt), byKind(g.SameType), byKind(g.Infer)
	g.Literals = byKind(g.Literals)
	all := map[string][]Rule{}
	for kind, a := range g.Members {
		all[kind] = append(all[kind], a.mark)
	}
	for kind, c := range g.Calls {
		all[kind] = append(all[kind], c.mark)
	}
	for kind, d := range byKind(g.Declares) {
		all[kind] = append(all[kind], d.Read)
	}
	for kind, v := range byKind(g.Variables) {
		all[kind] = append(all[kind], v.read)
	}
	for kind, rule := range byKind(g.Rules) {
		all[kind] = append(all[kind], rule)
	}
	return all
}

// byKind gives a table an entry for each kind.
func byKind[V any](table map[string]V) map[string]V {
	all := map[string]V{}
	for kinds, v := range table {
		for kind := range strings.FieldsSeq(kinds) {
			all[kind] = v
		}
	}
	return all
}

// Parser is what reads files of a language by the grammar, which is compiled when the first is read.
func (g *Grammar) Parser(language code.Language) func(name string, data []byte) code.File {
	return func(name string, data []byte) code.File {
		if at := lang.FirstNotUTF8(data); at >= 0 {
			return code.File{Language: language, Faults: []code.Fault{{Line: 1 + bytes.Count(data[:at], []byte("\n")),
				Reason: "not UTF-8 text"}}}
		}
		g := cmp.Or(g.Dialects[strings.ToLower(path.Ext(name))], g)
		f := newReader(g, parseTree(g.compiled(), data), name).read(language)
		markInside(&f)
		return f
	}
}

// markInside finds the imports that stand in functions.
func markInside(f *code.File) {
	for i, imp := range f.Imports {
		f.Imports[i].Inside = slices.ContainsFunc(f.Definitions, func(d code.Definition) bool {
			return d.Callable() && d.Line < imp.Line && imp.Line <= d.End
		})
	}
}

//go:build cgo

package sitter

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/text/shorten"
)

// Node is a node of a tree by its number, counted from front to back and parents before children.
// The root is 0, and as it is nobody's child, 0 also stands for no node.
type Node int32

// cell is what a tree keeps of a node.
type cell struct {
	Start, End uint32 // bytes
	After      Node   // the first one behind the node and all that it holds
	parent     Node
	Mark       int32 // into reader.marks, 0 for none
	kind       uint16
	Field      uint16 // in the parent, 0 for none
	skip       bool   // no reference: a declared name, a key
	root       bool   // the begin of a path
}

// tree is a file's syntax tree, copied out of C once so that nothing after it crosses over again.
type tree struct {
	*table
	Source  string
	lines   []uint32 // the offsets at which lines start
	Cells   []cell
	missing []Node // tokens that the parser put in
	broken  []Node // what the parser made no sense of
	stuck   int    // the line on which the parser gave up, 0 if it did not
}

// errorKind is the number that tree-sitter gives to what it made no sense of.
const errorKind = 0xffff

// parseTree reads a whole file, which must be UTF-8.
func parseTree(tb *table, data []byte) *tree {
	p := sitter.NewParser()
	defer p.Close()
	t := &tree{table: tb, Source: string(data), lines: []uint32{0}}
	for i := range len(data) {
		if data[i] == '\n' {
			t.lines = append(t.lines, uint32(i)+1)
		}
	}
	// The languages come with the parser that this package is built with, so that their versions fit.
	_ = p.SetLanguage(tb.language)
	checks, reached := 0, uint32(0)
	most := len(data)/bytesPerCheck + leastChecks
	parsed := p.ParseWithOptions(func(at int, _ sitter.Point) []byte {
		return data[min(at, len(data)):]
	}, nil, &sitter.ParseOptions{
		// The parser never lets go of this function, which is why it holds on to two numbers and not to the source.
		ProgressCallback: func(s sitter.ParseState) bool {
			checks, reached = checks+1, s.CurrentByteOffset
			return checks > most
		},
	})
	if parsed == nil {
		t.stuck = t.lineAt(reached)
		t.Cells = []cell{{kind: errorKind, After: 1, End: uint32(len(data))}}
		return t
	}
	defer parsed.Close()
	t.copyFrom(parsed)
	return t
}

// The parser asks every hundred steps whether to go on. Source code takes it one question for 60
// bytes and more, however broken it is; but there are texts of which it tries to make sense for
// ever.
const (
	bytesPerCheck = 16
	leastChecks   = 1000
)

// copyFrom takes over all nodes in one walk, which is not recursive however deep the tree is.
func (t *tree) copyFrom(parsed *sitter.Tree) {
	c := parsed.Walk()
	defer c.Close()
	// Source code has a node every three to four bytes.
	t.Cells = make([]cell, 0, len(t.Source)/3+16)
	up := Node(0)
	faulty := parsed.RootNode().HasError()
	for {
		n := Node(len(t.Cells))
		t.add(c, up)
		if faulty {
			t.noteFault(c.Node(), n)
		}
		if c.GotoFirstChild() {
			up = n
			continue
		}
		t.Cells[n].After = n + 1
		for !c.GotoNextSibling() {
			if !c.GotoParent() {
				return
			}
			t.Cells[up].After = Node(len(t.Cells))
			up = t.Cells[up].parent
		}
	}
}

func (t *tree) add(c *sitter.TreeCursor, up Node) {
	n := c.Node()
	t.Cells = append(t.Cells, cell{
		Start: uint32(n.StartByte()), End: uint32(n.EndByte()), parent: up, kind: n.KindId(), Field: c.FieldId(),
	})
}

func (t *tree) noteFault(n *sitter.Node, at Node) {
	switch c := t.Cells[at]; {
	case c.kind == errorKind:
		t.broken = append(t.broken, at)
	case c.Start == c.End && n.IsMissing():
		t.missing = append(t.missing, at)
	}
}

// faults lists the first places that the parser could not read.
func (t *tree) faults() []code.Fault {
	if t.stuck != 0 {
		return []code.Fault{{Line: t.stuck, Reason: "parsing does not come to an end"}}
	}
	places := slices.Concat(t.broken, t.missing)
	slices.Sort(places)
	var all []code.Fault
	for _, n := range places[:min(len(places), lang.MostFaults)] {
		reason := fmt.Sprintf("missing %q", t.Kind(n))
		if t.Cells[n].kind == errorKind {
			line, _, _ := strings.Cut(t.Text(n), "\n")
			reason = fmt.Sprintf("unexpected %q", shorten.Runes(line, 30))
		}
		all = append(all, code.Fault{Line: t.Line(n), Reason: reason})
	}
	return all
}

// Kind names what the node is: in the language's grammar, or ERROR.
func (t *tree) Kind(n Node) string {
	if k := t.Cells[n].kind; int(k) < len(t.kinds) {
		return t.kinds[k]
	}
	return "ERROR"
}

// Is reports whether the node is of one of the kinds. No node, or Unset, is of none.
func (t *tree) Is(n Node, kinds ...string) bool {
	return n > 0 && slices.Contains(kinds, t.Kind(n))
}

func (t *tree) Flagged(n Node, flag uint8) bool {
	k := t.Cells[n].kind
	return int(k) < len(t.flags) && t.flags[k]&flag != 0
}

// Has reports whether one of the node's children is one of these tokens.
func (t *tree) Has(n Node, tokens ...string) bool { return t.Child(n, tokens...) != 0 }

// Text is a part of the source, which must not leave the reader. No node has no text.
func (t *tree) Text(n Node) string {
	if n == 0 {
		return ""
	}
	return t.Source[t.Cells[n].Start:t.Cells[n].End]
}

func (t *tree) Parent(n Node) Node { return t.Cells[n].parent }

// Leaf reports whether the node has no children.
func (t *tree) Leaf(n Node) bool { return t.Cells[n].After == n+1 }

// Children goes through all children, tokens and comments included.
func (t *tree) Children(n Node) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		after := t.Cells[n].After
		for c := n + 1; c < after; c = t.Cells[c].After {
			if !yield(c) {
				return
			}
		}
	}
}

// Parts goes through the children that are neither bare tokens nor comments.
func (t *tree) Parts(n Node) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n == 0 {
			return
		}
		for c := range t.Children(n) {
			if t.Flagged(c, isNamed) && !t.Flagged(c, IsComment) && !yield(c) {
				return
			}
		}
	}
}

// NextPart is the part of the node's parent that follows it, 0 if there is none.
func (t *tree) NextPart(n Node) Node {
	if n == 0 {
		return 0
	}
	for c := t.Cells[n].After; c < t.Cells[t.Parent(n)].After; c = t.Cells[c].After {
		if t.Flagged(c, isNamed) && !t.Flagged(c, IsComment) {
			return c
		}
	}
	return 0
}

// PreviousPart is the part of the node's parent that stands before it, 0 if there is none.
func (t *tree) PreviousPart(n Node) Node {
	up := t.Parent(n)
	for c := n - 1; c > up; c-- {
		for t.Parent(c) != up {
			c = t.Parent(c)
		}
		if t.Flagged(c, isNamed) && !t.Flagged(c, IsComment) {
			return c
		}
	}
	return 0
}

// First is the first of the node's parts, 0 if there is none.
func (t *tree) First(n Node) Node {
	for c := range t.Parts(n) {
		return c
	}
	return 0
}

// Last is the last of the node's parts, 0 if there is none.
func (t *tree) Last(n Node) (last Node) {
	for c := range t.Parts(n) {
		last = c
	}
	return last
}

// Field is the child in the field, 0 if there is none. No node has none.
func (t *tree) Field(n Node, name string) Node {
	for c := range t.InField(n, name) {
		return c
	}
	return 0
}

// InField goes through all children in the field.
func (t *tree) InField(n Node, name string) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n == 0 {
			return
		}
		for c := range t.Children(n) {
			if f := t.Cells[c].Field; f != 0 && t.Fields[f] == name && !t.Flagged(c, IsComment) && !yield(c) {
				return
			}
		}
	}
}

// Child is the first child of one of the kinds, bare tokens included, 0 if there is none.
func (t *tree) Child(n Node, kinds ...string) Node {
	if n == 0 {
		return 0
	}
	for c := range t.Children(n) {
		if t.Is(c, kinds...) {
			return c
		}
	}
	return 0
}

// Line is the line on which the node begins, from 1.
func (t *tree) Line(n Node) int { return t.lineAt(t.Cells[n].Start) }

// lastLine is the line on which the node's last token ends, from 1.
func (t *tree) lastLine(n Node) int {
	text := strings.TrimRight(t.Source[t.Cells[n].Start:t.Cells[n].End], " \t\r\n")
	return t.lineAt(t.Cells[n].Start + uint32(max(len(text), 1)) - 1)
}

func (t *tree) lineAt(offset uint32) int {
	i, found := slices.BinarySearch(t.lines, offset)
	if found {
		i++
	}
	return i
}

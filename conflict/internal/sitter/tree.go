//go:build cgo

package syntax

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// node is a node of a tree by its number, counted from front to back and parents before children.
// The root is 0, and as it is nobody's child, 0 also stands for no node.
type node int32

// cell is what a tree keeps of a node.
type cell struct {
	start, end uint32 // bytes
	after      node   // the first one behind the node and all that it holds
	parent     node
	mark       int32 // into reader.marks, 0 for none
	kind       uint16
	field      uint16 // in the parent, 0 for none
}

// tree is a file's syntax tree, copied out of C once so that nothing after it crosses over again.
type tree struct {
	*table
	source  string
	lines   []uint32 // the offsets at which lines start
	cells   []cell
	missing []node // tokens that the parser put in
	broken  []node // what the parser made no sense of
	stuck   int    // the line on which the parser gave up, 0 if it did not
}

// errorKind is the number that tree-sitter gives to what it made no sense of.
const errorKind = 0xffff

// parseTree reads a whole file, which must be UTF-8.
func parseTree(tb *table, data []byte) *tree {
	p := sitter.NewParser()
	defer p.Close()
	t := &tree{table: tb, source: string(data), lines: []uint32{0}}
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
		t.cells = []cell{{kind: errorKind, after: 1, end: uint32(len(data))}}
		return t
	}
	defer parsed.Close()
	t.copyFrom(parsed)
	return t
}

// The parser asks every hundred steps whether to go on. Source code takes it one question for 60
// bytes and more, however broken it is;
// but there are texts of which it tries to make sense for ever.
const (
	bytesPerCheck = 16
	leastChecks   = 1000
)

// copyFrom takes over all nodes in one walk, which is not recursive however deep the tree is.
func (t *tree) copyFrom(parsed *sitter.Tree) {
	c := parsed.Walk()
	defer c.Close()
	// Source code has a node every three to four bytes.
	t.cells = make([]cell, 0, len(t.source)/3+16)
	up := node(0)
	faulty := parsed.RootNode().HasError()
	for {
		n := node(len(t.cells))
		t.add(c, up)
		if faulty {
			t.noteFault(c.Node(), n)
		}
		if c.GotoFirstChild() {
			up = n
			continue
		}
		t.cells[n].after = n + 1
		for !c.GotoNextSibling() {
			if !c.GotoParent() {
				return
			}
			t.cells[up].after = node(len(t.cells))
			up = t.cells[up].parent
		}
	}
}

func (t *tree) add(c *sitter.TreeCursor, up node) {
	n := c.Node()
	t.cells = append(t.cells, cell{
		start: uint32(n.StartByte()), end: uint32(n.EndByte()), parent: up, kind: n.KindId(), field: c.FieldId(),
	})
}

func (t *tree) noteFault(n *sitter.Node, at node) {
	switch c := t.cells[at]; {
	case c.kind == errorKind:
		t.broken = append(t.broken, at)
	case c.start == c.end && n.IsMissing():
		t.missing = append(t.missing, at)
	}
}

// faults lists the first places that the parser could not read.
func (t *tree) faults() []Fault {
	if t.stuck != 0 {
		return []Fault{{Line: t.stuck, Reason: "parsing does not come to an end"}}
	}
	places := slices.Concat(t.broken, t.missing)
	slices.Sort(places)
	var all []Fault
	for _, n := range places[:min(len(places), mostFaults)] {
		reason := fmt.Sprintf("missing %q", t.kind(n))
		if t.cells[n].kind == errorKind {
			reason = fmt.Sprintf("unexpected %q", shorten(t.text(n)))
		}
		all = append(all, Fault{Line: t.line(n), Reason: reason})
	}
	return all
}

// shorten gives the begin of a text's first line.
func shorten(text string) string {
	const most = 30
	line, _, _ := strings.Cut(text, "\n")
	count := 0
	for i := range line {
		if count++; count > most {
			return line[:i] + "…"
		}
	}
	return line
}

// kind names what the node is: in the language's grammar, or ERROR.
func (t *tree) kind(n node) string {
	if k := t.cells[n].kind; int(k) < len(t.kinds) {
		return t.kinds[k]
	}
	return "ERROR"
}

// is reports whether the node is of one of the kinds. No node is of none.
func (t *tree) is(n node, kinds ...string) bool {
	return n != 0 && slices.Contains(kinds, t.kind(n))
}

func (t *tree) flagged(n node, flag uint8) bool {
	k := t.cells[n].kind
	return int(k) < len(t.flags) && t.flags[k]&flag != 0
}

// has reports whether one of the node's children is one of these tokens.
func (t *tree) has(n node, tokens ...string) bool { return t.child(n, tokens...) != 0 }

// text is a part of the source, which must not leave the reader. No node has no text.
func (t *tree) text(n node) string {
	if n == 0 {
		return ""
	}
	return t.source[t.cells[n].start:t.cells[n].end]
}

func (t *tree) parent(n node) node { return t.cells[n].parent }

// leaf reports whether the node has no children.
func (t *tree) leaf(n node) bool { return t.cells[n].after == n+1 }

// children goes through all children, tokens and comments included.
func (t *tree) children(n node) iter.Seq[node] {
	return func(yield func(node) bool) {
		after := t.cells[n].after
		for c := n + 1; c < after; c = t.cells[c].after {
			if !yield(c) {
				return
			}
		}
	}
}

// parts goes through the children that are neither bare tokens nor comments.
func (t *tree) parts(n node) iter.Seq[node] {
	return func(yield func(node) bool) {
		if n == 0 {
			return
		}
		for c := range t.children(n) {
			if t.flagged(c, isNamed) && !t.flagged(c, isComment) && !yield(c) {
				return
			}
		}
	}
}

// nextPart is the part of the node's parent that follows it, 0 if there is none.
func (t *tree) nextPart(n node) node {
	if n == 0 {
		return 0
	}
	for c := t.cells[n].after; c < t.cells[t.parent(n)].after; c = t.cells[c].after {
		if t.flagged(c, isNamed) && !t.flagged(c, isComment) {
			return c
		}
	}
	return 0
}

// previousPart is the part of the node's parent that stands before it, 0 if there is none.
func (t *tree) previousPart(n node) node {
	up := t.parent(n)
	for c := n - 1; c > up; c-- {
		for t.parent(c) != up {
			c = t.parent(c)
		}
		if t.flagged(c, isNamed) && !t.flagged(c, isComment) {
			return c
		}
	}
	return 0
}

// first is the first of the node's parts, 0 if there is none.
func (t *tree) first(n node) node {
	for c := range t.parts(n) {
		return c
	}
	return 0
}

// last is the last of the node's parts, 0 if there is none.
func (t *tree) last(n node) (last node) {
	for c := range t.parts(n) {
		last = c
	}
	return last
}

// field is the child in the field, 0 if there is none. No node has none.
func (t *tree) field(n node, name string) node {
	for c := range t.inField(n, name) {
		return c
	}
	return 0
}

// inField goes through all children in the field.
func (t *tree) inField(n node, name string) iter.Seq[node] {
	return func(yield func(node) bool) {
		if n == 0 {
			return
		}
		for c := range t.children(n) {
			if f := t.cells[c].field; f != 0 && t.fields[f] == name && !t.flagged(c, isComment) && !yield(c) {
				return
			}
		}
	}
}

// child is the first child of one of the kinds, bare tokens included, 0 if there is none.
func (t *tree) child(n node, kinds ...string) node {
	if n == 0 {
		return 0
	}
	for c := range t.children(n) {
		if t.is(c, kinds...) {
			return c
		}
	}
	return 0
}

// line is the line on which the node begins, from 1.
func (t *tree) line(n node) int { return t.lineAt(t.cells[n].start) }

// lastLine is the line on which the node's last token ends, from 1.
func (t *tree) lastLine(n node) int {
	text := strings.TrimRight(t.source[t.cells[n].start:t.cells[n].end], " \t\r\n")
	return t.lineAt(t.cells[n].start + uint32(max(len(text), 1)) - 1)
}

func (t *tree) lineAt(offset uint32) int {
	i, found := slices.BinarySearch(t.lines, offset)
	if found {
		i++
	}
	return i
}

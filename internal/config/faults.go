package config

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Fault is one thing that is wrong in a configuration file.
type Fault struct {
	// Line counts from 1; 0 means the file as a whole.
	Line int
	// Key is the dotted path of the key, such as profiles.claude.command, or empty.
	Key string
	// Reason says what is wrong and what to write instead.
	Reason string
}

// Error lists every fault of a configuration file, in the order of lines.
type Error struct {
	// Path names the file as it was given to Parse.
	Path string
	// Faults is never empty.
	Faults []Fault
}

// Error returns one line for each fault, in the form "path:line: key: reason".
func (e *Error) Error() string {
	var b strings.Builder
	for i, f := range e.Faults {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Path)
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d", f.Line)
		}
		b.WriteString(": ")
		if f.Key != "" {
			b.WriteString(f.Key + ": ")
		}
		b.WriteString(f.Reason)
	}
	return b.String()
}

// reader walks the syntax tree and collects faults instead of stopping at the first.
type reader struct {
	faults []Fault
}

// value is a node with the dotted key it stands under and the line to blame.
type value struct {
	key  string
	node ast.Node
	line int
}

// entry is one key of a mapping with its value.
type entry struct {
	name  string
	value value
}

// A check looks at one text and returns what is wrong with it, or "".
type check func(string) string

func noCheck(string) string { return "" }

func (r *reader) fault(f Fault) { r.faults = append(r.faults, f) }

func (r *reader) faultAt(v value, reason string) {
	r.fault(Fault{Line: v.line, Key: v.key, Reason: reason})
}

func lineOf(n ast.Node) int {
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		return tk.Position.Line
	}
	return 0
}

// kindOf names the kind of a node in a reader's words.
func kindOf(n ast.Node) string {
	switch n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.StringNode, *ast.LiteralNode:
		return "text"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "a truth value"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.AnchorNode, *ast.AliasNode:
		return "an anchor or alias (write the value out)"
	case *ast.MergeKeyNode:
		return "a merge key (write the values out)"
	case *ast.TagNode:
		return "a tagged value (remove the tag)"
	}
	return "this kind of value"
}

// empty reports whether a key was written without a value, which counts as absent.
func (v value) empty() bool {
	return v.node == nil || v.node.Type() == ast.NullType
}

// field is one key that a mapping may have, and what reads its value.
type field struct {
	name string
	read func(value)
}

package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
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

// The YAML parser takes quadratic time and a deep stack on nesting,
// which no configuration needs.
const (
	maxBrackets = 4096
	maxLine     = 64 << 10
)

// Load reads the configuration of the repository whose root folder is root.
// A missing file gives the defaults.
// A file that cannot be read is an error that wraps the operating system's;
// one that can be read but not accepted is an *Error.
func Load(root string) (Config, error) {
	path := filepath.Join(root, FileName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Default(), nil
	}
	if err != nil {
		return Config{}, fmt.Errorf("look at configuration %q: %w", path, err)
	}
	// Opening a named pipe would wait for a writer.
	if !info.Mode().IsRegular() {
		return Config{}, &Error{Path: path, Faults: []Fault{{Reason: "is not a regular file"}}}
	}
	f, err := os.Open(path)
	if err != nil {
		return Config{}, fmt.Errorf("open configuration %q: %w", path, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return Config{}, fmt.Errorf("read configuration %q: %w", path, err)
	}
	return Parse(path, data)
}

// Parse reads a configuration from data; path only names it in errors.
// Empty data gives the defaults.
// Every error is an *Error, and then the Config is the zero value.
func Parse(path string, data []byte) (Config, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	r := &reader{}
	cfg := Default()
	if r.checkBytes(data); len(r.faults) == 0 {
		if body := r.document(data); body != nil {
			r.config(&cfg, value{node: body, line: lineOf(body)})
		}
	}
	if len(r.faults) > 0 {
		sort.SliceStable(r.faults, func(i, j int) bool { return r.faults[i].Line < r.faults[j].Line })
		return Config{}, &Error{Path: path, Faults: r.faults}
	}
	return cfg, nil
}

// checkBytes refuses what must not reach the YAML parser.
func (r *reader) checkBytes(data []byte) {
	if len(data) > maxSize {
		r.fault(Fault{Reason: fmt.Sprintf("is larger than %d bytes", maxSize)})
		return
	}
	brackets := 0
	for i, line := range bytes.Split(data, []byte("\n")) {
		brackets += bytes.Count(line, []byte("[")) + bytes.Count(line, []byte("{"))
		switch {
		case !utf8.Valid(line):
			r.fault(Fault{Line: i + 1, Reason: "is not UTF-8 text"})
		case bytes.IndexByte(line, 0) >= 0:
			r.fault(Fault{Line: i + 1, Reason: "contains a NUL character"})
		case len(line) > maxLine:
			r.fault(Fault{Line: i + 1, Reason: fmt.Sprintf("line is longer than %d bytes", maxLine)})
		case brackets > maxBrackets:
			r.fault(Fault{Line: i + 1, Reason: fmt.Sprintf("more than %d opening brackets up to here", maxBrackets)})
			return
		}
	}
}

// document returns the body of the only document, or nil for an empty file or a fault.
func (r *reader) document(data []byte) ast.Node {
	file, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.syntax(err)
		return nil
	}
	var body ast.Node
	for _, d := range file.Docs {
		if d.Body == nil {
			continue
		}
		if _, ok := d.Body.(*ast.DirectiveNode); ok {
			continue
		}
		if body != nil {
			r.fault(Fault{Line: lineOf(d.Body), Reason: "a second YAML document begins here; keep one"})
			return nil
		}
		body = d.Body
	}
	return body
}

func (r *reader) syntax(err error) {
	var se *yaml.SyntaxError
	if errors.As(err, &se) && se.Token != nil && se.Token.Position != nil {
		r.fault(Fault{Line: se.Token.Position.Line, Reason: "is not valid YAML: " + se.Message})
		return
	}
	r.fault(Fault{Reason: "is not valid YAML: " + err.Error()})
}

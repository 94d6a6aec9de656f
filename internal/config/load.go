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
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

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
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
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
	if len(data) > MaxSize {
		r.fault(Fault{Reason: fmt.Sprintf("is larger than %d bytes", MaxSize)})
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
		r.fault(Fault{Line: se.Token.Position.Line, Reason: "YAML: " + se.Message})
		return
	}
	r.fault(Fault{Reason: "YAML: " + err.Error()})
}

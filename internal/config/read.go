package config

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/kballard/go-shellquote"
)

// mapping hands each value of v to the field of its name.
func (r *reader) mapping(v value, fields []field) {
	known := make([]string, len(fields))
	for i, f := range fields {
		known[i] = f.name
	}
next:
	for _, e := range r.entries(v) {
		for _, f := range fields {
			if e.name != f.name {
				continue
			}
			if !e.value.empty() {
				f.read(e.value)
			}
			continue next
		}
		r.faultAt(e.value, "unknown key; known here: "+strings.Join(known, ", "))
	}
}

// entries returns the keys of a mapping in the order of the file,
// without those that are faults themselves.
func (r *reader) entries(v value) []entry {
	if v.empty() {
		return nil
	}
	m, ok := v.node.(ast.MapNode)
	if !ok {
		r.faultAt(v, "must be a mapping of keys to values, not "+kindOf(v.node))
		return nil
	}
	var out []entry
	seen := map[string]int{}
	for it := m.MapRange(); it.Next(); {
		e, ok := r.entry(v, it.Key(), it.Value())
		if !ok {
			continue
		}
		if first, dup := seen[e.name]; dup {
			r.faultAt(e.value, fmt.Sprintf("given twice, first on line %d", first))
			continue
		}
		seen[e.name] = e.value.line
		out = append(out, e)
	}
	return out
}

func (r *reader) entry(parent value, key ast.MapKeyNode, node ast.Node) (entry, bool) {
	line := lineOf(key)
	switch key.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.BoolNode, *ast.NullNode, *ast.FloatNode:
	default:
		r.fault(Fault{Line: line, Key: parent.key, Reason: "a key must be a plain word, not " + kindOf(key)})
		return entry{}, false
	}
	name := key.GetToken().Value
	dotted := name
	if parent.key != "" {
		dotted = parent.key + "." + name
	}
	return entry{name, value{key: dotted, node: node, line: line}}, true
}

// section reads a mapping that has the fields.
func section(r *reader, fields ...field) func(value) {
	return func(v value) { r.mapping(v, fields) }
}

// elements are the values of a list, or a single value as a list of one.
func (v value) elements() []value {
	seq, ok := v.node.(*ast.SequenceNode)
	if !ok {
		return []value{v}
	}
	all := make([]value, len(seq.Values))
	for i, n := range seq.Values {
		all[i] = value{key: fmt.Sprintf("%s[%d]", v.key, i), node: n, line: max(v.line, lineOf(n))}
	}
	return all
}

// list reads texts that pass a check.
func (r *reader) list(dst *[]string, wrong check) func(value) {
	return func(v value) {
		var texts []string
		before := len(r.faults)
		for _, one := range v.elements() {
			var s string
			r.text(&s, wrong)(one)
			texts = append(texts, s)
		}
		if len(r.faults) == before {
			*dst = texts
		}
	}
}

// named is list for a key whose empty list means something else than its absence.
func (r *reader) named(dst *[]string, wrong check) func(value) {
	read := r.list(dst, wrong)
	return func(v value) {
		if read(v); *dst == nil {
			*dst = []string{}
		}
	}
}

// command reads a program and its arguments:
// a list, whose strings may be empty, is taken as it is, one string is split at its unquoted spaces.
func (r *reader) command(dst *[]string) func(value) {
	return func(v value) {
		var words []string
		before := len(r.faults)
		if _, isList := v.node.(*ast.SequenceNode); isList {
			for _, one := range v.elements() {
				s, isText := one.node.(*ast.StringNode)
				if isText && strings.TrimSpace(s.Value) == "" {
					words = append(words, s.Value)
					continue
				}
				var word string
				r.text(&word, noCheck)(one)
				words = append(words, word)
			}
		} else {
			var line string
			r.text(&line, func(s string) string {
				var err error
				if words, err = shellquote.Split(s); err != nil {
					return fmt.Sprintf("split %q into words: %v", s, err)
				}
				return ""
			})(v)
		}
		switch {
		case len(r.faults) > before:
		case len(words) == 0 || words[0] == "":
			r.faultAt(v, "names no program")
		default:
			*dst = words
		}
	}
}

// environment reads variables; numbers and truth values keep the text they were written with.
func (r *reader) environment(dst *map[string]string) func(value) {
	return func(v value) {
		env := map[string]string{}
		for _, e := range r.entries(v) {
			s, wrong := parseText(e.value.node)
			switch n := e.value.node.(type) {
			case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode:
				s, wrong = n.GetToken().Value, ""
			case *ast.NullNode:
				wrong = `has no value; write "" for an empty one`
			case *ast.StringNode:
				if s, wrong = n.Value, ""; strings.ContainsRune(s, 0) {
					wrong = hasNUL
				}
			}
			if wrong = cmp.Or(checkVariable(e.name), wrong); wrong != "" {
				r.faultAt(e.value, wrong)
			}
			env[e.name] = s
		}
		*dst = env
	}
}

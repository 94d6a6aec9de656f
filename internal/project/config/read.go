package config

import (
	"cmp"
	"delegate/internal/text/spelling"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/kballard/go-shellquote"
)

// scalar reads a single value; parse returns it, or what is wrong with the node and what to write instead.
func scalar[T any](r *reader, dst *T, parse func(ast.Node) (got T, wrong string)) func(value) {
	return func(v value) {
		got, wrong := parse(v.node)
		if wrong != "" {
			r.faultAt(v, wrong)
			return
		}
		*dst = got
	}
}

// text reads a text that passes the check.
func (r *reader) text(dst *string, wrong check) func(value) {
	return scalar(r, dst, func(n ast.Node) (string, string) {
		s, fault := parseText(n)
		if fault == "" {
			fault = wrong(s)
		}
		return s, fault
	})
}

// choice reads one of the given words, which are lower case, in any case of letters.
func (r *reader) choice(dst *string, words ...string) func(value) {
	return scalar(r, dst, func(n ast.Node) (string, string) {
		s, fault := parseText(n)
		if fault != "" {
			return "", fault
		}
		for _, w := range words {
			if strings.EqualFold(s, w) {
				return w, ""
			}
		}
		return "", fmt.Sprintf("%q is none of: %s", s, strings.Join(words, ", "))
	})
}

// hasNUL is the fault of a quoted scalar that spells a NUL as an escape: no path, argument or
// variable can hold one.
const hasNUL = "contains a NUL character"

// parseText returns the string that a node holds, without the line break at the end of a block.
func parseText(n ast.Node) (s, wrong string) {
	switch n := n.(type) {
	case *ast.StringNode:
		s = n.Value
	case *ast.LiteralNode:
		s = strings.TrimRight(n.Value.Value, "\n")
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "", fmt.Sprintf("must be text, not %s; put it in quotes: %q", kindOf(n), n.GetToken().Value)
	default:
		return "", "must be text, not " + kindOf(n)
	}
	switch {
	case strings.ContainsRune(s, 0):
		return "", hasNUL
	case strings.TrimSpace(s) == "":
		return "", "is empty; write a value or remove the key"
	}
	return s, ""
}

func parseFlag(n ast.Node) (flag bool, wrong string) {
	b, ok := n.(*ast.BoolNode)
	if !ok {
		return false, "must be true or false, not " + kindOf(n)
	}
	return b.Value, ""
}

func parseCount(n ast.Node) (count Count, wrong string) {
	i, ok := wholeNumber(n)
	switch {
	case !ok:
		return count, "must be a whole number, not " + kindOf(n)
	case i < 0:
		return count, "is negative; 0 turns the limit off"
	case i > math.MaxInt32:
		return count, "is too large; 0 turns the limit off"
	}
	return SetCount(int(i)), ""
}

// parsePrice reads a sum of money that is not negative.
func parsePrice(n ast.Node) (price float64, wrong string) {
	if token := n.GetToken(); token != nil {
		price, err := strconv.ParseFloat(token.Value, 64)
		if err == nil && price >= 0 && price <= math.MaxInt32 {
			return price, ""
		}
	}
	return 0, "must be a number of US dollars such as 2.50"
}

// parseBetween reads a whole number with bounds that belong to it.
func parseBetween(low, high int) func(ast.Node) (int, string) {
	return func(n ast.Node) (int, string) {
		i, ok := wholeNumber(n)
		if !ok || i < int64(low) || i > int64(high) {
			return 0, fmt.Sprintf("must be a whole number from %d to %d", low, high)
		}
		return int(i), ""
	}
}

// parseSize reads a whole number of bytes with an optional unit.
func parseSize(n ast.Node) (size Size, wrong string) {
	digits, unit := n.GetToken().Value, int64(1)
	for i, name := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if number, found := strings.CutSuffix(digits, name); found {
			digits, unit = strings.TrimSpace(number), int64(1)<<(10*(i+1))
		}
	}
	i, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || i < 0 || i > math.MaxInt64/unit || n.Type() != ast.StringType && n.Type() != ast.IntegerType {
		return 0, "must be a size such as 100MiB or 2GiB, or a whole number of bytes; 0 turns the limit off"
	}
	return Size(i * unit), ""
}

// parseBytes reads a limit on a size.
func parseBytes(n ast.Node) (limit Bytes, wrong string) {
	size, wrong := parseSize(n)
	return Bytes{set: true, value: size}, wrong
}

func parseSpan(n ast.Node) (span Span, wrong string) {
	const most = math.MaxInt64 / int64(time.Second)
	written := n.GetToken().Value
	d, err := time.ParseDuration(written)
	if err != nil {
		var seconds int64
		seconds, err = strconv.ParseInt(written, 10, 64)
		if seconds > most || seconds < -most {
			err = strconv.ErrRange
		}
		d = time.Duration(seconds) * time.Second
	}
	switch {
	case err != nil, n.Type() != ast.StringType && n.Type() != ast.IntegerType:
		return span, "must be a duration such as 90s, 10m or 1h30m, or a whole number of seconds"
	case d < 0:
		return span, "is negative; 0 turns the limit off"
	}
	return setSpan(d), ""
}

// wholeNumber takes decimal digits only: octal and hexadecimal spellings of a limit surprise.
func wholeNumber(n ast.Node) (int64, bool) {
	if n.Type() != ast.IntegerType {
		return 0, false
	}
	i, err := strconv.ParseInt(n.GetToken().Value, 10, 64)
	return i, err == nil
}

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
		said := "unknown key; known here: " + strings.Join(known, ", ")
		if now := renamed()[e.value.key]; now != "" {
			said = now
		} else if near := spelling.Nearest(e.name, known); near != "" {
			said = "unknown key; did you mean " + near + "?"
		}
		r.faultAt(e.value, said)
	}
}

// renamed are keys of before, with what to write in place of each.
func renamed() map[string]string {
	return map[string]string{
		"cost_limit":  "is budget.agent now: budget: {agent: 2.50 US$}",
		"token_limit": "is budget.agent now: budget: {agent: 500k tokens}",
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
				if words, err = Words(s); err != nil {
					return err.Error()
				}
				return ""
			})(v)
		}
		switch {
		case len(r.faults) > before:
		case len(words) == 0 || words[0] == "":
			r.faultAt(v, "names no program")
		case checkFolder(words[0]) != "":
			r.faultAt(v, checkFolder(words[0]))
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

// Words splits a command that is written as one text into words, as a shell would by its quotes.
func Words(command string) ([]string, error) {
	words, err := shellquote.Split(command)
	if err != nil {
		return nil, fmt.Errorf("split %q into words: %w", command, err)
	}
	return words, nil
}

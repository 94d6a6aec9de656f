package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// text returns the string that v holds, without the line break at the end of a block.
func (r *reader) text(v value) (string, bool) {
	var s string
	switch n := v.node.(type) {
	case *ast.StringNode:
		s = n.Value
	case *ast.LiteralNode:
		s = strings.TrimRight(n.Value.Value, "\n")
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		r.faultAt(v, fmt.Sprintf("must be text, not %s; put it in quotes: %q", kindOf(n), n.GetToken().Value))
		return "", false
	default:
		r.faultAt(v, "must be text, not "+kindOf(n))
		return "", false
	}
	// A quoted scalar can spell a NUL as an escape, and no path, argument or variable can hold one.
	if strings.ContainsRune(s, 0) {
		r.faultAt(v, "contains a NUL character")
		return "", false
	}
	if strings.TrimSpace(s) == "" {
		r.faultAt(v, "is empty; write a value or remove the key")
		return "", false
	}
	return s, true
}

// word reads one word without spaces, the form of a profile's name.
func (r *reader) word(dst *string) func(value) {
	return func(v value) {
		s, ok := r.text(v)
		if !ok {
			return
		}
		if reason := checkName(s); reason != "" {
			r.faultAt(v, reason)
			return
		}
		*dst = s
	}
}

func (r *reader) folder(dst *string) func(value) {
	return func(v value) {
		s, ok := r.text(v)
		if !ok {
			return
		}
		if s == "~" || strings.HasPrefix(s, "~/") {
			r.faultAt(v, fmt.Sprintf("%q: ~ is not expanded; write the whole path", s))
			return
		}
		*dst = s
	}
}

// choice reads one of the given words, which are lower case, in any case of letters.
func (r *reader) choice(dst *string, words ...string) func(value) {
	return func(v value) {
		s, ok := r.text(v)
		if !ok {
			return
		}
		for _, w := range words {
			if strings.EqualFold(s, w) {
				*dst = w
				return
			}
		}
		r.faultAt(v, fmt.Sprintf("%q is none of: %s", s, strings.Join(words, ", ")))
	}
}

func (r *reader) flag(dst *bool) func(value) {
	return func(v value) {
		n, ok := v.node.(*ast.BoolNode)
		if !ok {
			r.faultAt(v, "must be true or false, not "+kindOf(v.node))
			return
		}
		*dst = n.Value
	}
}

func (r *reader) count(dst *Count) func(value) {
	return func(v value) {
		n, ok := wholeNumber(v.node)
		switch {
		case !ok:
			r.faultAt(v, fmt.Sprintf("must be a whole number, not %s", kindOf(v.node)))
		case n < 0:
			r.faultAt(v, "is negative; 0 turns the limit off")
		case n > math.MaxInt32:
			r.faultAt(v, "is too large; 0 turns the limit off")
		default:
			*dst = SetCount(int(n))
		}
	}
}

// between reads a whole number with bounds that belong to it.
func (r *reader) between(dst *int, low, high int) func(value) {
	return func(v value) {
		n, ok := wholeNumber(v.node)
		if !ok || n < int64(low) || n > int64(high) {
			r.faultAt(v, fmt.Sprintf("must be a whole number from %d to %d", low, high))
			return
		}
		*dst = int(n)
	}
}

// size reads a whole number of bytes with an optional unit.
func (r *reader) size(dst *Size) func(value) {
	return func(v value) {
		digits, unit := v.node.GetToken().Value, int64(1)
		for i, name := range []string{"KiB", "MiB", "GiB", "TiB"} {
			if number, found := strings.CutSuffix(digits, name); found {
				digits, unit = strings.TrimSpace(number), int64(1)<<(10*(i+1))
			}
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if kind := v.node.Type(); err != nil || n < 0 || n > math.MaxInt64/unit ||
			kind != ast.StringType && kind != ast.IntegerType {
			r.faultAt(v, "must be a size such as 100MiB or 2GiB, or a whole number of bytes; 0 turns the limit off")
			return
		}
		*dst = Size(n * unit)
	}
}

func (r *reader) span(dst *Span) func(value) {
	return func(v value) {
		d, ok := duration(v.node)
		switch {
		case !ok:
			r.faultAt(v, "must be a duration such as 90s, 10m or 1h30m, or a whole number of seconds")
		case d < 0:
			r.faultAt(v, "is negative; 0 turns the limit off")
		default:
			*dst = SetSpan(d)
		}
	}
}

func duration(n ast.Node) (time.Duration, bool) {
	if n.Type() != ast.StringType && n.Type() != ast.IntegerType {
		return 0, false
	}
	written := n.GetToken().Value
	if d, err := time.ParseDuration(written); err == nil {
		return d, true
	}
	secs, err := strconv.ParseInt(written, 10, 64)
	const most = math.MaxInt64 / int64(time.Second)
	if err != nil || secs > most || secs < -most {
		return 0, false
	}
	return time.Duration(secs) * time.Second, true
}

// wholeNumber takes decimal digits only: octal and hexadecimal spellings of a limit surprise.
func wholeNumber(n ast.Node) (int64, bool) {
	if n.Type() != ast.IntegerType {
		return 0, false
	}
	i, err := strconv.ParseInt(n.GetToken().Value, 10, 64)
	return i, err == nil
}

package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
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
	return SetSpan(d), ""
}

// wholeNumber takes decimal digits only: octal and hexadecimal spellings of a limit surprise.
func wholeNumber(n ast.Node) (int64, bool) {
	if n.Type() != ast.IntegerType {
		return 0, false
	}
	i, err := strconv.ParseInt(n.GetToken().Value, 10, 64)
	return i, err == nil
}

package golang

import (
	"slices"
	"strings"

	"delegate/conflict/internal/lang"
	"delegate/internal/text/lazyregexp"
)

// takes are the names on the left of an assignment.
const takes = `^\s*(?:(?:if|switch|for)\s+)?(?:var\s+)?([\w., ]+?)\s*:?=\s*(?:[\w.]+\.)?NAME(?:\[[^\]]*\])?\(`

// gives are the names of a function's results, or else the values that each of its returns gives.
func gives(lines []string) []string {
	if names := resultNames(lines); names != nil {
		return names
	}
	var lists [][]string
	for _, line := range lines {
		values, is := strings.CutPrefix(strings.TrimSpace(line), "return ")
		if !is {
			continue
		}
		if parts := lang.Comma(values); len(parts) > 1 {
			lists = append(lists, parts)
		}
	}
	return lang.OneList(lists)
}

var (
	declared = lazyregexp.New(`^func\s+(\([^()]*\)\s*)?\w+(\[[^\[\]]*\])?\(`)
	resultOf = lazyregexp.New(`^(\w+)(\s+\S.*)?$`)
)

// resultNames are the names of several results, nil if they have none.
func resultNames(lines []string) (names []string) {
	if len(lines) == 0 {
		return nil
	}
	at := declared.FindStringIndex(lines[0])
	if at == nil {
		return nil
	}
	_, rest, closed := lang.Closed(lines[0][at[1]-1:])
	if rest = strings.TrimSpace(rest); !closed || !strings.HasPrefix(rest, "(") {
		return nil
	}
	list, _, closed := lang.Closed(rest)
	parts, named := lang.Comma(list), false
	for _, part := range parts {
		match := resultOf.FindStringSubmatch(part)
		if match == nil || slices.Contains([]string{"func", "map", "chan", "struct", "interface"}, match[1]) {
			return nil
		}
		named = named || match[2] != ""
		names = append(names, match[1])
	}
	if !closed || !named || len(names) < 2 {
		return nil
	}
	return names
}

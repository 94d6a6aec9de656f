package lang

import (
	"slices"
	"strings"

	"delegate/internal/text/lazyregexp"
)

var (
	givenBack  = lazyregexp.New(`(?m)\breturn\b[ \t]*\(?[ \t]*([^\s;})].*)?|=>[ \t]*\([ \t]*(\{)|^[ \t]*(\{)[ \t]*\w+:`)
	nothingAt  = lazyregexp.New(`^(?:None|null|nil|undefined|false|False)\b`)
	literalKey = lazyregexp.New(`^(?:["']([\w-]+)["']|([A-Za-z_]\w*)|:(\w+))\s*(?::|=>|$)`)
)

// ResultKeys are the keys of what the lines of a function give, where each of its ends gives a literal with keys of
// its own, or nothing: those that all of them have, and those that one has at least. It fails where that does not show.
func ResultKeys(lines []string) (inAll, inAny []string, ok bool) {
	text := strings.Join(lines, "\n")
	for _, at := range givenBack.FindAllStringSubmatchIndex(text, -1) {
		begin := max(at[2], at[4], at[6])
		if begin < 0 || nothingAt.MatchString(text[begin:]) {
			continue
		}
		literal := strings.TrimPrefix(text[begin:], "array")
		if !strings.ContainsRune("{[(", rune(literal[0])) || literal[0] == '(' && literal == text[begin:] {
			return nil, nil, false
		}
		inside, _, closed := Closed(literal)
		own, listed := keysOf(inside)
		if !closed || !listed {
			return nil, nil, false
		}
		if inAny == nil {
			inAll = own
		}
		inAll = slices.DeleteFunc(slices.Clone(inAll), func(k string) bool { return !slices.Contains(own, k) })
		inAny = append(inAny, own...)
	}
	return inAll, inAny, inAny != nil
}

// keysOf are the keys of a literal by what is in its brackets. It fails for one with other parts.
func keysOf(inside string) (keys []string, ok bool) {
	for _, part := range Comma(inside) {
		if part == "" {
			continue
		}
		match := literalKey.FindStringSubmatch(part)
		if match == nil {
			return nil, false
		}
		keys = append(keys, match[1]+match[2]+match[3])
	}
	return keys, len(keys) > 0
}

package lang

import (
	"strings"

	"delegate/internal/lazyregexp"
)

// The sorts of literals, as far as code that uses one cannot do with another.
const (
	sortText    = "text"
	sortNumber  = "a number"
	sortTruth   = "true or false"
	sortList    = "a list"
	sortMapping = "a mapping"
)

var (
	assigned = lazyregexp.New(`[^=!<>]=\s*([^=>\s][\s\S]*)`)
	quoted   = lazyregexp.New(`^[rbfuRBFU]{0,2}["'` + "`" + `]`)
	counted  = lazyregexp.New(`^-?\d[\w.]*\s*;?\s*(?:[#/].*)?$`)
	truth    = lazyregexp.New(`^(?:[Tt]rue|[Ff]alse)\s*;?\s*(?:[#/].*)?$`)
	keyed    = lazyregexp.New(`^(?:\*\*|["'` + "`" + `]?[^"'` + "`" + `]*["'` + "`" + `]?\s*(?::|=>))`)
	ended    = lazyregexp.New(`^\s*(?:as const|\.freeze)?\s*;?\s*(?:[#/].*)?$`)
)

// LiteralSort is what the literal is that a constant with these lines stands for, "" if it is none.
func LiteralSort(lines []string) string {
	match := assigned.FindStringSubmatch(strings.Join(lines, "\n"))
	if match == nil {
		return ""
	}
	value := strings.TrimSpace(match[1])
	switch {
	case counted.MatchString(value):
		return sortNumber
	case truth.MatchString(value):
		return sortTruth
	case quoted.MatchString(value):
		begin := strings.IndexAny(value, "\"'`")
		if end := strings.IndexByte(value[begin+1:], value[begin]); end < 0 || !ended.MatchString(value[begin+end+2:]) {
			return ""
		}
		return sortText
	}
	if !strings.ContainsAny(value[:1], "[({") {
		return ""
	}
	inside, rest, closed := Closed(value)
	parts := Comma(inside)
	switch {
	case !closed || !ended.MatchString(rest) || value[0] == '(' && len(parts) < 2:
		return ""
	case value[0] != '{':
		return sortList
	case len(parts) < 2 && parts[0] == "" || keyed.MatchString(parts[0]):
		return sortMapping
	}
	return sortList
}

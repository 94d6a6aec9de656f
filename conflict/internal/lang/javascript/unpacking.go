package javascript

import (
	"strings"

	"delegate/conflict/internal/lang"
	"delegate/internal/text/lazyregexp"
)

var returned = lazyregexp.New(`(?:\breturn\s+|=>\s*)(\[.*)$`)

// takes are the names in the brackets on the left of an assignment.
const takes = `(?:\b(?:const|let|var)\s+|^\s*)\[([^\]]*)\]\s*=\s*(?:await\s+)?(?:[\w.]+\.)?NAME(?:<[^(]*>)?\(`

// gives are the values that a function returns as a list, on one line.
func gives(lines []string) []string {
	var lists [][]string
	for _, line := range lines {
		m := returned.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		inside, rest, ok := lang.Closed(m[1])
		parts := lang.Comma(inside)
		if rest = strings.TrimSpace(rest); !ok || len(parts) < 2 || strings.Contains(inside, "...") ||
			rest != "" && !strings.HasPrefix(rest, ";") && !strings.HasPrefix(rest, "}") && rest != "as const;" {
			continue
		}
		lists = append(lists, parts)
	}
	return lang.OneList(lists)
}

package ruby

import (
	"slices"
	"strings"

	"delegate/conflict/internal/lang"
	"delegate/internal/text/lazyregexp"
)

var returned = lazyregexp.New(`^\s*return\s+(.+?)(?:\s+(?:if|unless)\s.*)?$`)

// takes are the names on the left of an assignment.
const takes = `^\s*([\w@., ]+,[\w@., ]+?)\s*=\s*(?:[\w.]+\.)?NAME\s*(?:\([^()]*\))?\s*$`

// gives are the values that a method returns, or ends with, as a list on one line.
func gives(lines []string) []string {
	var lists [][]string
	lines = slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return line == "" })
	for i, line := range lines {
		text := strings.TrimSpace(line)
		if m := returned.FindStringSubmatch(line); m != nil {
			text = m[1]
		} else if i != len(lines)-2 || !strings.HasPrefix(text, "[") {
			continue
		}
		if inside, rest, ok := lang.Closed(text); ok && text[0] == '[' && rest == "" {
			text = inside
		}
		if parts := lang.Comma(text); len(parts) > 1 && !strings.Contains(text, "*") {
			lists = append(lists, parts)
		}
	}
	return lang.OneList(lists)
}

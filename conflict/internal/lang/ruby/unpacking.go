package ruby

import (
	"regexp"
	"strings"

	"delegate/conflict/internal/lang"
	"delegate/internal/text/lazyregexp"
)

var returned = lazyregexp.New(`^\s*return\s+(.+?)(?:\s+(?:if|unless)\s.*)?$`)

// gives are the values that a method returns, or ends with, as a list on one line.
func gives(lines []string) []string {
	var lists [][]string
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

// takes are the names on the left of an assignment of what a call gives.
func takes(line, name string) []string {
	pattern, err := regexp.Compile(`^\s*([\w@., ]+,[\w@., ]+?)\s*=\s*(?:[\w.]+\.)?` + regexp.QuoteMeta(name) +
		`\s*(?:\([^()]*\))?\s*$`)
	if err != nil {
		return nil
	}
	if m := pattern.FindStringSubmatch(line); m != nil {
		return lang.PlainNames(m[1])
	}
	return nil
}

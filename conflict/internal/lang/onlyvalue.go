package lang

import (
	"strings"
)

// OnlyValue is what lines set a variable to, "" if they do not, or more than once.
func OnlyValue(lines []string, name string) (only string) {
	for _, line := range lines {
		text := strings.TrimSpace(line)
		for _, before := range []string{"const ", "let ", "var "} {
			text = strings.TrimPrefix(text, before)
		}
		rest, found := strings.CutPrefix(text, name)
		if _, value, set := strings.Cut(rest, "= "); found && set && strings.ContainsAny(rest[:1], " :") {
			if only != "" {
				return ""
			}
			only = strings.TrimSpace(value)
		}
	}
	return only
}

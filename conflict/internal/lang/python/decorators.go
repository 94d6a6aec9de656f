package python

import (
	"regexp"
	"slices"
	"strings"
)

// addition is what decorators add to a definition: a pattern of code that needs it, with @ for the definition's name.
type addition struct {
	decorators []string // each adds the same
	needs      string
}

func additions() []addition {
	return []addition{
		{[]string{"contextmanager", "asynccontextmanager"}, `\bwith\b.*\b@\(`},
		{[]string{"lru_cache", "cache"}, `\b@\.(?:cache_clear|cache_info|cache_parameters|__wrapped__)\b`},
		{[]string{"singledispatch", "singledispatchmethod"}, `\b@\.(?:register|dispatch|registry)\b`},
		{[]string{"task", "shared_task"}, `\b@\.(?:delay|apply_async|apply|s|si|signature|retry)\(`},
		{[]string{"command", "group"}, `\b@\.(?:command|group|add_command|main|callback|params)\b|` +
			`\b(?:add_command|invoke)\(\s*(?:[\w.]+\.)?@\b`},
		{[]string{"fixture"}, `\bdef\s+test\w*\([^)]*\b@\b|\busefixtures\([^)]*["']@["']`},
		{[]string{"dataclass", "define", "frozen", "mutable"},
			`\b(?:fields|asdict|astuple|replace)\(\s*@\b|\breplace\(\s*@\(`},
		{[]string{"total_ordering"}, `\b@\([^()]*\)\s*(?:<=|>=|>|<)\s*@\(`},
	}
}

// namesAbove are the last names of the decorators in front of a definition, whose lines are given.
func namesAbove(lines []string) (names []string) {
	for _, line := range lines {
		text := strings.TrimSpace(line)
		if isFunction(text) {
			break
		}
		if text, is := strings.CutPrefix(text, "@"); is {
			text, _, _ = strings.Cut(text, "(")
			names = append(names, text[strings.LastIndexByte(text, '.')+1:])
		}
	}
	return names
}

// lost is the decorator that a definition no longer has, and that a line needs to refer to it by its name; "" if the
// line needs none.
func lost(old, new []string, line, name string) string {
	before, after := namesAbove(old), namesAbove(new)
	for _, d := range additions() {
		has := func(all []string) string {
			if i := slices.IndexFunc(all, func(s string) bool { return slices.Contains(d.decorators, s) }); i >= 0 {
				return all[i]
			}
			return ""
		}
		gone := has(before)
		if gone == "" || has(after) != "" {
			continue
		}
		needs, err := regexp.Compile(strings.ReplaceAll(d.needs, "@", regexp.QuoteMeta(name)))
		if err == nil && needs.MatchString(line) {
			return gone
		}
	}
	return ""
}

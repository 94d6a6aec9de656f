package python

import (
	"regexp"
	"strings"

	"delegate/conflict/internal/lang"
	"delegate/internal/text/lazyregexp"
)

var returned = lazyregexp.New(`^\s*(?:return|yield)\s+(.+?)\s*$`)

// gives are the values that a function returns or yields as a tuple, on one line.
func gives(lines []string) []string {
	var lists [][]string
	own, inner := false, -1 // inner is how far a function inside of this one is indented
	for _, line := range lines {
		text := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		switch {
		case text == "" || inner >= 0 && indent > inner:
			continue
		case isFunction(text) && own:
			inner = indent
			continue
		case isFunction(text):
			own = true
		}
		inner = -1
		if m := returned.FindStringSubmatch(line); m != nil {
			if list := tuple(m[1]); len(list) > 1 {
				lists = append(lists, list)
			}
		}
	}
	return lang.OneList(lists)
}

func isFunction(text string) bool {
	return strings.HasPrefix(text, "def ") || strings.HasPrefix(text, "async def ") || strings.HasPrefix(text, "class ")
}

// tuple are the parts of a tuple, or of the first tuple in a list of them.
func tuple(text string) []string {
	text, _, _ = strings.Cut(text, "  #")
	for strings.HasPrefix(text, "(") || strings.HasPrefix(text, "[(") {
		inside, rest, ok := lang.Closed(text)
		each := text[0] == '(' && strings.HasPrefix(rest, " for ") // of a list or a generator
		if !ok || strings.TrimSpace(rest) != "" && !each {
			break
		}
		if text[0] == '[' {
			text = lang.Comma(inside)[0]
			continue
		}
		text = inside
	}
	parts := lang.Comma(text)
	if last := len(parts) - 1; parts[last] == "" {
		parts = parts[:last]
	}
	for _, p := range parts {
		if p == "" || strings.HasPrefix(p, "*") || strings.Contains(p, " for ") {
			return nil
		}
	}
	return parts
}

// takes are the names on the left of an assignment or a loop over what a call gives.
func takes(line, name string) []string {
	quoted := regexp.QuoteMeta(name)
	for _, left := range []string{`^\s*(?:async\s+)?(?:for\s+)?`, `\bfor\s+`} {
		pattern, err := regexp.Compile(left + `\(?([\pL\p{Nd}_., ]+?),?\)?\s*(?:=|\bin\b)\s*(?:await\s+)?(?:[\w.]+\.)?` +
			quoted + `(\(.*)$`)
		if err != nil {
			return nil
		}
		m := pattern.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if _, rest, closed := lang.Closed(m[2]); closed && !ends(rest) {
			return nil
		}
		return lang.PlainNames(m[1])
	}
	return nil
}

// ends reports whether nothing follows a call that would make something else of what it gives.
func ends(rest string) bool {
	rest = strings.TrimSpace(rest)
	return rest == "" || strings.ContainsAny(rest[:1], "#:)]};") || strings.HasPrefix(rest, "if ")
}

// oneValue is the begin of a value that is none of several and cannot be taken apart into such.
var oneValue = lazyregexp.New(`^(?:not\s|[-+]?\d|[fFbBrR]{0,2}["']|\{|(?:int|float|str|len|sum|round|bool|dict|abs|[A-Z]\w*)\(|` +
	`True\b|False\b|\w+(?:\.\w+)*(?:\([^()]*\))?\s*(?:[-+*/%]\s*[\w(]|[=!]=|<|>|in\s|is\s))`)

// becomesTuple reports whether all that a function returned was one value as it is written, and all is a tuple now.
func becomesTuple(old, new []string) bool {
	one := func(value string) bool { return len(lang.Comma(value)) == 1 && oneValue.MatchString(value) }
	several := func(value string) bool {
		inside, rest, closed := lang.Closed(value)
		return len(lang.Comma(value)) > 1 || value[0] == '(' && closed && rest == "" && len(lang.Comma(inside)) > 1
	}
	return returnsOnly(old, one) && returnsOnly(new, several)
}

// returnsOnly reports whether a function returns something, and nothing but such values.
func returnsOnly(lines []string, wanted func(value string) bool) (found bool) {
	for _, line := range lines {
		m := returned.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		value := m[1]
		if only := lang.OnlyValue(lines, value); only != "" {
			value = only
		}
		if !strings.HasPrefix(strings.TrimSpace(line), "return") || !wanted(value) {
			return false
		}
		found = true
	}
	return found
}

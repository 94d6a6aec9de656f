package python

import (
	"strings"

	"delegate/conflict/internal/lang"
	"delegate/internal/lazyregexp"
)

var (
	madeTuple  = lazyregexp.New(`\bnamedtuple\(\s*["']\w+["']\s*,\s*(.*)`)
	classTuple = lazyregexp.New(`^class\s+\w+\(\s*(?:\w+\.)?NamedTuple\s*\)\s*:`)
	tupleField = lazyregexp.New(`^(?:    |\t)([A-Za-z_]\w*)\s*:`)
)

// tupleFields are the fields of a named tuple that these lines make, nil if they make none.
func tupleFields(lines []string) (names []string) {
	text := strings.Join(lines, " ")
	if match := madeTuple.FindStringSubmatch(text); match != nil {
		return fieldNames(match[1])
	}
	begun := false
	for _, line := range lines {
		if !begun {
			begun = classTuple.MatchString(line)
			continue
		}
		if match := tupleField.FindStringSubmatch(line); match != nil {
			names = append(names, match[1])
		}
	}
	return names
}

// fieldNames are the names in a list of texts, or in one text with spaces or commas between.
func fieldNames(text string) (names []string) {
	list := text
	if text != "" && strings.ContainsAny(text[:1], "[(") {
		inside, _, closed := lang.Closed(text)
		if !closed {
			return nil
		}
		list = inside
	} else if list = lang.Comma(strings.TrimSuffix(text, ")"))[0]; len(list) < 2 || !strings.ContainsAny(list[:1], `"'`) {
		return nil
	}
	for name := range strings.FieldsFuncSeq(list, func(r rune) bool { return strings.ContainsRune(`"', `, r) }) {
		names = append(names, name)
	}
	return names
}

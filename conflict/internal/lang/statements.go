package lang

import (
	"strings"

	"delegate/internal/text/lazyregexp"
)

// mostJoined bounds the lines of one statement.
const mostJoined = 40

// chained is a line that goes on with what the one before it gives.
var chained = lazyregexp.New(`^\s*\??\.[A-Za-z_]`)

// Statements returns the lines with each statement on its first one, so that rules see it alike however it is laid
// out: what goes on inside of round or square brackets, or of the braces of a literal, and calls on what a line gives
// are joined, without the comments that end a line. The lines that were joined are empty.
func Statements(lines []string, comment string) []string {
	all := make([]string, len(lines))
	var open []bool // for each open bracket, whether a line break in it means nothing
	first := 0
	for i, line := range lines {
		joins := len(open) > 0 && open[len(open)-1] || chained.MatchString(line)
		if joins && i-first >= mostJoined {
			joins, open = false, nil
		}
		var text string
		text, open = statement(line, comment, open)
		if !joins || i == 0 {
			first, all[i] = i, text
			continue
		}
		before, text := all[first], strings.TrimSpace(text)
		switch {
		case text == "":
			continue
		case strings.ContainsAny(text[:1], ")]}."):
			before = strings.TrimSuffix(before, ",")
		case !strings.ContainsAny(before[max(0, len(before)-1):], "([{"):
			before += " "
		}
		all[first] = before + text
	}
	return all
}

// statement returns a line without its comment, and the brackets that are open behind it.
func statement(line, comment string, open []bool) (string, []bool) {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"' || c == '\'' || c == '`':
			if end := closingQuote(line, i); end > 0 {
				i = end
			}
		case strings.HasPrefix(line[i:], comment) && (i == 0 || comment != "#" || line[i-1] == ' '):
			return strings.TrimRight(line[:i], " \t"), open
		case c == '(' || c == '[':
			open = append(open, true)
		case c == '{':
			open = append(open, beginsLiteral(strings.TrimRight(line[:i], " \t")))
		case (c == ')' || c == ']' || c == '}') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	return strings.TrimRight(line, " \t"), open
}

// closingQuote returns where the string that begins at a quote ends in the line, or -1.
func closingQuote(line string, from int) int {
	for i := from + 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case line[from]:
			return i
		}
	}
	return -1
}

// beginsLiteral reports whether a brace behind the text begins a literal or a pattern, and not a block.
func beginsLiteral(before string) bool {
	if before == "" || strings.HasSuffix(before, "=>") {
		return false
	}
	if strings.ContainsAny(before[len(before)-1:], "=([,:") {
		return true
	}
	last := before[strings.LastIndexAny(before, " \t")+1:]
	return last == "return" || last == "const" || last == "let" || last == "var" || last == "yield"
}

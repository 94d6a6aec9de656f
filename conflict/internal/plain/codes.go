package plain

import (
	"strings"

	"delegate/internal/text/lazyregexp"
)

// given is a constant that a function makes of a number and a text.
var given = lazyregexp.New(`^(?:(?:var|const|let|val|export|pub|public|private|static|final|readonly)\s+)*` +
	`([A-Za-z_]\w*)\s*(?::[^=]*)?:?=\s*(?:new\s+)?((?:\w+(?:\.|::))*\w+)\((?:[^()]*,\s*)?(\d{3,6})\s*(?:,[^()]*)?\)[;,]?$`)

// ofCodes notes the number of a code that a function is given beside its text.
func (r *reading) ofCodes() {
	if owner, function, number := codeIn(r.text); function != "" && !isTest(r.name) {
		r.add(Entry{Role: ErrorCode, Name: number, Owner: owner, Within: "/ " + function, Series: function})
	}
}

func codeIn(line string) (owner, function, number string) {
	if !strings.Contains(line, "(") || !strings.ContainsAny(line, "\"'") {
		return "", "", ""
	}
	match := given.FindStringSubmatch(line)
	if match == nil {
		return "", "", ""
	}
	parts := strings.FieldsFunc(match[2], func(c rune) bool { return c == '.' || c == ':' })
	function = parts[len(parts)-1]
	if strings.EqualFold(function, "new") && len(parts) > 1 {
		function = parts[len(parts)-2] + "." + function
	}
	return match[1], function, match[3]
}

// Codes are the numbers that lines of code give to a function, each beside a text.
func Codes(function, name, text string) (all []string) {
	if sortOf(name) != source || isTest(name) {
		return nil
	}
	for line := range strings.Lines(text) {
		if len(line) > LongestLine {
			continue
		}
		if _, of, number := codeIn(strings.TrimSpace(line)); of == function {
			all = append(all, number)
		}
	}
	return all
}

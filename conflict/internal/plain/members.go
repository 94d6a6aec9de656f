package plain

import (
	"strings"

	"delegate/internal/text/lazyregexp"
)

// Members reports the first line of code, of those that are wanted, that has a field of a schema as a member or an
// argument by name, in the spelling of any language; 0 if none has.
func Members(name, text, field string, wanted func(line int) bool) int {
	if sortOf(name) != source {
		return 0
	}
	number := 0
	for line := range strings.Lines(text) {
		if number++; !wanted(number) {
			continue
		}
		for _, match := range member.FindAllStringSubmatch(line, -1) {
			for _, found := range match[1:] {
				short := accessor.ReplaceAllString(found, "$1")
				if found != "" && (bare(found) == bare(field) || bare(short) == bare(field)) {
					return number
				}
			}
		}
	}
	return 0
}

var (
	member   = lazyregexp.New(`\.([A-Za-z_]\w*)|\b([A-Za-z_]\w*)\s*[=:]\s*[^=:]`)
	accessor = lazyregexp.New(`^(?:get|set|has|clear|Get|Set|Has|Clear)(?:_|([A-Z]))`)
)

// bare is a name without what the spellings of languages differ in.
func bare(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

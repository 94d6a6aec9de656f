package c

import (
	"strings"

	"delegate/conflict/internal/lang"
	"delegate/internal/lazyregexp"
)

var (
	assigned = lazyregexp.New(`\b([\pL_][\pL\p{Nd}_:]*)(?:\s*&)?\s+[\pL_][\pL\p{Nd}_]*\s*=\s*([^=;][^;]*?)\s*;`)
	returned = lazyregexp.New(`\breturn\s+([^;]+?)\s*;`)
	literal  = lazyregexp.New(`^(?:-?\.?\d[\w.']*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)+'|true|false|nullptr|NULL|\{[^{}]+\})$`)
)

// conversions are the places of a line at which a value becomes one of another type without a word for it.
func conversions(line string) (all []lang.Conversion) {
	line, _, _ = strings.Cut(line, "//")
	for _, m := range assigned.FindAllStringSubmatch(line, -1) {
		all = append(all, lang.Conversion{To: m[1], Value: m[2]})
	}
	for _, m := range returned.FindAllStringSubmatch(line, -1) {
		all = append(all, lang.Conversion{Returned: true, Value: m[1]})
	}
	return all
}

// isLiteral reports whether a value is written out and has no class for its type.
func isLiteral(value string) bool { return literal.MatchString(value) }

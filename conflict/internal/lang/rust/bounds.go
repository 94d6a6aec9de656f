package rust

import (
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// bounds are the names of the traits that a type parameter demands. Those that types have of themselves are left out.
func bounds(written string) (names []string) {
	for part := range strings.SplitSeq(strings.TrimLeft(written, ": "), "+") {
		outer, _, _ := strings.Cut(strings.TrimSpace(part), "<")
		outer = outer[strings.LastIndexByte(outer, ':')+1:]
		switch outer {
		case "", "Send", "Sync", "Sized", "?Sized", "Unpin", "Any", "Into", "From", "TryFrom", "TryInto", "AsRef",
			"Borrow", "ToOwned", "Fn", "FnMut", "FnOnce":
		default:
			if !strings.HasPrefix(outer, "'") && !strings.HasPrefix(outer, "?") && !strings.HasPrefix(outer, "for") {
				names = append(names, outer)
			}
		}
	}
	return names
}

// lacks reports whether a type of the crate has a trait neither derived nor implemented, for it or for all types. What
// macros implement does not show, so that a type which is given to one may have everything.
func lacks(bound, typ string, in lang.Types) bool {
	all := in.Named(typ)
	if !slices.ContainsFunc(all, func(d code.Definition) bool {
		return d.Name == typ && !d.Partial && (d.Kind == code.Class || d.Kind == code.Enum)
	}) || slices.ContainsFunc(all, func(d code.Definition) bool { return d.Type == bound && d.Partial }) {
		return false
	}
	name, trait := regexp.QuoteMeta(typ), regexp.QuoteMeta(bound)
	return !in.Mentions(`\b` + trait + `(?:<[^{;]*>)?\s+for\s+(?:&\s*)?(?:[\w:]*::)?(?:` + name + `|[A-Z])\b|` +
		`\w!\s*[({\[][^;{}"]*\b` + name + `\b|\bderive\([^)]*\b` + trait + `\b[^)]*\)[^;{}]*\b(?:struct|enum|union)\s+` +
		name + `\b`)
}

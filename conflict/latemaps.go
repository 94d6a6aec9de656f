package conflict

import (
	"regexp"
	"slices"

	"delegate/conflict/code"
	"delegate/internal/lazyregexp"
)

// madeMap is a line of a literal of Go that makes the map of a field.
var madeMap = lazyregexp.New(`^\s*(\w+):\s*(?:make\()?map\[`)

// lateMaps reports maps in fields of Go that were made with their values, and now are where first something is put into
// them, and new code of the user that puts something into one.
func (c *Direction) lateMaps() {
	for e := range c.by.kept() {
		if e.language().Name != code.Go || !e.Old.Callable() || e.Old.Hash == e.New.Hash {
			continue
		}
		old, new := c.texts(e)
		for _, line := range old {
			match := madeMap.FindStringSubmatch(line)
			if match == nil || slices.ContainsFunc(new, regexp.MustCompile(`\b`+match[1]+`\b`).MatchString) {
				continue
			}
			uses := c.putInto(match[1], e)
			if len(uses) == 0 || !c.asksForNil(match[1]) {
				continue
			}
			c.suspect(APIConflict, c.placeOf(e), uses,
				"%s lets %[3]s no longer make the map %[4]s, and new code of %[2]s puts something into it.",
				noun(e.Old, e.language()), match[1]).
				instruct("Make the map if it is nil at " + placesOf(uses) + ".").runtimeOnly = true
		}
	}
}

// asksForNil reports whether the side newly asks whether a map is there.
func (c *Direction) asksForNil(field string) bool {
	asks := regexp.MustCompile(`\.` + field + `\s*==\s*nil\b`)
	for _, src := range c.by.sources {
		if src.language.Name == code.Go && src.New != nil && slices.ContainsFunc(c.sourceLines(c.by, version{head: true,
			name: src.file.Path}), asks.MatchString) {
			return true
		}
	}
	return false
}

// putInto are the user's new lines of the package of an edit that put something into a map of a field, in functions
// which neither ask for it nor make it.
func (c *Direction) putInto(field string, e Edit) []Use {
	puts := regexp.MustCompile(`\.` + field + `\[[^\]]*\](?:\s*[-+*/|]?=[^=]|\+\+|--|\[.*\]\s*=[^=])`)
	ready := regexp.MustCompile(`\.` + field + `\s*(?:[!=]?=)`)
	return c.usesThat(func(u Use) bool {
		if u.Ref.Name != field || u.Ref.Qualifier == "" || u.from.language != e.language() ||
			scopeOf(u.from.language, u.from.file.Path, u.from.New.Package) != e.scope() ||
			!puts.MatchString(c.lineOf(u)) || !c.merged.stillUsed(u.Ref, u.Path()) {
			return false
		}
		around, found := definition(u.from.New, u.Ref.In)
		lines := c.textOf(c.user, version{head: true, name: u.Path()}, around)
		return found && around.Callable() && !slices.ContainsFunc(lines, ready.MatchString)
	})
}

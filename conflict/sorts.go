package conflict

import (
	"regexp"
	"slices"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// otherSorts reports constants that are of another sort now, where no type says it: a mapping in place of a text.
func (c *Direction) otherSorts() {
	for _, e := range c.by.edits {
		value := e.Old.Kind == code.Constant || e.Old.Kind == code.Variable
		if e.Kind != BodyChanged || !value || e.language().Typed || e.Old.Type != "" || e.Old.Container != "" {
			continue
		}
		uses := c.Uses(e)
		if len(uses) == 0 {
			continue
		}
		old, new := c.texts(e)
		was, is := lang.LiteralSort(old), lang.LiteralSort(new)
		if was == "" || is == "" || was == is {
			continue
		}
		pattern := regexp.MustCompile(`\b(?:print|repr|str|String|bool|Boolean|len|console\.\w+|` +
			`(?i:log\w*)(?:\.\w+)?|puts|stringify|dumps|isinstance|typeof|json_encode|var_dump|count|is_array)\b` +
			`\s*\(?[^()]*\b` + regexp.QuoteMeta(e.Old.Name) + `\b|\{` + regexp.QuoteMeta(e.Old.Name) + `\}|\bif\s+` +
			regexp.QuoteMeta(e.Old.Name) + `\s*:`)
		uses = slices.DeleteFunc(uses, func(u Use) bool {
			return u.Ref.Use != code.Read || u.Ref.Writes || pattern.MatchString(c.lineOf(u))
		})
		c.suspect(APIConflict, c.placeOf(e), uses,
			"%s makes %[3]s %[4]s in place of %[5]s, and new code of %[2]s uses it.", noun(e.Old, e.language()), is,
			was).
			instruct("Take " + quoted(e.Old.Key()) + " as " + is + " at " + placesOf(uses) + ".").runtimeOnly = true
	}
}

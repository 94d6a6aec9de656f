package conflict

import (
	"regexp"
	"slices"

	"delegate/conflict/internal/lang"
	"delegate/internal/lazyregexp"
)

// neverThrown reports exceptions of the repository's own that a function throws no longer, where nothing of the merged
// tree makes one any more and new code of the user catches it or waits for it.
func (c *Direction) neverThrown() {
	for e := range c.by.kept() {
		way := e.language().Nothing
		if way.Caught == nil || !e.Old.Callable() || e.Old.Hash == e.New.Hash {
			continue
		}
		old, new := c.texts(e)
		now := thrown(way, new)
		for _, name := range thrown(way, old) {
			if name == "" || widest.MatchString(name) || slices.Contains(now, name) {
				continue
			}
			uses := c.usesThat(func(u Use) bool {
				line := c.lineOf(u)
				return u.Ref.Name == name && u.from.language.Related(e.language()) &&
					(way.Caught.MatchString(line) || awaitsThrown.MatchString(line)) && !c.isTold(u)
			})
			if len(uses) > 0 && c.isMadeNoMore(e.language(), name) {
				c.suspect(APIConflict, c.placeOf(e), uses, "%s lets %[3]s no longer throw %[4]s, which nothing throws "+
					"any more, and new code of %[2]s catches it.",
					noun(e.Old, e.language()), quoted(name)).
					instruct("Do without " + quoted(name) + " at " + placesOf(uses) + ".").runtimeOnly = true
			}
		}
	}
}

// awaitsThrown is a line of a test that waits for an exception.
var awaitsThrown = lazyregexp.New(`\b(?:pytest\.raises|assertRaises\w*|assert_raises|raise_error|expectException)\b`)

// isTold reports whether a finding already has a place on the line of the use, or just above it.
func (c *Direction) isTold(u Use) bool {
	return slices.ContainsFunc(c.found, func(f Finding) bool {
		return slices.ContainsFunc(f.Places, func(p Place) bool {
			return p.Path == u.Path() && p.Line <= u.Ref.Line && p.Line >= u.Ref.Line-mostAfter
		})
	})
}

// isMadeNoMore reports whether the merged tree defines an exception and makes none, nor another one from it.
func (c *Direction) isMadeNoMore(l *lang.Language, name string) bool {
	word := regexp.QuoteMeta(name)
	defined := regexp.MustCompile(`\bclass\s+` + word + `\b`)
	makes := regexp.MustCompile(`\b(?:raise|throw)\s+(?:new\s+)?[\w.:\\]*\b` + word + `\b|\bnew\s+[\w.\\]*\b` + word +
		`\b|[=,(:]\s*` + word + `(?:\(|\.new\b)|\breturn\s+` + word + `\b|\bclass\s+\w+\s*(?:\([^)]*|<\s*|extends\s+|:\s*)\b` +
		word + `\b|\b` + word + `::class|\bset_exception\(|=\s*` + word + `\s*$`)
	there, made := false, false
	whole := c.eachSource(l, func(_, text string) bool {
		there, made = there || defined.MatchString(text), makes.MatchString(text)
		return !made
	})
	return whole && there && !made
}

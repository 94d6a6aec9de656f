package conflict

import (
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/internal/lang"
	"delegate/internal/text/lazyregexp"
)

// lostResultKeys reports functions that give an object, a dict, a hash or an array without a key that it had, where new
// code of the user takes the key out of what they give. It found 2 of 168 breaks.
func (c *Direction) lostResultKeys() {
	for e := range c.by.kept() {
		if !e.language().Has(lang.KeyedResults) || !e.Old.Callable() || e.Old.Hash == e.New.Hash ||
			e.language().Has(lang.Typed) && e.New.Result != "" {
			continue // a type says it
		}
		uses := c.usesOrCalls(e)
		if len(uses) == 0 {
			continue
		}
		old, new := c.texts(e)
		was, _, shown := lang.ResultKeys(old)
		_, is, shownNow := lang.ResultKeys(new)
		if gives := e.language().Unpacking.Gives; !shownNow && gives != nil {
			shownNow = gives(new) != nil // a list has none
		}
		if !shown || !shownNow {
			continue
		}
		for _, key := range was {
			if slices.Contains(is, key) {
				continue
			}
			taking := slices.DeleteFunc(slices.Clone(uses), func(u Use) bool { return !c.takesKey(u, key) })
			c.tell(lostKey, c.placeOf(e), taking, "what", initial(noun(e.Old, e.language())), "key", quoted(key),
				"edit", insteadOfKey(key, was, is))
		}
	}
}

// insteadOfKey says what to take where a key was taken.
func insteadOfKey(key string, was, is []string) string {
	at := slices.Index(was, key)
	if len(was) == len(is) && !slices.Contains(was, is[at]) {
		return "Read " + quoted(is[at]) + " in place of " + quoted(key)
	}
	return "Do not read " + quoted(key)
}

// asksForKey is a line that asks for a key before it is taken.
var asksForKey = lazyregexp.New(`\b(?:isset|empty|array_key_exists|hasOwn\w*)\(|\bkey\?|["']\s+(?:not\s+)?in\s`)

// takesKey reports whether code takes a key out of what a call gives, and does not go on without.
func (c *Direction) takesKey(u Use, key string) bool {
	line := c.lineOf(u)
	if asksForKey.MatchString(line) {
		return false
	}
	taken := regexp.MustCompile(`\{([^{}]*)\}\s*(?::[^=]*)?=\s*(?:await\s+)?[\w.$]*\b` + regexp.QuoteMeta(u.Ref.Name) +
		`\(`).FindStringSubmatch(line)
	if taken != nil && slices.ContainsFunc(lang.Comma(taken[1]), func(part string) bool {
		name, _, _ := strings.Cut(part, ":")
		return strings.TrimSpace(name) == key && !strings.Contains(part, "=")
	}) {
		return true
	}
	name := regexp.QuoteMeta(key)
	return c.doesWithResult(u, func(value string) *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[^\w.])` + value + `\)?(?:\.` + name + `\b|\[(?::` + name + `|["']` + name +
			`["'])\])\s*(?:[^\s=?|]|==|$)`)
	})
}

package conflict

import (
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// unpacked reports functions that now give another number of values, or the same ones in another order, where new code
// of the user takes apart what they give. Where types are written, the result says it. It found 1 of 168 breaks.
func (c *Direction) unpacked() {
	for _, e := range c.by.edits {
		read := e.language().Unpacking
		if read.Gives == nil || e.Kind != BodyChanged || !e.Old.Callable() ||
			e.Old.Result != "" && !e.language().Has(lang.Checked) {
			continue
		}
		uses := c.Uses(e)
		if len(uses) == 0 {
			continue
		}
		old, new := c.texts(e)
		was, is := read.Gives(old), read.Gives(new)
		var keys []string
		if is == nil && e.language().Has(lang.KeyedResults) {
			_, keys, _ = lang.ResultKeys(new)
		}
		if read.BecomesTuple != nil && read.BecomesTuple(old, new) {
			c.nowSeveral(e, uses, is)
			continue
		}
		if was == nil || is == nil && keys == nil || slices.Equal(was, is) {
			continue
		}
		uses = slices.DeleteFunc(uses, func(u Use) bool {
			targets := read.Takes(c.lineOf(u), u.Ref.Name)
			return u.Ref.Use != code.Call ||
				(keys == nil || len(targets) < 2) && !hurtsUnpacking(read, targets, was, is)
		})
		if keys != nil {
			c.tell(keysForValues, c.placeOf(e), uses, "what", initial(noun(e.Old, e.language())), "name",
				quoted(e.Old.Key()), "is", listed(keys), "was", listed(was))
			continue
		}
		c.tell(otherValues, c.placeOf(e), uses, "what", initial(noun(e.Old, e.language())), "name",
			quoted(e.Old.Key()), "is", listed(is), "was", listed(was))
	}
}

// nowSeveral reports a function that gives several values in place of one, where new code of the user uses the one.
func (c *Direction) nowSeveral(e Edit, uses []Use, is []string) {
	call := `(?:\w+\.)*` + regexp.QuoteMeta(e.Old.Name) + `\(`
	bears := regexp.MustCompile(`^\s*(?:await\s+)?` + call +
		`|\b(?:return|if|if not|assert)\s+(?:await\s+)?` + call + `|\b(?:print|repr|str|len|tuple|list|isinstance|\w*log\w*\.\w+)\(\s*` +
		call + `|\*` + call + `|` + call + `.*\)\[`)
	asserts := regexp.MustCompile(`\b(?:if|assert|return)\b.*` + call + `.*\)\s*(?:[-+*/%<>]|[!=]=)`)
	uses = slices.DeleteFunc(uses, func(u Use) bool {
		line := c.lineOf(u)
		return u.Ref.Use != code.Call || !strings.Contains(line, e.Old.Name+"(") ||
			e.language().Unpacking.Takes(line, u.Ref.Name) != nil ||
			bears.MatchString(line) && !asserts.MatchString(line)
	})
	c.tell(severalValues, c.placeOf(e), uses, "what", initial(noun(e.Old, e.language())), "name",
		quoted(e.Old.Key()), "is", listed(is))
}

// hurtsUnpacking reports whether names that took apart the former values get others, or do not fit any more.
func hurtsUnpacking(read lang.Unpacking, targets, was, is []string) bool {
	if len(targets) < 2 || read.Exact && len(targets) != len(was) || len(targets) > len(was) {
		return false
	}
	if read.Exact && len(was) != len(is) || len(targets) > len(is) {
		return true
	}
	for i := range targets {
		if at := slices.Index(is, was[i]); was[i] != "" && at >= 0 && at != i && is[i] != was[i] {
			return true
		}
	}
	return false
}

package conflict

import (
	"regexp"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/languages"
)

// usesOrCalls are the uses of a definition, or where there are none and it is a method of a language without written
// types, the calls that fit it on values of which nothing shows what they are, if nothing else of the merged tree has
// its name. For rules that look at what such code does with the value, since the name alone says little.
func (c *Direction) usesOrCalls(e Edit) []Use {
	uses := c.Uses(e)
	if len(uses) > 0 || e.Old.Container == "" || e.language().Typed || len(e.Old.Name) < 3 ||
		lang.Common(e.Old.Name) || isConstructor(e.Old) {
		return uses
	}
	for _, u := range c.user.uses[e.Old.Name] {
		value := u.Ref.Qualifier != "" && u.Ref.Qualifier != code.Expression && u.Ref.Type == ""
		if u.Ref.Use == code.Call && value && fits(u.Ref, e.New.Params) && c.means(u.Ref, u.from, e) == nameOnly &&
			!hasOwn(u.from, e.Old) && c.holdsInMerge(e, u) {
			uses = append(uses, u)
		}
	}
	if len(uses) > 0 && !c.isSole(e) {
		return nil
	}
	return uses
}

// isSole reports whether the merged tree has one function of the name in all files of the language, and can be looked
// through.
func (c *Direction) isSole(e Edit) bool {
	name := regexp.QuoteMeta(e.New.Name)
	defines := regexp.MustCompile(`(?m)\b(?:def|function)\s+(?:self\.)?` + name + `\b|^\s*(?:(?:async|static|get|public|` +
		`protected|private)\s+|\*\s*)*` + name + `\s*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*\{|\b` + name +
		`\s*[:=]\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|\w+\s*=>|lambda\b|proc\b)`)
	n := 0
	if c.merged.tree == nil {
		return false
	}
	err := c.pair.ours.eachText(c.merged.tree, ".", func(file, text string) bool {
		if strings.Contains(text, e.New.Name) {
			if l, support := languages.Of(file); support == code.Readable && languages.Named(l).Related(e.language()) {
				n += len(defines.FindAllStringIndex(text, 2))
			}
		}
		return n < 2
	})
	return err == nil && n == 1
}

package conflict

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/internal/lazyregexp"
)

// givenBare is a line of Go that gives an error of its own package as it is.
var givenBare = lazyregexp.New(`\breturn\b(?:.*,)?\s*([Ee]rr[A-Z]\w*)$`)

// errorName is how errors of Go are called.
var errorName = lazyregexp.New(`^[Ee]rr[A-Z]`)

// wrappedErrors reports errors of Go that a function wraps where it gave them as they are, and that new code of the
// user compares with, if nothing else gives them as they are.
func (c *Direction) wrappedErrors() {
	told, used := map[string]bool{}, map[string]bool{}
	c.eachUse(func(u Use) {
		if errorName.MatchString(u.Ref.Name) {
			used[u.Ref.Name] = true
		}
	})
	if len(used) == 0 {
		return
	}
	for e := range c.by.kept() {
		if e.language().Name != code.Go || !e.Old.Callable() || e.Old.Hash == e.New.Hash {
			continue
		}
		old, new := c.texts(e)
		for _, line := range old {
			match := givenBare.FindStringSubmatch(line)
			if match == nil || told[match[1]] || !used[match[1]] {
				continue
			}
			name := match[1]
			wraps := regexp.MustCompile(`%w.*\b` + name + `\b`)
			uses := c.compared(name, e)
			if len(uses) == 0 || !slices.ContainsFunc(new, wraps.MatchString) || c.givenAsItIs(name) {
				continue
			}
			told[name] = true
			c.suspect(APIConflict, c.placeOf(e), uses,
				"%s lets %[3]s wrap %[4]s, and new code of %[2]s compares with it.", noun(e.Old, e.language()), name).
				instruct("Ask errors.Is for " + name + " at " + placesOf(uses) + ".").runtimeOnly = true
		}
	}
}

// compared are the user's new comparisons with an error of the package of an edit.
func (c *Direction) compared(name string, e Edit) []Use {
	compares := regexp.MustCompile(`[!=]=\s*(?:\w+\.)?` + name + `\b|\bcase\b.*\b` + name + `\b`)
	e.Old = code.Definition{Name: name, Kind: code.Variable, Visibility: code.Public}
	e.Kind, e.New = BodyChanged, e.Old
	return c.usesThat(func(u Use) bool {
		return u.Ref.Name == name && u.from.language == e.language() && compares.MatchString(c.lineOf(u)) &&
			c.means(u.Ref, u.from, e) >= likely && c.merged.stillUsed(u.Ref, u.Path())
	})
}

// givenAsItIs reports whether some code of the merged tree, but for tests, may give an error as it is.
func (c *Direction) givenAsItIs(name string) bool {
	if c.merged.tree == nil {
		return true
	}
	gives := regexp.MustCompile(`(?m)(?:\breturn\b(?:.*,)?|[^=!]=)\s*(?:\w+\.)?` + name + `\s*(?:$|[,}]|//)`)
	found := false
	err := c.pair.ours.eachText(c.merged.tree, ".", func(file, text string) bool {
		found = path.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go") && gives.MatchString(text)
		return !found
	})
	return found || err != nil
}

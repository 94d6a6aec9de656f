package conflict

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/plain"
	"delegate/internal/text/lazyregexp"
)

// givenBare is a line of Go that gives an error of its own package as it is.
var givenBare = lazyregexp.New(`\breturn\b(?:.*,)?\s*([Ee]rr[A-Z]\w*)$`)

// errorName is how errors of Go are called.
var errorName = lazyregexp.New(`^[Ee]rr[A-Z]`)

// wrappedErrors reports errors of Go that a function wraps where it gave them as they are, and that new code of the
// user compares with, if nothing else gives them as they are. It found 1 of 71 breaks.
func (c *Direction) wrappedErrors() {
	reported, used := map[string]bool{}, map[string]bool{}
	c.eachUse(func(u Use) {
		if errorName.MatchString(u.Ref.Name) {
			used[u.Ref.Name] = true
		}
	})
	if len(used) == 0 {
		return
	}
	for e := range c.by.kept() {
		if !e.language().Has(lang.ErrorValues) || !e.Old.Callable() || e.Old.Hash == e.New.Hash {
			continue
		}
		old, new := c.texts(e)
		for _, line := range old {
			if !strings.Contains(line, "return") {
				continue
			}
			match := givenBare.FindStringSubmatch(line)
			if match == nil || reported[match[1]] || !used[match[1]] {
				continue
			}
			name := match[1]
			wraps := regexp.MustCompile(`%w.*\b` + name + `\b`)
			if !slices.ContainsFunc(new, regexp.MustCompile(`\b`+name+`\b`).MatchString) {
				reported[name] = c.neverGiven(name, e)
				continue
			}
			uses := c.compared(name, comparison, e)
			if len(uses) == 0 || !slices.ContainsFunc(new, wraps.MatchString) || c.givenAsItIs(e.language(), name) {
				continue
			}
			reported[name] = true
			c.tell(wrapsError, c.placeOf(e), uses, "what", initial(noun(e.Old, e.language())), "name", name)
		}
	}
}

// neverGiven reports an error that a function no longer gives, where nothing else of the merged tree does, and new code
// of the user asks for it.
func (c *Direction) neverGiven(name string, e Edit) bool {
	uses := c.compared(name, comparison+`|errors\.Is\([^,]+,\s*(?:\w+\.)?%[1]s\b`, e)
	if len(uses) == 0 || c.inProgram(e.language(), `(?m)^\s*(?:var\s+)?`+name+`\s*(?:error\s*)?=|`+
		strings.ReplaceAll(comparison, "%[1]s", name)+`|errors\.Is\([^,]+,\s*(?:\w+\.)?`+name+`\b`, name) {
		return false
	}
	c.tell(otherError, c.placeOf(e), uses, "what", initial(noun(e.Old, e.language())), "name", name, "of",
		quoted(e.Old.Key()))
	return true
}

// inProgram reports whether code of the merged tree, but for tests, has a name in another way than a pattern says, or
// has a method by which errors tell what they are.
func (c *Direction) inProgram(l *lang.Language, pattern, name string) bool {
	if c.merged.tree == nil {
		return true
	}
	known, found := regexp.MustCompile(pattern), false
	err := c.pair.ours.eachText(c.merged.tree, ".", func(file, text string) bool {
		if l.Reads(file) && strings.Contains(text, name) {
			found = strings.Contains(text, ") Is(") ||
				plain.Mentions(known.ReplaceAllString(lineComment.ReplaceAllString(text, ""), ""), name)
		}
		return !found
	})
	return found || err != nil
}

var lineComment = lazyregexp.New(`(?m)//.*$`)

// comparison is how code compares with an error of a name.
const comparison = `[!=]=\s*(?:\w+\.)?%[1]s\b|\bcase\b.*\b%[1]s\b`

// compared are the user's new uses of an error of the package of an edit in lines of the pattern.
func (c *Direction) compared(name, pattern string, e Edit) []Use {
	compares := regexp.MustCompile(fmt.Sprintf(pattern, name))
	e.Old = code.Definition{Name: name, Kind: code.Variable, Visibility: code.Public}
	e.Kind, e.New = BodyChanged, e.Old
	return c.usesThat(func(u Use) bool {
		return u.Ref.Name == name && u.from.language == e.language() && compares.MatchString(c.lineOf(u)) &&
			c.means(u.Ref, u.from, e) >= likely && c.merged.stillUsed(u.Ref, u.Path())
	})
}

// givenAsItIs reports whether some code of the merged tree, but for tests, may give an error as it is.
func (c *Direction) givenAsItIs(l *lang.Language, name string) bool {
	if c.merged.tree == nil {
		return true
	}
	gives := regexp.MustCompile(`(?m)(?:\breturn\b(?:.*,)?|[^=!]=)\s*(?:\w+\.)?` + name + `\s*(?:$|[,}]|//)`)
	found := false
	err := c.pair.ours.eachText(c.merged.tree, ".", func(file, text string) bool {
		found = l.Reads(file) && gives.MatchString(text)
		return !found
	})
	return found || err != nil
}

package conflict

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/lazyregexp"
)

// otherResults reports functions that give values of another sort, as a dict in place of a list, and constants that
// are one now, where new code of the user does with one what only the former sort can.
func (c *Direction) otherResults() {
	for e := range c.by.kept() {
		ending, constant := path.Ext(e.to.file.Path), e.Old.Kind == code.Constant || e.Old.Kind == code.Variable
		if !lang.HasSorts(ending) || !e.Old.Callable() && (!constant || e.Old.Container != "") ||
			e.Old.Hash == e.New.Hash ||
			e.language().Typed && (e.New.Result != "" || e.New.Type != "") {
			continue
		}
		uses := c.usesOrCalls(e)
		if len(uses) == 0 {
			continue
		}
		old, new := c.texts(e)
		was, is := lang.ResultSorts(ending, old, new)
		if was == "" || constant && lang.LiteralSort(new) != "" { // a rule for literals tells
			continue
		}
		uses = slices.DeleteFunc(uses, func(u Use) bool {
			if constant {
				return !lang.NeedsSort(ending, was, is, regexp.QuoteMeta(u.Ref.Name)).MatchString(c.lineOf(u))
			}
			return !c.doesWithResult(u, func(value string) *regexp.Regexp {
				return lang.NeedsSort(ending, was, is, value)
			})
		})
		given := "lets %[3]s give"
		if constant {
			given = "makes %[3]s"
		}
		c.suspect(APIConflict, c.placeOf(e), uses, "%s "+given+" %[4]s in place of %[5]s, "+
			"and new code of %[2]s takes the former.", noun(e.Old, e.language()), is, was).
			instruct("Take " + is + " from " + quoted(e.Old.Key()) + " at " + placesOf(uses) + ".").runtimeOnly = true
	}
}

// placeholder is a part of a text of Python that is filled in by name.
var placeholder = lazyregexp.New(`\{([A-Za-z_]\w*)(?:[.\[!:][^{}]*)?\}`)

// filledOtherwise reports texts of Python that are to be filled in with other names, where new code of the user fills
// one in with the former ones.
func (c *Direction) filledOtherwise() {
	for _, e := range c.by.edits {
		value := e.Old.Kind == code.Constant || e.Old.Kind == code.Variable || e.Old.Kind == code.Field
		if e.Kind != BodyChanged || !value || e.language().Name != code.Python {
			continue
		}
		uses := c.Uses(e)
		if len(uses) == 0 {
			continue
		}
		old, new := c.texts(e)
		was, is := placeholders(old), placeholders(new)
		lacking := func(u Use) bool {
			given := filledIn(c.lineOf(u), e.Old.Name)
			has := func(name string) bool { return slices.Contains(given, name) }
			return given != nil && !slices.ContainsFunc(was, func(n string) bool { return !has(n) }) &&
				slices.ContainsFunc(is, func(n string) bool { return !has(n) })
		}
		uses = slices.DeleteFunc(uses, func(u Use) bool { return !lacking(u) })
		c.suspect(APIConflict, c.placeOf(e), uses,
			"%s lets %[3]s be filled in with (%[4]s) in place of (%[5]s), and new code of %[2]s gives the former.",
			noun(e.Old, e.language()), brief(strings.Join(is, ", ")), brief(strings.Join(was, ", "))).
			instruct("Give (" + brief(strings.Join(is, ", ")) + ") to " + quoted(e.Old.Key()) + " at " +
				placesOf(uses) + ".").runtimeOnly = true
	}
}

// placeholders are the names that the lines of a text have to be filled in with.
func placeholders(lines []string) (names []string) {
	for _, match := range placeholder.FindAllStringSubmatch(strings.Join(lines, "\n"), -1) {
		if !slices.Contains(names, match[1]) {
			names = append(names, match[1])
		}
	}
	return names
}

// filledIn are the names that a line gives to what fills a text in, nil if it does not or gives any.
func filledIn(line, name string) (names []string) {
	_, rest, found := strings.Cut(line, name+".format(")
	inside, _, closed := lang.Closed("(" + rest)
	if !found || !closed {
		return nil
	}
	for _, part := range lang.Comma(inside) {
		given, _, named := strings.Cut(part, "=")
		if !named || strings.HasPrefix(part, "*") {
			return nil
		}
		names = append(names, strings.TrimSpace(given))
	}
	return names
}

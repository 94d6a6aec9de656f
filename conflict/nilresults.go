package conflict

import (
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/internal/lazyregexp"
)

var (
	pointerAndError = lazyregexp.New(`^\((?:\w+ )?\*[^,]+, (?:\w+ )?error\)$`)
	bothNil         = lazyregexp.New(`^\s*return nil, nil$`)
	nilAndError     = lazyregexp.New(`^\s*return nil, [^n]`)
)

// nilsWithoutError reports Go functions that return nil without an error where they returned an error before, if new
// code of the user checks only the error and then uses the result.
func (c *Direction) nilsWithoutError() {
	for e := range c.by.kept() {
		if e.language().Name != code.Go || !e.Old.Callable() || e.Old.Hash == e.New.Hash ||
			e.Old.Result != e.New.Result || !pointerAndError.MatchString(e.New.Result) {
			continue
		}
		uses := c.Uses(e)
		for _, demanded := range c.demandedAs(e) {
			uses = append(uses, c.Uses(demanded)...)
		}
		if len(uses) == 0 {
			continue
		}
		old, new := c.texts(e)
		if matching(bothNil, old) > 0 || matching(bothNil, new) == 0 ||
			matching(nilAndError, old) <= matching(nilAndError, new) {
			continue
		}
		uses = slices.DeleteFunc(uses, func(u Use) bool { return !c.goesOnWith(u) })
		c.suspect(APIConflict, c.placeOf(e), uses, "%s lets %[3]s give nil and no error in place of an error, and new "+
			"code of %[2]s goes on with what it gives.", noun(e.Old, e.language())).
			instruct("Ask whether " + quoted(e.Old.Key()) + " gave nil at " + placesOf(uses) + ".").runtimeOnly = true
	}
}

// demandedAs are the methods of interfaces of the side's files, in the package of an edited method, that it has the
// form of. They stand for it where a value is held by its interface.
func (c *Direction) demandedAs(e Edit) (all []Edit) {
	if e.Old.Container == "" {
		return nil
	}
	for _, src := range c.by.sources {
		if src.Old == nil || src.New == nil ||
			scopeOf(src.language, src.file.BasePath(), src.Old.Package) != e.scope() {
			continue
		}
		for _, d := range src.New.Definitions {
			if d.Abstract && d.Name == e.New.Name && d.Result == e.New.Result && sameTypes(d.Params, e.New.Params) {
				all = append(all, Edit{Kind: BodyChanged, Old: d, New: d, from: src, to: src})
			}
		}
	}
	return all
}

func sameTypes(a, b []code.Param) bool {
	return slices.EqualFunc(a, b, func(x, y code.Param) bool { return x.Type == y.Type && x.Rest == y.Rest })
}

// goesOnWith reports whether code takes a part of what a call gave before it asks whether there is anything.
func (c *Direction) goesOnWith(u Use) bool {
	lines := c.sourceLines(c.user, version{head: true, name: u.Path()})
	at := u.Ref.Line - 1
	if u.Ref.Use != code.Call || at < 0 || at >= len(lines) {
		return false
	}
	given := u.from.language.Unpacking.Takes(lines[at], u.Ref.Name)
	if len(given) != 2 || given[0] == "_" || given[1] == "_" {
		return false
	}
	name := regexp.QuoteMeta(given[0])
	asks := regexp.MustCompile(`\b` + name + `\s*[!=]=\s*nil\b|\bnil\s*[!=]=\s*` + name + `\b`)
	takes := regexp.MustCompile(`(?:^|[^\w.])` + name + `\.\w|\*` + name + `\b`)
	again := regexp.MustCompile(`\b` + name + `\b[\w, ]*:?=[^=]`)
	for _, line := range lines[at+1:] {
		if asks.MatchString(line) || again.MatchString(line) || strings.HasPrefix(line, "}") {
			return false
		}
		if takes.MatchString(line) {
			return true
		}
	}
	return false
}

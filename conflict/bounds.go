package conflict

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// tightenedBounds reports type parameters with a stricter constraint, where new code of the user passes a type
// argument, or a variable of a type, that does not satisfy it. It reports only certain cases.
func (c *Direction) tightenedBounds() {
	for e := range c.by.kept() {
		l := e.language()
		if l.Bounding.Lacks == nil || len(e.Old.TypeParams) != len(e.New.TypeParams) ||
			sameParams(e.Old.TypeParams, e.New.TypeParams) {
			continue
		}
		var uses []Use
		lacking := ""
		for _, u := range c.Uses(e) {
			if typ := c.lacksBound(u, e); typ != "" && (lacking == "" || typ == lacking) {
				uses, lacking = append(uses, u), typ
			}
		}
		is := typeParamList(e.New.TypeParams, l)
		c.suspect(APIConflict, c.placeOf(e), uses,
			"%s changes what %[3]s takes from %[4]s to %[5]s, and new code of %[2]s gives it %[6]s, which lacks that.",
			noun(e.Old, l), typeParamList(e.Old.TypeParams, l), is, quoted(lacking)).
			instruct("Give " + quoted(lacking) + " what " + is + " of " + quoted(e.Old.Key()) + " demands, for " +
				placesOf(uses) + ".")
	}
}

// lacksBound is a type that a use gives to a type parameter and that lacks what the parameter demands by now; "" if
// none does for sure.
func (c *Direction) lacksBound(u Use, e Edit) string {
	l := e.language()
	types := lang.Types{Named: func(name string) []code.Definition { return c.typesNamed(l, name) },
		Mentions: func(pattern string) bool { return c.mentions(l, pattern) }}
	for i, typ := range c.typeArguments(u, e) {
		if typ == "" {
			continue
		}
		before := l.Bounding.Of(e.Old.TypeParams[i].Type)
		for _, bound := range l.Bounding.Of(e.New.TypeParams[i].Type) {
			if !slices.Contains(before, bound) && l.Bounding.Lacks(bound, typ, types) {
				return typ
			}
		}
	}
	return ""
}

// typeArguments are the names of the types that a use gives to each type parameter, "" for one that does not show.
func (c *Direction) typeArguments(u Use, e Edit) []string {
	given := make([]string, len(e.New.TypeParams))
	_, behind, found := strings.Cut(c.lineOf(u), u.Ref.Name)
	if behind = strings.TrimPrefix(behind, "::"); !found || behind == "" {
		return given
	}
	if behind[0] == '<' {
		if list, _, closed := strings.Cut(behind[1:], ">"); closed && !strings.Contains(list, "<") {
			for i, typ := range lang.Comma(list) {
				if i < len(given) {
					given[i] = typeName(typ)
				}
			}
		}
		return given
	}
	list, _, closed := lang.Closed(behind)
	if u.Ref.Use != code.Call || !closed || behind[0] != '(' {
		return given
	}
	for i, argument := range lang.Comma(list) {
		for n, p := range e.New.TypeParams {
			if i >= len(e.New.Params) || given[n] != "" {
				continue
			}
			takes, elements := strings.CutSuffix(e.New.Params[i].Type, "[]")
			if typ := localType(u, argument); typeName(takes) == p.Name && strings.HasSuffix(typ, "[]") == elements {
				given[n] = typeName(strings.TrimSuffix(typ, "[]"))
			}
		}
	}
	return given
}

// localType is the written type of the variable that an argument is, "" if it is anything else.
func localType(u Use, argument string) string {
	name := strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(argument, "&* "), "mut "))
	for _, d := range u.from.New.Definitions {
		if d.Kind == code.Local && d.Name == name && d.Container == u.Ref.In {
			return d.Type
		}
	}
	return ""
}

// typeName is the name of a type that is written as one, without what says how it is passed; "" for any other.
func typeName(typ string) string {
	typ = strings.TrimPrefix(strings.TrimLeft(typ, "& "), "mut ")
	typ = typ[strings.LastIndexAny(typ, ":.")+1:]
	if word.FindString(typ) != typ {
		return ""
	}
	return typ
}

// mostDeclaring bounds the files that are parsed to know of one type.
const mostDeclaring = 100

// typesNamed are the definitions of a name in all files of a language in the merged tree, those of its members too.
// nil if not all of them can be looked at.
func (c *Direction) typesNamed(l *lang.Language, name string) []code.Definition {
	pattern := regexp.MustCompile(`\b(?:class|struct|enum|union|interface|trait|record|impl|type)\b[^;{}]*\b` +
		regexp.QuoteMeta(name) + `\b`)
	files := 0
	var found []code.Definition
	ok := c.eachSource(l, func(file, text string) bool {
		if pattern.MatchString(text) {
			if files++; !c.merged.knows(file) || c.merged.source(file) == nil {
				files = mostDeclaring
			} else {
				for _, d := range c.merged.source(file).Definitions {
					if d.Name == name && isType(d) || lastOf(d.Container) == name && d.Kind != code.Local {
						found = append(found, d)
					}
				}
			}
		}
		return files < mostDeclaring
	})
	if !ok || files == mostDeclaring {
		return nil
	}
	return found
}

// mentions reports whether a file of a language in the merged tree matches a pattern, or cannot be looked at.
func (c *Direction) mentions(l *lang.Language, pattern string) bool {
	compiled, there := regexp.MustCompile(pattern), false
	ok := c.eachSource(l, func(_, text string) bool {
		there = compiled.MatchString(text)
		return !there
	})
	return there || !ok
}

// eachSource shows the files of a language in the merged tree, as long as more are wanted; false if not all can be
// looked at.
func (c *Direction) eachSource(l *lang.Language, see func(file, text string) bool) bool {
	if c.merged.tree == nil {
		return false
	}
	err := c.pair.ours.eachText(c.merged.tree, ".", func(name, text string) bool {
		return !slices.Contains(l.Endings, path.Ext(name)) || see(name, text)
	})
	if err != nil && !errors.Is(err, errUnseen) && c.err == nil {
		c.err = err
	}
	return err == nil
}

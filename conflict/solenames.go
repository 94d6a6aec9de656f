package conflict

import (
	"io/fs"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/languages"
	"delegate/internal/text/lazyregexp"
)

// usesOrCalls are the uses of a definition, or where there are none and it is a method of a language without written
// types, the calls that fit it on values of which nothing shows what they are, if nothing else of the merged tree has
// its name. For rules that look at what such code does with the value, since the name alone says little.
func (c *Direction) usesOrCalls(e Edit) []Use {
	uses := c.Uses(e)
	if len(uses) > 0 || e.Old.Container == "" || e.language().Has(lang.Typed) || len(e.Old.Name) < 3 ||
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

// hasNamesake reports whether a value is called like a file of the merged tree that defines a member of the edit's name
// in another type.
func (c *Direction) hasNamesake(qualifier string, e Edit) bool {
	def := e.subject()
	if qualifier == code.Expression || namedLike(qualifier, def.Container) {
		return false
	}
	for _, file := range c.merged.filesNamed(lastOf(qualifier)) {
		l, support := languages.Of(file)
		if support != code.Readable || !languages.Named(l).Related(e.language()) || !c.merged.knows(file) {
			continue
		}
		if f := c.merged.source(file); f != nil && slices.ContainsFunc(f.Definitions, func(d code.Definition) bool {
			return d.Name == def.Name && d.Container != "" && d.Kind != code.Local &&
				lastOf(d.Container) != lastOf(def.Container)
		}) {
			return true
		}
	}
	return false
}

// filesNamed are the files of the merged tree that are called so, but for letters' case, underscores and the ending.
func (m *merged) filesNamed(name string) []string {
	if m.named == nil && m.tree != nil {
		m.named = map[string][]string{}
		_ = fs.WalkDir(m.tree, ".", func(file string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				stem := plainStem(strings.TrimSuffix(path.Base(file), path.Ext(file)))
				m.named[stem] = append(m.named[stem], file)
			}
			return nil // what cannot be listed is not known to have one
		})
	}
	return m.named[plainStem(name)]
}

func plainStem(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// isSole reports whether the merged tree has one function of the name in all files of the language, and can be looked
// through.
func (c *Direction) isSole(e Edit) bool { return c.timesDefined(e.New.Name, e.language()) == 1 }

// isNowhere reports whether no file of the language in the merged tree defines or sets what has the name, and all can
// be looked through.
func (c *Direction) isNowhere(name string, l *lang.Language) bool {
	asked := soleName{name, l.FamilyName()}
	nowhere, known := c.merged.nowhere[asked]
	if !known {
		nowhere = c.timesDefined(name, l) == 0 && c.isUnset(name, l)
		c.merged.nowhere[asked] = nowhere
	}
	return nowhere
}

func (c *Direction) isUnset(name string, l *lang.Language) bool {
	sets := regexp.MustCompile(`(?m)(?:\b(?:self|this|cls)\.|@|^\s*)` + regexp.QuoteMeta(name) +
		`\s*(?::[^:]|=[^=>~])|\battr_\w+.*:` + regexp.QuoteMeta(name) + `\b`)
	found := false
	err := c.eachTextOf(l, func(text string) bool {
		found = found || strings.Contains(text, name) && sets.MatchString(text)
		return !found
	})
	return err == nil && !found
}

// soleName is a name in the files of a family of languages.
type soleName struct {
	name   string
	family code.Language
}

// timesDefined counts the functions of the name in all files of the merged tree of the language, up to two. It is two
// where not all can be looked at.
func (c *Direction) timesDefined(name string, l *lang.Language) int {
	asked := soleName{name, l.FamilyName()}
	n, known := c.merged.times[asked]
	switch {
	case known:
		return n
	case c.merged.tree == nil:
		return 2
	}
	err := c.eachTextOf(l, func(text string) bool {
		for at := range indices(text, name) {
			line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
			if isDefined(line, text[at+len(name):]) {
				n++
			}
		}
		return n < 2
	})
	if err != nil {
		n = 2
	}
	c.merged.times[asked] = n
	return n
}

// eachTextOf goes through the texts of the merged tree's files of a language until look has seen enough.
func (c *Direction) eachTextOf(l *lang.Language, look func(text string) bool) error {
	return c.pair.ours.eachText(c.merged.tree, ".", func(file, text string) bool {
		found, support := languages.Of(file)
		return support != code.Readable || !languages.Named(found).Related(l) || look(text)
	})
}

// indices are the places at which a text has a word.
func indices(text, word string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; word != ""; at += len(word) {
			next := strings.Index(text[at:], word)
			if next < 0 {
				return
			}
			if at += next; !yield(at) {
				return
			}
		}
	}
}

// These find what stands before and behind the name of a function where it is defined, as far as the line and where the
// name ends.
var (
	beforeFunction = lazyregexp.New(`\b(?:def|function)\s+(?:self\.)?$`)
	beforeMethod   = lazyregexp.New(`^\s*(?:(?:async|static|get|public|protected|private)\s+|\*\s*)*$`)
	behindMethod   = lazyregexp.New(`^\s*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*\{`)
	behindBinding  = lazyregexp.New(`^\s*[:=]\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|\w+\s*=>|lambda\b|proc\b)`)
	endOfWord      = lazyregexp.New(`\w$`)
	beginOfWord    = lazyregexp.New(`^\w`)
)

// isDefined tells by what stands before a name on its line and behind it whether it is a function's definition.
func isDefined(before, behind string) bool {
	if endOfWord.MatchString(before) || beginOfWord.MatchString(behind) {
		return false
	}
	return beforeFunction.MatchString(before) || behindBinding.MatchString(behind) ||
		beforeMethod.MatchString(before) && behindMethod.MatchString(behind)
}

package conflict

import (
	"slices"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/text/lazyregexp"
)

// duplicates reports what both sides newly define under one name in one place. It found 7 of 168 and 7 of 71 breaks.
func (c *Direction) duplicates() {
	for _, e := range c.by.edits {
		if e.Kind != Added && e.Kind != Renamed && e.Kind != Moved {
			continue
		}
		for _, o := range c.user.addedAs(e.New.Name) {
			if o.New.Key() == e.New.Key() && (o.newScope() == e.newScope() && excludes(e, o) ||
				c.ofOneType(e, o) && (excludes(e, o) || sameTrait(e, o))) && c.bothThere(e, o) && !ownPrograms(e, o) {
				of := definedTwice
				if e.New.Kind != o.New.Kind {
					of = namedTwice
				}
				f := c.tell(of, c.placeOf(e), []Use{definitionUse(o)}, "what", noun(e.New, e.language()),
					"other", noun(o.New, o.language()), "mine", placesOf([]Use{definitionUse(e)}))
				// What a compiler reads apart, only a linker puts together.
				f.runtimeOnly = e.language().Has(lang.Headers) && e.to.file.Path != o.to.file.Path
				f.needsChecker = differ(e.to.New.Constraint, o.to.New.Constraint) ||
					e.New.Conditional && o.New.Conditional && e.to.file.Path != o.to.file.Path
			}
		}
	}
}

// ownPrograms reports whether two sources of C or C++ are of a program each, so that they are not linked together.
func ownPrograms(a, b Edit) bool {
	begins := func(e Edit) bool {
		_, found := definition(e.to.New, "main")
		return found
	}
	return a.language().Has(lang.Headers) && a.to.file.Path != b.to.file.Path && begins(a) && begins(b)
}

// differ reports whether two Go files may never be built together.
func differ(a, b string) bool { return a != "" && b != "" && a != b }

// addedAs are the definitions that the side brings under the name, new ones and those that got it.
func (s *changes) addedAs(name string) []Edit {
	var all []Edit
	for _, i := range s.byNewName[name] {
		all = append(all, s.edits[i])
	}
	return all
}

func (e Edit) newScope() scope { return scopeOf(e.to.language, e.to.file.Path, e.to.New.Package) }

// sameType reports whether the paths of two methods' types, as their files name them, are the same.
func sameType(a, b Edit) bool {
	path := a.to.language.TypePath
	if path == nil || a.to.language != b.to.language || a.New.Kind != code.Method ||
		a.New.Overrides != b.New.Overrides {
		return false
	}
	of := path(a.to.file.Path, a.to.New, a.New.Container)
	return of != "" && of == path(b.to.file.Path, b.to.New, b.New.Container)
}

// ofOneType reports whether two methods of different scopes are of one type.
func (c *Direction) ofOneType(a, b Edit) bool {
	return sameType(a, b) || c.importsTypeOf(a, b) || c.importsTypeOf(b, a)
}

// importsTypeOf reports whether a method is of a type that its file imports from that of the other.
func (c *Direction) importsTypeOf(a, b Edit) bool {
	l := a.to.language
	if l.TypePath == nil || l != b.to.language || a.New.Kind != code.Method || a.New.Overrides != b.New.Overrides {
		return false
	}
	_, there := definition(b.to.New, b.New.Container)
	return there && slices.ContainsFunc(a.to.New.Imports, func(i code.Import) bool {
		inside, ok := c.throughFronts(i, a.to.file.Path, c.by.targetAt(b.to, b.to.file.Path, b.to.New), mostHandedOn)
		return i.Name == a.New.Container && ok && inside == b.New.Container
	})
}

// sameTrait reports whether two methods by which a type provides what a trait demands are of one trait, which both
// sides newly implement for it.
func sameTrait(a, b Edit) bool {
	newBases := func(e Edit) (all []string) {
		of := func(f *code.File) (bases []string) {
			if f != nil {
				for _, d := range f.Definitions {
					if d.Key() == e.New.Container && isType(d) {
						bases = append(bases, d.Bases...)
					}
				}
			}
			return bases
		}
		before := of(e.to.Old)
		for _, base := range of(e.to.New) {
			if !slices.Contains(before, base) {
				all = append(all, lastOf(base))
			}
		}
		return all
	}
	ours := newBases(a)
	bothProvide := a.New.Overrides && b.New.Overrides
	return bothProvide && slices.EqualFunc(a.New.Params, b.New.Params, func(x, y code.Param) bool {
		return lifetime.ReplaceAllString(modulePrefix.ReplaceAllString(x.Type, ""), "") ==
			lifetime.ReplaceAllString(modulePrefix.ReplaceAllString(y.Type, ""), "")
	}) && slices.ContainsFunc(newBases(b), func(base string) bool { return slices.Contains(ours, base) })
}

// modulePrefix is the path in front of the name of a type.
var modulePrefix = lazyregexp.New(`(?:\w+(?:::|\.))+`)

// lifetime is one of a reference of Rust, or those of a type if it has no other parameters.
var lifetime = lazyregexp.New(`<'\w+(?:,\s*'\w+)*>|'\w+\s*`)

// excludes reports whether one scope can have only one of the two definitions.
func excludes(a, b Edit) bool {
	x, y := lang.Placed{Definition: a.New, File: a.to.file.Path}, lang.Placed{Definition: b.New, File: b.to.file.Path}
	if x.Visibility == code.Private && x.Container == "" && x.File != y.File {
		return false
	}
	if own := a.to.language.Excludes; own != nil {
		return own(x, y)
	}
	return x.Kind != code.Module && !x.Partial && !(x.Overrides && y.Overrides) // two traits may demand one name
}

// bothThere looks whether the merged tree has both: in one file git may have made one of two equal ones.
func (c *Direction) bothThere(a, b Edit) bool {
	if a.to.file.Path != b.to.file.Path || !c.merged.knows(a.to.file.Path) {
		return c.merged.keeps(a) && c.merged.keeps(b)
	}
	f := c.merged.source(a.to.file.Path)
	if f == nil {
		return false
	}
	of := func(f *code.File) (n int) {
		for _, d := range f.Definitions {
			if d.Key() == a.New.Key() && d.Kind == a.New.Kind {
				n++
			}
		}
		return n
	}
	return of(f) > max(of(a.to.New), of(b.to.New)) // one side alone may define it once for each system
}

// keeps reports whether the merged tree has the definition in its file, where that can be known.
func (m *merged) keeps(e Edit) bool {
	if !m.knows(e.to.file.Path) {
		return true
	}
	f := m.source(e.to.file.Path)
	if f == nil {
		return false
	}
	_, there := definition(f, e.New.Key())
	return there
}

package conflict

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// duplicates reports what both sides newly define under one name in one place.
func (c *direction) duplicates() []Finding {
	var found []Finding
	for _, e := range c.by.edits {
		if e.kind != added && e.kind != renamed && e.kind != moved || e.new.Kind == code.Local {
			continue
		}
		for _, o := range c.user.addedAs(e.new.Name) {
			if o.new.Key() == e.new.Key() && (o.newScope() == e.newScope() || sameType(e, o)) && excludes(e, o) &&
				c.bothThere(e, o) {
				r := code.Reference{Name: o.new.Key(), Line: o.new.Line, Args: code.NoCall}
				f := c.finding(APIConflict, e, []use{{r, o.to}})
				f.needsChecker = differ(e.to.new.Constraint, o.to.new.Constraint)
				f.Message = c.by.set.Name + " and " + c.user.set.Name + " both define " + noun(e.new, e.language()) +
					", which there can be only one of."
				if e.new.Kind != o.new.Kind {
					f.Message = c.by.set.Name + " adds " + noun(e.new, e.language()) + " and " + c.user.set.Name +
						" adds " + noun(o.new, o.language()) + ", and there can be only one of the name."
				}
				found = append(found, f)
			}
		}
	}
	return found
}

// differ reports whether two Go files may never be built together.
func differ(a, b string) bool { return a != "" && b != "" && a != b }

// addedAs are the definitions that the side brings under the name, new ones and those that got it.
func (s *side) addedAs(name string) []edit {
	var all []edit
	for _, i := range s.byNewName[name] {
		all = append(all, s.edits[i])
	}
	return all
}

func (e edit) newScope() scope { return scopeOf(e.to.language, e.to.file.Path, e.to.new.Package) }

// sameType reports whether two methods of different scopes are of one type.
func sameType(a, b edit) bool {
	path := a.to.language.TypePath
	if path == nil || a.to.language != b.to.language || a.new.Kind != code.Method || a.new.Overrides ||
		b.new.Overrides {
		return false
	}
	of := path(a.to.file.Path, a.to.new, a.new.Container)
	return of != "" && of == path(b.to.file.Path, b.to.new, b.new.Container)
}

// excludes reports whether one scope can have only one of the two definitions.
func excludes(a, b edit) bool {
	x, y := lang.Placed{Definition: a.new, File: a.to.file.Path}, lang.Placed{Definition: b.new, File: b.to.file.Path}
	if x.Visibility == code.Private && x.Container == "" && x.File != y.File {
		return false
	}
	if own := a.to.language.Excludes; own != nil {
		return own(x, y)
	}
	return x.Kind != code.Module && !x.Partial && !(x.Overrides && y.Overrides) // two traits may demand one name
}

// bothThere looks whether the merged tree has both: in one file git may have made one of two equal ones.
func (c *direction) bothThere(a, b edit) bool {
	if a.to.file.Path != b.to.file.Path || !c.merged.knows(a.to.file.Path) {
		return c.merged.keeps(a) && c.merged.keeps(b)
	}
	f := c.merged.source(a.to.file.Path)
	if f == nil {
		return false
	}
	n := 0
	for _, d := range f.Definitions {
		if d.Key() == a.new.Key() && d.Kind == a.new.Kind {
			n++
		}
	}
	return n > 1
}

// keeps reports whether the merged tree has the definition in its file, where that can be told.
func (m *merged) keeps(e edit) bool {
	if !m.knows(e.to.file.Path) {
		return true
	}
	f := m.source(e.to.file.Path)
	if f == nil {
		return false
	}
	_, there := definition(f, e.new.Key())
	return there
}

package conflict

import "delegate/internal/syntax"

// duplicates reports what both sides newly define under one name in one place.
func (c *clash) duplicates() []Finding {
	var found []Finding
	for _, e := range c.by.edits {
		if e.what != introduced && e.what != renamed && e.what != moved || e.new.Kind == syntax.Local {
			continue
		}
		for _, o := range c.user.arriving(e.new.Name) {
			if o.new.Key() == e.new.Key() && o.newHome() == e.newHome() && excludes(e, o) && c.bothThere(e, o) {
				r := syntax.Reference{Name: o.new.Key(), Line: o.new.Line, Args: syntax.NoCall}
				f := c.finding(APIConflict, e, []use{{r, o.to}})
				f.weak = differ(e.to.new.Constraint, o.to.new.Constraint)
				f.Message = c.by.set.Name + " and " + c.user.set.Name + " both define " + noun(e.new, e.language()) + ", which there can be only one of."
				if e.new.Kind != o.new.Kind {
					f.Message = c.by.set.Name + " adds " + noun(e.new, e.language()) + " and " + c.user.set.Name + " adds " + noun(o.new, o.language()) + ", and there can be only one of the name."
				}
				found = append(found, f)
			}
		}
	}
	return found
}

// differ reports whether two Go files may never be built together.
func differ(a, b string) bool { return a != "" && b != "" && a != b }

// arriving are the definitions that the side brings under the name, new ones and those that got it.
func (s *side) arriving(name string) []edit {
	var all []edit
	for _, i := range s.byNewName[name] {
		all = append(all, s.edits[i])
	}
	return all
}

func (e edit) newHome() home { return homeOf(e.to.language, e.to.file.Path, e.to.new.Package) }

// excludes reports whether one home can have only one of the two definitions.
func excludes(a, b edit) bool {
	x, y := a.new, b.new
	if x.Visibility == syntax.Private && x.Container == "" && a.to.file.Path != b.to.file.Path {
		return false
	}
	switch a.to.language {
	case syntax.Go:
		return true
	case syntax.CPP, syntax.C:
		if a.to.file.Path != b.to.file.Path && (!x.Callable() || x.Kind == syntax.Macro) {
			return false // each source has its own types, macros and constants
		}
		fallthrough
	case syntax.Java, syntax.CSharp:
		if x.Callable() && y.Callable() && !sameTypes(x.Params, y.Params) {
			return false
		}
		return !x.Partial && !y.Partial && x.Kind != syntax.Module && !x.Abstract && !y.Abstract
	case syntax.TypeScript:
		return x.Kind != syntax.Interface && x.Kind != syntax.Module && x.Kind != syntax.Field
	case syntax.Ruby:
		return x.Callable() && (x.Container != "" || a.to.file.Path == b.to.file.Path)
	}
	return x.Kind != syntax.Module && !x.Partial && !(x.Overrides && y.Overrides) // two traits may demand one name
}

func sameTypes(a, b []syntax.Param) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Type != b[i].Type {
			return false
		}
	}
	return true
}

// bothThere looks whether the merged tree has both: in one file git may have made one of two equal ones.
func (c *clash) bothThere(a, b edit) bool {
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

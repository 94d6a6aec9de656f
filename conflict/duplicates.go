package conflict

import (
	"slices"
	"strings"

	"delegate/conflict/code"
)

// duplicates reports what both sides newly define under one name in one place.
func (c *clash) duplicates() []Finding {
	var found []Finding
	for _, e := range c.by.edits {
		if e.what != introduced && e.what != renamed && e.what != moved || e.new.Kind == code.Local {
			continue
		}
		for _, o := range c.user.arriving(e.new.Name) {
			if o.new.Key() == e.new.Key() && (o.newHome() == e.newHome() || sameRustType(e, o)) && excludes(e, o) &&
				c.bothThere(e, o) {
				r := code.Reference{Name: o.new.Key(), Line: o.new.Line, Args: code.NoCall}
				f := c.finding(APIConflict, e, []use{{r, o.to}})
				f.weak = differ(e.to.new.Constraint, o.to.new.Constraint)
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

// arriving are the definitions that the side brings under the name, new ones and those that got it.
func (s *side) arriving(name string) []edit {
	var all []edit
	for _, i := range s.byNewName[name] {
		all = append(all, s.edits[i])
	}
	return all
}

func (e edit) newHome() home { return homeOf(e.to.language, e.to.file.Path, e.to.new.Package) }

// sameRustType reports whether two methods of different modules are of one type, which may have its
// own in any module of its crate.
func sameRustType(a, b edit) bool {
	if a.to.language != code.Rust || b.to.language != code.Rust || a.new.Kind != code.Method || a.new.Overrides ||
		b.new.Overrides {
		return false
	}
	crate, path := rustPath(a.to, a.new.Container)
	other, same := rustPath(b.to, b.new.Container)
	return len(path) > 1 && crate == other && slices.Equal(path, same)
}

// rustPath is the crate and the path of a type as a source names it: its own, or one that it
// imports. It is nil for others.
func rustPath(src *source, typ string) (crate string, path []string) {
	crate, here := rustModule(src.file.Path)
	if d, found := definition(src.new, typ); found && !d.Partial {
		return crate, append(slices.Clone(here), typ)
	}
	for _, imp := range src.new.Imports {
		if imp.Name == typ {
			return crate, rustTarget(imp, here)
		}
	}
	return crate, nil
}

// rustTarget is the path of what an import names in its own crate, seen from a module; nil for what is in others.
func rustTarget(imp code.Import, here []string) []string {
	parts := append(strings.FieldsFunc(strings.ReplaceAll(imp.Module, "::", "."), func(r rune) bool {
		return r == '.'
	}), imp.Member)
	switch parts[0] {
	case "crate":
		return parts[1:]
	case "self":
		return slices.Concat(here, parts[1:])
	case "super":
		if len(here) > 0 {
			return slices.Concat(here[:len(here)-1], parts[1:])
		}
	}
	return nil
}

// excludes reports whether one home can have only one of the two definitions.
func excludes(a, b edit) bool {
	x, y := a.new, b.new
	if x.Visibility == code.Private && x.Container == "" && a.to.file.Path != b.to.file.Path {
		return false
	}
	switch a.to.language {
	case code.Go:
		return true
	case code.CPP, code.C:
		if a.to.file.Path != b.to.file.Path && (!x.Callable() || x.Kind == code.Macro) {
			return false // each source has its own types, macros and constants
		}
		fallthrough
	case code.Java, code.CSharp:
		if x.Callable() && y.Callable() && !sameTypes(x.Params, y.Params) {
			return false
		}
		return !x.Partial && !y.Partial && x.Kind != code.Module && !x.Abstract && !y.Abstract
	case code.TypeScript:
		return x.Kind != code.Interface && x.Kind != code.Module && x.Kind != code.Field
	case code.Ruby:
		return x.Callable() && (x.Container != "" || a.to.file.Path == b.to.file.Path)
	}
	return x.Kind != code.Module && !x.Partial && !(x.Overrides && y.Overrides) // two traits may demand one name
}

func sameTypes(a, b []code.Param) bool {
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

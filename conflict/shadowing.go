package conflict

import (
	"slices"

	"delegate/conflict/code"
)

// shadowed reports names that one side defines where the other newly means an import by them.
func (c *Direction) shadowed() {
	for _, e := range c.by.edits {
		if e.Kind != Added {
			continue
		}
		if e.New.Kind == code.Local {
			c.shadowedInside(e)
		} else if e.New.Container == "" {
			c.shadowedOutside(e)
		}
	}
}

// shadowedInside reports a new variable of a function in which the other side newly uses the import of that name.
func (c *Direction) shadowedInside(e Edit) {
	other := c.counterpart(e.to)
	if other == nil || !binds(other.New.Imports, e.New.Name) {
		return
	}
	uses := slices.DeleteFunc(c.usesOf(e.New.Name, other), func(u Use) bool {
		return u.Ref.In != e.New.Container || u.Ref.Qualifier != e.New.Name
	})
	c.suspect(ImportConflict, c.placeOf(e), uses,
		"%s adds the variable %[3]s to %[4]s, and new code of %[2]s there means the import of that name.",
		quoted(e.New.Name), quoted(e.New.Container))
}

// shadowedOutside reports a new definition whose name the other side newly gives to an import of
// the same file, or for Go of the same package.
func (c *Direction) shadowedOutside(e Edit) {
	named := func(imp code.Import) bool { return imp.Name == e.New.Name }
	for _, src := range c.user.sources {
		if src.New == nil || src.language != e.to.language || !slices.ContainsFunc(src.fresh, named) ||
			src.file.BasePath() != e.to.file.BasePath() &&
				(!src.language.Folders || scopeOf(src.language, src.file.Path, src.New.Package) != e.newScope()) {
			continue
		}
		for _, imp := range src.fresh {
			if named(imp) && c.merged.keeps(e) {
				c.suspect(ImportConflict, c.placeOf(e), []Use{importUse(imp, src)},
					"%s adds %[3]s, and %[2]s imports %[4]s by the same name.", noun(e.New, e.language()),
					moduleOf(imp))
			}
		}
	}
}

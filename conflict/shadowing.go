package conflict

import "delegate/conflict/code"

// shadowed reports names that one side defines where the other newly means an import by them.
func (c *Direction) shadowed() []Finding {
	var found []Finding
	for _, e := range c.by.edits {
		if e.Kind != Added {
			continue
		}
		if e.New.Kind == code.Local {
			found = append(found, c.shadowedInside(e)...)
		} else if e.New.Container == "" {
			found = append(found, c.shadowedOutside(e)...)
		}
	}
	return found
}

// shadowedInside reports a new variable of a function in which the other side newly uses the import of that name.
func (c *Direction) shadowedInside(e Edit) []Finding {
	other := c.counterpart(e.to)
	if other == nil || !binds(other.New.Imports, e.New.Name) {
		return nil
	}
	var uses []Use
	for _, u := range c.usesOf(e.New.Name, other) {
		if u.Ref.In == e.New.Container && u.Ref.Qualifier == e.New.Name {
			uses = append(uses, u)
		}
	}
	if len(uses) == 0 {
		return nil
	}
	f := c.importFinding(e.place(c.by.set.Name), uses)
	f.Message = c.by.set.Name + " adds the variable " + quoted(e.New.Name) + " to " + quoted(e.New.Container) +
		", and new code of " + c.user.set.Name + " there means the import of that name."
	return []Finding{f}
}

// shadowedOutside reports a new definition whose name the other side newly gives to an import of
// the same file, or for Go of the same package.
func (c *Direction) shadowedOutside(e Edit) []Finding {
	var found []Finding
	for _, src := range c.user.sources {
		if src.New == nil || src.language != e.to.language || src.file.BasePath() != e.to.file.BasePath() &&
			(!src.language.Folders || scopeOf(src.language, src.file.Path, src.New.Package) != e.newScope()) {
			continue
		}
		for _, imp := range src.fresh {
			if imp.Name != e.New.Name || !c.merged.keeps(e) {
				continue
			}
			f := c.importFinding(e.place(c.by.set.Name), []Use{importUse(imp, src)})
			f.Message = c.by.set.Name + " adds " + noun(e.New, e.language()) + ", and " + c.user.set.Name +
				" imports " + moduleOf(imp) + " by the same name."
			found = append(found, f)
		}
	}
	return found
}

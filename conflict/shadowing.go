package conflict

import "delegate/conflict/code"

// shadowed reports names that one side defines where the other newly means an import by them.
func (c *direction) shadowed() []Finding {
	var found []Finding
	for _, e := range c.by.edits {
		if e.kind != added {
			continue
		}
		if e.new.Kind == code.Local {
			found = append(found, c.shadowedInside(e)...)
		} else if e.new.Container == "" {
			found = append(found, c.shadowedOutside(e)...)
		}
	}
	return found
}

// shadowedInside reports a new variable of a function in which the other side newly uses the import of that name.
func (c *direction) shadowedInside(e edit) []Finding {
	other := c.counterpart(e.to)
	if other == nil || !binds(other.new.Imports, e.new.Name) {
		return nil
	}
	var uses []use
	for _, u := range c.usesOf(e.new.Name, other) {
		if u.ref.In == e.new.Container && u.ref.Qualifier == e.new.Name {
			uses = append(uses, u)
		}
	}
	if len(uses) == 0 {
		return nil
	}
	f := c.importFinding(e.place(c.by.set.Name), uses)
	f.Message = c.by.set.Name + " adds the variable " + quoted(e.new.Name) + " to " + quoted(e.new.Container) +
		", and new code of " + c.user.set.Name + " there means the import of that name."
	return []Finding{f}
}

// shadowedOutside reports a new definition whose name the other side newly gives to an import of
// the same file, or for Go of the same package.
func (c *direction) shadowedOutside(e edit) []Finding {
	var found []Finding
	for _, src := range c.user.sources {
		if src.new == nil || src.language != e.to.language || src.file.BasePath() != e.to.file.BasePath() &&
			(!src.language.Folders || scopeOf(src.language, src.file.Path, src.new.Package) != e.newScope()) {
			continue
		}
		for _, imp := range src.fresh {
			if imp.Name != e.new.Name || !c.merged.keeps(e) {
				continue
			}
			f := c.importFinding(e.place(c.by.set.Name), []use{importUse(imp, src)})
			f.Message = c.by.set.Name + " adds " + noun(e.new, e.language()) + ", and " + c.user.set.Name +
				" imports " + moduleOf(imp) + " by the same name."
			found = append(found, f)
		}
	}
	return found
}

package conflict

import (
	"path"
	"slices"

	"delegate/conflict/code"
)

// inPlace reports whether a Go definition is known by another package's name now and stands in the same folder,
// so that those who import the folder go on to find it.
func inPlace(e edit) bool {
	return e.kind == moved && e.from.language.Folders &&
		path.Dir(e.from.file.BasePath()) == path.Dir(e.to.file.Path) && !e.language().IsIsolated(e.to.file.Path)
}

// renamedPackages reports Go packages that get another name in their folder while new code of the
// user calls them by the old one.
// An import that gives the package a name of its own goes on working.
func (c *direction) renamedPackages() []Finding {
	var found []Finding
	told := map[string]bool{}
	for _, src := range c.by.sources {
		if !src.language.Folders || src.old == nil || src.new == nil || src.old.Package == src.new.Package ||
			src.language.IsIsolated(src.file.Path) {
			continue
		}
		dir := path.Dir(src.file.Path)
		if dir != path.Dir(src.file.BasePath()) || told[dir] {
			continue
		}
		if uses := c.usesOfPackage(src); len(uses) > 0 {
			told[dir] = true
			f := c.importFinding(Place{Agent: c.by.set.Name, Path: src.file.Path, Symbol: src.new.Package}, uses)
			f.Type = APIConflict
			f.Message = c.by.set.Name + " renames the package " + quoted(src.old.Package) + " to " +
				quoted(src.new.Package) + ", and new code of " + c.user.set.Name + " uses it by its old name."
			found = append(found, f)
		}
	}
	return found
}

// usesOfPackage are the user's new references to a source's package by the name that it had, and
// new files of the package.
func (c *direction) usesOfPackage(src *source) (uses []use) {
	t := c.by.targetAt(src, src.file.BasePath(), src.old)
	c.eachUse(func(u use) {
		named := u.from.language.Folders && firstOf(u.ref) == src.old.Package && u.ref.Qualifier != "" &&
			slices.ContainsFunc(u.from.new.Imports, func(i code.Import) bool {
				_, ok := reaches(i, u.from.file.Path, t)
				return ok && i.Name == src.old.Package
			})
		if named && c.merged.stillUsed(u.ref, u.from.file.Path) {
			uses = append(uses, u)
		}
	})
	for _, o := range c.user.sources {
		if o.language.Folders && o.old == nil && o.new != nil && o.new.Package == src.old.Package &&
			path.Dir(o.file.Path) == path.Dir(src.file.Path) {
			uses = append(uses, use{code.Reference{Name: o.new.Package, Args: code.NoCall}, o})
		}
	}
	return uses
}

// leftPackages reports Go files that one side takes to another package, in which new code of the
// user needs what stays in the former one.
func (c *direction) leftPackages() []Finding {
	var found []Finding
	for _, src := range c.by.sources {
		other := c.counterpart(src)
		if other == nil || !src.language.Folders || src.old == nil || src.new == nil ||
			!c.merged.knows(src.file.Path) {
			continue
		}
		was, is := site{src: src}.oldScope(), site{src: src}.newScope()
		if was == is || slices.ContainsFunc(importsOf(c.merged.source(src.file.Path)), func(i code.Import) bool {
			return i.Member == code.All
		}) {
			continue
		}
		var uses []use
		for _, r := range other.refs {
			bare := r.Qualifier == "" && r.Type == "" && c.merged.stillUsed(r, src.file.Path)
			if bare && c.merged.defines(r.Name, was, src.file.BasePath()) &&
				!c.merged.defines(r.Name, is, src.file.Path) {
				uses = append(uses, use{r, other})
			}
		}
		if len(uses) > 0 {
			f := c.importFinding(Place{Agent: c.by.set.Name, Path: src.file.Path, Symbol: src.new.Package}, uses)
			f.Type = APIConflict
			f.Message = c.by.set.Name + " takes " + quoted(src.file.Path) + " to the package " +
				quoted(src.new.Package) + ", and new code of " + c.user.set.Name + " in it uses what stays in " +
				quoted(src.old.Package) + "."
			found = append(found, f)
		}
	}
	return found
}

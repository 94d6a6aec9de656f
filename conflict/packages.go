package conflict

import (
	"path"
	"slices"

	"delegate/conflict/code"
)

// inPlace reports whether a Go definition is known by another package's name now and stands in the same folder,
// so that those who import the folder go on to find it.
func inPlace(e Edit) bool {
	return e.Kind == Moved && e.from.language.Folders &&
		path.Dir(e.from.file.BasePath()) == path.Dir(e.to.file.Path) && !e.language().IsIsolated(e.to.file.Path)
}

// renamedPackages reports Go packages that get another name in their folder while new code of the
// user calls them by the old one. An import that gives the package a name of its own goes on
// working.
func (c *Direction) renamedPackages() {
	reported := map[string]bool{}
	for _, src := range c.by.sources {
		if !src.language.Folders || src.Old == nil || src.New == nil || src.Old.Package == src.New.Package ||
			src.language.IsIsolated(src.file.Path) {
			continue
		}
		dir := path.Dir(src.file.Path)
		if dir != path.Dir(src.file.BasePath()) || reported[dir] {
			continue
		}
		if uses := c.usesOfPackage(src); len(uses) > 0 {
			reported[dir] = true
			c.suspect(APIConflict, c.placeIn(src, 0, src.New.Package), uses,
				"%s renames the package %[3]s to %[4]s, and new code of %[2]s uses it by its old name.",
				quoted(src.Old.Package), quoted(src.New.Package))
		}
	}
}

// usesOfPackage are the user's new references to a source's package by the name that it had, and
// new files of the package.
func (c *Direction) usesOfPackage(src *changedFile) []Use {
	t := c.by.targetAt(src, src.file.BasePath(), src.Old)
	uses := c.usesThat(func(u Use) bool {
		named := u.from.language.Folders && firstOf(u.Ref) == src.Old.Package && u.Ref.Qualifier != "" &&
			slices.ContainsFunc(u.from.New.Imports, func(i code.Import) bool {
				_, ok := reaches(i, u.from.file.Path, t)
				return ok && i.Name == src.Old.Package
			})
		return named && c.merged.stillUsed(u.Ref, u.from.file.Path)
	})
	for _, o := range c.user.sources {
		if o.language.Folders && o.Old == nil && o.New != nil && o.New.Package == src.Old.Package &&
			path.Dir(o.file.Path) == path.Dir(src.file.Path) {
			uses = append(uses, Use{code.Reference{Name: o.New.Package, Args: code.NoCall}, o})
		}
	}
	return uses
}

// leftPackages reports Go files that one side takes to another package, in which new code of the
// user needs what stays in the former one.
func (c *Direction) leftPackages() {
	for _, src := range c.by.sources {
		other := c.counterpart(src)
		if other == nil || !src.language.Folders || src.Old == nil || !c.merged.knows(src.file.Path) {
			continue
		}
		was, is := site{src: src}.oldScope(), site{src: src}.newScope()
		if was == is || slices.ContainsFunc(importsOf(c.merged.source(src.file.Path)), func(i code.Import) bool {
			return i.Member == code.All
		}) {
			continue
		}
		var uses []Use
		for _, r := range other.refs {
			bare := r.Qualifier == "" && r.Type == "" && c.merged.stillUsed(r, src.file.Path)
			if bare && c.merged.defines(r.Name, was, src.file.BasePath()) &&
				!c.merged.defines(r.Name, is, src.file.Path) {
				uses = append(uses, Use{r, other})
			}
		}
		c.suspect(APIConflict, c.placeIn(src, 0, src.New.Package), uses,
			"%s takes %[3]s to the package %[4]s, and new code of %[2]s in it uses what stays in %[5]s.",
			quoted(src.file.Path), quoted(src.New.Package), quoted(src.Old.Package))
	}
}

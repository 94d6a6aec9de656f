package conflict

import (
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/languages"
)

// counterpart is the user's source of the same file of the base, nil if either side takes the file away or the
// user does not change it.
func (c *Direction) counterpart(src *changedFile) *changedFile {
	if o := c.user.byBase[src.file.BasePath()]; o != nil && o.New != nil && src.New != nil {
		return o
	}
	return nil
}

// firstOf is the first name of a reference: what an import has to bind.
func firstOf(r code.Reference) string {
	if r.Qualifier == "" {
		return r.Name
	}
	first, _, _ := strings.Cut(r.Qualifier, ".")
	return first
}

// sameImport reports whether two imports differ in their lines at most.
func sameImport(a code.Import) func(code.Import) bool {
	return func(b code.Import) bool {
		b.Line = a.Line
		return a == b
	}
}

// sameThing reports whether two imports take the same, by whatever names.
func sameThing(a, b code.Import) bool { return a.Module == b.Module && a.Member == b.Member }

func binds(imports []code.Import, name string) bool { return boundAt(imports, name) >= 0 }

func boundAt(imports []code.Import, name string) int {
	return slices.IndexFunc(imports, func(i code.Import) bool { return i.Name == name })
}

// lostImports reports imports that one side takes out of a file in which the other newly uses them. It found breaks in
// history.
func (c *Direction) lostImports() {
	for _, src := range c.by.sources {
		other := c.counterpart(src)
		if other == nil {
			continue
		}
		for _, imp := range src.dropped {
			if imp.Name == "" || imp.Name == "_" || binds(other.fresh, imp.Name) {
				continue
			}
			uses := slices.DeleteFunc(c.usesOf(imp.Name, other), func(u Use) bool {
				return c.takenAnewOf(imp, src, u) || c.usesAsBefore(imp, src, u)
			})
			if len(uses) > 0 && c.unbound(imp, src, other) && !c.sameFolder(imp, src) {
				c.lostImport(imp, src, uses)
			}
		}
	}
}

// usesOf are the source's new references that begin with the name.
func (c *Direction) usesOf(name string, src *changedFile) []Use {
	var all []Use
	for _, r := range src.refs {
		if firstOf(r) == name && r.Type == "" && c.merged.stillUsed(r, src.file.Path) {
			all = append(all, Use{r, src})
		}
	}
	return all
}

// usesAsBefore reports whether the side gives the import's name to something else and goes on with what a use takes of
// it, in a line that it kept: a package that has got another path.
func (c *Direction) usesAsBefore(imp code.Import, src *changedFile, u Use) bool {
	if u.Ref.Qualifier == "" || !binds(src.fresh, imp.Name) {
		return false
	}
	head := c.by.memory.source(c.by.set.HeadFS, src.file.Path)
	return head != nil && slices.ContainsFunc(head.References, func(r code.Reference) bool {
		return r.Name == u.Ref.Name && r.Qualifier == u.Ref.Qualifier && r.Use == u.Ref.Use && r.Args == u.Ref.Args &&
			!within(src.hunks, r.Line)
	})
}

// unbound reports whether nothing in the merged file means the import any more.
func (c *Direction) unbound(imp code.Import, src, other *changedFile) bool {
	if !c.merged.knows(other.file.Path) {
		return !slices.ContainsFunc(src.New.Imports, func(i code.Import) bool {
			return i.Name == imp.Name && sameThing(i, imp)
		})
	}
	f := c.merged.source(other.file.Path)
	if f == nil {
		return false
	}
	for _, i := range f.Imports {
		if i.Member == code.All && i.Module == imp.Module ||
			i.Name == imp.Name && !slices.ContainsFunc(src.fresh, sameImport(i)) {
			return false
		}
	}
	_, defined := definition(f, imp.Name)
	return !defined
}

// lostImport notes an import that is gone, with what became of the definition that it took, if that went as well.
func (c *Direction) lostImport(imp code.Import, src *changedFile, uses []Use) {
	at := c.placeIn(src, src.lineNow(imp.Line), imp.Name)
	edit, of := "Import "+moduleOf(imp)+" again in "+quoted(src.file.Path)+".", ""
	if e, edited := c.editOf(imp, src); edited {
		edit, of = c.instruction(e, uses), c.identity(e)
	}
	if i := boundAt(src.fresh, imp.Name); i >= 0 {
		at.Line = src.fresh[i].Line
		c.tell(rebound, at, uses, "what", moduleOf(imp), "other", moduleOf(src.fresh[i]), "name",
			quoted(imp.Name)).definition = of
		return
	}
	if i := slices.IndexFunc(src.fresh, func(i code.Import) bool { return sameThing(i, imp) && i.Name != "" }); i >= 0 {
		at.Line = src.fresh[i].Line
		c.tell(renamedImport, at, uses, "what", moduleOf(imp), "now", quoted(src.fresh[i].Name), "name",
			quoted(imp.Name))
		return
	}
	c.tell(lostBinding, at, uses, "what", moduleOf(imp)).instruct(edit).definition = of
}

// moduleOf is what the import takes, in words.
func moduleOf(imp code.Import) string {
	if imp.Member == "" || imp.Member == code.All {
		return quoted(imp.Module)
	}
	return quoted(imp.Member) + " from " + quoted(imp.Module)
}

// goneFiles reports new imports of files that the other side removes or moves. It found 6 of 168 and 4 of 71 breaks.
func (c *Direction) goneFiles() {
	for _, f := range c.by.set.Files {
		if f.Kind != change.Deleted && f.Kind != change.Renamed {
			continue
		}
		if uses := c.newImportsOf(f); len(uses) > 0 && c.reallyGone(f) {
			did, edit := removal(f, "Import")
			c.tell(goneFile, Place{Agent: c.by.set.Name, Path: f.Path}, uses, "did", did, "edit", edit)
		}
	}
}

// removal says what a side does to a file that it removes or moves, and what to do where its path is written.
func removal(f change.File, write string) (did, edit string) {
	old := quoted(f.BasePath())
	if f.Kind != change.Renamed {
		return "removes " + old, "Replace or remove " + old
	}
	return "moves " + old + " to " + quoted(f.Path), write + " " + quoted(f.Path) + " in place of " + old
}

// goneReexports reports new imports of a name that a file only had by an import of its own, which the other side takes
// out. It found 3 of 168 breaks.
func (c *Direction) goneReexports() {
	for _, src := range c.by.sources {
		if src.New == nil || !src.language.FileScope() {
			continue
		}
		t := c.by.targetAt(src, src.file.BasePath(), src.New)
		for _, gone := range src.dropped {
			if gone.Name == "" || !gone.Reexported && !src.language.Has(lang.HandedOn) ||
				c.merged.defines(gone.Name, scopeOf(src.language, src.file.Path, ""), src.file.Path) {
				continue
			}
			uses := c.importsOfTarget(t, func(_ code.Import, inside string) bool { return inside == gone.Name })
			uses = append(uses, c.throughModule(t, gone.Name)...)
			if len(uses) == 0 {
				continue
			}
			edit, of := "Take "+moduleOf(gone)+", as "+quoted(src.file.Path)+" no longer hands it on, at "+
				placesOf(uses)+".", ""
			if e, edited := c.editOf(gone, src); edited {
				edit, of = c.instruction(e, uses), c.identity(e)
			}
			c.tell(goneThere, c.placeIn(src, src.lineNow(gone.Line), gone.Name), uses, "what", moduleOf(gone)).
				instruct(edit).definition = of
		}
	}
}

// throughModule are the user's new references to a name of a file by way of an import of all of it.
func (c *Direction) throughModule(t destination, name string) []Use {
	return c.usesThat(func(u Use) bool {
		return u.Ref.Name == name && u.from.language.Related(t.language) && c.merged.stillUsed(u.Ref, u.Path()) &&
			slices.ContainsFunc(u.from.New.Imports, func(i code.Import) bool {
				all := i.Name == "" && i.Member == code.All && u.Ref.Qualifier == "" && u.Ref.Type == ""
				whole := i.Name != "" && (u.Ref.Qualifier == i.Name || i.Member == "" && u.Ref.Qualifier == i.Module)
				if i.Guarded || !all && !whole {
					return false
				}
				inside, ok := c.reaches(i, u.Path(), t)
				return ok && (inside == "" || all && inside == code.All)
			})
	})
}

// goneDefaults reports new imports of what a file exports by default, where the other side goes on to define it and no
// longer does that. It found 1 of 168 and 1 of 71 breaks.
func (c *Direction) goneDefaults() {
	for _, src := range c.by.sources {
		if src.Old == nil || src.New == nil || !src.language.Has(lang.AnyFile) || exportsDefault(src.New) {
			continue
		}
		i := slices.IndexFunc(src.Old.Definitions, func(d code.Definition) bool {
			return d.Default && d.Container == ""
		})
		if i < 0 {
			continue
		}
		d, stays := definition(src.New, src.Old.Definitions[i].Key())
		if !stays || c.merged.knows(src.file.Path) && exportsDefault(c.merged.source(src.file.Path)) {
			continue
		}
		t := c.by.targetAt(src, src.file.BasePath(), src.Old)
		uses := c.importsThat(func(imp code.Import, user *changedFile) bool {
			_, leads := c.reaches(imp, user.file.Path, t)
			return leads && user.language.Related(t.language) && (imp.Member == "default" ||
				imp.Member == "" && usesWhole(user, imp.Name))
		})
		c.tell(goneDefault, c.placeIn(src, d.Line, d.Key()), uses, "what", quoted(src.file.Path))
	}
}

// usesWhole reports whether a file calls what it imports by a name, or makes a value of it.
func usesWhole(src *changedFile, name string) bool {
	return slices.ContainsFunc(src.refs, func(r code.Reference) bool {
		return r.Name == name && r.Qualifier == "" && (r.Use == code.Construct || r.Use == code.Call)
	})
}

// exportsDefault reports whether a file of JavaScript or TypeScript exports anything by default, be
// it what another file does.
func exportsDefault(f *code.File) bool {
	return f != nil && (slices.ContainsFunc(f.Definitions, func(d code.Definition) bool { return d.Default }) ||
		handsOnDefault(f))
}

// handsOnDefault reports whether a file exports by default what it has from another.
func handsOnDefault(f *code.File) bool {
	return slices.ContainsFunc(importsOf(f), func(i code.Import) bool { return i.Reexported && i.Name == "default" })
}

// newImportsOf are the user's new imports of the file as it was in the base.
func (c *Direction) newImportsOf(f change.File) []Use {
	_, support := languages.Of(f.BasePath())
	t := destination{languageOf(f.BasePath()), lang.Target{Path: f.BasePath()}}
	if src := c.by.byPath[f.Path]; support == code.Readable && src != nil && src.Old != nil {
		t = c.by.targetAt(src, f.BasePath(), src.Old)
	}
	t.File = true
	return c.importsThat(func(imp code.Import, src *changedFile) bool {
		if support == code.NotCode && src.language.Has(lang.AnyFile) {
			t.language = src.language
		}
		if !src.language.Related(t.language) {
			return false
		}
		inside, ok := c.reaches(imp, src.file.Path, t)
		first, _, _ := strings.Cut(inside, ".") // of a package, the import needs this file or another one
		return ok && (!t.language.Has(lang.PackageScope) || first == lang.Stem(f.BasePath()))
	})
}

// reallyGone reports whether the merged tree has nothing where the import leads.
func (c *Direction) reallyGone(f change.File) bool {
	language := languageOf(f.BasePath())
	if c.merged.tree == nil {
		return true
	}
	if language.Has(lang.Folders) {
		return len(slices.DeleteFunc(c.merged.filesOf(language, f.BasePath()), language.IsIsolated)) == 0
	}
	return !slices.ContainsFunc(language.Places(f.BasePath()), c.merged.Has)
}

func handsOnAll(i code.Import) bool { return i.Reexported && i.Member == code.All && i.Name == "" }

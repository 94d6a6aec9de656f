package conflict

import (
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/languages"
)

// findImportConflicts reports imports that do not survive the other side: removed, rebound,
// shadowed, or of a file that is gone; dependencies at two versions; and cycles that only both
// sides together make.
func findImportConflicts(p Pair) ([]Finding, error) {
	found, err := p.EachDirection(func(c *Direction) ([]Finding, error) {
		found := c.lostImports()
		found = append(found, c.lostOpenImports()...)
		found = append(found, c.shadowed()...)
		found = append(found, c.goneFiles()...)
		found = append(found, c.goneNames()...)
		found = append(found, c.goneReexports()...)
		found = append(found, c.goneDefaults()...)
		found = append(found, c.lostDependencies()...)
		if c.first {
			found = append(found, c.boundTwice()...)
			found = append(found, c.cycles()...)
			found = append(found, c.versions()...)
		}
		return found, nil
	})
	return found, err
}

// counterpart is the user's source of the same file of the base, nil if the user does not change it.
func (c *Direction) counterpart(src *source) *source {
	if o := c.user.byBase[src.file.BasePath()]; o != nil && o.New != nil {
		return o
	}
	return nil
}

// firstOf is the first name of a reference: what an import has to bind.
func firstOf(r code.Reference) string {
	first, _, _ := strings.Cut(r.Qualifier+"."+r.Name, ".")
	if r.Qualifier == "" {
		first = r.Name
	}
	return first
}

// lostImports reports imports that one side takes out of a file in which the other newly uses them.
func (c *Direction) lostImports() []Finding {
	var found []Finding
	for _, src := range c.by.sources {
		other := c.counterpart(src)
		if other == nil || src.New == nil {
			continue
		}
		for _, imp := range src.dropped {
			if imp.Name == "" || imp.Name == "_" || binds(other.fresh, imp.Name) {
				continue
			}
			if uses := c.usesOf(imp.Name, other); len(uses) > 0 && c.unbound(imp, src, other) {
				found = append(found, c.lostImport(imp, src, uses))
			}
		}
	}
	return found
}

func binds(imports []code.Import, name string) bool {
	return slices.ContainsFunc(imports, func(i code.Import) bool { return i.Name == name })
}

// usesOf are the source's new references that begin with the name.
func (c *Direction) usesOf(name string, src *source) []Use {
	var all []Use
	for _, r := range src.refs {
		if firstOf(r) == name && r.Type == "" && c.merged.stillUsed(r, src.file.Path) {
			all = append(all, Use{r, src})
		}
	}
	return all
}

// unbound reports whether nothing in the merged file means the import any more.
func (c *Direction) unbound(imp code.Import, src, other *source) bool {
	if !c.merged.knows(other.file.Path) {
		return !slices.ContainsFunc(src.New.Imports, func(i code.Import) bool {
			return i.Name == imp.Name && i.Module == imp.Module && i.Member == imp.Member
		})
	}
	f := c.merged.source(other.file.Path)
	if f == nil {
		return false
	}
	for _, i := range f.Imports {
		if i.Member == code.All && i.Module == imp.Module {
			return false
		}
		if i.Name == imp.Name && !slices.ContainsFunc(src.fresh, func(n code.Import) bool {
			n.Line = i.Line
			return n == i
		}) {
			return false
		}
	}
	_, defined := definition(f, imp.Name)
	return !defined
}

func (c *Direction) lostImport(imp code.Import, src *source, uses []Use) Finding {
	f := c.importFinding(Place{Agent: c.by.set.Name, Path: src.file.Path, Line: src.lineNow(imp.Line),
		Symbol: imp.Name}, uses)
	did := "removes the import of "
	if i := slices.IndexFunc(src.fresh, func(i code.Import) bool { return i.Name == imp.Name }); i >= 0 {
		did = "gives the name of the import of "
		f.Places[0].Line = src.fresh[i].Line
		f.Message = c.by.set.Name + " " + did + moduleOf(imp) + " to " + moduleOf(src.fresh[i]) + ", and new code of " +
			c.user.set.Name + " uses " + quoted(imp.Name) + " for the former."
		return f
	}
	if i := slices.IndexFunc(src.fresh, func(i code.Import) bool {
		return i.Module == imp.Module && i.Member == imp.Member && i.Name != ""
	}); i >= 0 {
		f.Places[0].Line = src.fresh[i].Line
		f.Message = c.by.set.Name + " imports " + moduleOf(imp) + " as " + quoted(src.fresh[i].Name) +
			" and no longer as " + quoted(imp.Name) + ", and new code of " + c.user.set.Name +
			" in the same file uses " + quoted(imp.Name) + "."
		return f
	}
	f.Message = c.by.set.Name + " " + did + moduleOf(imp) + ", and new code of " + c.user.set.Name +
		" in the same file uses it."
	return f
}

// moduleOf is what the import takes, in words.
func moduleOf(imp code.Import) string {
	if imp.Member == "" || imp.Member == code.All {
		return quoted(imp.Module)
	}
	return quoted(imp.Member) + " from " + quoted(imp.Module)
}

// importFinding fills in what every finding about an import has in common.
func (c *Direction) importFinding(at Place, uses []Use) Finding {
	f := Finding{
		Type: ImportConflict, Severity: Warning, Certainty: Suspected,
		Agents: []string{c.pair.A.Name, c.pair.B.Name}, Places: []Place{at}, Advice: c.pair.adviceToOrder(),
	}
	return c.withPlaces(f, uses)
}

// importUse is an import as a place.
func importUse(imp code.Import, src *source) Use {
	name := imp.Module
	if imp.Member != "" && imp.Member != code.All {
		name = imp.Member + " from " + name
	}
	return Use{code.Reference{Name: name, Line: imp.Line, Args: code.NoCall}, src}
}

// boundTwice reports names that the merged file binds to an import of each side.
func (c *Direction) boundTwice() []Finding {
	var found []Finding
	for _, src := range c.by.sources {
		other := c.counterpart(src)
		if other == nil || src.New == nil {
			continue
		}
		for _, x := range src.fresh {
			for _, y := range other.fresh {
				if x.Name == "" || x.Name == "_" || x.Name != y.Name || !c.bothBound(x, y, other) {
					continue
				}
				f := c.importFinding(Place{Agent: c.by.set.Name, Path: src.file.Path, Line: x.Line, Symbol: x.Name},
					[]Use{importUse(y, other)})
				f.Message = c.by.set.Name + " imports " + moduleOf(x) + " and " + c.user.set.Name + " imports " +
					moduleOf(y) + ", both as " + quoted(x.Name) + "."
				found = append(found, f)
			}
		}
	}
	return found
}

// bothBound reports whether two imports of one name exclude each other: they take different things, or the
// language refuses to do it twice and the merged file does.
func (c *Direction) bothBound(x, y code.Import, src *source) bool {
	if x.Module != y.Module || x.Member != y.Member {
		return !src.language.Shared || x.Member != "" || y.Member != ""
	}
	if !src.language.Once || !c.merged.knows(src.file.Path) {
		return false
	}
	f := c.merged.source(src.file.Path)
	n := 0
	for _, i := range importsOf(f) {
		if i.Name == x.Name && i.Module == x.Module && i.Member == x.Member {
			n++
		}
	}
	return n > 1
}

// goneFiles reports new imports of files that the other side removes or moves.
func (c *Direction) goneFiles() []Finding {
	var found []Finding
	for _, f := range c.by.set.Files {
		if f.Kind != change.Deleted && f.Kind != change.Renamed {
			continue
		}
		if uses := c.newImportsOf(f); len(uses) > 0 && c.reallyGone(f) {
			finding := c.importFinding(Place{Agent: c.by.set.Name, Path: f.Path}, uses)
			did := "removes " + quoted(f.Path)
			if f.OldPath != "" {
				did = "moves " + quoted(f.OldPath) + " to " + quoted(f.Path)
			}
			finding.Message = c.by.set.Name + " " + did + ", and " + c.user.set.Name + " newly imports it."
			found = append(found, finding)
		}
	}
	return found
}

// goneNames reports new imports of a definition that the other side takes away, where no other new code uses the name.
func (c *Direction) goneNames() []Finding {
	var found []Finding
	for _, e := range c.by.edits {
		if !e.gone() || e.Old.Container != "" || e.Old.Kind == code.Local || !e.from.language.FileScope() ||
			e.from.New == nil || e.from.file.OldPath != "" {
			continue
		}
		var uses []Use
		for _, src := range c.user.sources {
			for _, imp := range src.fresh {
				if inside, ok := c.reachesEdit(imp, src, e); ok && inside == e.Old.Key() &&
					len(c.usesOf(imp.Name, src)) == 0 {
					uses = append(uses, importUse(imp, src))
				}
			}
		}
		if len(uses) > 0 && !c.doneByBoth(e) && !c.stillDefined(e) {
			f := c.importFinding(e.place(c.by.set.Name), uses)
			f.Message = c.by.set.Name + " " + e.phrase() + ", and " + c.user.set.Name + " newly imports it."
			found = append(found, f)
		}
	}
	return found
}

// goneReexports reports new imports of a name that a file only had by an import of its own, which
// the other side takes out.
func (c *Direction) goneReexports() []Finding {
	var found []Finding
	for _, src := range c.by.sources {
		if src.New == nil || !src.language.FileScope() {
			continue
		}
		t := c.by.targetAt(src, src.file.BasePath(), src.New)
		for _, gone := range src.dropped {
			if gone.Name == "" || !gone.Reexported && !src.language.HandedOn ||
				c.merged.defines(gone.Name, scopeOf(src.language, src.file.Path, ""), src.file.Path) {
				continue
			}
			var uses []Use
			for _, o := range c.user.sources {
				for _, imp := range o.fresh {
					if inside, ok := c.reaches(imp, o.file.Path, t); ok && inside == gone.Name &&
						o.language.Related(src.language) {
						uses = append(uses, importUse(imp, o))
					}
				}
			}
			if len(uses) > 0 {
				f := c.importFinding(Place{Agent: c.by.set.Name, Path: src.file.Path, Line: src.lineNow(gone.Line),
					Symbol: gone.Name}, uses)
				f.Message = c.by.set.Name + " removes the import of " + moduleOf(gone) + ", and " + c.user.set.Name +
					" newly imports it from there."
				found = append(found, f)
			}
		}
	}
	return found
}

// goneDefaults reports new imports of what a file exports by default, where the other side goes on
// to define it and no longer does that.
func (c *Direction) goneDefaults() []Finding {
	var found []Finding
	for _, src := range c.by.sources {
		if src.Old == nil || src.New == nil || exportsDefault(src.New) {
			continue
		}
		i := slices.IndexFunc(src.Old.Definitions, func(d code.Definition) bool {
			return d.Default && d.Container == ""
		})
		if i < 0 {
			continue
		}
		d, stays := definition(src.New, src.Old.Definitions[i].Key())
		uses := c.defaultsOf(src)
		if !stays || len(uses) == 0 || c.merged.knows(src.file.Path) && exportsDefault(c.merged.source(src.file.Path)) {
			continue
		}
		f := c.importFinding(Place{Agent: c.by.set.Name, Path: src.file.Path, Line: d.Line, Symbol: d.Key()}, uses)
		f.Message = c.by.set.Name + " takes the default export from " + quoted(src.file.Path) + ", and " +
			c.user.set.Name + " newly imports it."
		found = append(found, f)
	}
	return found
}

// defaultsOf are the user's new imports of what a source exported by default.
func (c *Direction) defaultsOf(src *source) (uses []Use) {
	t := c.by.targetAt(src, src.file.BasePath(), src.Old)
	for _, o := range c.user.sources {
		for _, imp := range o.fresh {
			if _, ok := c.reaches(imp, o.file.Path, t); ok && imp.Member == "default" &&
				o.language.Related(t.language) {
				uses = append(uses, importUse(imp, o))
			}
		}
	}
	return uses
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
	if support == code.Readable {
		if src := c.by.byPath[f.Path]; src != nil && src.Old != nil {
			t = c.by.targetAt(src, f.BasePath(), src.Old)
		}
	}
	t.File = true
	var uses []Use
	for _, src := range c.user.sources {
		if support == code.NotCode && src.language.AnyFile {
			t.language = src.language
		}
		if !src.language.Related(t.language) {
			continue
		}
		for _, imp := range src.fresh {
			if inside, ok := c.reaches(imp, src.file.Path, t); ok && c.wantsFile(inside, f, t) {
				uses = append(uses, importUse(imp, src))
			}
		}
	}
	return uses
}

// wantsFile reports whether the import needs this file and not another one of its package.
func (c *Direction) wantsFile(inside string, f change.File, t destination) bool {
	first, _, _ := strings.Cut(inside, ".")
	return !t.language.PackageScope || first == lang.Stem(f.BasePath())
}

// reallyGone reports whether the merged tree has nothing where the import leads.
func (c *Direction) reallyGone(f change.File) bool {
	language := languageOf(f.BasePath())
	if c.merged.tree == nil {
		return true
	}
	if language.Folders {
		return len(slices.DeleteFunc(c.merged.filesOf(language, f.BasePath()), language.IsIsolated)) == 0
	}
	return !slices.ContainsFunc(language.Places(f.BasePath()), c.merged.Has)
}

package conflict

import (
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// withoutRepeats removes findings about an import if another finding says what happened to the imported definition and
// names the same files: a line that is changed to the new name of the definition is changed once. The places of a
// removed finding are added to the other one.
func withoutRepeats(all []Finding) []Finding {
	reported := map[string]int{}
	for i, f := range all {
		if f.Type == APIConflict && f.definition != "" && !f.needsChecker {
			reported[f.definition] = i
		}
	}
	repeats := map[int]bool{}
	for i, f := range all {
		at, is := reported[f.definition]
		if !is || f.Type != ImportConflict || !namesFiles(all[at], f.Places[1:]) {
			continue
		}
		repeats[i] = true
		for _, p := range f.Places[1:] {
			same := func(o Place) bool { return o.Path == p.Path && o.Line == p.Line }
			if !slices.ContainsFunc(all[at].Places, same) {
				all[at].Places = append(all[at].Places, p)
			}
		}
	}
	var kept []Finding
	for i, f := range all {
		if !repeats[i] {
			kept = append(kept, f)
		}
	}
	return kept
}

// namesFiles reports whether a finding names the files of all places.
func namesFiles(f Finding, places []Place) bool {
	return !slices.ContainsFunc(places, func(p Place) bool {
		return !slices.ContainsFunc(f.Places[1:], func(o Place) bool { return o.Agent == p.Agent && o.Path == p.Path })
	})
}

// identity tells apart the definitions that the sides of a pair take away or hide; "" for any other edit.
func (c *Direction) identity(e Edit) string {
	if !e.gone() && e.Kind != Unexported {
		return ""
	}
	return c.by.set.Name + "\x00" + e.from.file.BasePath() + "\x00" + e.Old.Key()
}

// editOf is what the side did to the one definition that an import of its base took, where that is gone or hidden now.
func (c *Direction) editOf(imp code.Import, src *changedFile) (Edit, bool) {
	for _, i := range c.by.byName[imp.Member] {
		e := c.by.edits[i]
		if c.identity(e) == "" || e.Old.Container != "" {
			continue
		}
		if inside, ok := c.reachesEdit(imp, src, e); ok && inside == e.Old.Key() {
			return e, true
		}
	}
	return Edit{}, false
}

// takenAnew reports whether the merged file of a use has the definition of an edit from where it is now, by the name
// that the use has for it: the side brought the import up to date.
func (c *Direction) takenAnew(e Edit, u Use) bool {
	own := c.by.byBase[u.from.file.BasePath()]
	if e.Kind != Renamed && e.Kind != Moved || e.to.New == nil || !c.merged.knows(u.Path()) {
		return false
	}
	first, t := firstOf(u.Ref), c.by.targetAt(e.to, e.to.file.Path, e.to.New)
	rest := ""
	if u.Ref.Qualifier != "" {
		rest = "." + strings.TrimPrefix(strings.TrimPrefix(u.Ref.Qualifier+"."+u.Ref.Name, first), ".")
	}
	return slices.ContainsFunc(importsOf(c.merged.source(u.Path())), func(i code.Import) bool {
		if i.Name != first {
			return false
		}
		if e.Kind == Moved && c.handedFrom(i, u.Path(), t) {
			return true
		}
		if own == nil || !slices.ContainsFunc(own.fresh, sameImport(i)) {
			return false
		}
		inside, ok := c.reaches(i, u.Path(), t)
		return ok && (strings.Trim(inside+rest, ".") == e.New.Key() ||
			inside == "default" && rest == "" && e.New.Default)
	})
}

// handedFrom reports whether an import leads to a file of the merged tree that hands on its name from a target.
func (c *Direction) handedFrom(imp code.Import, from string, t destination) bool {
	if t.language.FrontFile == "" || t.language.Resolve == nil || imp.Member == "" {
		return false
	}
	return slices.ContainsFunc(t.language.Resolve(nil, from, imp), func(front string) bool {
		if !c.merged.knows(front) || !c.merged.Has(front) {
			return false
		}
		return slices.ContainsFunc(importsOf(c.merged.source(front)), func(next code.Import) bool {
			if !next.Reexported && !t.language.Has(lang.HandedOn) || next.Name != imp.Member && !handsOnAll(next) {
				return false
			}
			inside, ok := c.reaches(next, front, t)
			return ok && (inside == imp.Member || handsOnAll(next))
		})
	})
}

// takenAnewOf is takenAnew for what a use takes by way of an import that the side took out.
func (c *Direction) takenAnewOf(imp code.Import, src *changedFile, u Use) bool {
	for _, i := range slices.Concat(c.by.byName[u.Ref.Name], c.by.byName[imp.Member]) {
		e := c.by.edits[i]
		if _, led := c.reachesEdit(imp, src, e); e.gone() && led && c.takenAnew(e, u) {
			return true
		}
	}
	return false
}

// sameFolder reports whether the side imports, by the name of an import that it took out, the folder that this led to:
// its module has got another path.
func (c *Direction) sameFolder(imp code.Import, src *changedFile) bool {
	at := boundAt(src.fresh, imp.Name)
	if at < 0 || !src.language.Has(lang.Folders) {
		return false
	}
	base, head := treeModules{c.by.set.BaseFS, map[string]string{}}, treeModules{c.by.set.HeadFS, map[string]string{}}
	was := src.language.Resolve(base, src.file.BasePath(), imp)
	return len(was) > 0 && slices.Equal(was, src.language.Resolve(head, src.file.Path, src.fresh[at]))
}

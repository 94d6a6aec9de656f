package conflict

import (
	"iter"
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
)

// collidingExports reports files that hand on all names of two others, of which both have one name now: one side hands
// on the one, and the other hands on the other, or newly defines the name in it.
func (c *Direction) collidingExports() {
	for src, both := range c.mergedModules() {
		for _, mine := range src.fresh {
			if !handsOnAll(mine) {
				continue
			}
			for _, other := range both.Imports {
				if handsOnAll(other) && other.Module != mine.Module {
					c.collide(src, mine, other, both)
				}
			}
		}
	}
}

// collidingNames reports names that both sides newly define in two files of TypeScript, all names of which one file
// hands on.
func (c *Direction) collidingNames() {
	for _, e := range c.by.edits {
		if e.Kind != Added || e.to.language.Name != code.TypeScript || e.New.Container != "" ||
			!exports(e.to.New, e.New.Name) {
			continue
		}
		for _, o := range c.user.addedAs(e.New.Name) {
			if o.to.language != e.to.language || o.to.file.Path == e.to.file.Path || o.New.Container != "" ||
				!exports(o.to.New, o.New.Name) || !c.bothThere(e, o) {
				continue
			}
			if front := c.frontOf(e.to, o.to); front != "" && !exports(c.merged.source(front), e.New.Name) {
				uses := []Use{definitionUse(o)}
				c.suspect(ImportConflict, c.placeOf(e), uses,
					"%s and %s add %[3]s to %[4]s and to %[5]s, all of which %[6]s exports.", quoted(e.New.Name),
					quoted(e.to.file.Path), quoted(o.to.file.Path), quoted(front)).
					instruct("Give one of the two another name: " + placesOf(uses) + ".")
			}
		}
	}
}

// frontOf is a file around two others that hands on all names of both and that neither side changes, "" if there is
// none.
func (c *Direction) frontOf(a, b *changedFile) string {
	for dir := path.Dir(a.file.Path); ; dir = path.Dir(dir) {
		front := path.Join(dir, "index.ts")
		if c.merged.Has(front) && c.merged.knows(front) && c.by.byPath[front] == nil && c.user.byPath[front] == nil {
			all := map[string]bool{}
			for _, i := range importsOf(c.merged.source(front)) {
				if handsOnAll(i) {
					for _, name := range a.language.Resolve(nil, front, i) {
						all[name] = true
					}
				}
			}
			if all[a.file.Path] && all[b.file.Path] {
				return front
			}
		}
		if dir == "." {
			return ""
		}
	}
}

// mergedModules are the changed files of JavaScript and TypeScript, each with what the merge makes of it.
func (c *Direction) mergedModules() iter.Seq2[*changedFile, *code.File] {
	return func(yield func(*changedFile, *code.File) bool) {
		for _, src := range c.by.sources {
			if src.New == nil || src.language.FamilyName() != code.TypeScript || !c.merged.knows(src.file.Path) {
				continue
			}
			if both := c.merged.source(src.file.Path); both != nil && !yield(src, both) {
				return
			}
		}
	}
}

func handsOnAll(i code.Import) bool { return i.Reexported && i.Member == code.All && i.Name == "" }

// collide reports the names that both of two modules export and that the file itself does not.
func (c *Direction) collide(src *changedFile, mine, other code.Import, both *code.File) {
	at, with := c.exporter(src, mine), c.exporter(src, other)
	if at == "" || with == "" || at == with {
		return
	}
	counterpart := c.user.byPath[src.file.Path]
	newStar := counterpart != nil && slices.ContainsFunc(counterpart.fresh, sameImport(other))
	var uses []Use
	var names []string
	for _, d := range exported(c.merged.source(with)) {
		same := func(o code.Definition) bool { return o.Name == d.Name }
		own := slices.ContainsFunc(both.Imports, func(i code.Import) bool { return i.Name == d.Name })
		if own || slices.ContainsFunc(exported(both), same) || slices.Contains(names, d.Name) ||
			!slices.ContainsFunc(exported(c.merged.source(at)), same) || newStar && !c.first {
			continue
		}
		switch fresh := c.user.byPath[with]; {
		case newStar:
			uses, names = append(uses, importUse(other, counterpart)), append(names, d.Name)
		case fresh != nil && fresh.New != nil && (fresh.Old == nil || !slices.ContainsFunc(exported(fresh.Old), same)):
			uses, names = append(uses, Use{code.Reference{Name: d.Name, Line: d.Line, Args: code.NoCall}, fresh}),
				append(names, d.Name)
		}
	}
	c.suspect(ImportConflict, c.placeIn(src, mine.Line, mine.Module), uses,
		"%s and %s let %[3]s export all of %[4]s and of %[5]s, which both have %[6]s.", quoted(src.file.Path),
		quoted(at), quoted(with), quoted(strings.Join(names, ", "))).
		instruct("Export the two by names of their own in " + quoted(src.file.Path) + ".")
}

// goneStarExports reports new imports of names that a file only had because it handed on all of another, which the
// other side takes out.
func (c *Direction) goneStarExports() {
	for src, both := range c.mergedModules() {
		t := c.by.targetAt(src, src.file.BasePath(), src.New)
		for _, gone := range src.dropped {
			from := ""
			if handsOnAll(gone) {
				from = c.exporter(src, gone)
			}
			if from == "" {
				continue
			}
			given := c.merged.source(from)
			uses := c.importsOfTarget(t, func(_ code.Import, inside string) bool {
				return exports(given, inside) && !c.handsOn(src, both, inside)
			})
			c.suspect(ImportConflict, c.placeIn(src, src.lineNow(gone.Line), gone.Module), uses,
				"%s no longer lets %[3]s re-export what is in %[4]s, and %[2]s newly takes it from there.",
				quoted(src.file.Path), quoted(from)).
				instruct("Import it from " + quoted(from) + " at " + placesOf(uses) + ".")
		}
	}
}

func exports(f *code.File, name string) bool {
	return slices.ContainsFunc(exported(f), func(d code.Definition) bool { return d.Name == name })
}

// handsOn reports whether a file has a name for those who import it: its own, by an import, or with all of another, of
// which more than is read here may come by way of further files.
func (c *Direction) handsOn(src *changedFile, f *code.File, name string) bool {
	return exports(f, name) || slices.ContainsFunc(f.Imports, func(i code.Import) bool {
		if !handsOnAll(i) {
			return i.Name == name
		}
		from := c.exporter(src, i)
		return from == "" || exports(c.merged.source(from), name) ||
			slices.ContainsFunc(c.merged.source(from).Imports, handsOnAll)
	})
}

// exporter is the file of the merged tree that an import leads to, "" if it leads to none.
func (c *Direction) exporter(src *changedFile, imp code.Import) string {
	for _, name := range src.language.Resolve(nil, src.file.Path, imp) {
		if c.merged.knows(name) && c.merged.Has(name) && c.merged.source(name) != nil {
			return name
		}
	}
	return ""
}

// exported are the definitions that others can import from a file by name.
func exported(f *code.File) (all []code.Definition) {
	for _, d := range f.Definitions {
		if d.Container == "" && d.Visibility == code.Public && d.Kind != code.Local && !d.Default {
			all = append(all, d)
		}
	}
	return all
}

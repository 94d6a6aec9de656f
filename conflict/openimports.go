package conflict

import (
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/languages"
)

// mostOpened bounds how many files the search for what comes through one import looks into.
const mostOpened = 60

// lostOpenImports reports imports that bind no name of their own and that one side takes out of a file, in which the
// other newly uses what only came through them: #include, using, import of all names. It found 2 of 168 breaks.
func (c *Direction) lostOpenImports() {
	for _, src := range c.by.sources {
		if src.language.Open == nil || len(src.dropped) == 0 {
			continue
		}
		for _, other := range c.throughWhich(src) {
			at := opening{c.merged, other.language, other.file.Path, c.merged.source(other.file.Path),
				c.globalImports(src), src.file.Path}
			where, again := "in the same file", " again"
			if other.file.Path != src.file.Path {
				where, again = "in files that include "+quoted(src.file.Path), ""
			}
			for _, imp := range src.dropped {
				c.tell(lostOpening, c.placeIn(src, src.lineNow(imp.Line), imp.Module), at.lost(imp, other),
					"what", moduleOf(imp), "where", where, "again", again, "file", quoted(other.file.Path))
			}
		}
	}
}

// throughWhich are the user's files of the merged tree that see what comes through the imports of a file: the file
// itself, and those that include it, be it by way of others.
func (c *Direction) throughWhich(src *changedFile) (all []*changedFile) {
	counterpart := c.counterpart(src)
	for _, other := range c.user.sources {
		if other != counterpart && (!src.language.Has(lang.Headers) || len(other.refs) == 0 || other.New == nil ||
			!src.language.Related(other.language)) || !c.merged.knows(other.file.Path) {
			continue
		}
		both := c.merged.source(other.file.Path)
		if both == nil {
			continue
		}
		at := opening{merged: c.merged, language: other.language, path: other.file.Path, file: both}
		if other == counterpart || at.includes(src.file.Path) {
			all = append(all, other)
		}
	}
	return all
}

// globalImports are what others say for all of a project, in the files where that is usual and in
// those that the sides change.
func (c *Direction) globalImports(src *changedFile) (all []code.Import) {
	if src.language.Global == nil {
		return nil
	}
	for _, dir := range lang.Parents(src.file.Path) {
		for _, name := range src.language.Global {
			if at := path.Join(dir, name); c.merged.Has(at) {
				all = append(all, importsOf(c.merged.source(at))...)
			}
		}
	}
	for _, o := range slices.Concat(c.by.sources, c.user.sources) {
		all = append(all, importsOf(o.New)...)
	}
	return slices.DeleteFunc(all, func(i code.Import) bool { return !i.Reexported })
}

// opening is a file of the merged tree with what it can see without naming where it comes from.
type opening struct {
	merged   *merged
	language *lang.Language
	path     string
	file     *code.File
	global   []code.Import // of other files, that hold for this one
	dropped  string        // the file that no longer has an import
}

// includes reports whether the file includes another, be it by way of others.
func (o opening) includes(name string) bool {
	queue := []string{o.path}
	for i := 0; i < len(queue) && i < mostOpened; i++ {
		for _, imp := range importsOf(o.merged.source(queue[i])) {
			for _, next := range o.leadsTo(imp, queue[i], "") {
				if next == name {
					return true
				}
				if !slices.Contains(queue, next) {
					queue = append(queue, next)
				}
			}
		}
	}
	return false
}

// lost are the references of a source that the import serves, and that nothing in the merged file serves any more.
func (o opening) lost(imp code.Import, src *changedFile) (uses []Use) {
	kept := slices.Concat(o.file.Imports, o.global)
	same := func(i code.Import) bool { return i.Module == imp.Module && i.Name == "" }
	if imp.Name != "" || slices.ContainsFunc(kept, same) || o.file.Package == imp.Module ||
		o.language.Has(lang.Nested) && strings.HasPrefix(o.file.Package, imp.Module+".") {
		return nil
	}
	for _, r := range src.refs {
		if r.Type != "" || r.Qualifier == code.Expression || binds(o.file.Imports, firstOf(r)) ||
			defines(o.file, r) || !o.merged.stillUsed(r, o.path) || !o.serves(imp, o.dropped, r) {
			continue
		}
		if !slices.ContainsFunc(kept, func(i code.Import) bool { return i.Name == "" && o.serves(i, o.path, r) }) {
			uses = append(uses, Use{r, src})
		}
	}
	return uses
}

// serves reports whether a file that the import of another leads to, or that this one includes in turn,
// defines what the reference names.
func (o opening) serves(imp code.Import, from string, r code.Reference) bool {
	if gives := o.language.LibraryGives; gives != nil && gives(imp.Module, r) {
		return true
	}
	queue := o.leadsTo(imp, from, r.Name)
	for i := 0; i < len(queue) && i < mostOpened; i++ {
		f := o.merged.source(queue[i])
		if f == nil {
			continue
		}
		if defines(f, r) {
			return true
		}
		for _, next := range f.Imports {
			if l := languages.Named(f.Language); l.Has(lang.Headers) {
				if l.LibraryGives(next.Module, r) {
					return true
				}
				for _, name := range o.leadsTo(next, queue[i], r.Name) {
					if !slices.Contains(queue, name) {
						queue = append(queue, name)
					}
				}
			}
		}
	}
	return false
}

// defines reports whether a file defines for others what the reference names from where it stands.
func defines(f *code.File, r code.Reference) bool {
	whole := strings.Trim(r.Qualifier+"."+r.Name, ".")
	return slices.ContainsFunc(f.Definitions, func(d code.Definition) bool {
		return d.Name == r.Name && d.Kind != code.Local && d.Visibility != code.Private &&
			relativeTo(r.In, whole, d.Key())
	})
}

// leadsTo are the files of the merged tree in which an import of a file may find a name.
func (o opening) leadsTo(imp code.Import, from, name string) []string {
	files := slices.DeleteFunc(o.language.Open(imp, from, o.file.Package, name), func(f string) bool {
		return !o.merged.Has(f) || o.merged.conflicted[f]
	})
	return files[:min(len(files), 1)]
}

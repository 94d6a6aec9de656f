package conflict

import (
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
)

// mostOpened bounds how many files the search for what comes through one import looks into.
const mostOpened = 60

// lostOpenImports reports imports that bind no name of their own and that one side takes out of a file,
// in which the other newly uses what only came through them: #include, using, import of all names.
func (c *clash) lostOpenImports() []Finding {
	var found []Finding
	for _, src := range c.by.sources {
		other := c.counterpart(src)
		if other == nil || src.new == nil || !opens(src.language) || !c.merged.knows(other.file.Path) {
			continue
		}
		both := c.merged.source(other.file.Path)
		if both == nil {
			continue
		}
		at := opening{c.merged, other.file.Path, both, c.globalImports(src)}
		for _, imp := range src.dropped {
			uses := at.lost(imp, other)
			if len(uses) == 0 {
				continue
			}
			f := c.importFinding(Place{Agent: c.by.set.Name, Path: src.file.Path, Line: src.lineNow(imp.Line),
				Symbol: imp.Module}, uses)
			f.Message = c.by.set.Name + " removes the import of " + moduleOf(imp) + ", and new code of " +
				c.user.set.Name + " in the same file uses what comes through it."
			found = append(found, f)
		}
	}
	return found
}

// opens reports whether the language has imports that bind no name, whose files can be found by what the import says.
func opens(l code.Language) bool {
	return sameFamily(l, code.C) || l == code.CSharp || l == code.Java || l == code.Python
}

// globalImports are what the usual C# files say for all of a project. Where others say it is not looked for.
func (c *clash) globalImports(src *source) (all []code.Import) {
	for dir := path.Dir(src.file.Path); src.language == code.CSharp; dir = path.Dir(dir) {
		for _, name := range []string{"GlobalUsings.cs", "Usings.cs", "Imports.cs"} {
			if at := path.Join(dir, name); c.merged.has(at) {
				all = append(all, importsOf(c.merged.source(at))...)
			}
		}
		if dir == "." {
			break
		}
	}
	for _, s := range []*side{c.by, c.user} {
		for _, o := range s.sources {
			all = append(all, importsOf(o.new)...)
		}
	}
	return slices.DeleteFunc(all, func(i code.Import) bool { return src.language != code.CSharp || !i.Reexported })
}

// opening is a file of the merged tree with what it can see without naming where it comes from.
type opening struct {
	merged *merged
	path   string
	file   *code.File
	global []code.Import // of other files, that hold for this one
}

// lost are the references of a source that the import serves, and that nothing in the merged file serves any more.
func (o opening) lost(imp code.Import, src *source) (uses []use) {
	kept := slices.Concat(o.file.Imports, o.global)
	same := func(i code.Import) bool { return i.Module == imp.Module && i.Name == "" }
	if imp.Name != "" || slices.ContainsFunc(kept, same) || o.file.Package == imp.Module ||
		o.file.Language == code.CSharp && strings.HasPrefix(o.file.Package, imp.Module+".") {
		return nil
	}
	for _, r := range src.refs {
		if r.Type != "" || r.Qualifier == code.Expression || binds(o.file.Imports, firstOf(r)) ||
			defines(o.file, r) || !o.merged.stillUsed(r, o.path) || !o.serves(imp, r) {
			continue
		}
		if !slices.ContainsFunc(kept, func(i code.Import) bool { return i.Name == "" && o.serves(i, r) }) {
			uses = append(uses, use{r, src})
		}
	}
	return uses
}

// serves reports whether a file that the import leads to, or that this one includes in turn,
// defines what the reference names.
func (o opening) serves(imp code.Import, r code.Reference) bool {
	queue := o.leadsTo(imp, o.path, r.Name)
	for i := 0; i < len(queue) && i < mostOpened; i++ {
		f := o.merged.source(queue[i])
		if f == nil {
			continue
		}
		if defines(f, r) {
			return true
		}
		for _, next := range f.Imports {
			if sameFamily(f.Language, code.C) {
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
func (o opening) leadsTo(imp code.Import, from, name string) (files []string) {
	switch o.file.Language {
	case code.Java, code.CSharp:
		files = typeFiles(from, o.file.Package, strings.Trim(imp.Module, "."), name+path.Ext(from))
	case code.Python:
		files = pythonFiles(from, imp)
	default:
		for dir := path.Dir(from); ; dir = path.Dir(dir) {
			files = append(files, path.Join(dir, imp.Module), path.Join(dir, "include", imp.Module))
			if dir == "." {
				break
			}
		}
	}
	files = slices.DeleteFunc(files, func(f string) bool { return !o.merged.has(f) || o.merged.torn[f] })
	return files[:min(len(files), 1)]
}

// typeFiles is where a file with a type of another package stands if folders go by packages: from a
// file, its package, and the other one.
func typeFiles(from, pkg, other, file string) []string {
	var dirs []string
	if dir := path.Dir(from); dir != "." {
		dirs = strings.Split(dir, "/")
	}
	front := strings.Split(pkg, ".")
	for len(dirs) > 0 && len(front) > 0 && dirs[len(dirs)-1] == front[len(front)-1] {
		dirs, front = dirs[:len(dirs)-1], front[:len(front)-1]
	}
	rest := strings.Split(other, ".")
	if len(rest) < len(front) || !slices.Equal(rest[:len(front)], front) {
		return nil
	}
	return []string{path.Join(slices.Concat(dirs, rest[len(front):], []string{file})...)}
}

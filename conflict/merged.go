package conflict

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/languages"
)

// merged is the tree that git makes of a pair, read where it is asked for.
// It tells whether what was found in the two sides is still so when they are together.
type merged struct {
	tree       fs.FS
	conflicted map[string]bool // paths in a conflict: what they hold is no source
	sources    map[string]*code.File
	named      map[string][]string // paths by the names of their files in small letters without ending; nil until asked
	times      map[soleName]int    // what timesDefined said
	nowhere    map[soleName]bool   // what isNowhere said
	memory     *Memory
}

func newMerged(m Merge, memory *Memory) *merged {
	made := &merged{tree: m.FS, conflicted: map[string]bool{}, sources: map[string]*code.File{},
		times: map[soleName]int{}, nowhere: map[soleName]bool{}, memory: memory}
	for _, c := range m.Conflicts {
		if !informs(c.Kind) {
			made.conflicted[c.Path] = true
		}
	}
	return made
}

// knows reports whether the path can be looked at: there is a merged tree, and the file is not in a conflict.
func (m *merged) knows(name string) bool { return m.tree != nil && !m.conflicted[name] }

// source is the file in the merged tree, nil if it is not there.
// A file that cannot be read is answered as absent: the caller has asked knows, and a missing
// object has stopped the merge before.
func (m *merged) source(name string) *code.File {
	if f, seen := m.sources[name]; seen {
		return f
	}
	found := m.memory.source(m.tree, name)
	m.sources[name] = found
	return found
}

// mayFail reports whether a problem is with a guarded import, whose failure the file handles.
func (m *merged) mayFail(p code.Problem) bool {
	return m.knows(p.Path) && slices.ContainsFunc(importsOf(m.source(p.Path)), func(i code.Import) bool {
		return i.Guarded && i.Line == p.Line
	})
}

// Has reports whether the merged tree has the file or folder.
func (m *merged) Has(name string) bool { return exists(m.tree, name) }

// hasPathEnding reports whether the merged tree has a file whose path, behind a slash, ends so.
func (m *merged) hasPathEnding(end string) bool {
	return m.hasFile(func(name string) bool { return strings.HasSuffix("/"+name, end) })
}

// hasFile reports whether the merged tree has a file whose path fits.
func (m *merged) hasFile(fits func(name string) bool) bool {
	if m.tree == nil {
		return false
	}
	return fs.WalkDir(m.tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !fits(name) {
			return err
		}
		return fs.ErrExist
	}) != nil
}

// importsOf are the imports of a file that may be absent.
func importsOf(f *code.File) []code.Import {
	if f == nil {
		return nil
	}
	return f.Imports
}

// stillUsed reports whether the merged tree has the reference, where that can be known.
func (m *merged) stillUsed(r code.Reference, name string) bool {
	if !m.knows(name) {
		return true
	}
	f := m.source(name)
	if f == nil {
		return false
	}
	for _, o := range f.References {
		if o.Name == r.Name && o.Qualifier == r.Qualifier && o.Use == r.Use && o.Args == r.Args {
			return true
		}
		if r.Type != "" && r.Use == code.Read && o.Use == code.Construct && slices.Contains(o.Named, r.Name) {
			return true
		}
	}
	return false
}

// defines reports whether the merged tree has a definition by this key in the file, or in any file
// of the folder where a package is a folder.
func (m *merged) defines(key string, in scope, name string) bool {
	return m.definesFor(key, in, name, nil)
}

// definesFor is defines for the files of certain builds, named by what they say of theirs; nil stands for all.
func (m *merged) definesFor(key string, in scope, name string, builds []string) bool {
	if m.tree == nil {
		return false
	}
	for _, candidate := range m.filesOf(languageOf(name), name) {
		f := m.source(candidate)
		if f == nil || scopeOf(languages.Named(f.Language), candidate, f.Package) != in ||
			builds != nil && !slices.Contains(builds, f.Constraint) {
			continue
		}
		for _, d := range f.Definitions {
			if d.Key() == key && d.Kind != code.Local {
				return true
			}
		}
		if m.handsOn(candidate, f, key, mostHandedOn) {
			return true
		}
	}
	return false
}

// mostHandedOn bounds how many files hand all names on to one another.
const mostHandedOn = 4

// handsOn reports whether importers of a file get a name from it that it imports itself. What hands on all names of
// another file is followed to it.
func (m *merged) handsOn(name string, f *code.File, key string, steps int) bool {
	first, _, _ := strings.Cut(key, ".")
	l := languages.Named(f.Language)
	return l.FileScope() && slices.ContainsFunc(f.Imports, func(i code.Import) bool {
		return (i.Reexported || l.Has(lang.HandedOn)) &&
			(i.Name == first || i.Member == code.All && m.mayHave(l, name, i, first, steps))
	})
}

// mayHave reports whether an import of all names can bring one: where it leads to files of the tree, one has it.
func (m *merged) mayHave(l *lang.Language, from string, i code.Import, first string, steps int) bool {
	if l.Resolve == nil || steps == 0 {
		return true
	}
	known := false
	for _, name := range l.Resolve(nil, from, i) {
		if !m.knows(name) || !m.Has(name) {
			continue
		}
		f := m.source(name)
		if f == nil {
			return true
		}
		known = true
		if _, has := definition(f, first); has || m.handsOn(name, f, first, steps-1) {
			return true
		}
	}
	return !known
}

// filesOf are the files that may share the scope of a file: those that serve the same import, or
// those of the folder where a package is one.
func (m *merged) filesOf(l *lang.Language, name string) []string {
	if !l.Has(lang.Folders) {
		return slices.DeleteFunc(l.Places(name), func(n string) bool { return !m.Has(n) || m.conflicted[n] })
	}
	entries, err := fs.ReadDir(m.tree, path.Dir(name))
	if err != nil {
		return nil
	}
	var all []string
	for _, e := range entries {
		if slices.Contains(l.Endings, path.Ext(e.Name())) && !m.conflicted[path.Join(path.Dir(name), e.Name())] {
			all = append(all, path.Join(path.Dir(name), e.Name()))
		}
	}
	return all
}

package conflict

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/languages"
)

// UseGraph finds which files of a tree use which others, by their imports and the names that they define and refer to.
// It does not know types, so it does not follow methods and fields of values.
// The zero value is an empty graph. A UseGraph must not be used by several goroutines at once.
type UseGraph struct {
	files []fileNode
	// byKey are the files that an import with such a word can lead to, byName those that define such a name.
	byKey  map[string][]int
	byName map[string][]definitionAt
}

// Link says that the file From uses the file To.
type Link struct {
	From, To string
	Line     int    // the line of From with the first such use, from 1
	Symbol   string // the name that To defines and From uses; "" if From imports To and no used name is known
	At       int    // the line of To that defines Symbol, from 1; 0 if Symbol is ""
}

// fileNode is one file as others reach it, and what it takes from them.
type fileNode struct {
	destination
	imports       []code.Import
	uses          []nameUse
	defines       map[string]int // the lines of what stands at the top
	defaultExport string         // the name that is exported by default
}

// nameUse is the first place at which a file writes a name.
type nameUse struct {
	whole string
	line  int
}

// definitionAt is where a name is defined.
type definitionAt struct {
	file int
	name string
	line int
}

// mostDefinitions is how many files may define a name before it says nothing about who is meant.
const mostDefinitions = 4

// Add adds a file by its path in the tree. importPath is the import path of its folder, for a Go file in a module, and
// else "".
func (w *UseGraph) Add(name string, f code.File, importPath string) {
	if w.byKey == nil {
		w.byKey, w.byName = map[string][]int{}, map[string][]definitionAt{}
	}
	s := fileNode{
		destination: destination{languages.Named(f.Language),
			lang.Target{Path: name, Package: f.Package, ImportPath: importPath}},
		imports: f.Imports, defines: map[string]int{},
	}
	at := len(w.files)
	for _, d := range f.Definitions {
		if d.Container != "" || d.Kind == code.Local || d.Kind == code.Module || d.Name == "" ||
			s.defines[d.Name] > 0 {
			continue
		}
		s.defines[d.Name] = d.Line
		if d.Default {
			s.defaultExport = d.Name
		}
		if d.Visibility != code.Private && !d.Test {
			w.byName[d.Name] = append(w.byName[d.Name], definitionAt{at, d.Name, d.Line})
		}
	}
	seen := map[string]bool{}
	for _, r := range f.References {
		whole := strings.Trim(r.Qualifier+"."+r.Name, ".")
		if r.Qualifier == code.Expression || r.Type != "" || seen[whole] {
			continue
		}
		seen[whole] = true
		s.uses = append(s.uses, nameUse{whole, r.Line})
	}
	for _, key := range s.language.FileKeys(s.Target, slices.Collect(maps.Keys(s.defines))) {
		w.byKey[key] = append(w.byKey[key], at)
	}
	w.files = append(w.files, s)
}

// Links returns all links, one for each symbol that a file uses, sorted by From, To, Line and Symbol.
func (w *UseGraph) Links() []Link {
	var all []Link
	for i := range w.files {
		all = append(all, withoutBare(w.linksOf(i))...)
	}
	slices.SortFunc(all, func(a, b Link) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Symbol, b.Symbol))
	})
	return all
}

// withoutBare leaves out imports of files of which a name is used, which says more.
// Go imports a folder, so that those of its files of which nothing is used are left out as well
// where something of the folder is.
func withoutBare(all []Link) []Link {
	used := map[string]bool{}
	for _, one := range all {
		used[languageOf(one.To).Node(one.To)] = used[languageOf(one.To).Node(one.To)] || one.Symbol != ""
	}
	return slices.DeleteFunc(all, func(one Link) bool {
		return one.Symbol == "" && used[languageOf(one.To).Node(one.To)]
	})
}

// importedFile is a file that an import leads to, and what of it the import's name stands for.
type importedFile struct {
	file   int
	inside string
}

// visibleNames is what a file can name without more.
type visibleNames struct {
	bound    map[string][]importedFile // by the names that imports have in it
	open     map[int]bool              // files all of whose names are known in it
	packages map[string]bool           // packages all of whose names are
}

func (w *UseGraph) linksOf(i int) (all []Link) {
	s, seen := w.files[i], map[Link]bool{}
	add := func(to fileNode, line int, symbol string) {
		if key := (Link{To: to.Path, Symbol: symbol}); !seen[key] {
			seen[key] = true
			all = append(all, Link{From: s.Path, To: to.Path, Line: line, Symbol: symbol, At: to.defines[symbol]})
		}
	}
	see := visibleNames{map[string][]importedFile{}, map[int]bool{}, map[string]bool{}}
	for _, imp := range s.imports {
		if imp.Name == "" && s.language.PackageScope {
			see.packages[imp.Module] = true
		}
		reached := slices.DeleteFunc(w.reachedBy(s, imp), func(r importedFile) bool { return r.file == i })
		if imp.Name != "" {
			see.bound[imp.Name] = append(see.bound[imp.Name], reached...)
		}
		for _, r := range reached {
			to := w.files[r.file]
			see.open[r.file] = see.open[r.file] || strings.HasSuffix(r.inside, code.All)
			add(to, imp.Line, to.named(r.inside))
		}
	}
	for _, m := range s.uses {
		for _, a := range w.meant(s, m, see) {
			if a.file != i {
				add(w.files[a.file], m.line, a.name)
			}
		}
	}
	return all
}

// meant are the places where the name that a file writes is defined at the top of another.
func (w *UseGraph) meant(s fileNode, m nameUse, see visibleNames) (all []definitionAt) {
	first, rest, _ := strings.Cut(m.whole, ".")
	if reached, ok := see.bound[first]; ok {
		next, _, _ := strings.Cut(rest, ".")
		for _, r := range reached {
			if line := w.files[r.file].defines[next]; r.inside == "" && line > 0 {
				all = append(all, definitionAt{r.file, next, line})
			}
		}
		return all
	}
	if s.defines[first] > 0 || len(w.byName[first]) > mostDefinitions {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(w.byName[first]), func(a definitionAt) bool {
		to := w.files[a.file]
		known := see.open[a.file] || see.packages[to.Package] && to.language.PackageScope || s.sharesHome(to)
		return !known || !s.language.Related(to.language)
	})
}

// sharesHome reports whether the files know each other's names without an import.
func (s fileNode) sharesHome(to fileNode) bool {
	return !s.language.FileScope() && !s.language.Headers &&
		scopeOf(s.language, s.Path, s.Package) == scopeOf(to.language, to.Path, to.Package)
}

// named is the name at the top of the file that the inside of an import begins with, "" if it is none of its own.
func (s fileNode) named(inside string) string {
	first, _, _ := strings.Cut(inside, ".")
	if first == "default" && s.defaultExport != "" {
		return s.defaultExport
	}
	if s.defines[first] > 0 {
		return first
	}
	return ""
}

// reachedBy are the files that an import leads to.
func (w *UseGraph) reachedBy(s fileNode, imp code.Import) []importedFile {
	var all []importedFile
	for _, key := range slices.Compact(s.language.ImportKeys(s.Path, imp)) {
		for _, i := range w.byKey[key] {
			to := w.files[i]
			if !s.language.Related(to.language) || slices.ContainsFunc(all, func(r importedFile) bool {
				return r.file == i
			}) {
				continue
			}
			inside, ok := reaches(imp, s.Path, to.destination)
			// A whole package, of which uses tell the files, or a crate's root around the module that is meant.
			wide := to.named(inside) == "" &&
				(s.language.PackageScope || s.language.FileModules && inside != "" && inside != code.All)
			if ok && !wide && !w.hidden(imp, to) && !to.language.IsIsolated(to.Path) {
				all = append(all, importedFile{i, inside})
			}
		}
	}
	return all
}

// hidden reports whether another file than the one that an import reaches by its name answers it.
func (w *UseGraph) hidden(imp code.Import, to fileNode) bool {
	return to.language.Hidden != nil && to.language.Hidden(imp, to.Path, func(name string) bool {
		near := slices.Concat(w.byKey[path.Base(path.Dir(name))], w.byKey[lang.Stem(name)])
		return slices.ContainsFunc(near, func(i int) bool { return w.files[i].Path == name })
	})
}

package lang

import (
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
)

// EndsWith reports whether whole is the path, or ends with it at a slash.
func EndsWith(part, whole string) bool {
	return whole == part || strings.HasSuffix(whole, "/"+part)
}

// Stem is a file's name without folders and ending.
func Stem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// Parents are the folders around a file, from the inmost to the root ".".
func Parents(file string) (all []string) {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if all = append(all, dir); dir == "." || dir == "/" {
			return all
		}
	}
}

// ModuleWords are the parts of an import's module, the importer's folder if it has none.
func ModuleWords(from string, imp code.Import) []string {
	words := strings.FieldsFunc(imp.Module, func(r rune) bool { return strings.ContainsRune(`.:\`, r) })
	if len(words) == 0 {
		words = []string{path.Base(path.Dir(from))}
	}
	return words
}

// WithMember adds the one name that an import takes to words.
func WithMember(words []string, imp code.Import) []string {
	if imp.Member != "" && imp.Member != code.All {
		return append(words, imp.Member)
	}
	return words
}

// StemKeys are the keys of an import that names a file.
func StemKeys(_ string, imp code.Import) []string { return []string{Stem(imp.Module)} }

// ByPackage is the scope of a file whose package alone says it.
func ByPackage(_, pkg string) string { return pkg }

// Everywhere is the scope of a file whose names all files know.
func Everywhere(_, _ string) string { return "" }

// PackageReaches compares the packages or namespaces that files declare. An import may name a
// package, a type in it, or a member of that.
func PackageReaches(imp code.Import, _ string, t Target) (inside string, ok bool) {
	rest, ok := strings.CutPrefix(imp.Module, t.Package)
	if !ok || rest != "" && t.Package != "" && !strings.HasPrefix(rest, ".") {
		return "", false
	}
	return strings.Trim(strings.TrimPrefix(rest, ".")+"."+imp.Member, "."), true
}

// TypeFile is where a file with a type of another package stands if folders go by packages.
func TypeFile(imp code.Import, from, pkg, name string) []string {
	var dirs []string
	if dir := path.Dir(from); dir != "." {
		dirs = strings.Split(dir, "/")
	}
	front := strings.Split(pkg, ".")
	for len(dirs) > 0 && len(front) > 0 && dirs[len(dirs)-1] == front[len(front)-1] {
		dirs, front = dirs[:len(dirs)-1], front[:len(front)-1]
	}
	rest := strings.Split(strings.Trim(imp.Module, "."), ".")
	if len(rest) < len(front) || !slices.Equal(rest[:len(front)], front) {
		return nil
	}
	return []string{path.Join(slices.Concat(dirs, rest[len(front):], []string{name + path.Ext(from)})...)}
}

// Overloaded reports whether one scope can have only one of two definitions in a language that
// tells functions of one name by their parameters.
func Overloaded(a, b Placed) bool {
	if a.Callable() && b.Callable() && !SameTypes(a.Params, b.Params) {
		return false
	}
	return !a.Partial && !b.Partial && a.Kind != code.Module && !a.Abstract && !b.Abstract
}

// SameTypes reports whether two lists of parameters have the same types.
func SameTypes(a, b []code.Param) bool {
	return slices.EqualFunc(a, b, func(x, y code.Param) bool { return x.Type == y.Type })
}

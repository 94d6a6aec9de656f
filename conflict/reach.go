package conflict

import (
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
)

// destination is a file as importers know it.
type destination struct {
	language code.Language
	path     string
	pkg      string
	// importPath is what Go imports the file's folder by, "" if no go.mod says it.
	importPath string
	// file is set where the file itself is meant and not what it declares for another.
	file bool
}

// reaches says what an import of the file from takes out of the target:
// the dotted path inside the target that the import's name stands for, "" for the target itself,
// and All as its last part for everything below.
func reaches(imp code.Import, from string, t destination) (inside string, ok bool) {
	switch t.language {
	case code.Go:
		return imp.Member, goReaches(imp.Module, t)
	case code.Python:
		return pythonReaches(imp, from, t.path)
	case code.JavaScript, code.TypeScript:
		return imp.Member, scriptReaches(imp.Module, from, t.path)
	case code.Java:
		return packageReaches(imp, t)
	case code.CSharp, code.PHP:
		imp.Module = strings.Trim(strings.ReplaceAll(imp.Module, `\`, "."), ".")
		t.pkg = strings.ReplaceAll(t.pkg, `\`, ".")
		return packageReaches(imp, t)
	case code.Rust:
		return rustReaches(imp, from, t.path)
	case code.C, code.CPP:
		return code.All, endsWith(strings.TrimLeft(path.Clean(imp.Module), "./"), t.path) ||
			!t.file && imp.Module != "" && stem(imp.Module) == stem(t.path)
	case code.Ruby:
		return code.All, endsWith(strings.TrimLeft(path.Clean(imp.Module), "./")+".rb", t.path)
	}
	return "", false
}

// endsWith reports whether whole is the path, or ends with it at a slash.
func endsWith(part, whole string) bool {
	return whole == part || strings.HasSuffix(whole, "/"+part)
}

func stem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

func goReaches(module string, t destination) bool {
	if t.importPath != "" {
		return module == t.importPath
	}
	dir := path.Dir(t.path)
	return dir != "." && endsWith(dir, module)
}

// pythonReaches compares dotted modules. Where the search path begins is not known, so an absolute
// module may be the end of the target's.
func pythonReaches(imp code.Import, from, name string) (string, bool) {
	whole := dotted(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, ".pyi"), ".py"), "/__init__"))
	module := imp.Module
	same := func(m string) bool { return m != "" && (whole == m || strings.HasSuffix(whole, "."+m)) }
	if rest := strings.TrimLeft(module, "."); rest != module {
		dir := from
		for range len(module) - len(rest) {
			dir = path.Dir(dir)
		}
		module = strings.Trim(dotted(path.Clean(dir))+"."+rest, ".")
		same = func(m string) bool { return whole == strings.Trim(m, ".") }
	}
	if same(module) {
		return imp.Member, true
	}
	return "", imp.Member != "" && imp.Member != code.All && same(module+"."+imp.Member)
}

func dotted(name string) string { return strings.ReplaceAll(name, "/", ".") }

// scriptReaches follows relative paths exactly. An alias such as "@/x" or a package of the same
// repository is followed by the end of its path.
func scriptReaches(module, from, name string) bool {
	whole := withoutEnding(name)
	index := strings.TrimSuffix(whole, "/index")
	if strings.HasPrefix(module, ".") {
		joined := path.Join(path.Dir(from), module)
		return joined == whole || joined == index || joined == name || withoutEnding(joined) == whole
	}
	if rest, ok := strings.CutPrefix(strings.TrimLeft(module, "@~#"), "/"); ok && rest != "" {
		return endsWith(withoutEnding(rest), whole) || endsWith(rest, index)
	}
	return strings.Contains(module, "/") && !strings.HasPrefix(module, "@") &&
		(endsWith(withoutEnding(module), whole) || endsWith(module, index))
}

func withoutEnding(name string) string {
	for _, ending := range []string{".d.ts", ".tsx", ".ts", ".mts", ".cts", ".jsx", ".js", ".mjs", ".cjs"} {
		if rest, ok := strings.CutSuffix(name, ending); ok {
			return rest
		}
	}
	return name
}

// packageReaches compares the packages or namespaces that files declare. An import may name a
// package, a type in it, or a member of that.
func packageReaches(imp code.Import, t destination) (string, bool) {
	rest, ok := strings.CutPrefix(imp.Module, t.pkg)
	if !ok || rest != "" && t.pkg != "" && !strings.HasPrefix(rest, ".") {
		return "", false
	}
	if t.language == code.CSharp && rest == "" && imp.Member == "" && imp.Name == "" {
		return code.All, true
	}
	return strings.Trim(strings.TrimPrefix(rest, ".")+"."+imp.Member, "."), true
}

// rustReaches follows module paths from the root of a crate, which is a folder named src.
func rustReaches(imp code.Import, from, name string) (string, bool) {
	crate, module := rustModule(name)
	fromCrate, here := rustModule(from)
	parts := strings.FieldsFunc(strings.ReplaceAll(imp.Module, "::", "."), func(r rune) bool { return r == '.' })
	if imp.Member != "" {
		parts = append(parts, imp.Member)
	}
	for i := 0; len(parts) > 0; i++ {
		switch first := parts[0]; {
		case first == "crate" && i == 0 && fromCrate == crate:
			here = nil
		case first == "self" && i == 0 && fromCrate == crate:
		case first == "super" && fromCrate == crate && len(here) > 0:
			here = here[:len(here)-1]
		case i == 0 && first == crateName(crate) && fromCrate != crate:
			here = nil
		default:
			return rustInside(slices.Concat(here, parts), module, i > 0 || fromCrate == crate)
		}
		parts = parts[1:]
	}
	return rustInside(here, module, true)
}

func rustInside(whole, module []string, known bool) (string, bool) {
	if !known || len(whole) < len(module) || !slices.Equal(whole[:len(module)], module) {
		return "", false
	}
	return strings.Join(whole[len(module):], "."), true
}

// rustModule splits a path into the folder of the crate and the path of the module inside of it.
func rustModule(name string) (crate string, module []string) {
	crate, inside, found := strings.Cut("/"+name, "/src/")
	if !found {
		crate, inside = path.Dir(name), path.Base(name)
	}
	module = strings.Split(strings.TrimSuffix(inside, ".rs"), "/")
	switch module[len(module)-1] {
	case "mod", "lib", "main":
		module = module[:len(module)-1]
	}
	return strings.TrimPrefix(crate, "/"), module
}

func crateName(folder string) string { return strings.ReplaceAll(path.Base(folder), "-", "_") }

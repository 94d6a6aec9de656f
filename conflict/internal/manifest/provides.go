package manifest

import (
	_ "embed"
	"slices"
	"strings"

	"delegate/conflict/code"
)

// Provides reports whether an import of the module comes from the dependency, as far as names tell.
// The dependency is a Dependency.Name, and the module is as source files write it:
//
//   - Go: an import path. The dependency is a module whose path begins it; a major version behind that is
//     another module.
//   - npm: a specifier. Exact: "@types/node" provides nothing to those that import "node".
//   - Python: a dotted module. A guess: the distribution is called like the module or a package above it,
//     apart from "python-" and the like around the name, or is one of those that are well known to be called otherwise.
//   - Rust: a path. Exact: its first part is the crate with "_" for "-".
//
// What lies in the project itself, such as "./util", and the language ("go", "python") provide nothing.
func Provides(e code.Ecosystem, dependency, module string) bool {
	if dependency == "" || module == "" {
		return false
	}
	switch e {
	case Go:
		return goProvides(dependency, module)
	case NPM:
		return dependency == npmPackage(module)
	case Python:
		return pythonProvides(dependency, module)
	case Rust:
		crate, _, _ := strings.Cut(strings.TrimPrefix(module, "::"), "::")
		return strings.ReplaceAll(dependency, "-", "_") == crate
	}
	return false
}

//go:embed known.txt
var knownModules string

// known returns where the modules of a package of Python begin that is well known to be imported by another name than
// its own, nil for all others.
func known(name string) []string {
	_, rest, ok := strings.Cut(knownModules, "\n"+name+" = ")
	if !ok {
		return nil
	}
	modules, _, _ := strings.Cut(rest, "\n")
	return strings.Fields(modules)
}

// begins reports whether the path is the prefix or goes on behind it with the separator.
func begins(path, prefix, separator string) bool {
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && (rest == "" || strings.HasPrefix(rest, separator))
}

func beginsAny(path string, prefixes []string, separator string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return begins(path, prefix, separator) })
}

func goProvides(dependency, module string) bool {
	if dependency == "go" || dependency == "toolchain" || !begins(module, dependency, "/") {
		return false
	}
	next, _, _ := strings.Cut(strings.TrimPrefix(module[len(dependency):], "/"), "/")
	return !isGoMajor(next)
}

// isGoMajor reports whether an element of a path is the major version that ends a module's path.
func isGoMajor(element string) bool {
	number, ok := strings.CutPrefix(element, "v")
	return ok && number != "" && number != "1" && number[0] != '0' && strings.Trim(number, "0123456789") == ""
}

// npmPackage returns the package of a specifier. Of one that names a file it is no package's name.
func npmPackage(specifier string) string {
	first, rest, _ := strings.Cut(specifier, "/")
	if !strings.HasPrefix(first, "@") {
		return first
	}
	second, _, _ := strings.Cut(rest, "/")
	return first + "/" + second
}

func pythonProvides(dependency, module string) bool {
	if strings.HasPrefix(module, ".") || dependency == "python" {
		return false
	}
	if modules := known(dependency); modules != nil {
		return beginsAny(module, modules, ".")
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(dependency, "python-"), "-python")
	for end := range len(module) + 1 {
		if end < len(module) && module[end] != '.' {
			continue
		}
		if name := pythonName(module[:end]); name == dependency || name == bare {
			return true
		}
	}
	return false
}

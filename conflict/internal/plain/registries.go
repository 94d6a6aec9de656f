package plain

import (
	"path"
	"strings"

	"delegate/internal/text/lazyregexp"
)

var (
	// registered are the calls of what keeps a registry: with what stands before it, and the name that it is given.
	registered = lazyregexp.New(`(?:([A-Za-z_][\w.]*)\.)?\b((?i:register)\w*)` + namedFirst)

	goImport   = lazyregexp.New(`^(?:import\s+)?(?:(\w+)\s+)?"([\w./~-]+)"$`)
	fromImport = lazyregexp.New(`^from\s+([\w.]+)\s+import\s+(.+)|^(?:import|(?:const|let|var))\s*\{([^}]*)\}\s*` +
		`(?:from|=\s*require\()\s*["']([^"']+)["']`)
	ownFunction = lazyregexp.New(`^(?:export\s+)?(?:async\s+)?(?:def|function)\s+((?i:register)\w*)`)
)

// seeImport keeps what the file calls by a name of its own or takes from another file, as far as registries need
// it, and whether it is a program's own.
func (r *reading) seeImport() {
	if path.Ext(r.name) == ".go" {
		if !strings.HasSuffix(r.text, "\"") {
			r.command = r.command || r.text == "package main"
			return
		}
		if match := goImport.FindStringSubmatch(r.text); match != nil {
			name := match[1]
			if name == "" {
				name = path.Base(match[2])
			}
			r.imported[name] = path.Base(match[2])
		}
		return
	}
	if !strings.Contains(r.text, "egister") {
		return
	}
	if match := ownFunction.FindStringSubmatch(r.text); match != nil {
		r.imported[match[1]] = moduleName(r.name)
	}
	if match := fromImport.FindStringSubmatch(r.text); match != nil {
		for name := range strings.SplitSeq(match[2]+match[3], ",") {
			r.imported[strings.Trim(name, " ()")] = moduleName(strings.ReplaceAll(match[1], ".", "/") + match[4])
		}
	}
}

// moduleName is what others call a file: the folder for the file that stands for it.
func moduleName(file string) string {
	base, _, _ := strings.Cut(path.Base(file), ".")
	if base == "__init__" || base == "index" {
		return path.Base(path.Dir(file))
	}
	return base
}

// registry is what keeps the names that a function is given: in Go the function's package, whose own files call it
// without the package's name, elsewhere the file that defines it. A variable means another one in each folder, and
// "" stands for what only the object around has.
func (r *reading) registry(on, function string) string {
	inGo := path.Ext(r.name) == ".go"
	root, _, _ := strings.Cut(on, ".")
	of := r.imported[on]
	if on == "" {
		of = r.imported[function]
	}
	switch {
	case root == "self" || root == "this":
		return ""
	case inGo && on == "":
		of = path.Base(path.Dir(r.name))
	case inGo && of == "":
		return r.folder() + " " + on + "." + function
	case of == "":
		of = on
	}
	return "/ " + of + "." + function
}

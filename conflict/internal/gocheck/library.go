package gocheck

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
)

// declaredWith tells which imports of a package of the standard library its declarations name outside of the bodies of
// functions. Of what a program needs of that library, two fifths are only there for such bodies.
func (u *unit) declaredWith() func(edge) bool {
	named, renamed := map[string]bool{}, map[string][]string{} // by path
	for _, f := range u.files {
		for name := range namedOutsideBodies(f) {
			named[name] = true
		}
		for _, s := range f.Imports {
			if path, err := strconv.Unquote(s.Path.Value); err == nil && s.Name != nil {
				renamed[path] = append(renamed[path], s.Name.Name)
			}
		}
	}
	named["."] = true // imports of all names
	return func(e edge) bool {
		return named[nameOf(e.to.files)] || slices.ContainsFunc(renamed[e.path], func(name string) bool {
			return named[name]
		})
	}
}

// namedOutsideBodies are the names before a dot outside of the bodies of functions that are declared.
func namedOutsideBodies(f *ast.File) map[string]bool {
	named := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.SelectorExpr:
			if base, isName := n.X.(*ast.Ident); isName {
				named[base.Name] = true
			}
		}
		return true
	})
	return named
}

// nameOnly stands for a package of which nothing is needed, with the names of all below it: where two have the same
// name, the type checker tells them by their paths.
func (c *Checker) nameOnly(n *node) *types.Package {
	if known := c.names[n]; known != nil {
		return known
	}
	p := types.NewPackage(n.path, nameOf(n.files))
	p.MarkComplete()
	c.names[n] = p
	var below []*types.Package
	for _, e := range n.imports {
		if e.to != nil {
			below = append(below, c.nameOnly(e.to))
		}
	}
	p.SetImports(below)
	return p
}

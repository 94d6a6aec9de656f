package gocheck

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// doubt tells the errors that may be there only because a package is missing, or what cgo generates.
// The type checker is silent about most of them by itself.
// It is not about a name that only the missing package knows, nor about a method that might come from an embedded type.
type doubt struct {
	info  *types.Info
	files []*ast.File
	fakes map[*types.Package]bool
	// open are the files that have a missing package under a name which only that package knows,
	// blind are those that import all names of one.
	open, blind map[*ast.File]bool
	specs       map[token.Pos]bool // the paths of missing imports
	types       map[types.Type]bool
}

// newDoubt is nil if everything is known.
func (u *unit) newDoubt(info *types.Info) *doubt {
	if !u.doubtful {
		return nil
	}
	d := &doubt{
		info: info, files: u.files, fakes: u.fakes, open: map[*ast.File]bool{}, blind: map[*ast.File]bool{},
		specs: map[token.Pos]bool{}, types: map[types.Type]bool{},
	}
	missing := map[string]bool{}
	for p := range u.fakes {
		missing[p.Path()] = true
	}
	for _, f := range u.files {
		for _, s := range f.Imports {
			if name, err := strconv.Unquote(s.Path.Value); err != nil || !missing[name] {
				continue
			}
			d.specs[s.Path.Pos()] = true
			d.open[f] = d.open[f] || s.Name == nil
			d.blind[f] = d.blind[f] || s.Name != nil && s.Name.Name == "."
		}
	}
	return d
}

// covers says whether an error is doubtful.
// Soft errors are about what is not used, and uses may be where the type checker did not go on.
func (d *doubt) covers(e types.Error) bool {
	if d == nil {
		return false
	}
	if e.Soft {
		return d.isTouched()
	}
	for _, f := range d.files {
		if f.FileStart <= e.Pos && e.Pos <= f.FileEnd {
			return d.specs[e.Pos] || d.blind[f] || d.inNode(f, smallest(f, e.Pos), e.Pos)
		}
	}
	return false
}

// isTouched says whether the package names anything doubtful at all.
func (d *doubt) isTouched() bool {
	if len(d.specs) > 0 {
		return true
	}
	for _, o := range d.info.Uses {
		if d.inObject(o) {
			return true
		}
	}
	return false
}

// smallest is the innermost statement or declaration around a position.
func smallest(f *ast.File, at token.Pos) (around ast.Node) {
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil || at < n.Pos() || n.End() < at {
			return false
		}
		switch n.(type) {
		case *ast.BlockStmt:
		case ast.Stmt, ast.Spec, *ast.Field, *ast.FuncDecl:
			around = n
		}
		return true
	})
	return around
}

// inNode says whether a node names something of which a part is missing.
// Blocks inside of it are statements of their own. An error at a name that the node declares is about that name.
func (d *doubt) inNode(f *ast.File, around ast.Node, at token.Pos) (doubtful bool) {
	if around == nil || declares(around, at) {
		return false
	}
	ast.Inspect(around, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.SelectorExpr:
			base, isName := n.X.(*ast.Ident)
			doubtful = doubtful || isName && d.open[f] && d.info.Uses[base] == nil
		case *ast.Ident:
			doubtful = doubtful || d.inObject(d.info.Uses[n]) || isGenerated(n.Name) && d.info.Uses[n] == nil
		}
		return !doubtful
	})
	return doubtful
}

func declares(n ast.Node, at token.Pos) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return n.Name.Pos() == at
	case *ast.TypeSpec:
		return n.Name.Pos() == at
	case *ast.ValueSpec:
		for _, name := range n.Names {
			if name.Pos() == at {
				return true
			}
		}
	}
	return false
}

func (d *doubt) inObject(o types.Object) bool {
	if p, isPackage := o.(*types.PkgName); isPackage {
		return d.fakes[p.Imported()] || p.Imported().Path() == "C"
	}
	return o != nil && d.inType(o.Type())
}

// isGenerated tells names that cgo declares.
func isGenerated(name string) bool {
	return strings.HasPrefix(name, "_cgo") || strings.HasPrefix(name, "_C")
}

// inType says whether the type checker could not make out a part of a type that its use depends on.
// Fields count if they are embedded: a use of any other names the field.
func (d *doubt) inType(t types.Type) bool {
	if doubtful, known := d.types[t]; known || t == nil {
		return doubtful
	}
	d.types[t] = false // for types that contain themselves
	d.types[t] = d.inParts(t)
	return d.types[t]
}

func (d *doubt) inParts(t types.Type) bool {
	switch t := t.(type) {
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Map:
		return d.inType(t.Key()) || d.inType(t.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		return d.inType(t.Elem())
	case *types.Alias:
		return d.inType(types.Unalias(t))
	case *types.TypeParam:
		return d.inType(t.Constraint())
	case *types.Signature:
		return d.inType(t.Params()) || d.inType(t.Results())
	case *types.Tuple:
		return some(t.Len(), func(i int) bool { return d.inType(t.At(i).Type()) })
	case *types.Union:
		return some(t.Len(), func(i int) bool { return d.inType(t.Term(i).Type()) })
	case *types.Struct:
		return some(t.NumFields(), func(i int) bool { return t.Field(i).Embedded() && d.inType(t.Field(i).Type()) })
	case *types.Interface:
		return some(t.NumEmbeddeds(), func(i int) bool { return d.inType(t.EmbeddedType(i)) }) ||
			some(t.NumExplicitMethods(), func(i int) bool { return d.inType(t.ExplicitMethod(i).Type()) })
	case *types.Named:
		return d.inType(t.Underlying()) || some(t.NumMethods(), func(i int) bool {
			return d.inType(t.Method(i).Type())
		}) ||
			some(t.TypeArgs().Len(), func(i int) bool { return d.inType(t.TypeArgs().At(i)) })
	}
	return false
}

func some(n int, is func(int) bool) bool {
	for i := range n {
		if is(i) {
			return true
		}
	}
	return false
}

package golang

import (
	"go/ast"
	"go/token"
	"slices"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// use is what a reference does. The zero value reads.
type use struct {
	use    code.Use
	args   int
	named  []string
	spread bool
}

// refer adds a reference.
func (g *fileReader) refer(r code.Reference, as use, at token.Pos) {
	r.Use, r.Args, r.Named, r.Spread = as.use, code.NoCall, as.named, as.spread
	switch as.use {
	case "":
		r.Use = code.Read
	case code.Call, code.Construct:
		r.Args = as.args
	}
	r.In, r.Line = g.in, g.lines.of(at)
	g.file.References = append(g.file.References, r)
}

// expr walks an expression or a type and returns its type, nil if that does not show. The type of a type is itself.
func (g *fileReader) expr(e ast.Expr) ast.Expr { return g.used(e, use{}) }

// used walks an expression whose name, if it has one, is used in the given way: pkg.F, (*T), List[int].
func (g *fileReader) used(e ast.Expr, as use) ast.Expr {
	switch e := e.(type) {
	case *ast.Ident:
		return g.ident(e, as)
	case *ast.SelectorExpr:
		typ, _ := g.selector(e, as)
		return typ
	case *ast.ParenExpr:
		return g.used(e.X, as)
	case *ast.StarExpr:
		return g.used(e.X, as)
	case *ast.IndexExpr:
		return g.index(e, as)
	case *ast.IndexListExpr:
		typ := g.used(e.X, as)
		g.exprs(e.Indices...)
		return typ
	case *ast.CallExpr:
		typ, _ := g.call(e)
		return typ
	case *ast.CompositeLit:
		return g.literal(e, nil)
	case *ast.FuncLit:
		g.function(nil, e.Type, e.Body)
		return e.Type
	case *ast.UnaryExpr:
		return g.unary(e)
	case *ast.SliceExpr:
		typ := g.expr(e.X)
		g.exprs(e.Low, e.High, e.Max)
		return typ
	case *ast.TypeAssertExpr:
		g.exprs(e.X, e.Type)
		return e.Type
	case *ast.BinaryExpr, *ast.KeyValueExpr: // the latter outside of a literal only in broken code
		ast.Walk(inside{g}, e)
		return nil
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.Ellipsis:
		ast.Walk(inside{g}, e)
	case *ast.FuncType:
		g.fieldTypes(e.Params)
		g.fieldTypes(e.Results)
	case *ast.StructType, *ast.InterfaceType:
		for _, f := range fieldsOf(e) {
			if len(f.Names) == 0 {
				g.used(f.Type, use{use: code.Inherit}) // one without a name embeds its type
			} else {
				g.expr(f.Type)
			}
		}
	default:
		return nil
	}
	return e
}

// exprs walks expressions whose types are of no interest. Any of them may be missing.
func (g *fileReader) exprs(all ...ast.Expr) {
	for _, e := range all {
		g.expr(e)
	}
}

// fieldTypes walks the types of parameters or results.
func (g *fileReader) fieldTypes(list *ast.FieldList) {
	for _, f := range listOf(list) {
		g.expr(f.Type)
	}
}

// ident walks a bare name and returns the type of what it names.
func (g *fileReader) ident(id *ast.Ident, as use) ast.Expr {
	if b, found := g.scope.find(id.Name); found {
		if b.isType {
			return id
		}
		return b.typ
	}
	known, found := g.known.names[id.Name]
	if id.Name == "_" || known.kind == imported || !found && predeclared(id.Name) {
		return nil
	}
	g.refer(code.Reference{Name: id.Name}, as, id.Pos())
	if known.kind == readType {
		return id
	}
	return known.typ
}

// selector walks x.Sel and returns its type and what stands before the name: its path of names.
func (g *fileReader) selector(s *ast.SelectorExpr, as use) (typ ast.Expr, before string) {
	before, of := g.operand(s.X)
	if s.Sel.Name != "_" { // what the parser puts where a name is missing
		g.refer(code.Reference{Name: s.Sel.Name, Qualifier: before, Type: g.shown(of)}, as, s.Sel.Pos())
	}
	return g.member(of, s.Sel.Name), before
}

// operand walks what stands before a selected name and returns its path of names and its type.
func (g *fileReader) operand(e ast.Expr) (path string, typ ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name, g.ident(e, use{})
	case *ast.SelectorExpr:
		typ, before := g.selector(e, use{})
		if before == code.Expression || len(before)+len(e.Sel.Name) >= lang.LongestPath {
			return code.Expression, typ
		}
		return oneCopy(before + "." + e.Sel.Name), typ
	default:
		return code.Expression, g.expr(e)
	}
}

func (g *fileReader) unary(e *ast.UnaryExpr) ast.Expr {
	typ := g.expr(e.X)
	switch e.Op {
	case token.AND:
		return typ
	case token.ARROW:
		return g.element(typ)
	}
	return nil
}

// index walks x[i], which for a type or a function gives it type arguments.
func (g *fileReader) index(e *ast.IndexExpr, as use) ast.Expr {
	isType := g.isType(e.X)
	typ := g.used(e.X, as)
	g.expr(e.Index)
	if _, isFunc := typ.(*ast.FuncType); isFunc || isType {
		return typ
	}
	return g.element(typ)
}

// call walks a call or conversion and returns its type and, if it calls a function that the file
// shows, all of its results.
func (g *fileReader) call(c *ast.CallExpr) (ast.Expr, *ast.FieldList) {
	if typ, ok := g.builtinCall(c); ok {
		return typ, nil
	}
	isType := g.isType(c.Fun)
	as := use{use: code.Call, args: len(c.Args), spread: c.Ellipsis.IsValid() || g.passesOn(c)}
	typ := g.used(c.Fun, as)
	g.exprs(c.Args...)
	if isType {
		return typ, nil
	}
	results := g.resultsOf(typ)
	if results == nil {
		results = g.importedResult(c.Fun)
	}
	return resultAt(results, 0), results
}

// importedResult stands for what a function of an imported package returns: a type most likely of
// that package, whose name does not show.
func (g *fileReader) importedResult(fun ast.Expr) *ast.FieldList {
	sel, ok := ast.Unparen(fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok || g.known.names[pkg.Name].kind != imported {
		return nil
	}
	if _, local := g.scope.find(pkg.Name); local {
		return nil
	}
	unknown := &ast.SelectorExpr{X: pkg, Sel: &ast.Ident{NamePos: sel.Sel.Pos(), Name: code.Expression}}
	return &ast.FieldList{List: []*ast.Field{{Type: unknown}}}
}

// passesOn reports whether a call's one argument is itself a call that may have several results,
// all of which are passed then.
func (g *fileReader) passesOn(c *ast.CallExpr) bool {
	if len(c.Args) != 1 {
		return false
	}
	inner, isCall := ast.Unparen(c.Args[0]).(*ast.CallExpr)
	if !isCall || g.isType(inner.Fun) || g.isPredeclared(inner.Fun) {
		return false
	}
	if name, ok := inner.Fun.(*ast.Ident); ok {
		if b, found := g.scope.find(name.Name); found {
			return g.severalResults(b.typ)
		}
		return g.severalResults(g.known.names[name.Name].typ)
	}
	return true
}

// severalResults reports whether calling a value of a type has or may have several results.
func (g *fileReader) severalResults(typ ast.Expr) bool {
	results := g.resultsOf(typ)
	return results == nil || results.NumFields() > 1
}

// isPredeclared reports whether an expression is a name that the language binds and nothing else does.
func (g *fileReader) isPredeclared(e ast.Expr) bool {
	name, ok := ast.Unparen(e).(*ast.Ident)
	if !ok || !predeclared(name.Name) {
		return false
	}
	_, local := g.scope.find(name.Name)
	_, known := g.known.names[name.Name]
	return !local && !known
}

// builtinCall walks a call of a function whose result has the type of an argument, if it is one.
func (g *fileReader) builtinCall(c *ast.CallExpr) (typ ast.Expr, ok bool) {
	name, ok := c.Fun.(*ast.Ident)
	if !ok || !g.isPredeclared(name) || !slices.Contains([]string{"new", "make", "append"}, name.Name) {
		return nil, false
	}
	if len(c.Args) == 0 {
		return nil, true
	}
	first := g.expr(c.Args[0])
	g.exprs(c.Args[1:]...)
	if name.Name == "make" || name.Name == "new" && first == nil {
		return c.Args[0], true
	}
	return first, true
}

package golang

import (
	"go/ast"
	"go/token"

	"delegate/conflict/code"
)

// function walks a function's or function literal's signature and body. Of a method recv is the declaration.
func (g *fileReader) function(recv *ast.FuncDecl, typ *ast.FuncType, body *ast.BlockStmt) {
	around := g.scope.open()
	if recv != nil {
		for _, name := range receiverParams(recv) {
			g.scope.bind(binding{name: name.Name, isType: true})
		}
		g.fieldTypes(recv.Recv)
	}
	g.typeParams(typ.TypeParams)
	g.fieldTypes(typ.Params)
	g.fieldTypes(typ.Results)
	if recv != nil {
		g.parameters(recv.Recv)
	}
	g.parameters(typ.Params)
	g.parameters(typ.Results)
	if body != nil {
		g.walk(body.List...)
	}
	g.scope.close(around)
}

// typeParams binds type parameters, each of which the constraints of all may use.
func (g *fileReader) typeParams(list *ast.FieldList) {
	for name := range namesOf(list) {
		g.scope.bind(binding{name: name.Name, isType: true})
	}
	g.fieldTypes(list)
}

// parameters binds parameters or results.
func (g *fileReader) parameters(list *ast.FieldList) {
	for name, f := range namesOf(list) {
		g.local(localName{name: name, declared: f.Type, typ: f.Type})
	}
}

// localName is a name that a function binds to a value.
type localName struct {
	name     *ast.Ident
	declared ast.Expr // type that holds by the declaration, nil if it gives none
	typ      ast.Expr // type as far as it shows
	word     string   // keyword or sign that declares it
	value    ast.Expr // what it is set to, nil for nothing
	position int      // of its value among several, from 1, 0 if it has one of its own
	isType   bool
}

// local binds a name and lists its definition if the function has not bound the same name before.
func (g *fileReader) local(l localName) {
	name := l.name.Name
	g.scope.bind(binding{name: name, typ: l.typ, isType: l.isType})
	if name == "_" || name == "" || g.listed[name] {
		return
	}
	g.listed[name] = true
	def := code.Definition{
		Name: name, Container: g.in, Kind: code.Local, Visibility: code.Private, Type: text(l.declared),
		Line: g.lines.of(l.name.Pos()), End: g.lines.of(l.name.End()),
	}
	for _, part := range []ast.Expr{l.declared, l.value} {
		if part != nil {
			def.End = max(def.End, g.lines.of(part.End()))
		}
	}
	covers := hash{word: l.word, position: l.position, most: mostLocalTokens}
	if l.isType {
		covers.name = name
	}
	def.Hash = g.hash(covers, l.declared, l.value)
	g.file.Definitions = append(g.file.Definitions, def)
}

// inside walks the parts of a node.
type inside struct{ *fileReader }

// Visit implements ast.Visitor for the node itself.
func (i inside) Visit(ast.Node) ast.Visitor { return i.fileReader }

// Visit implements ast.Visitor for statements and what is in them, in their order.
func (g *fileReader) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case nil, *ast.BranchStmt:
		return nil
	case ast.Expr:
		g.expr(n)
		return nil
	case *ast.AssignStmt:
		g.assign(n)
		return nil
	case *ast.GenDecl:
		g.group(n)
		return nil
	case *ast.LabeledStmt:
		ast.Walk(g, n.Stmt)
		return nil
	case *ast.DeclStmt:
		return g
	}
	around := g.scope.open()
	defer func() { g.scope.close(around) }()
	switch n := n.(type) {
	case *ast.RangeStmt:
		g.rangeLoop(n)
	case *ast.SwitchStmt:
		g.walk(n.Init)
		g.expr(n.Tag)
		g.clauses(n.Body, localName{})
	case *ast.TypeSwitchStmt:
		g.walk(n.Init)
		g.clauses(n.Body, g.switched(n.Assign))
	default:
		ast.Walk(inside{g}, n)
	}
	return nil
}

// walk walks statements, any of which may be missing.
func (g *fileReader) walk(list ...ast.Stmt) {
	for _, s := range list {
		if s != nil {
			ast.Walk(g, s)
		}
	}
}

// switched walks what a type switch looks at and gives the variable that stands for it in the
// clauses, without a name if there is none.
func (g *fileReader) switched(s ast.Stmt) localName {
	if assign, ok := s.(*ast.AssignStmt); ok && len(assign.Lhs) == 1 && len(assign.Rhs) == 1 {
		name, _ := assign.Lhs[0].(*ast.Ident)
		l := localName{name: name, value: assign.Rhs[0], word: "switch"}
		if guard, ok := ast.Unparen(assign.Rhs[0]).(*ast.TypeAssertExpr); ok {
			l.typ = g.expr(guard.X)
		}
		return l
	}
	g.walk(s)
	return localName{}
}

// clauses walks the cases of a switch. The variable is that of a type switch; a clause with one
// type gives it that type.
func (g *fileReader) clauses(body *ast.BlockStmt, variable localName) {
	for _, s := range body.List {
		clause, ok := s.(*ast.CaseClause)
		if !ok {
			g.walk(s)
			continue
		}
		for _, label := range clause.List {
			g.used(label, use{use: code.Match})
		}
		around := g.scope.open()
		if own := variable; own.name != nil {
			own.typ = caseType(clause.List, own.typ)
			g.local(own)
		}
		g.walk(clause.Body...)
		g.scope.close(around)
	}
}

// caseType is the type that a type switch's variable has in a clause: the one that it names, else
// that of the value looked at.
func caseType(labels []ast.Expr, otherwise ast.Expr) ast.Expr {
	if len(labels) != 1 {
		return otherwise
	}
	if name, ok := labels[0].(*ast.Ident); ok && name.Name == "nil" {
		return otherwise
	}
	return labels[0]
}

// assign walks an assignment. What := declares is bound after its values.
func (g *fileReader) assign(s *ast.AssignStmt) {
	if s.Tok != token.DEFINE {
		g.exprs(s.Lhs...)
		g.exprs(s.Rhs...)
		return
	}
	types := g.types(s.Rhs, len(s.Lhs))
	for i, left := range s.Lhs {
		name, ok := left.(*ast.Ident)
		if !ok {
			g.expr(left)
			continue
		}
		if g.scope.inBlock(name.Name) {
			continue
		}
		l := localName{name: name, typ: types[i], word: ":="}
		if len(s.Rhs) == len(s.Lhs) {
			l.value = s.Rhs[i]
		} else {
			l.value, l.position = s.Rhs[0], i+1
		}
		g.local(l)
	}
}

// types walks the values that a number of names are set to and gives a type for each name, nil where none shows.
func (g *fileReader) types(values []ast.Expr, names int) []ast.Expr {
	types := make([]ast.Expr, max(names, len(values)))
	if len(values) == 1 {
		if c, ok := ast.Unparen(values[0]).(*ast.CallExpr); ok && names > 1 {
			_, results := g.call(c)
			for i := range types {
				types[i] = resultAt(results, i)
			}
			return types
		}
	}
	for i, v := range values {
		types[i] = g.expr(v)
	}
	return types
}

func (g *fileReader) rangeLoop(s *ast.RangeStmt) {
	key, value := g.ranged(g.expr(s.X))
	for i, left := range []ast.Expr{s.Key, s.Value} {
		name, ok := left.(*ast.Ident)
		if !ok || s.Tok != token.DEFINE {
			g.expr(left)
			continue
		}
		typ := key
		if i == 1 {
			typ = value
		}
		g.local(localName{name: name, typ: typ, word: "range", value: s.X, position: i + 1})
	}
	g.walk(s.Body)
}

package golang

import "go/ast"

const (
	// longestChain is how many names a type may stand for one after the other, and how many stars
	// and the like it may have around its name.
	longestChain = 10
	// mostEmbedded is how many embedded types are looked through for a member.
	mostEmbedded = 32
)

// A type in these functions is the expression that some declaration of the file writes for it, nil if none shows.
// Pointers are looked through everywhere, as selectors do.

// owner is the name of a type that members can belong to, "" if the type has none at package level.
func (g *fileReader) owner(typ ast.Expr) string {
	name, ok := bare(typ).(*ast.Ident)
	if !ok || g.known.generic[name.Name] {
		return ""
	}
	if b, found := g.scope.find(name.Name); found && b.isType {
		return ""
	}
	return name.Name
}

// shown is a type's name for a reference, "" for types without one and for those that only a function knows.
func (g *fileReader) shown(typ ast.Expr) string {
	if typ == nil {
		return ""
	}
	if sel, ok := bare(typ).(*ast.SelectorExpr); ok {
		if pkg, ok := sel.X.(*ast.Ident); ok {
			return oneCopy(pkg.Name + "." + sel.Sel.Name)
		}
	}
	return g.owner(typ)
}

// underlying is what a type is made of, nil if only another file tells.
func (g *fileReader) underlying(typ ast.Expr) ast.Expr {
	for range longestChain {
		name, ok := bare(typ).(*ast.Ident)
		if !ok {
			break
		}
		if b, found := g.scope.find(name.Name); found && b.isType {
			typ = b.typ
		} else if g.known.generic[name.Name] {
			return nil
		} else {
			typ = g.known.typeOf(name.Name)
		}
	}
	switch t := bare(typ).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return nil
	default:
		return t
	}
}

// element is the type of the values in a list, map or channel.
func (g *fileReader) element(typ ast.Expr) ast.Expr {
	switch t := g.underlying(typ).(type) {
	case *ast.ArrayType:
		return t.Elt
	case *ast.Ellipsis: // a parameter of any number of values is a list of them
		return t.Elt
	case *ast.MapType:
		return t.Value
	case *ast.ChanType:
		return t.Value
	}
	return nil
}

// ranged are the types that a range over a value gives its two variables.
func (g *fileReader) ranged(typ ast.Expr) (key, value ast.Expr) {
	switch t := g.underlying(typ).(type) {
	case *ast.MapType:
		return t.Key, t.Value
	case *ast.ChanType:
		return t.Value, nil
	case nil:
		return nil, nil
	default:
		return nil, g.element(t)
	}
}

// member is the type of a field or method of a type, be it one of an embedded type.
func (g *fileReader) member(typ ast.Expr, name string) ast.Expr {
	var room [mostEmbedded]ast.Expr
	queue := append(room[:0], typ)
	for i := 0; i < len(queue); i++ {
		owner := g.owner(queue[i])
		if owner == "" {
			if m := memberOf(g.underlying(queue[i]), name); m != nil {
				return m
			}
			continue
		}
		if m, found := g.known.members[member{owner, name}]; found {
			return m
		}
		more := g.known.bases[owner]
		queue = append(queue, more[:min(len(more), mostEmbedded-len(queue))]...)
	}
	return nil
}

// memberOf is the type of a field or method that a type without a name writes down itself.
func memberOf(typ ast.Expr, name string) ast.Expr {
	for _, f := range fieldsOf(typ) {
		for _, own := range f.Names {
			if own.Name == name {
				return f.Type
			}
		}
	}
	return nil
}

// resultsOf are the results of calling a value of a type, nil if they do not show.
func (g *fileReader) resultsOf(typ ast.Expr) *ast.FieldList {
	if f, ok := g.underlying(typ).(*ast.FuncType); ok {
		if f.Results == nil {
			return &ast.FieldList{}
		}
		return f.Results
	}
	return nil
}

// resultAt is the type of one of the results, nil for none.
func resultAt(results *ast.FieldList, index int) ast.Expr {
	for _, f := range listOf(results) {
		index -= max(1, len(f.Names))
		if index < 0 {
			return f.Type
		}
	}
	return nil
}

// isType reports whether an expression names or writes a type, as far as the file shows.
func (g *fileReader) isType(e ast.Expr) bool {
	switch e := bare(e).(type) {
	case *ast.Ident:
		if b, found := g.scope.find(e.Name); found {
			return b.isType
		}
		return g.known.names[e.Name].kind == readType
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.StructType:
		return true
	}
	return false
}

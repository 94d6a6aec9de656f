package golang

import (
	"go/ast"

	"delegate/conflict/code"
)

// literal walks a composite literal and returns its type. Inside of another literal its own may be
// left out: elided is what holds then, nil if that does not show.
func (g *fileReader) literal(c *ast.CompositeLit, elided ast.Expr) ast.Expr {
	typ := c.Type
	if typ == nil {
		typ = elided
	}
	shape := g.underlying(typ)
	as := use{use: code.Construct, args: len(c.Elts)}
	for _, e := range c.Elts {
		if key := fieldKey(e, typ, shape); key != nil {
			as.named = append(as.named, key.Name)
		}
	}
	if c.Type != nil {
		g.used(c.Type, as)
	} else {
		g.constructElided(c, elided, as)
	}
	name := g.shown(typ)
	var keyType, valueType ast.Expr // these may be left out in literals among them
	switch t := shape.(type) {
	case *ast.ArrayType:
		valueType = t.Elt
	case *ast.MapType:
		keyType, valueType = t.Key, t.Value
	}
	for _, e := range c.Elts {
		if kv, keyed := e.(*ast.KeyValueExpr); keyed {
			if key := fieldKey(e, typ, shape); key == nil {
				g.content(kv.Key, keyType)
			} else if name != "" {
				g.refer(code.Reference{Name: key.Name, Type: name}, use{}, key.Pos())
			}
			e = kv.Value
		}
		g.content(e, valueType)
	}
	return typ
}

// fieldKey is the field that an element of a literal names, nil if it names none. Where the shape
// of the type does not show, a name in front of a colon is taken for a field if it can be one:
// another package's fields have to be exported.
func fieldKey(e, typ, shape ast.Expr) *ast.Ident {
	kv, _ := e.(*ast.KeyValueExpr)
	if kv == nil {
		return nil
	}
	key, _ := kv.Key.(*ast.Ident)
	if key == nil {
		return nil
	}
	switch shape.(type) {
	case *ast.StructType:
		return key
	case nil:
		if _, imported := bare(typ).(*ast.SelectorExpr); !imported || key.IsExported() {
			return key
		}
	}
	return nil
}

// constructElided refers to the type that a literal leaves out, if others can know that type.
func (g *fileReader) constructElided(c *ast.CompositeLit, elided ast.Expr, as use) {
	switch t := bare(elided).(type) {
	case *ast.Ident:
		if name := g.owner(t); name != "" {
			g.refer(code.Reference{Name: name}, as, c.Pos())
		}
	case *ast.SelectorExpr:
		if pkg, ok := t.X.(*ast.Ident); ok {
			g.refer(code.Reference{Name: t.Sel.Name, Qualifier: pkg.Name}, as, c.Pos())
		}
	}
}

// content walks a key or value of a literal.
func (g *fileReader) content(e, typ ast.Expr) {
	if inner, ok := e.(*ast.CompositeLit); ok && inner.Type == nil {
		g.literal(inner, typ)
		return
	}
	g.expr(e)
}

package golang

import (
	"go/ast"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// params are a function's parameters. A name may declare no more than a part of a list of types.
func (g *fileReader) params(list *ast.FieldList) (all []code.Param) {
	for _, f := range listOf(list) {
		typ := f.Type
		rest, variadic := typ.(*ast.Ellipsis)
		if variadic {
			typ = rest.Elt
		}
		p := code.Param{Type: g.text(typ), Rest: variadic}
		for _, name := range f.Names {
			p.Name = name.Name
			all = append(all, p)
		}
		if len(f.Names) == 0 {
			all = append(all, p)
		}
	}
	return all
}

// result is the type of a function's result, in parentheses if there are several.
func (g *fileReader) result(list *ast.FieldList) string {
	if list.NumFields() == 0 {
		return ""
	}
	g.words.room = appendResult(g.words.room[:0], list)
	return g.words.text(g.words.room)
}

// text is a type in one form, however the file breaks and spaces it: without comments and without
// the names of parameters in it.
func (g *fileReader) text(typ ast.Expr) string {
	if typ == nil {
		return ""
	}
	g.words.room = appendType(g.words.room[:0], typ)
	return g.words.text(g.words.room)
}

func appendType(to []byte, typ ast.Expr) []byte {
	if len(to) > lang.LongestType {
		return to
	}
	switch t := typ.(type) {
	case *ast.Ident:
		return append(to, t.Name...)
	case *ast.SelectorExpr:
		return append(append(appendType(to, t.X), '.'), t.Sel.Name...)
	case *ast.StarExpr:
		return appendType(append(to, '*'), t.X)
	case *ast.ParenExpr:
		return append(appendType(append(to, '('), t.X), ')')
	case *ast.ArrayType:
		return appendType(append(appendLength(append(to, '['), t.Len), ']'), t.Elt)
	case *ast.MapType:
		return appendType(append(appendType(append(to, "map["...), t.Key), ']'), t.Value)
	case *ast.ChanType:
		return appendType(append(to, chanWord(t.Dir)...), t.Value)
	case *ast.Ellipsis:
		return appendType(append(to, "..."...), t.Elt)
	case *ast.FuncType:
		return appendSignature(append(to, "func"...), t)
	case *ast.StructType:
		return append(appendFields(append(to, "struct{"...), t.Fields), '}')
	case *ast.InterfaceType:
		return append(appendMethods(append(to, "interface{"...), t.Methods), '}')
	case *ast.IndexExpr:
		return append(appendType(append(appendType(to, t.X), '['), t.Index), ']')
	case *ast.IndexListExpr:
		return append(appendList(append(appendType(to, t.X), '['), t.Indices), ']')
	}
	return appendValue(to, typ)
}

// appendLength adds an array's length, which for a slice is missing.
func appendLength(to []byte, length ast.Expr) []byte {
	if dots, ok := length.(*ast.Ellipsis); ok && dots.Elt == nil {
		return append(to, "..."...)
	}
	if length == nil {
		return to
	}
	return appendType(to, length)
}

// appendValue adds what may stand in an array's length or in a constraint.
// Bodies and elements are left out: a type inside of a function inside of a length would be written
// again for each level.
func appendValue(to []byte, value ast.Expr) []byte {
	switch v := value.(type) {
	case *ast.BasicLit:
		return append(to, v.Value...)
	case *ast.UnaryExpr:
		return appendType(append(to, v.Op.String()...), v.X)
	case *ast.BinaryExpr:
		to = append(append(append(appendType(to, v.X), ' '), v.Op.String()...), ' ')
		return appendType(to, v.Y)
	case *ast.CallExpr:
		return append(appendList(append(appendType(to, v.Fun), '('), v.Args), ')')
	case *ast.CompositeLit:
		if v.Type != nil {
			to = appendType(to, v.Type)
		}
		return append(to, "{…}"...)
	}
	return append(to, "…"...)
}

func appendList(to []byte, all []ast.Expr) []byte {
	for i, e := range all {
		if i > 0 {
			to = append(to, ", "...)
		}
		to = appendType(to, e)
	}
	return to
}

func chanWord(dir ast.ChanDir) string {
	switch dir {
	case ast.SEND:
		return "chan<- "
	case ast.RECV:
		return "<-chan "
	}
	return "chan "
}

// appendSignature adds parameters and results without their names.
func appendSignature(to []byte, f *ast.FuncType) []byte {
	to = append(appendTypes(append(to, '('), f.Params), ')')
	if f.Results.NumFields() == 0 {
		return to
	}
	return appendResult(append(to, ' '), f.Results)
}

// appendResult adds the types of results, in parentheses if there are several.
func appendResult(to []byte, list *ast.FieldList) []byte {
	if list.NumFields() == 1 {
		return appendTypes(to, list)
	}
	return append(appendTypes(append(to, '('), list), ')')
}

// appendTypes adds the type of each name in a list.
func appendTypes(to []byte, list *ast.FieldList) []byte {
	first := true
	for _, f := range listOf(list) {
		for range max(1, len(f.Names)) {
			if !first {
				to = append(to, ", "...)
			}
			to, first = appendType(to, f.Type), false
		}
	}
	return to
}

// appendFields adds the fields of a struct.
func appendFields(to []byte, list *ast.FieldList) []byte {
	for i, f := range listOf(list) {
		if i > 0 {
			to = append(to, "; "...)
		}
		for j, name := range f.Names {
			if len(to) > lang.LongestType {
				return to
			}
			if j > 0 {
				to = append(to, ", "...)
			}
			to = append(to, name.Name...)
		}
		if len(f.Names) > 0 {
			to = append(to, ' ')
		}
		to = appendType(to, f.Type)
		if f.Tag != nil {
			to = append(append(to, ' '), f.Tag.Value...)
		}
	}
	return to
}

// appendMethods adds the methods of an interface and what it embeds.
func appendMethods(to []byte, list *ast.FieldList) []byte {
	for i, f := range listOf(list) {
		if i > 0 {
			to = append(to, "; "...)
		}
		method, ok := f.Type.(*ast.FuncType)
		if ok && len(f.Names) == 1 {
			to = appendSignature(append(to, f.Names[0].Name...), method)
		} else {
			to = appendType(to, f.Type)
		}
	}
	return to
}

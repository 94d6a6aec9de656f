package golang

import (
	"cmp"
	"go/ast"
	"unique"

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
		p := code.Param{Type: text(typ), Rest: variadic}
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
func result(list *ast.FieldList) string {
	var w typeWriter
	w.results(list)
	return oneCopy(string(w))
}

// text is a type in one form, however the file breaks and spaces it: without comments and without
// the names of parameters in it.
func text(typ ast.Expr) string {
	var w typeWriter
	w.put(typ)
	return oneCopy(string(w))
}

// oneCopy is the one copy of a text that is put together. Names need none: the scanner has copied them out of the
// source.
func oneCopy(text string) string { return unique.Make(text).Value() }

// typeWriter gathers the text of a type.
type typeWriter []byte

// put adds texts, expressions and lists of expressions.
func (w *typeWriter) put(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			*w = append(*w, part...)
		case []ast.Expr:
			for i, e := range part {
				if i > 0 {
					w.put(", ")
				}
				w.expr(e)
			}
		case ast.Expr:
			w.expr(part)
		}
	}
}

func (w *typeWriter) isFull() bool { return len(*w) > lang.LongestType }

// expr adds a type, or what may stand in an array's length or in a constraint.
// Bodies and elements are left out: a type inside of a function inside of a length would be written
// again for each level.
func (w *typeWriter) expr(typ ast.Expr) {
	if w.isFull() {
		return
	}
	switch t := typ.(type) {
	case *ast.Ident:
		w.put(t.Name)
	case *ast.SelectorExpr:
		w.put(t.X, ".", t.Sel.Name)
	case *ast.StarExpr:
		w.put("*", t.X)
	case *ast.ParenExpr:
		w.put("(", t.X, ")")
	case *ast.ArrayType:
		w.put("[", t.Len, "]", t.Elt)
	case *ast.MapType:
		w.put("map[", t.Key, "]", t.Value)
	case *ast.ChanType:
		words := map[ast.ChanDir]string{ast.SEND: "chan<- ", ast.RECV: "<-chan "}
		w.put(cmp.Or(words[t.Dir], "chan "), t.Value)
	case *ast.Ellipsis:
		w.put("...", t.Elt)
	case *ast.FuncType:
		w.put("func")
		w.signature(t)
	case *ast.StructType:
		w.put("struct{")
		w.fields(t.Fields)
		w.put("}")
	case *ast.InterfaceType:
		w.put("interface{")
		w.methods(t.Methods)
		w.put("}")
	case *ast.IndexExpr:
		w.put(t.X, "[", t.Index, "]")
	case *ast.IndexListExpr:
		w.put(t.X, "[", t.Indices, "]")
	case *ast.BasicLit:
		w.put(t.Value)
	case *ast.UnaryExpr:
		w.put(t.Op.String(), t.X)
	case *ast.BinaryExpr:
		w.put(t.X, " ", t.Op.String(), " ", t.Y)
	case *ast.CallExpr:
		w.put(t.Fun, "(", t.Args, ")")
	case *ast.CompositeLit:
		w.put(t.Type, "{…}")
	default:
		w.put("…")
	}
}

// signature adds parameters and results without their names.
func (w *typeWriter) signature(f *ast.FuncType) {
	w.put("(", typesOf(f.Params), ")")
	if f.Results.NumFields() > 0 {
		w.put(" ")
		w.results(f.Results)
	}
}

func (w *typeWriter) results(list *ast.FieldList) {
	if all := typesOf(list); len(all) > 1 {
		w.put("(", all, ")")
	} else {
		w.put(all)
	}
}

// typesOf are the types of each name in a list.
func typesOf(list *ast.FieldList) (all []ast.Expr) {
	for _, f := range listOf(list) {
		for range max(1, len(f.Names)) {
			all = append(all, f.Type)
		}
	}
	return all
}

func (w *typeWriter) fields(list *ast.FieldList) {
	for i, f := range listOf(list) {
		if i > 0 {
			w.put("; ")
		}
		for j, name := range f.Names {
			if w.isFull() {
				return
			}
			if j > 0 {
				w.put(", ")
			}
			w.put(name.Name)
		}
		if len(f.Names) > 0 {
			w.put(" ")
		}
		if w.put(f.Type); f.Tag != nil {
			w.put(" ", f.Tag.Value)
		}
	}
}

// methods adds the methods of an interface and what it embeds.
func (w *typeWriter) methods(list *ast.FieldList) {
	for i, f := range listOf(list) {
		if i > 0 {
			w.put("; ")
		}
		if method, ok := f.Type.(*ast.FuncType); ok && len(f.Names) == 1 {
			w.put(f.Names[0].Name)
			w.signature(method)
		} else {
			w.put(f.Type)
		}
	}
}

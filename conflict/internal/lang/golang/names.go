package golang

import (
	"go/ast"
	"go/token"
	"strconv"
)

// fileNames is what a file binds outside of functions. The types in it are those that the file
// writes; none is looked up elsewhere.
type fileNames struct {
	names map[string]boundName
	// members are the types of fields and methods, bases the types whose members a type has too:
	// embedded ones and the one it is made from.
	members map[member]ast.Expr
	bases   map[string][]ast.Expr
	// generic are the names of all type parameters in the file. Elsewhere than in their own
	// declaration they say nothing.
	generic map[string]bool
}

// boundName is one name that a file binds outside of functions.
type boundName struct {
	kind nameKind
	typ  ast.Expr // type of a value, what a type stands for; nil if it does not show
}

// nameKind is what a name stands for.
type nameKind int

const (
	readUnknown nameKind = iota
	imported
	readType
	readValue // function, variable or constant
)

// typeOf is what a type's name stands for, nil for any other name.
func (n fileNames) typeOf(name string) ast.Expr {
	if known := n.names[name]; known.kind == readType {
		return known.typ
	}
	return nil
}

// member is a field or method of a named type.
type member struct{ owner, name string }

// gatherGo lists what the file's declarations bind, so that what stands in front of a declaration is known as well.
func gatherGo(tree *ast.File) fileNames {
	n := fileNames{
		names: map[string]boundName{}, members: map[member]ast.Expr{}, bases: map[string][]ast.Expr{},
		generic: map[string]bool{},
	}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			n.function(d)
		case *ast.GenDecl:
			n.group(d)
		}
	}
	return n
}

func (n fileNames) function(d *ast.FuncDecl) {
	n.parameters(d.Type.TypeParams)
	if owner := receiverOf(d); owner != "" {
		n.members[member{owner, d.Name.Name}] = d.Type
		for _, p := range receiverParams(d) {
			n.generic[p.Name] = true
		}
		return
	}
	n.names[d.Name.Name] = boundName{kind: readValue, typ: d.Type}
}

func (n fileNames) parameters(list *ast.FieldList) {
	for name := range namesOf(list) {
		n.generic[name.Name] = true
	}
}

func (n fileNames) group(d *ast.GenDecl) {
	var repeated *ast.ValueSpec
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.ImportSpec:
			if module, err := strconv.Unquote(s.Path.Value); err == nil {
				n.names[importName(s, module)] = boundName{kind: imported}
			}
		case *ast.TypeSpec:
			n.parameters(s.TypeParams)
			n.names[s.Name.Name] = boundName{kind: readType, typ: s.Type}
			n.insides(s.Name.Name, s.Type)
		case *ast.ValueSpec:
			repeated = repeats(d, s, repeated)
			n.value(s, repeated)
		}
	}
}

// repeats is the specification whose type and values hold for s: s itself,
// or the one before it in a group of constants if s has none, as of is for the specification before s.
func repeats(d *ast.GenDecl, s, of *ast.ValueSpec) *ast.ValueSpec {
	if d.Tok == token.CONST && s.Type == nil && len(s.Values) == 0 && of != nil {
		return of
	}
	return s
}

// value notes variables and constants. Without a declared type the value may show it.
func (n fileNames) value(s, from *ast.ValueSpec) {
	for i, name := range s.Names {
		typ := from.Type
		if typ == nil && i < len(from.Values) {
			typ = plainType(from.Values[i])
		}
		n.names[name.Name] = boundName{kind: readValue, typ: typ}
	}
}

// plainType is the type of a value that names it: T{}, &T{}, new(T). Nil for all else.
func plainType(e ast.Expr) ast.Expr {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return e.Type
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return plainType(e.X)
		}
	case *ast.CallExpr:
		if name, ok := e.Fun.(*ast.Ident); ok && name.Name == "new" && len(e.Args) == 1 {
			return e.Args[0]
		}
	}
	return nil
}

// insides notes the members and bases of a type.
func (n fileNames) insides(owner string, typ ast.Expr) {
	if lastName(typ) != nil {
		n.bases[owner] = append(n.bases[owner], typ)
	}
	for _, f := range fieldsOf(typ) {
		for _, name := range f.Names {
			n.members[member{owner, name.Name}] = f.Type
		}
		if len(f.Names) == 0 {
			n.bases[owner] = append(n.bases[owner], f.Type)
			if last := lastName(f.Type); last != nil {
				n.members[member{owner, last.Name}] = f.Type
			}
		}
	}
}

// fieldsOf are the fields of a struct or the methods of an interface, none for other types.
func fieldsOf(typ ast.Expr) []*ast.Field {
	switch t := ast.Unparen(typ).(type) {
	case *ast.StructType:
		return listOf(t.Fields)
	case *ast.InterfaceType:
		return listOf(t.Methods)
	}
	return nil
}

// listOf are the fields of a list that may be missing.
func listOf(list *ast.FieldList) []*ast.Field {
	if list == nil {
		return nil
	}
	return list.List
}

// namesOf yields the names that a list of fields binds, each with its field.
func namesOf(list *ast.FieldList) func(yield func(*ast.Ident, *ast.Field) bool) {
	return func(yield func(*ast.Ident, *ast.Field) bool) {
		for _, f := range listOf(list) {
			for _, name := range f.Names {
				if !yield(name, f) {
					return
				}
			}
		}
	}
}

// bare is a type without the pointers, parentheses and type arguments around its name.
func bare(typ ast.Expr) ast.Expr {
	for range longestChain {
		switch t := typ.(type) {
		case *ast.ParenExpr:
			typ = t.X
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		default:
			return typ
		}
	}
	return typ
}

// lastName is the name of a named type without its package, nil for other types.
func lastName(typ ast.Expr) *ast.Ident {
	switch t := bare(typ).(type) {
	case *ast.Ident:
		return t
	case *ast.SelectorExpr:
		return t.Sel
	}
	return nil
}

// receiverOf is the name of a method's type, "" for a function and for a receiver that names none.
func receiverOf(d *ast.FuncDecl) string {
	for _, f := range listOf(d.Recv) {
		if name, ok := bare(f.Type).(*ast.Ident); ok {
			return name.Name
		}
	}
	return ""
}

// receiverParams are the names that a method gives to its type's parameters.
func receiverParams(d *ast.FuncDecl) (names []*ast.Ident) {
	for _, f := range listOf(d.Recv) {
		typ := ast.Unparen(f.Type)
		if star, ok := typ.(*ast.StarExpr); ok {
			typ = ast.Unparen(star.X)
		}
		var arguments []ast.Expr
		switch t := typ.(type) {
		case *ast.IndexExpr:
			arguments = []ast.Expr{t.Index}
		case *ast.IndexListExpr:
			arguments = t.Indices
		}
		for _, a := range arguments {
			if name, ok := a.(*ast.Ident); ok {
				names = append(names, name)
			}
		}
	}
	return names
}

package golang

import (
	"cmp"
	"go/ast"
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"

	"delegate/conflict/code"
)

func (g *fileReader) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		g.funcDecl(d)
	case *ast.GenDecl:
		g.group(d)
	}
	g.enter("")
}

// add lists a definition, which the blank name is none of.
func (g *fileReader) add(d code.Definition) {
	if d.Name == "_" {
		return
	}
	d.Visibility = code.Restricted
	if ast.IsExported(d.Name) {
		d.Visibility = code.Public
	}
	g.file.Definitions = append(g.file.Definitions, d)
}

// span sets the first and last line of a definition.
func (g *fileReader) span(d code.Definition, from, to token.Pos) code.Definition {
	d.Line, d.End = g.lines.of(from), g.lines.of(to)
	return d
}

func (g *fileReader) funcDecl(d *ast.FuncDecl) {
	def := code.Definition{Name: d.Name.Name, Container: receiverOf(d), Kind: code.Function}
	of := hash{word: "func", name: d.Name.Name}
	recv := d
	if def.Container != "" {
		def.Kind = code.Method
		for name := range namesOf(d.Recv) {
			of.receiver = name.Name
		}
	} else {
		recv = nil
		def.Test = g.tests && isTestFunction(d)
	}
	g.enter(def.Key())
	if def.Name != "init" || def.Kind == code.Method {
		def.Params, def.Result, def.Hash = g.params(d.Type.Params), result(d.Type.Results), g.hash(of, d)
		def.TypeParams = g.params(d.Type.TypeParams)
		g.add(g.span(def, d.Pos(), d.End()))
	}
	g.function(recv, d.Type, d.Body)
}

// isTestFunction reports whether go test runs a function of a file of tests.
func isTestFunction(d *ast.FuncDecl) bool {
	params := d.Type.Params
	if d.Type.TypeParams != nil || d.Type.Results.NumFields() > 0 {
		return false
	}
	if begins(d.Name.Name, "Example") {
		return params.NumFields() == 0
	}
	for _, kind := range []string{"Test", "Benchmark", "Fuzz"} {
		if begins(d.Name.Name, kind) && params.NumFields() == 1 {
			return pointsTo(params.List[0].Type, kind[:1])
		}
	}
	return false
}

// begins reports whether a name is a word or goes on after it with anything but a small letter.
func begins(name, word string) bool {
	rest, found := strings.CutPrefix(name, word)
	first, _ := utf8.DecodeRuneInString(rest)
	return found && !unicode.IsLower(first)
}

// pointsTo reports whether a type is a pointer to a type of some package with a name.
func pointsTo(typ ast.Expr, name string) bool {
	star, ok := typ.(*ast.StarExpr)
	if !ok {
		return false
	}
	last := lastName(star.X)
	return last != nil && last.Name == name
}

// group walks the declarations after one keyword, at package level or inside of a function.
func (g *fileReader) group(d *ast.GenDecl) {
	var repeated *ast.ValueSpec
	isLocal := g.in != ""
	for i, spec := range d.Specs {
		from := spec.Pos()
		if !d.Lparen.IsValid() {
			from = d.Pos()
		}
		switch s := spec.(type) {
		case *ast.ImportSpec:
			g.importSpec(s)
		case *ast.TypeSpec:
			if !isLocal {
				g.typeSpec(s, from)
				continue
			}
			word := "type" // makes a new type, and an alias stands for another
			if s.Assign.IsValid() {
				word = "type ="
			}
			g.local(localName{name: s.Name, typ: s.Type, isType: true, word: word, value: s.Type})
			g.typeScope(s)
		case *ast.ValueSpec:
			repeated = repeats(d, s, repeated)
			v := valueSpec{ValueSpec: s, holds: repeated, word: d.Tok, index: i}
			if isLocal {
				g.localSpec(v)
			} else {
				g.valueSpec(v, from)
			}
		}
	}
}

// valueSpec is a specification of variables or constants.
type valueSpec struct {
	*ast.ValueSpec
	holds *ast.ValueSpec // the one whose type and values hold for it
	word  token.Token
	index int // in its group
}

// valueOf is the value of the name at an index, nil for none, and from 1 its place in what makes a difference to it:
// among the results of a call, or among the constants of a group that counts them.
func (g *fileReader) valueOf(v valueSpec, index int) (value ast.Expr, position int) {
	values := v.holds.Values
	switch {
	case len(values) == 1 && len(v.Names) > 1:
		return values[0], index + 1
	case index >= len(values):
		return nil, 0
	case v.word == token.CONST && (v.holds != v.ValueSpec || g.mentions(values[index], "iota")):
		return values[index], v.index + 1
	}
	return values[index], 0
}

// valueSpec lists package-level variables or constants and walks their values.
func (g *fileReader) valueSpec(v valueSpec, from token.Pos) {
	declared := text(v.holds.Type)
	for i, name := range v.Names {
		value, position := g.valueOf(v, i)
		def := code.Definition{Name: name.Name, Kind: code.Variable, Type: declared}
		if v.word == token.CONST {
			def.Kind = code.Constant
			def.Type = cmp.Or(def.Type, g.converted(value))
		}
		def.Hash = g.hash(hash{word: v.word.String(), position: position}, v.holds.Type, value)
		g.enter(name.Name)
		g.add(g.span(def, from, v.End()))
		if i == 0 {
			g.expr(v.Type)
		}
		if i < len(v.Values) {
			g.expr(v.Values[i])
		}
	}
	g.exprs(v.Values[min(len(v.Names), len(v.Values)):]...) // too many in broken code
}

// converted is the type of a constant that is converted to a type of the same file, "" for other values.
func (g *fileReader) converted(value ast.Expr) string {
	c, ok := value.(*ast.CallExpr)
	if !ok {
		return ""
	}
	name, ok := c.Fun.(*ast.Ident)
	if !ok || !g.isType(name) {
		return ""
	}
	return name.Name
}

// typeSpec lists a package-level type with its fields and methods and walks it.
func (g *fileReader) typeSpec(s *ast.TypeSpec, from token.Pos) {
	def := code.Definition{Name: s.Name.Name, Kind: code.Type, TypeParams: g.params(s.TypeParams)}
	switch s.Type.(type) {
	case *ast.StructType:
		def.Kind = code.Class
	case *ast.InterfaceType:
		def.Kind = code.Interface
	}
	if s.Assign.IsValid() {
		def.Kind = code.Type
	}
	if def.Kind == code.Type {
		def.Type = text(s.Type)
	}
	for _, f := range fieldsOf(s.Type) {
		if base := g.baseName(f); base != "" {
			def.Bases = append(def.Bases, base)
		}
	}
	def.Hash = g.hash(hash{word: "type", name: def.Name}, s)
	g.enter(def.Name)
	g.add(g.span(def, from, s.End()))
	if def.Name != "_" {
		for _, f := range fieldsOf(s.Type) {
			g.fieldsAndMethods(f, s.Type)
		}
	}
	g.typeScope(s)
}

// typeScope walks a type's parameters and what the type stands for.
func (g *fileReader) typeScope(s *ast.TypeSpec) {
	around := g.scope.open()
	g.typeParams(s.TypeParams)
	g.expr(s.Type)
	g.scope.close(around)
}

// baseName is the name of an embedded type, "" for other fields, methods and unions of types.
func (g *fileReader) baseName(f *ast.Field) string {
	if len(f.Names) > 0 || lastName(f.Type) == nil {
		return ""
	}
	return text(bare(f.Type))
}

// fieldsAndMethods lists what one field of a struct or one method of an interface defines. An
// embedded type makes a field of its name.
func (g *fileReader) fieldsAndMethods(f *ast.Field, of ast.Expr) {
	names := f.Names
	_, isStruct := of.(*ast.StructType)
	if last := lastName(f.Type); len(names) == 0 && isStruct && last != nil {
		names = []*ast.Ident{last}
	}
	def := code.Definition{Container: g.in, Kind: code.Field}
	if method, ok := f.Type.(*ast.FuncType); ok && !isStruct {
		def.Kind, def.Abstract = code.Method, true
		def.Params, def.Result = g.params(method.Params), result(method.Results)
	} else {
		def.Type = text(f.Type)
	}
	parts := []ast.Node{f.Type}
	if f.Tag != nil {
		parts = append(parts, f.Tag)
	}
	def.Hash = g.hash(hash{word: string(def.Kind)}, parts...)
	for _, name := range names {
		def.Name = name.Name
		g.add(g.span(def, name.Pos(), f.End()))
	}
}

// localSpec walks variables or constants inside of a function and binds them.
func (g *fileReader) localSpec(v valueSpec) {
	g.expr(v.Type)
	types := g.types(v.Values, len(v.Names))
	for i, name := range v.Names {
		l := localName{name: name, declared: v.holds.Type, typ: v.holds.Type, word: v.word.String()}
		l.value, l.position = g.valueOf(v, i)
		if l.typ == nil {
			l.typ = types[i]
		}
		g.local(l)
	}
}

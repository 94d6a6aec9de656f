package delegate

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// commentsName refuses a doc comment that begins with the name of something else: the declared name in
// other capitals, or a word that can only be a name of the code and is none of those declared there.
func commentsName(s source) (wrong []string) {
	look := func(doc *ast.CommentGroup, names ...*ast.Ident) {
		if doc == nil || len(names) == 0 {
			return
		}
		word := firstWord.FindString(strings.TrimLeft(doc.List[0].Text, "/* \t"))
		is := func(n *ast.Ident) bool { return n.Name == word }
		alike := func(n *ast.Ident) bool { return strings.EqualFold(n.Name, word) }
		if word != "" && !slices.ContainsFunc(names, is) &&
			(codeWord.MatchString(word) || slices.ContainsFunc(names, alike)) {
			wrong = append(wrong, s.at(doc.Pos(), "the comment of %s begins with %s", names[0].Name, word))
		}
	}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		switch d := n.(type) {
		case *ast.FuncDecl:
			look(d.Doc, d.Name)
			return false
		case *ast.GenDecl:
			look(d.Doc, declared(d)...)
		case *ast.TypeSpec:
			look(d.Doc, d.Name)
		case *ast.ValueSpec:
			look(d.Doc, d.Names...)
		case *ast.Field:
			look(d.Doc, d.Names...)
		}
		return true
	})
	return wrong
}

var (
	firstWord = regexp.MustCompile(`^\w+`)
	// codeWord is a word with a capital letter inside, or an underscore.
	codeWord = regexp.MustCompile(`^[a-z]+[A-Z]|^[A-Z][a-z0-9]+[A-Z]|_`)
)

// declared are the names of all that one declaration declares.
func declared(d *ast.GenDecl) (names []*ast.Ident) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			names = append(names, spec.Name)
		case *ast.ValueSpec:
			names = append(names, spec.Names...)
		}
	}
	return names
}

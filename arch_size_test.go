package delegate

import (
	"bytes"
	"go/ast"
	"strings"
	"unicode/utf8"
)

func filesAreShort(s source) []string {
	if n := s.set.File(s.tree.FileStart).LineCount(); n > maxFileLines {
		return []string{s.at(s.tree.Package, "file has %d lines, at most %d", n, maxFileLines)}
	}
	return nil
}

// linesAreShort counts columns, but not those of lines in raw string literals, which are as what reads them wants.
func linesAreShort(s source) (wrong []string) {
	raw := map[int]bool{}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(text.Value, "`") {
			for line := s.line(text.Pos()); line <= s.line(text.End()); line++ {
				raw[line] = true
			}
		}
		return true
	})
	number := 0
	for line := range bytes.Lines(s.text) {
		number++
		line = bytes.TrimSuffix(line, []byte("\n"))
		columns := utf8.RuneCount(line) + 3*bytes.Count(line, []byte("\t"))
		if columns > maxColumns && !raw[number] {
			at := s.set.File(s.tree.FileStart).LineStart(number)
			wrong = append(wrong, s.at(at, "line has %d columns, at most %d", columns, maxColumns))
		}
	}
	return wrong
}

func functionsAreShort(s source) (wrong []string) {
	for _, f := range functions(s.tree) {
		n, most := s.line(f.End())-s.line(f.Pos())+1, maxFunctionLines
		if _, listed := long()[s.folder+":"+f.Name.Name]; listed || s.isTest() {
			most = maxTestLines
		}
		if n > most {
			wrong = append(wrong, s.at(f.Pos(), "%s has %d lines, at most %d", f.Name.Name, n, most))
		}
	}
	return wrong
}

func functions(tree *ast.File) (all []*ast.FuncDecl) {
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			all = append(all, f)
		}
	}
	return all
}

// fewParameters counts everything beside the context; more is a struct.
func fewParameters(s source) (wrong []string) {
	if s.isTest() {
		return nil
	}
	for _, f := range functions(s.tree) {
		n := 0
		for _, p := range f.Type.Params.List {
			if !isSelector(p.Type, "context", "Context") {
				n += max(1, len(p.Names))
			}
		}
		if n > maxParameters {
			wrong = append(wrong, s.at(f.Pos(), "%s takes %d parameters, at most %d beside the context", f.Name.Name, n,
				maxParameters))
		}
	}
	return wrong
}

package golang

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
)

// packageClause stands in front of a part of a file to make it a file that can be parsed.
const packageClause = "package _;"

// declarationsApart parses each declaration of a broken file by itself. The parser, given all of them at once,
// skips everything from a fault up to the next declaration other than a function.
// The positions are those in the whole file when it is the first of its set. What begins before a
// package clause would end is left out.
func declarationsApart(data []byte) (all []ast.Decl) {
	starts := append(declarationStarts(data), len(data))
	for i, start := range starts[:len(starts)-1] {
		before := start - len(packageClause) // how far the part's positions have to be moved
		if before < 0 {
			continue
		}
		set := token.NewFileSet()
		if before > 0 {
			set.AddFile("", -1, before-1) // and one position for its end
		}
		part := append([]byte(packageClause), data[start:starts[i+1]]...)
		tree, _ := parser.ParseFile(set, "", part, parser.SkipObjectResolution|parser.AllErrors)
		all = append(all, tree.Decls...)
	}
	return all
}

// declarationStarts are the offsets of the keywords that begin a line and a declaration.
// Inside of functions they are indented, save by somebody who formats by hand.
func declarationStarts(data []byte) (starts []int) {
	file := token.NewFileSet().AddFile("", -1, len(data))
	var s scanner.Scanner
	s.Init(file, data, nil, 0)
	for {
		pos, kind, _ := s.Scan()
		at := file.Offset(pos)
		switch kind {
		case token.EOF:
			return starts
		case token.FUNC, token.TYPE, token.VAR, token.CONST, token.IMPORT:
			if at == 0 || data[at-1] == '\n' {
				starts = append(starts, at)
			}
		}
	}
}

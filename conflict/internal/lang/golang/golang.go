package golang

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/text/lazyregexp"
	"delegate/internal/text/shorten"
)

// parse reads a Go file. Its Definitions come in the order of the source, each with what belongs to
// it right after it: a type's fields and methods, then, after a function or a variable, its Locals.
// Receivers are Locals too: renaming one breaks those who use the old name. Type parameters
// are none.
//
// What init functions and declarations of the blank name hold stands in "init" and in "_", which are no definitions.
func parse(name string, data []byte) code.File {
	if at := lang.FirstNotUTF8(data); at >= 0 {
		return code.File{Language: code.Go, Faults: []code.Fault{{Line: 1 + bytes.Count(data[:at], []byte("\n")),
			Reason: "not UTF-8 text"}}}
	}
	set := token.NewFileSet()
	// Without AllErrors the parser would give up after ten errors and return nothing of what it has read.
	tree, err := parser.ParseFile(set, name, data, parser.SkipObjectResolution|parser.AllErrors)
	if err != nil {
		tree.Decls = declarationsApart(data)
	}
	reader := newReader(tree, set.File(tree.FileStart), data)
	reader.tests = strings.HasSuffix(name, "_test.go")
	reader.faults(err)
	reader.file.Definitions = make([]code.Definition, 0, atLeast(tree))
	for _, d := range tree.Decls {
		reader.declaration(d)
	}
	reader.file.Constraint = constraintOf(name, data)
	reader.file.References = slices.Clone(reader.file.References) // files are kept, so without room for more
	return reader.file
}

// atLeast is how many definitions a file has but for the variables in its functions. Each takes much room.
func atLeast(tree *ast.File) (n int) {
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			n += 1 + d.Recv.NumFields() + d.Type.Params.NumFields() + d.Type.Results.NumFields()
		case *ast.GenDecl:
			n += len(d.Specs)
		}
	}
	return n
}

// readImports reads no further than the imports.
func readImports(name string, data []byte) []code.Import {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, name, data, parser.ImportsOnly)
	if err != nil && tree == nil {
		return nil
	}
	reader := newReader(tree, set.File(tree.FileStart), data)
	for _, d := range tree.Decls {
		reader.declaration(d)
	}
	return reader.file.Imports
}

// fileReader walks the tree of one Go file once and collects what the file tells others.
type fileReader struct {
	file   code.File
	data   []byte
	lines  lines
	sums   map[ast.Node]uint64 // hashes of parts of the tree that definitions share
	known  fileNames
	scope  scope
	tests  bool            // by its name the file holds tests
	in     string          // key of the package-level declaration being walked, "" between them
	listed map[string]bool // names of the Locals that are listed for it
}

func newReader(tree *ast.File, file *token.File, data []byte) *fileReader {
	return &fileReader{
		file:   code.File{Language: code.Go, Package: tree.Name.Name},
		data:   data,
		lines:  lines{file},
		sums:   map[ast.Node]uint64{},
		known:  gatherGo(tree),
		scope:  scope{latest: map[string]int{}},
		listed: map[string]bool{},
	}
}

// faults lists the first of the parser's errors. Their lines are counted here: the parser's follow //line directives.
func (g *fileReader) faults(err error) {
	list, _ := err.(scanner.ErrorList)
	for _, e := range list[:min(len(list), lang.MostFaults)] {
		line := g.lines.of(token.Pos(g.lines.Base() + e.Pos.Offset))
		g.file.Faults = append(g.file.Faults, code.Fault{Line: line, Reason: shortReason(e.Msg)})
	}
}

// shortReason is the beginning of a message, which may quote a literal of any length.
func shortReason(message string) string {
	first, _, _ := strings.Cut(message, "\n")
	return shorten.Bytes(first, lang.LongestReason)
}

// enter begins a package-level declaration.
func (g *fileReader) enter(key string) {
	g.in = key
	clear(g.listed)
}

func (g *fileReader) importSpec(s *ast.ImportSpec) {
	module, err := strconv.Unquote(s.Path.Value)
	if err != nil || module == "" {
		return // broken: nothing is imported
	}
	found := code.Import{Module: module, Name: importName(s, module), Line: g.lines.of(s.Pos())}
	if found.Name == "." {
		found.Name, found.Member = "", code.All
	}
	g.file.Imports = append(g.file.Imports, found)
}

// importName is the name an import gives or else what its path lets guess.
func importName(s *ast.ImportSpec, module string) string {
	if s.Name != nil {
		return s.Name.Name
	}
	return guessPackage(module)
}

var (
	// majorVersion is an element of a path that is a module's major version, at least 2. "v1" is a package.
	majorVersion = lazyregexp.New(`^v0*([2-9]|[1-9][0-9]+)$`)
	// packageName is as much of an element as an identifier can have.
	packageName = lazyregexp.New(`^(?:go-)?([\pL\p{Nd}_]+)`)
)

// guessPackage guesses the name of the package at an import path: the last element that is not a
// major version, without "go-" in front, up to the first character that no identifier has, so that
// "github.com/mattn/go-isatty" is isatty, "gopkg.in/yaml.v3" is yaml and
// "github.com/dgrijalva/jwt-go" is jwt. Only the package itself could tell.
func guessPackage(module string) string {
	elements := strings.Split(module, "/")
	last := elements[len(elements)-1]
	if len(elements) > 1 && majorVersion.MatchString(last) {
		last = elements[len(elements)-2]
	}
	if name := packageName.FindStringSubmatch(last); name != nil {
		return name[1]
	}
	return last
}

// lines tells lines of positions. Unlike token.FileSet it counts the lines of the file itself, not those that
// //line directives pretend.
type lines struct{ *token.File }

// offset is where a position stands in the file; one outside of it, as in broken code, is moved to its edge.
func (l lines) offset(p token.Pos) int { return min(max(int(p)-l.Base(), 0), l.Size()) }

// of is the line of a position, from 1.
func (l lines) of(p token.Pos) int {
	i, exact := slices.BinarySearch(l.Lines(), l.offset(p))
	if exact {
		i++
	}
	return max(i, 1)
}

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
	"unicode"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// parse reads a Go file. Its Definitions come in the order of the source, each with what belongs to
// it right after it: a type's fields and methods, then, after a function or a variable, its Locals.
// Receivers are Locals too: whoever renames one breaks those who use the old name. Type parameters
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
	for _, d := range tree.Decls {
		reader.declaration(d)
	}
	f := reader.done()
	f.Constraint = constraintOf(name, data)
	return f
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
	return reader.done().Imports
}

// fileReader walks the tree of one Go file once and collects what the file tells others.
type fileReader struct {
	file   code.File
	data   []byte
	lines  lines
	sums   map[ast.Node]uint64 // hashes of parts of the tree that definitions share
	words  words
	known  fileNames
	scope  scope
	tests  bool            // by its name the file holds tests
	in     string          // key of the package-level declaration being walked, "" between them
	listed map[string]bool // names of the Locals that are listed for it
}

// newReader makes as much room as most files of a size need.
func newReader(tree *ast.File, file *token.File, data []byte) *fileReader {
	n := len(data)
	return &fileReader{
		file: code.File{
			Language: code.Go, Package: tree.Name.Name,
			Definitions: make([]code.Definition, 0, n/80), References: make([]code.Reference, 0, n/50),
		},
		data:   data,
		lines:  lines{file: file},
		sums:   map[ast.Node]uint64{},
		words:  words{kept: make(map[string]string, n/300)},
		known:  gatherGo(tree),
		scope:  scope{latest: map[string]int{}},
		listed: map[string]bool{},
	}
}

// done gives out the file without much of the room that its lists have left.
func (g *fileReader) done() code.File {
	g.file.Definitions, g.file.References = fitted(g.file.Definitions), fitted(g.file.References)
	return g.file
}

// fitted is a list whose memory has at most a third more room than the list needs.
func fitted[T any](list []T) []T {
	if cap(list)-len(list) <= len(list)/3 {
		return list
	}
	return slices.Clone(list)
}

// faults lists the first of the parser's errors. Their lines are counted here: the parser's follow //line directives.
func (g *fileReader) faults(err error) {
	list, _ := err.(scanner.ErrorList)
	for _, e := range list[:min(len(list), lang.MostFaults)] {
		line := g.lines.of(g.lines.start() + token.Pos(e.Pos.Offset))
		g.file.Faults = append(g.file.Faults, code.Fault{Line: line, Reason: shortReason(e.Msg)})
	}
}

// shortReason is the beginning of a message, which may quote a literal of any length.
func shortReason(message string) string {
	first, _, _ := strings.Cut(message, "\n")
	if len(first) <= lang.LongestReason {
		return first
	}
	return strings.ToValidUTF8(first[:lang.LongestReason], "") + "…"
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

// guessPackage guesses the name of the package at an import path: the last element that is not a
// major version, without "go-" in front, up to the first character that no identifier has, so that
// "github.com/mattn/go-isatty" is isatty, "gopkg.in/yaml.v3" is yaml and
// "github.com/dgrijalva/jwt-go" is jwt. Only the package itself could tell.
func guessPackage(module string) string {
	elements := strings.Split(module, "/")
	last := elements[len(elements)-1]
	if len(elements) > 1 && isMajorVersion(last) {
		last = elements[len(elements)-2]
	}
	last = strings.TrimPrefix(last, "go-")
	end := strings.IndexFunc(last, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end > 0 {
		last = last[:end]
	}
	return last
}

// isMajorVersion reports whether an element of a path is a module's major version, which is at
// least 2. "v1" is a package.
func isMajorVersion(element string) bool {
	digits, found := strings.CutPrefix(element, "v")
	n, err := strconv.Atoi(digits)
	return found && err == nil && n >= 2
}

// lines tells lines of positions. The walk goes forward, so it looks near the last answer first.
// Unlike token.FileSet it counts the lines of the file itself, not those that //line directives pretend.
type lines struct {
	file *token.File
	last int // index of the line of the last answer
}

func (l *lines) start() token.Pos { return token.Pos(l.file.Base()) }

// offset is where a position stands in the file; one outside of it, as in broken code, is moved to its edge.
func (l *lines) offset(p token.Pos) int {
	return min(max(int(p)-l.file.Base(), 0), l.file.Size())
}

// of is the line of a position, from 1.
func (l *lines) of(p token.Pos) int {
	starts, at := l.file.Lines(), l.offset(p)
	for near := l.last; near < len(starts) && near <= l.last+4; near++ {
		if starts[near] <= at && (near+1 == len(starts) || at < starts[near+1]) {
			l.last = near
			return near + 1
		}
	}
	i, exact := slices.BinarySearch(starts, at)
	if !exact {
		i--
	}
	l.last = max(i, 0)
	return l.last + 1
}

// words keeps one copy of each text that a file puts together. Names need none: the scanner has
// copied them out of the source.
type words struct {
	kept map[string]string
	room []byte
}

// join is two names with a dot between them.
func (w *words) join(before, after string) string {
	w.room = append(append(append(w.room[:0], before...), '.'), after...)
	return w.text(w.room)
}

// text is the kept copy of some bytes.
func (w *words) text(data []byte) string {
	kept, found := w.kept[string(data)]
	if !found {
		kept = string(data)
		w.kept[kept] = kept
	}
	return kept
}

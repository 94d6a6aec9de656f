package delegate

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the path that all imports of our own begin with.
const module = "delegate/"

const (
	maxFileLines     = 500
	maxFunctionLines = 60
	maxTestLines     = 100 // a test is a table or a scenario, read from top to bottom
	maxParameters    = 5
)

// floors says on which floor a package stands. Imports go to a lower floor only. The tens are the floors of doc.go;
// what stands between two tens is a package that one on the same floor builds on.
func floors() map[string]int {
	return map[string]int{
		"checkpoint": 0, "scope": 0, "change": 0,
		"internal/run": 0, "internal/atomicfile": 0, "internal/config": 0, "internal/ui": 0, "internal/syntax": 0,
		"internal/manifest": 0, "internal/gocheck": 0, "internal/dialect": 0,
		"internal/proxy": 0,
		"registry":       1, "conflict": 10, "internal/plan": 10, "internal/git": 10, "internal/guard": 10,
		"internal/sandbox": 10, "internal/agentdir": 10, "internal/keeper": 20,
		"internal/channel": 10, "internal/notes": 10, "internal/notify": 10, "internal/suite": 10,
		"internal/threeway": 20,
		"internal/objects":  20, "internal/takeover": 25,
		"internal/agent": 20, "internal/acp": 20, "internal/review": 20, "internal/report": 20,
		"internal/setup": 20, "internal/survey": 20,
		"internal/project": 30, "internal/analyze": 30,
		"internal/session": 40, "internal/merge": 40, "internal/mcp": 40, "internal/doctor": 40, "internal/watch": 40,
		"cmd/delegate": 50, "bench": 50, "bench/history": 50, "bench/soak": 50, "bench/agents": 50, "bench/record": 50,
		"bench/landing": 50,
	}
}

// doors says which one package may import an outside thing. A door is for the path itself and everything below it.
func doors() map[string]string {
	return map[string]string{
		"os/exec":                             "internal/run",
		"charm.land/bubbletea":                "internal/watch",
		"github.com/AlecAivazis/survey":       "internal/ui",
		"golang.org/x/term":                   "internal/ui",
		"github.com/gobwas/glob":              "scope",
		"github.com/sergi/go-diff":            "change",
		"github.com/go-git/go-git":            "internal/objects",
		"github.com/go-git/go-billy":          "internal/objects",
		"github.com/spf13/cobra":              "cmd/delegate",
		"github.com/coder/acp-go-sdk":         "internal/acp",
		"github.com/modelcontextprotocol":     "internal/mcp",
		"github.com/goccy/go-yaml":            "internal/config",
		"github.com/kballard/go-shellquote":   "internal/config",
		"github.com/tree-sitter":              "internal/syntax",
		"github.com/pelletier/go-toml":        "internal/manifest",
		"github.com/landlock-lsm/go-landlock": "internal/sandbox",
		"mvdan.cc/sh":                         "internal/guard",
		// What agents wrote is parsed and checked in the child process that this package is alone.
		"delegate/internal/gocheck": "internal/analyze",
	}
}

// starters are the packages in which goroutines begin; each has an owner there who waits for it.
// Those of internal/proxy carry bytes both ways, and its calls return when they are over.
func starters() []string {
	return []string{"internal/keeper", "internal/session", "cmd/delegate", "internal/proxy"}
}

// long lists the functions that may have up to 100 lines, "folder:name", each with the reason: tables and grammars.
func long() map[string]string { return map[string]string{} }

// source is one Go file as the rules see it.
type source struct {
	folder string // from the root, with slashes; "" is the root
	name   string
	set    *token.FileSet
	tree   *ast.File
}

func (s source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

func (s source) line(p token.Pos) int { return s.set.Position(p).Line }

func (s source) at(p token.Pos, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", path.Join(s.folder, s.name), s.line(p), fmt.Sprintf(format, args...))
}

// rule finds what is wrong in one file.
type rule func(source) []string

// rules lists all that look at one file.
func rules() map[string]rule {
	return map[string]rule{
		"imports go down":     importsGoDown,
		"one door each":       oneDoorEach,
		"goroutines at home":  goroutinesAtHome,
		"files are short":     filesAreShort,
		"functions are short": functionsAreShort,
		"few parameters":      fewParameters,
		"no switches":         noSwitches,
		"no init":             noInit,
		"no failed to":        noFailedTo,
		"no error text":       noErrorText,
		"starts are listed":   startsAreListed,
		"analysis apart":      analysisApart,
		"comments name":       commentsName,
	}
}

func importsGoDown(s source) (wrong []string) {
	here, known := floors()[s.folder]
	if s.isTest() || s.folder == "" {
		return nil
	}
	if !known {
		return []string{s.at(s.tree.Package, "package has no floor: name one in floors and a line in doc.go")}
	}
	for spec, name := range imports(s.tree) {
		own, isOurs := strings.CutPrefix(name, module)
		if !isOurs {
			continue
		}
		if there, found := floors()[own]; !found || there >= here {
			wrong = append(wrong, s.at(spec.Pos(), "floor %d imports %s, which is not below it", here, own))
		}
	}
	return wrong
}

func oneDoorEach(s source) (wrong []string) {
	if s.isTest() {
		return nil
	}
	for spec, name := range imports(s.tree) {
		for outside, door := range doors() {
			if (name == outside || strings.HasPrefix(name, outside+"/")) && s.folder != door {
				wrong = append(wrong, s.at(spec.Pos(), "imports %s, whose only door is %s", name, door))
			}
		}
	}
	return wrong
}

// analysisApart keeps what parses agents' files in the child process of internal/analyze, where an
// endless one can be ended.
// internal/survey reads the base, which is the person's own. internal/suite reads nothing but
// imports, those of Go by go/parser;
// what it reads of Python with tree-sitter is the one place that is left.
func analysisApart(s source) (wrong []string) {
	if s.isTest() || slices.Contains([]string{"conflict", "internal/analyze", "internal/syntax", "internal/survey",
		"internal/suite"}, s.folder) {
		return nil
	}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		for pkg, names := range map[string][]string{"conflict": {"Run", "Each", "NewCircles", "Analyzers"},
			"syntax": {"Parse", "Imports"}} {
			for _, name := range names {
				if ok && isSelector(e, pkg, name) {
					wrong = append(wrong,
						s.at(n.Pos(), "%s.%s reads what agents wrote; only the child of internal/analyze does", pkg,
							name))
				}
			}
		}
		return true
	})
	return wrong
}

func imports(tree *ast.File) map[*ast.ImportSpec]string {
	all := map[*ast.ImportSpec]string{}
	for _, spec := range tree.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil {
			all[spec] = name
		}
	}
	return all
}

func goroutinesAtHome(s source) (wrong []string) {
	if s.isTest() || slices.Contains(starters(), s.folder) {
		return nil
	}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if start, ok := n.(*ast.GoStmt); ok {
			wrong = append(wrong, s.at(start.Pos(), "starts a goroutine; only %s do", strings.Join(starters(), ", ")))
		}
		return true
	})
	return wrong
}

func filesAreShort(s source) []string {
	if n := s.set.File(s.tree.FileStart).LineCount(); n > maxFileLines {
		return []string{s.at(s.tree.Package, "file has %d lines, at most %d", n, maxFileLines)}
	}
	return nil
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

// noSwitches refuses boolean parameters of exported functions: a call such as Land(c, true) says nothing.
func noSwitches(s source) (wrong []string) {
	for _, f := range functions(s.tree) {
		for _, p := range f.Type.Params.List {
			if word, ok := p.Type.(*ast.Ident); ok && word.Name == "bool" && f.Name.IsExported() {
				wrong = append(wrong, s.at(p.Pos(), "%s takes a boolean; name a mode", f.Name.Name))
			}
		}
	}
	return wrong
}

func noInit(s source) (wrong []string) {
	for _, f := range functions(s.tree) {
		if f.Name.Name == "init" && f.Recv == nil {
			wrong = append(wrong, s.at(f.Pos(), "func init hides what it does from whoever calls the package"))
		}
	}
	return wrong
}

func noFailedTo(s source) (wrong []string) {
	if s.isTest() {
		return nil
	}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING &&
			strings.Contains(strings.ToLower(text.Value), "failed to") {
			wrong = append(wrong, s.at(text.Pos(), "%q says nothing; name the operation and quote its subject",
				"failed to"))
		}
		return true
	})
	return wrong
}

// noErrorText refuses decisions by an error's words, as in strings.Contains(err.Error(), …).
func noErrorText(s source) (wrong []string) {
	ast.Inspect(s.tree, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || s.isTest() {
			return true
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"Contains", "HasPrefix", "HasSuffix", "EqualFold"}, fun.Sel.Name) ||
			!isSelector(fun, "strings", fun.Sel.Name) {
			return true
		}
		for _, arg := range call.Args {
			inner, ok := arg.(*ast.CallExpr)
			if !ok {
				continue
			}
			if method, ok := inner.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "Error" && len(inner.Args) == 0 {
				wrong = append(wrong, s.at(call.Pos(), "decides by an error's text; use errors.Is or errors.As"))
			}
		}
		return true
	})
	return wrong
}

func isSelector(e ast.Expr, pkg, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == pkg && sel.Sel.Name == name
}

// undocumented lists the folders in which no file says what the package is for.
func undocumented(files []source) (wrong []string) {
	said := map[string]bool{}
	for _, s := range files {
		if !s.isTest() {
			said[s.folder] = said[s.folder] || s.tree.Doc.Text() != ""
		}
	}
	for folder, ok := range said {
		if !ok {
			wrong = append(wrong, folder+": no file of the package has a package comment")
		}
	}
	slices.Sort(wrong)
	return wrong
}

// vanished lists what the tables name and the tree does not have: a rule about nothing protects nothing.
func vanished(files []source) (wrong []string) {
	there := map[string]bool{}
	for _, s := range files {
		there[s.folder] = true
		for _, f := range functions(s.tree) {
			there[s.folder+":"+f.Name.Name] = true
		}
	}
	named := slices.Concat(keys(floors()), keys(long()), starters())
	for _, door := range doors() {
		named = append(named, door)
	}
	slices.Sort(named)
	for _, name := range slices.Compact(named) {
		if !there[name] {
			wrong = append(wrong, name+" is named in arch_test.go and does not exist")
		}
	}
	return wrong
}

func keys[V any](m map[string]V) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	return all
}

// parse reads one file for the rules.
func parse(t *testing.T, name string, text any) source {
	t.Helper()
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("parse %q: %v", name, err)
	}
	folder := path.Dir(filepath.ToSlash(name))
	if folder == "." {
		folder = ""
	}
	return source{folder: folder, name: path.Base(filepath.ToSlash(name)), set: set, tree: tree}
}

// wholeTree is every Go file of the module, whatever system it is built for.
func wholeTree(t *testing.T) (all []source) {
	t.Helper()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") ||
			strings.HasPrefix(d.Name(), "_")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, ".go"):
			return nil
		}
		all = append(all, parse(t, p, nil))
		return nil
	})
	if err != nil {
		t.Fatalf("walk the tree: %v", err)
	}
	return all
}

func TestHouse(t *testing.T) {
	files := wholeTree(t)
	for name, check := range rules() {
		t.Run(name, func(t *testing.T) {
			for _, s := range files {
				for _, w := range check(s) {
					t.Error(w)
				}
			}
		})
	}
	t.Run("packages say what they are for", func(t *testing.T) { report(t, undocumented(files)) })
	t.Run("listed starts are some", func(t *testing.T) { report(t, unstarted(files)) })
	t.Run("tables name what exists", func(t *testing.T) { report(t, vanished(files)) })
}

func report(t *testing.T, wrong []string) {
	t.Helper()
	for _, w := range wrong {
		t.Error(w)
	}
}

// TestRulesCanFail gives each rule sources that it must refuse and one that it must let pass.
func TestRulesCanFail(t *testing.T) {
	body := strings.Repeat("\t_ = 0\n", maxFunctionLines-2)
	cases := map[string]struct {
		file string
		bad  []string
		good string
	}{
		"imports go down": {"registry/x.go",
			[]string{`import _ "delegate/internal/session"`, `import _ "delegate/conflict"`,
				`import _ "delegate/internal/new"`},
			`import _ "delegate/internal/atomicfile"`},
		"one door each": {"change/x.go",
			[]string{`import _ "os/exec"`, `import _ "github.com/gobwas/glob/syntax"`},
			`import _ "github.com/sergi/go-diff/diffmatchpatch"`},
		"goroutines at home": {"internal/git/x.go",
			[]string{"func f() { go f() }", "func f() { func() { go f() }() }"}, "func f() { f() }"},
		"files are short": {"scope/x.go", []string{strings.Repeat("\n", maxFileLines)},
			strings.Repeat("\n", maxFileLines-1)},
		"functions are short": {"scope/x.go", []string{"func f() {\n\n" + body + "}\n"}, "func f() {\n" + body + "}\n"},
		"few parameters": {"scope/x.go",
			[]string{"func f(a, b, c, d, e, f int) {}", "func f(A, B, C, D, E, F) {}"},
			"func f(ctx context.Context, a, b, c, d, e int) {}"},
		"no switches": {"scope/x.go", []string{"func F(quick bool) {}", "func (t T) F(n int, quick bool) {}"},
			"func f(quick bool) {}"},
		"no init": {"scope/x.go", []string{"func init() {}"}, "func (t T) init() {}"},
		"no failed to": {"scope/x.go", []string{`var e = "Failed to read"`, "var e = `it failed to`"},
			`var e = "read" // failed to`},
		"starts are listed": {"internal/merge/x.go", strayStarts(),
			"import \"delegate/internal/run\"\nfunc f() { fence.Group(ctx, run.Shell(line)) }"},
		"comments name": {"scope/x.go", []string{"// Glob is one.\ntype glob int", "// otherName is one.\nconst glob = 1",
			"type t struct {\n\t// Path is one.\n\tpath int\n}"},
			"// These are limits.\nconst (\n\t// low is one.\n\tlow = 1\n)"},
		"analysis apart": {"internal/merge/x.go", []string{"func f() { conflict.Run() }", "var parse = syntax.Parse"},
			"func f() { conflict.Sorted() }"},
		"no error text": {"scope/x.go", []string{`var b = strings.Contains(err.Error(), "x")`,
			`var b = strings.HasPrefix(e.Error(), "x")`}, `var b = strings.Contains(text, "x")`},
	}
	for name, check := range rules() {
		c, found := cases[name]
		if !found {
			t.Errorf("%s: no source shows that this rule can fail", name)
		}
		for _, bad := range c.bad {
			if wrong := check(parse(t, c.file, "package x\n"+bad)); len(wrong) != 1 {
				t.Errorf("%s: %.60q gives %q, want one fault", name, bad, wrong)
			}
		}
		if wrong := check(parse(t, "scope/x.go", "package x\n")); len(wrong) != 0 {
			t.Errorf("%s: an empty file gives %q", name, wrong)
		}
		if wrong := check(parse(t, c.file, "package x\n"+c.good)); len(wrong) != 0 {
			t.Errorf("%s: %.60q gives %q", name, c.good, wrong)
		}
	}
}

func TestTreeRulesCanFail(t *testing.T) {
	scenario := "package x\nfunc f() {\n" + strings.Repeat("\t_ = 0\n", maxTestLines-2) + "}\n"
	if wrong := functionsAreShort(parse(t, "scope/x_test.go", scenario)); len(wrong) != 0 {
		t.Errorf("a test of %d lines gives %q", maxTestLines, wrong)
	}
	if wrong := functionsAreShort(parse(t, "scope/x_test.go",
		strings.Replace(scenario, "{\n", "{\n\n", 1))); len(wrong) != 1 {
		t.Errorf("a test of %d lines gives %q", maxTestLines+1, wrong)
	}
	if wrong := importsGoDown(parse(t, "internal/new/x.go", "package x")); len(wrong) != 1 {
		t.Errorf("a package without a floor gives %q", wrong)
	}
	plain, said := parse(t, "scope/x.go", "package x"), parse(t, "scope/y.go", "// Package x is documented.\npackage x")
	if wrong := undocumented([]source{plain}); len(wrong) != 1 {
		t.Errorf("a package without a comment gives %q", wrong)
	}
	if wrong := undocumented([]source{plain, said}); len(wrong) != 0 {
		t.Errorf("a package with a comment gives %q", wrong)
	}
	if wrong := unstarted([]source{parse(t, "internal/git/x.go",
		"package git\nfunc (r *Repo) do() { run.Output(ctx, c) }")}); slices.Contains(wrong, "internal/git:Repo.do") ||
		len(wrong) < 20 {
		t.Errorf("a tree with one listed start lacks %q", wrong)
	}
	missing := vanished([]source{said})
	if !slices.ContainsFunc(missing, func(w string) bool { return strings.HasPrefix(w, "registry ") }) {
		t.Errorf("a tree with nothing but scope lacks registry, but only these are missed: %q", missing)
	}
}

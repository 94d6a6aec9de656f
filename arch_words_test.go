package delegate

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

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

// expressionsWait refuses regular expressions that are compiled when a process starts, as each life of this program
// would: there are several around each turn, and internal/text/lazyregexp compiles them when they are used.
func expressionsWait(s source) (wrong []string) {
	for _, d := range s.tree.Decls {
		vars, ok := d.(*ast.GenDecl)
		if s.isTest() || !ok || vars.Tok != token.VAR {
			continue
		}
		ast.Inspect(vars, func(n ast.Node) bool {
			if call, ok := n.(*ast.SelectorExpr); ok && isSelector(call, "regexp", "MustCompile") {
				wrong = append(wrong, s.at(call.Pos(), "each process compiles this when it starts; use lazyregexp.New"))
			}
			return true
		})
	}
	return wrong
}

// threadsStay refuses goroutines that are locked to a thread: such a thread ends with its goroutine,
// and with it, by the kernel's word, each bound program that was started on it before (run.Command.Bound).
// internal/fence/sandbox locks the thread that becomes another program.
func threadsStay(s source) (wrong []string) {
	if s.isTest() || s.folder == "internal/fence/sandbox" {
		return nil
	}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if call, ok := n.(*ast.SelectorExpr); ok && isSelector(call, "runtime", "LockOSThread") {
			wrong = append(wrong, s.at(call.Pos(), "a thread that ends takes programs with it that were started on it"))
		}
		return true
	})
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

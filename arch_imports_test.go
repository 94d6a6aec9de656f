package delegate

import (
	"go/ast"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

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

// commandsApart keeps what a person's commands write and what the supervisor does from knowing one another: all that
// they share is the session on disk.
func commandsApart(s source) (wrong []string) {
	other := map[string]string{"internal/control": "internal/supervise", "internal/supervise": "internal/control"}
	for spec, name := range imports(s.tree) {
		if not := other[s.folder]; not != "" && !s.isTest() && name == module+not {
			wrong = append(wrong, s.at(spec.Pos(), "%s and %s share the session on disk, and nothing else", s.folder,
				not))
		}
	}
	return wrong
}

// TestPageLandsNothing holds that no code of the page to review on, nor any below it, lands, pushes, verifies or
// supervises: whoever gets at the page cannot do what it cannot.
func TestPageLandsNothing(t *testing.T) {
	below := map[string][]string{}
	for _, s := range wholeTree(t) {
		for _, name := range imports(s.tree) {
			if own, isOurs := strings.CutPrefix(name, module); isOurs && !s.isTest() {
				below[s.folder] = append(below[s.folder], own)
			}
		}
	}
	reached := map[string]bool{}
	var reach func(string)
	reach = func(folder string) {
		if !reached[folder] {
			reached[folder] = true
			for _, next := range below[folder] {
				reach(next)
			}
		}
	}
	reach("internal/view/page")
	if !reached["internal/control"] {
		t.Fatal("the page does not even reach internal/control: the search is broken")
	}
	for _, not := range []string{"internal/land", "internal/land/candidate", "internal/land/pullrequest",
		"internal/land/forge", "internal/supervise", "internal/tidy/completion",
		"internal/tidy/cleanup", "internal/control/planner"} {
		if _, known := floors()[not]; !known || reached[not] {
			t.Errorf("%s: known %v, reached by the page %v", not, known, reached[not])
		}
	}
}

func oneImporterEach(s source) (wrong []string) {
	if s.isTest() {
		return nil
	}
	for spec, name := range imports(s.tree) {
		nearest := "" // a part of a library can have an importer of its own
		for outside := range doors() {
			if (name == outside || strings.HasPrefix(name, outside+"/")) && len(outside) > len(nearest) {
				nearest = outside
			}
		}
		if importer, guarded := doors()[nearest]; guarded {
			within, whole := strings.CutSuffix(importer, "...")
			if s.folder != importer && !(whole && strings.HasPrefix(s.folder, within)) {
				wrong = append(wrong, s.at(spec.Pos(), "imports %s, whose only door is %s", name, importer))
			}
		}
	}
	return wrong
}

// analysisApart keeps what parses agents' files in the child process of internal/land/analyze, where an
// endless one can be ended.
// The rooms below conflict are out of everybody else's
// reach by Go's own rule for internal packages.
func analysisApart(s source) (wrong []string) {
	if s.isTest() || strings.HasPrefix(s.folder, "conflict/") || slices.Contains([]string{"conflict",
		"internal/land/analyze"}, s.folder) {
		return nil
	}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		for pkg, names := range analysisNames() {
			for _, name := range names {
				if ok && isSelector(e, pkg, name) {
					wrong = append(wrong,
						s.at(n.Pos(), "%s.%s reads what agents wrote; only the child of internal/land/analyze does",
							pkg, name))
				}
			}
		}
		return true
	})
	return wrong
}

// analysisNames are what reads agents' files, by the package that has it.
func analysisNames() map[string][]string {
	return map[string][]string{
		"conflict": {"Run", "Each", "NewCycles", "Analyzers", "GoChecker"},
		"source":   {"Parse"},
	}
}

// TestAnalysisNamesExist holds that list to the code, since a rule for a name that is gone holds nothing.
func TestAnalysisNamesExist(t *testing.T) {
	for pkg, names := range analysisNames() {
		folder := map[string]string{"conflict": "conflict", "source": "conflict/source"}[pkg]
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %q: %v", folder, err)
		}
		var text strings.Builder
		for _, file := range files {
			text.WriteString(read(t, file))
		}
		for _, name := range names {
			if !regexp.MustCompile(`(?m)^(func|type) ` + name + `\b`).MatchString(text.String()) {
				t.Errorf("%s has no %s any more", folder, name)
			}
		}
	}
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

func imports(tree *ast.File) map[*ast.ImportSpec]string {
	all := map[*ast.ImportSpec]string{}
	for _, spec := range tree.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil {
			all[spec] = name
		}
	}
	return all
}

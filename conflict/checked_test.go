package conflict_test

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/conflict"
	"delegate/internal/gocheck"
)

// goChecker is Go's type checker as the program uses it.
func goChecker() conflict.Checker {
	checker := gocheck.New(gocheck.Options{})
	return conflict.Checker{
		Name:    "go/types",
		Quick:   true,
		Endings: []string{".go"},
		Check: func(ctx context.Context, tree conflict.Tree, paths []string) (conflict.Report, error) {
			var folders []string
			for _, p := range paths {
				folders = append(folders, path.Dir(p))
			}
			slices.Sort(folders)
			report, err := checker.Check(ctx, tree.FS, slices.Compact(folders))
			r := conflict.Report{Unresolved: report.Unresolved}
			for _, p := range report.Problems {
				r.Problems = append(r.Problems, conflict.Problem(p))
			}
			return r, err
		},
	}
}

// behaviour lists the Go cases whose merged tree compiles and does something else, which no compiler can see.
func behaviour() []string {
	return []string{"parameters_swapped", "field_retyped", "fields_swapped_positional"}
}

// TestGoCasesChecked lets the type checker look at every Go case: what is suspected breaks, and
// what is silent compiles.
func TestGoCasesChecked(t *testing.T) {
	paths, err := filepath.Glob("testdata/go/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	checker, all := goChecker(), pose(t, paths)
	for _, file := range paths {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			f := all[file]
			found, err := conflict.Run(t.Context(),
				conflict.Request{Pairs: []conflict.Pair{f.pair}, Analyzers: conflict.Analyzers(),
					Checkers: []conflict.Checker{checker}})
			if err != nil {
				t.Fatal(err)
			}
			suspected := strings.Contains(f.want, "API_CONFLICT") || strings.Contains(f.want, "IMPORT_CONFLICT")
			breaks := suspected && !slices.Contains(behaviour(), name) && f.pair.Merge.Clean
			if compiled := confirmedByCompiler(found[0]); f.pair.Merge.Clean && !strings.Contains(f.want, "unknown") &&
				compiled != breaks {
				t.Errorf("confirmed %v, want %v:\n%s", compiled, breaks, render(found[0]))
			}
		})
	}
}

func confirmedByCompiler(all []conflict.Finding) bool {
	return slices.ContainsFunc(all, func(f conflict.Finding) bool {
		return f.Certainty == conflict.Confirmed && f.Blocking &&
			(f.Type == conflict.APIConflict || f.Type == conflict.ImportConflict)
	})
}

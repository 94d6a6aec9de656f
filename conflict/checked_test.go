package conflict_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/conflict"
)

// behaviour lists the Go cases whose merged tree compiles and does something else, which no compiler can see.
func behaviour() []string {
	return []string{"duration_for_number", "duration_for_zero", "error_never_given", "error_wrapped",
		"error_wrapped_laid_out", "field_retyped", "field_to_method_printed", "parameters_swapped",
		"results_swapped", "results_swapped_laid_out", "results_swapped_unnamed"}
}

// TestGoCasesChecked lets the type checker look at every Go case: what is suspected breaks, and
// what is silent compiles.
func TestGoCasesChecked(t *testing.T) {
	paths, err := filepath.Glob("testdata/go/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	checker, all := conflict.GoChecker(conflict.GoOptions{}), pose(t, paths)
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

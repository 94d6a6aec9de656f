package conflict_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"delegate/conflict"
)

// TestLookingAheadChangesNothing holds that analyzers which are ahead of the checkers find what they find before them,
// and that results come in the order of the pairs.
func TestLookingAheadChangesNothing(t *testing.T) {
	paths, err := filepath.Glob("testdata/go/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	some := slices.Collect(slices.Chunk(paths, 5))
	paths = paths[:0:0]
	for _, chunk := range some { // which are as good as all
		paths = append(paths, chunk[0])
	}
	cases, reported := pose(t, paths), map[int][]string{}
	for _, ahead := range []int{0, 1, 3} {
		req := conflict.Request{Analyzers: conflict.Analyzers(), Memory: conflict.NewMemory(), Ahead: ahead,
			Checkers: []conflict.Checker{conflict.GoChecker(conflict.GoOptions{})}}
		for _, path := range paths {
			req.Pairs = append(req.Pairs, cases[path].pair)
		}
		all, err := conflict.Run(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range all {
			reported[ahead] = append(reported[ahead], render(found))
		}
		if !slices.Equal(reported[ahead], reported[0]) {
			t.Errorf("%d ahead:\n%s\nnone ahead:\n%s", ahead, reported[ahead], reported[0])
		}
	}
}

// TestAnalyzersAreAhead holds that the next pair is looked at while a checker is at one.
func TestAnalyzersAreAhead(t *testing.T) {
	second := make(chan struct{})
	tree := fstest.MapFS{"x.go": {Data: []byte("package x\n")}}
	req := conflict.Request{Ahead: 1, Pairs: make([]conflict.Pair, 3)}
	for i, name := range []string{"a", "b", "c"} {
		p := &req.Pairs[i]
		p.A.Name, p.B.Name, p.Merge.Clean, p.Merge.FS = name, "main", true, tree
		p.Look = map[string][]string{"slow": {"x.go"}}
	}
	req.Analyzers = []conflict.Analyzer{{Name: "names", Run: func(p conflict.Pair) ([]conflict.Finding, error) {
		if p.A.Name == "b" {
			close(second)
		}
		return nil, nil
	}}}
	req.Checkers = []conflict.Checker{{Name: "slow", Endings: []string{".go"},
		Check: func(context.Context, conflict.Tree, []string) (conflict.Report, error) {
			select {
			case <-second:
			case <-time.After(time.Minute):
				t.Error("the second pair waits for the checker of the first")
			}
			return conflict.Report{}, nil
		}}}
	for _, err := range conflict.Each(t.Context(), req) {
		if err != nil {
			t.Error(err)
		}
		break
	}
}

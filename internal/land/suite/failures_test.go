package suite

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestFailures reads what the real programs printed (go 1.26, cargo 1.94, jest 30, vitest 4, node
// 20, pytest 7.2, maven 3.8 with surefire 2.22).
func TestFailures(t *testing.T) {
	const limit = "example.org/limit/limit"
	for name, want := range map[string][]Failure{
		"go": {
			{Path: "build/build_test.go", Line: 5, Said: "undefined: Gone", Unit: "example.org/limit/build"},
			{Test: "TestBurst", Path: "limit_test.go", Line: 7, Unit: limit},
			{Test: "TestRate/five", Path: "limit_test.go", Line: 13, Unit: limit},
			{Test: "TestPanics", Path: "/home/ada/gom/limit/limit_test.go", Line: 21, Unit: limit},
		},
		"go-build": {{Path: "build/b.go", Line: 5, Said: "undefined: Gone"}},
		"cargo": {
			{Test: "tests::burst_is_three", Path: "src/lib.rs", Line: 9},
			{Test: "from_outside", Path: "tests/outside.rs", Line: 3},
		},
		"cargo-build": {{Path: "tests/outside.rs", Line: 3,
			Said: "error[E0425]: cannot find function `gone` in crate `limit`"}},
		"jest": {{Test: "burst", Path: "test/limit.test.js", Line: 4},
			{Test: "rate > is five", Path: "test/limit.test.js", Line: 9}},
		"vitest": {{Test: "burst", Path: "v/limit.spec.mjs", Line: 5},
			{Test: "rate > is five", Path: "v/limit.spec.mjs", Line: 10}},
		"pytest": {{Test: "test_burst", Path: "tests/test_limit.py", Line: 7, Said: "assert 4 == 3"},
			{Test: "TestRate.test_rate", Path: "tests/test_limit.py", Line: 12, Said: "assert 4 == 5"}},
		"pytest-import": {
			{Path: "tests/test_gone.py", Line: 3},
		},
		"mvn":       {{Test: "burst", Path: "LimitTest.java", Line: 10, Unit: "LimitTest"}},
		"mvn-build": {{Path: "/home/ada/mv/src/test/java/org/example/LimitTest.java", Line: 10}},
		"node": {{Test: "burst", Path: "/home/ada/js/n/limit.test.mjs", Line: 4},
			{Test: "is five", Path: "/home/ada/js/n/limit.test.mjs", Line: 9}},
		"node-spec": {{Test: "burst", Path: "n/limit.test.mjs", Line: 4},
			{Test: "is five", Path: "n/limit.test.mjs", Line: 9}},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if got := Failures(string(data)); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		}
	}
	if got := Failures("sh: 1: check.sh: not found\nFAIL\nall.go:3 is fine\n"); got != nil {
		t.Errorf("of an output that is not known: %+v", got)
	}
}

func TestLocate(t *testing.T) {
	paths := []string{"a/limit_test.go", "b/limit_test.go", "limit_test.go", "n/limit.test.mjs",
		"src/test/java/org/LimitTest.java"}
	for want, f := range map[string]Failure{
		"b/limit_test.go":                  {Path: "limit_test.go", Unit: "example.org/x/b"},
		"limit_test.go":                    {Path: "limit_test.go"},
		"n/limit.test.mjs":                 {Path: "/home/ada/js/n/limit.test.mjs"},
		"a/limit_test.go":                  {Path: "a/limit_test.go"},
		"src/test/java/org/LimitTest.java": {Path: "LimitTest.java"},
	} {
		if got, ok := f.Locate(paths); got != want || !ok {
			t.Errorf("%+v lies in %q", f, got)
		}
	}
	for _, f := range []Failure{{Test: "TestX"}, {Path: "other_test.go"}, {Path: "mit_test.go"}} {
		if got, ok := f.Locate(paths); ok {
			t.Errorf("%+v lies in %q", f, got)
		}
	}
}

package suite

import "testing"

// TestCoverage holds that a total is read as runners print it, and that parts are none.
func TestCoverage(t *testing.T) {
	for output, want := range map[string]string{
		"ok  \tx\t0.1s\tcoverage: 71.4% of statements\n":                                                  "71.4",
		"ok  x 0.1s coverage: 71.4% of statements\nok  y 0.1s coverage: 80.0% of statements\n":            "",
		"x.go:3:\tOne\t100.0%\ntotal:\t\t(statements)\t83.3%\n":                                           "83.3",
		"Name    Stmts   Miss  Cover\n---\na.py  10  1  90%\n---\nTOTAL     10      1    90%\n\n1 passed": "90",
		"File | % Stmts | % Branch\nAll files |   85.71 |      50 |\n a.js | 85.71 | 50 |\n":              "85.71",
		"85.19% coverage, 23/27 lines covered\n":                                                          "85.19",
		"TOTAL failures\n":                                                                                "",
		"":                                                                                                "",
	} {
		if got := Coverage(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}

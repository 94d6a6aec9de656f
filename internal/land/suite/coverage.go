package suite

import "delegate/internal/text/lazyregexp"

// coverage is how test runners print the share of the code that tests run, as a total.
var coverage = []*lazyregexp.Regexp{
	lazyregexp.New(`(?m)^total:\s+\(statements\)\s+(\d+(?:\.\d+)?)%`),       // go tool cover -func
	lazyregexp.New(`(?m)^TOTAL\b.*?\s(\d+(?:\.\d+)?)%\s*$`),                 // pytest-cov, coverage report
	lazyregexp.New(`(?m)^\s*All files\s*\|\s*(\d+(?:\.\d+)?)\s*\|`),         // jest, vitest, c8, nyc
	lazyregexp.New(`(?m)^(\d+(?:\.\d+)?)% coverage, \d+/\d+ lines covered`), // cargo tarpaulin
}

// ofPackage is what go test -cover prints of each package: a total where there is one.
var ofPackage = lazyregexp.New(`\bcoverage: (\d+(?:\.\d+)?)% of statements`)

// Coverage is the share in percent that the output of tests tells in all, "" where it tells none, or only of parts.
func Coverage(output string) string {
	for _, form := range coverage {
		if all := form.FindAllStringSubmatch(output, -1); len(all) > 0 {
			return all[len(all)-1][1]
		}
	}
	if all := ofPackage.FindAllStringSubmatch(output, -1); len(all) == 1 {
		return all[0][1]
	}
	return ""
}

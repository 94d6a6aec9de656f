package plan

import (
	"path"
	"slices"
	"strings"
)

// mates knows the tests of a source file by the names that tests go by.
type mates struct {
	tests map[string]bool
	named map[string][]string // tests by the stem of the source that they name
	stems map[string]int      // how many source files have a stem
}

func matesOf(f Facts) mates {
	m := mates{tests: map[string]bool{}, named: map[string][]string{}, stems: map[string]int{}}
	for _, name := range f.Tests {
		m.tests[name] = true
		m.named[testedStem(name)] = append(m.named[testedStem(name)], name)
	}
	for _, name := range f.Files {
		if !m.tests[name] {
			m.stems[stem(name)]++
		}
	}
	return m
}

// of are the tests of a source file, sorted; none for a test and for a file that no test is named after.
func (m mates) of(source string) []string {
	if m.tests[source] {
		return nil
	}
	var all []string
	dir := path.Dir(source)
	for _, test := range m.named[stem(source)] {
		near := path.Dir(test) == dir
		if !near && path.Ext(source) != ".go" {
			near = m.stems[stem(source)] == 1 || slices.Contains(strings.Split(test, "/"), path.Base(dir))
		}
		if near && family(source) == family(test) && strings.HasPrefix(source, testedRoot(test)) {
			all = append(all, test)
		}
	}
	slices.Sort(all)
	return all
}

// testedRoot is the folder, with a slash at its end, that the folder of a test is for: the one in
// which the tests' own folder stands; "" is the root.
func testedRoot(test string) string {
	parts := strings.Split(path.Dir(test), "/")
	i := slices.IndexFunc(parts, func(p string) bool {
		p = strings.ToLower(p)
		return p == "test" || p == "tests" || p == "spec" || p == "__tests__" || strings.HasSuffix(p, ".tests")
	})
	switch {
	case i > 0 && parts[i-1] == "src": // src/test/java
		i--
	case i < 0 && parts[0] == ".":
		i = 0
	case i < 0:
		i = len(parts)
	}
	if i == 0 {
		return ""
	}
	return strings.Join(parts[:i], "/") + "/"
}

// family is the ending of a name, one for all dialects of a language.
func family(name string) string {
	switch ext := path.Ext(name); ext {
	case ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts":
		return ".js"
	case ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp":
		return ".c"
	default:
		return ext
	}
}

func stem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// testedStem is the stem of the file that a test is named after.
func testedStem(test string) string {
	s := stem(test)
	for _, end := range []string{"_test", ".test", ".spec", "_spec", "Tests", "Test", "_tests"} {
		if rest, ok := strings.CutSuffix(s, end); ok && rest != "" {
			return rest
		}
	}
	if rest := strings.TrimPrefix(s, "test_"); rest != "" {
		return rest
	}
	return s
}

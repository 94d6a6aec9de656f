package plan

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// testFiles knows the tests of a source file by the names that tests go by.
type testFiles struct {
	all   map[string]bool
	named map[string][]string // tests by the stem of the source that they name
	stems map[string]int      // how many source files have a stem
}

func newTestFiles(f Facts) testFiles {
	t := testFiles{all: map[string]bool{}, named: map[string][]string{}, stems: map[string]int{}}
	for _, name := range f.Tests {
		t.all[name] = true
		t.named[testedStem(name)] = append(t.named[testedStem(name)], name)
	}
	for _, name := range f.Files {
		if !t.all[name] {
			t.stems[stem(name)]++
		}
	}
	return t
}

// of are the tests of a source file, sorted; none for a test and for a file that no test is named after.
func (t testFiles) of(source string) []string {
	if t.all[source] {
		return nil
	}
	var all []string
	dir := path.Dir(source)
	for _, test := range t.named[stem(source)] {
		near := path.Dir(test) == dir
		if !near && path.Ext(source) != ".go" {
			near = t.stems[stem(source)] == 1 || slices.Contains(strings.Split(test, "/"), path.Base(dir))
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
		return slices.Contains(strings.Fields(testFolders), p) || strings.HasSuffix(p, ".tests")
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

// testFolders are names of folders in which the tests of other folders stand.
const testFolders = "test tests spec __tests__"

// family is the ending of a name, one for all dialects of a language.
func family(name string) string {
	ext := path.Ext(name)
	switch {
	case slices.Contains([]string{".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts"}, ext):
		return ".js"
	case slices.Contains([]string{".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp"}, ext):
		return ".c"
	}
	return ext
}

func stem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// testedStem is the stem of the file that a test is named after.
func testedStem(test string) string {
	s := stem(test)
	for end := range strings.FieldsSeq("_test .test .spec _spec Tests Test _tests") {
		if rest, ok := strings.CutSuffix(s, end); ok && rest != "" {
			return rest
		}
	}
	return cmp.Or(strings.TrimPrefix(s, "test_"), s)
}

package plan

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"
)

// isAside reports files in folders of tests and examples that are not among the words.
func isAside(name string, spoken []string) bool {
	for dir := range strings.SplitSeq(path.Dir(name), "/") {
		if isWordOf(testFolders+" testdata fixtures example examples bench benchmarks", dir) {
			return !slices.Contains(spoken, dir)
		}
	}
	return false
}

// isDoc reports files for people to read.
func isDoc(name string) bool {
	return isWordOf(".md .mdx .rst .adoc .txt", strings.ToLower(path.Ext(name)))
}

// isData reports files that a word of a task does not mean, unless it names them.
func isData(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == "" || strings.HasPrefix(name, ".") ||
		isWordOf(".json .yml .yaml .toml .lock .sum .mod .svg .png .jpg .gif .ico .css .html .xml .csv", ext)
}

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
		return isWordOf(testFolders, p) || strings.HasSuffix(p, ".tests")
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
	case isWordOf(".ts .tsx .jsx .mjs .cjs .mts .cts", ext):
		return ".js"
	case isWordOf(".h .cc .cpp .cxx .hh .hpp", ext):
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

// isHub reports a file that changes with so many others that it belongs to none of them.
func (x *repoIndex) isHub(name string) bool { return len(x.partners[name]) > 12 }

// isSource reports a file whose code was read.
func (x *repoIndex) isSource(name string) bool { return len(x.needs[name])+len(x.needed[name]) > 0 }

// newTestFor is where a test of the source file would stand, by the example of the tests that there
// are; "" without one.
func (x *repoIndex) newTestFor(source string) string {
	if path.Ext(source) == ".go" {
		return strings.TrimSuffix(source, ".go") + "_test.go"
	}
	best, most := "", -1
	for _, t := range x.Tests {
		own, named := stem(t), testedStem(t)
		if n := commonFolders(t, source); n > most && named != own && path.Ext(t) == path.Ext(source) {
			best, most = path.Join(path.Dir(t), strings.Replace(own, named, stem(source), 1)+path.Ext(source)), n
		}
	}
	if x.files[best] {
		return ""
	}
	return best
}

// commonFolders is how many folders two paths have in common from the root.
func commonFolders(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

func (t Together) other(name string) string {
	if t.A == name {
		return t.B
	}
	return t.A
}

// scopeRoom is how many files a drafted scope may have.
func (x *repoIndex) scopeRoom() int {
	if x.ScopeLimit > 0 {
		return x.ScopeLimit
	}
	return 20
}

// repoIndex is the repository as a draft looks things up in it.
type repoIndex struct {
	Facts
	tests    testFiles
	files    map[string]bool
	folders  map[string][]string   // the files below a folder
	symbols  map[string][]Symbol   // by the last part of the name
	needs    map[string][]Link     // by the file that needs
	needed   map[string][]Link     // by the file that is needed
	partners map[string][]Together // by either of the two files
	words    map[string][]wordMatch
	ignored  map[string]bool // words that name no part of a program
}

// wordMatch says that a word stands in the name of a file, of a folder around it, or of something in it.
type wordMatch struct {
	path   string
	weight float64
}

// Weights of a word by where it stands.
const (
	wholeName  = 3.0
	partOfName = 2.0
	folderName = 1.5
	symbolName = 1.0
)

func newRepoIndex(f Facts) *repoIndex {
	x := &repoIndex{
		Facts: f, tests: newTestFiles(f), files: map[string]bool{}, folders: map[string][]string{},
		symbols: map[string][]Symbol{}, needs: map[string][]Link{}, needed: map[string][]Link{},
		partners: map[string][]Together{}, words: map[string][]wordMatch{}, ignored: map[string]bool{},
	}
	for w := range strings.FieldsSeq(ignoredWords) {
		x.ignored[w] = true
	}
	for _, name := range f.Files {
		x.files[name] = true
		for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
			x.folders[dir] = append(x.folders[dir], name)
		}
		x.addName(name)
	}
	seen := map[[2]string]bool{}
	for _, s := range f.Symbols {
		last := s.Name[strings.LastIndexByte(s.Name, '.')+1:]
		x.symbols[last] = append(x.symbols[last], s)
		for _, w := range x.nameWords(last) {
			if !seen[[2]string{s.Path, w}] {
				seen[[2]string{s.Path, w}] = true
				x.words[w] = append(x.words[w], wordMatch{s.Path, symbolName})
			}
		}
	}
	for _, l := range f.Links {
		x.needs[l.From] = append(x.needs[l.From], l)
		x.needed[l.To] = append(x.needed[l.To], l)
	}
	for _, t := range f.Together {
		x.partners[t.A] = append(x.partners[t.A], t)
		x.partners[t.B] = append(x.partners[t.B], t)
	}
	return x
}

// addName enters the words of a file's name and of the folders around it.
func (x *repoIndex) addName(name string) {
	own := stem(name)
	if x.tests.all[name] {
		own = testedStem(name)
	}
	parts, weight := x.nameWords(own), partOfName
	if len(parts) == 1 {
		weight = wholeName
	}
	for _, w := range parts {
		x.words[w] = append(x.words[w], wordMatch{name, weight})
	}
	for _, w := range x.nameWords(path.Dir(name)) {
		if !slices.Contains(parts, w) {
			x.words[w] = append(x.words[w], wordMatch{name, folderName})
		}
	}
}

// nameWords are the stems of the words that a name is made of.
func (x *repoIndex) nameWords(name string) []string {
	var out []string
	for _, w := range splitName(name) {
		if s := x.wordStem(w); s != "" {
			out = appendNew(out, s)
		}
	}
	return out
}

// appendNew appends the items that are not in the list yet.
func appendNew(list []string, items ...string) []string {
	for _, item := range items {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// splitName cuts a name at its marks and where capitals begin words.
func splitName(name string) []string {
	var spaced strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case i > 0 && unicode.IsUpper(r) &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(spaced.String())
}

// wordStem takes the usual endings off a word, and "" for words that say nothing about a place.
func (x *repoIndex) wordStem(w string) string {
	w = strings.ToLower(w)
	if len(w) < 3 || x.ignored[w] {
		return ""
	}
	if long := longForm(w); long != "" {
		w = long
	}
	for end := range strings.FieldsSeq("ations ation ings ing ions ion ers ors ies ed es er or s e y") {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 4 {
			return rest
		}
	}
	if rest, ok := strings.CutSuffix(w, "s"); ok && len(rest) >= 3 {
		return rest
	}
	return w
}

// longForm is a word that code shortens in names and people write out; "" for all others.
func longForm(short string) string {
	switch strings.TrimSuffix(short, "s") {
	case "arg":
		return "argument"
	case "cfg", "configuration":
		return "config"
	case "cmd":
		return "command"
	case "dir":
		return "directory"
	case "env":
		return "environment"
	case "param":
		return "parameter"
	case "repo":
		return "repository"
	}
	return ""
}

// ignoredWords are those of a task that name no part of a program.
const ignoredWords = `the and for with from into onto that this these those its their them then also when where while which who how why what not new old all any
	some each every one two should must can could will would may might let make sure please use using used user users way more less better
	add implement write create fix remove delete rename move refactor rewrite update change improve support allow enable disable extend handle
	test tests testing doc docs documentation file files folder code src lib pkg internal main index init package module function method class
	type types value values name names util utils helper helpers common misc base core data item items thing things set get put has have are was were be been
	app application message flag option options default defaults no hidden text string number page
	only both same other per via out off over under about after before between than there here such like just very still now`

package plan

import (
	"cmp"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
)

// isHub reports a file that changes with so many others that it belongs to none of them.
func (x *repoIndex) isHub(name string) bool { return len(x.partners[name]) > 12 }

// isSource reports a file whose code was read.
func (x *repoIndex) isSource(name string) bool { return len(x.needs[name])+len(x.needed[name]) > 0 }

// testsOf are the tests that are named after a source file, or else the two that use most of it.
func (x *repoIndex) testsOf(source string) []string {
	if all := x.tests.of(source); len(all) > 0 || x.tests.all[source] {
		return all
	}
	uses := map[string]int{}
	for _, l := range x.needed[source] {
		if x.tests.all[l.From] && !isAside(l.From, strings.Fields(testFolders)) {
			uses[l.From]++
		}
	}
	all := slices.SortedFunc(maps.Keys(uses), func(a, b string) int {
		return cmp.Or(-cmp.Compare(uses[a], uses[b]), cmp.Compare(a, b))
	})
	return all[:min(len(all), 2)]
}

// newTestFor is where a test of the source file would stand, by the example of the tests that there
// are; "" without one.
func (x *repoIndex) newTestFor(source string) string {
	if path.Ext(source) == ".go" {
		return strings.TrimSuffix(source, ".go") + "_test.go"
	}
	inDir := map[string]int{}
	for _, t := range x.Tests {
		inDir[path.Dir(t)]++
	}
	best, at := "", math.MinInt
	for _, t := range x.Tests {
		own, named := stem(t), testedStem(t)
		if named == own || path.Ext(t) != path.Ext(source) || isAside(t, strings.Fields(testFolders)) {
			continue
		}
		if n := 1_000_000*commonFolders(path.Dir(t), path.Dir(source)) - 10_000*strings.Count(t, "/") +
			inDir[path.Dir(t)]; n > at {
			best, at = path.Join(path.Dir(t), strings.Replace(own, named, stem(source), 1)+path.Ext(source)), n
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

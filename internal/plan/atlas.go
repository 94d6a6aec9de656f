package plan

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// atlas is the repository as a draft looks things up in it.
type atlas struct {
	Facts
	mates   mates
	files   map[string]bool
	folders map[string][]string // the files below a folder
	symbols map[string][]Symbol // by the last part of the name
	needs   map[string][]Link   // by the file that needs
	needed  map[string][]Link   // by the file that is needed
	partner map[string][]Together
	words   map[string][]match // by the stem of a word
	empty   map[string]bool    // words that name no part of a program
}

// match says that a word stands in the name of a file, of a folder around it, or of something in it.
type match struct {
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

func newAtlas(f Facts) *atlas {
	a := &atlas{
		Facts: f, mates: matesOf(f), files: map[string]bool{}, folders: map[string][]string{},
		symbols: map[string][]Symbol{},
		needs:   map[string][]Link{}, needed: map[string][]Link{}, partner: map[string][]Together{},
		words: map[string][]match{}, empty: map[string]bool{},
	}
	for _, w := range emptyWords() {
		a.empty[w] = true
	}
	for _, name := range f.Files {
		a.files[name] = true
		for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
			a.folders[dir] = append(a.folders[dir], name)
		}
		a.index(name)
	}
	type entry struct{ path, word string }
	seen := map[entry]bool{}
	for _, s := range f.Symbols {
		last := s.Name[strings.LastIndexByte(s.Name, '.')+1:]
		a.symbols[last] = append(a.symbols[last], s)
		for _, w := range a.nameWords(last) {
			if e := (entry{s.Path, w}); !seen[e] {
				seen[e] = true
				a.words[w] = append(a.words[w], match{s.Path, symbolName})
			}
		}
	}
	for _, l := range f.Links {
		a.needs[l.From] = append(a.needs[l.From], l)
		a.needed[l.To] = append(a.needed[l.To], l)
	}
	for _, t := range f.Together {
		a.partner[t.A] = append(a.partner[t.A], t)
		a.partner[t.B] = append(a.partner[t.B], t)
	}
	return a
}

// index enters the words of a file's name and of the folders around it.
func (a *atlas) index(name string) {
	own := stem(name)
	if a.mates.tests[name] {
		own = testedStem(name)
	}
	parts := a.nameWords(own)
	for _, w := range parts {
		weight := partOfName
		if len(parts) == 1 {
			weight = wholeName
		}
		a.words[w] = append(a.words[w], match{name, weight})
	}
	for dir := range strings.SplitSeq(path.Dir(name), "/") {
		for _, w := range a.nameWords(dir) {
			if !slices.Contains(parts, w) {
				a.words[w] = append(a.words[w], match{name, folderName})
				parts = append(parts, w)
			}
		}
	}
}

// nameWords are the stems of the words that a name is made of.
func (a *atlas) nameWords(name string) []string {
	var out []string
	for _, w := range splitName(name) {
		if s := a.wordStem(w); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// splitName cuts a name at its marks and where capitals begin words.
func splitName(name string) []string {
	var out []string
	var word []rune
	cut := func() {
		if len(word) > 0 {
			out = append(out, string(word))
		}
		word = word[:0]
	}
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			cut()
			continue
		}
		if i > 0 && unicode.IsUpper(r) &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			cut()
		}
		word = append(word, unicode.ToLower(r))
	}
	cut()
	return out
}

// wordStem takes the usual endings off a word, and "" for words that say nothing about a place.
func (a *atlas) wordStem(w string) string {
	w = strings.ToLower(w)
	if len(w) < 3 || a.empty[w] {
		return ""
	}
	if long := longForms()[w]; long != "" {
		w = long
	}
	for _, end := range []string{"ations", "ation", "ings", "ing", "ions", "ion", "ers", "ors", "ies", "ed", "es", "er",
		"or", "s", "e", "y"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 4 {
			return rest
		}
	}
	if rest, ok := strings.CutSuffix(w, "s"); ok && len(rest) >= 3 {
		return rest
	}
	return w
}

// longForms are the words that code shortens in names and people write out.
func longForms() map[string]string {
	return map[string]string{
		"arg": "argument", "args": "arguments", "cfg": "config", "configuration": "config", "configurations": "config",
		"cmd": "command", "cmds": "commands",
		"dir": "directory", "dirs": "directories", "env": "environment", "param": "parameter", "params": "parameters",
		"repo": "repository", "repos": "repositories",
	}
}

// emptyWords are those of a task that name no part of a program.
func emptyWords() []string {
	return strings.Fields(`the and for with from into onto that this these those its their them then also when where while which who how why what not new old all any
		some each every one two should must can could will would may might let make sure please use using used user users way more less better
		add implement write create fix remove delete rename move refactor rewrite update change improve support allow enable disable extend handle
		test tests testing doc docs documentation file files folder code src lib pkg internal main index init package module function method class
		type types value values name names util utils helper helpers common misc base core data item items thing things set get put has have are was were be been
		app application message flag option options default defaults no hidden text string number page
		only both same other per via out off over under about after before between than there here such like just very still now`)
}

package plan

import (
	"cmp"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
)

// maxMatches is in how many files a word may stand and still say something; a quarter of those that
// fit if that is less.
const maxMatches = 40

// byWords finds the files in whose names, folders and definitions the words of the text stand, rare words first.
func (x *repoIndex) byWords(p *proposal) {
	fitting := 0
	for _, f := range x.Files {
		if x.fits(f, p) {
			fitting++
		}
	}
	words := x.textWords(p.text)
	scores, said, common := x.score(p, words, min(maxMatches, max(6, fitting/4)))
	best := slices.SortedFunc(maps.Keys(scores), func(a, b string) int {
		return cmp.Or(-cmp.Compare(scores[a], scores[b]), cmp.Compare(a, b))
	})
	if p.kind == code && (len(best) == 0 || len(said[best[0]]) < 2) {
		for _, w := range common {
			if x.byLargeFolder(p, w, fitting) {
				return
			}
		}
	}
	const least, leastOfTwo, share, keep = 0.9, 0.5, 0.6, 4
	for _, name := range best[:min(len(best), keep)] {
		enough := least
		if len(said[name]) > 1 {
			enough = leastOfTwo
		}
		if scores[name] >= max(enough, share*scores[best[0]]) {
			p.addSeed(name, "has in its path or in its definitions: "+strings.Join(said[name], ", "))
			for _, word := range said[name] {
				delete(words, x.wordStem(word))
			}
		}
	}
	x.addNamed(p, words)
}

// score weighs the files by the words that lead to them; common are words that more than most files have.
func (x *repoIndex) score(p *proposal, words map[string]token, most int) (
	scores map[string]float64, said map[string][]string, common []string,
) {
	scores, said = map[string]float64{}, map[string][]string{}
	for _, w := range slices.Sorted(maps.Keys(words)) {
		t := words[w]
		found := slices.DeleteFunc(slices.Clone(x.words[w]), func(m wordMatch) bool { return !x.fits(m.path, p) })
		if len(found) > most {
			common = append(common, w)
			found = slices.DeleteFunc(found, func(m wordMatch) bool { return m.weight < partOfName })
		}
		if len(found) > most {
			continue
		}
		factor := 1.0
		if t.quoted {
			factor = 3
		}
		for _, m := range found {
			said[m.path] = appendNew(said[m.path], t.text)
			scores[m.path] += factor * m.weight / math.Sqrt(float64(len(found)))
		}
	}
	for name, all := range said {
		slices.Sort(all)
		scores[name] *= 1 + 0.3*float64(len(all)-1) // one that several words lead to is meant more likely
	}
	return scores, said, common
}

// addNamed adds the files in whose own names the words stand that led to none of the files found, as
// long as a word says clearly which is meant.
func (x *repoIndex) addNamed(p *proposal, words map[string]token) {
	const most = 2
	if p.kind != code || len(p.seeds) == 0 {
		return
	}
	added := 0
	for _, w := range slices.Sorted(maps.Keys(words)) {
		named := slices.DeleteFunc(slices.Clone(x.words[w]), func(m wordMatch) bool {
			return m.weight < partOfName || !x.fits(m.path, p)
		})
		if added+len(named) > most {
			continue
		}
		for _, m := range named {
			p.addSeed(m.path, "has in its name: "+words[w].text)
		}
		added += len(named)
	}
}

// textWords are the words of a text that may stand in names, by their stems: as they are, and the
// parts of those with capitals inside.
func (x *repoIndex) textWords(text string) map[string]token {
	all := map[string]token{}
	for _, t := range tokens(text) {
		for _, field := range strings.FieldsFunc(t.text, isMark) {
			for _, w := range append(splitName(field), strings.ToLower(field)) {
				if s := x.wordStem(w); s != "" && !all[s].quoted {
					all[s] = token{w, t.quoted}
				}
			}
		}
	}
	return all
}

// byLargeFolder takes the folder that has the word for its name and too many files for each of them
// to count, if there is one that is far the largest and no half of the files that the goal can be
// about; a folder of like files, deeper down, may be more.
func (x *repoIndex) byLargeFolder(p *proposal, word string, fitting int) bool {
	var named []string
	for dir := range x.folders {
		if slices.Equal(x.nameWords(path.Base(dir)), []string{word}) && !isAside(dir+"/x", p.spoken) {
			named = append(named, dir)
		}
	}
	size := func(i int) int {
		if i >= len(named) {
			return 0
		}
		return len(x.folders[named[i]])
	}
	slices.SortFunc(named, func(a, b string) int {
		return cmp.Or(-cmp.Compare(len(x.folders[a]), len(x.folders[b])), cmp.Compare(a, b))
	})
	if size(0) <= x.scopeRoom() || size(0) <= 3*size(1) {
		return false
	}
	alike := strings.Contains(named[0], "/") && !slices.ContainsFunc(x.folders[named[0]], func(name string) bool {
		return path.Dir(name) != named[0]
	})
	if 2*size(0) >= fitting && !alike {
		return false
	}
	x.addLargeFolder(p, named[0])
	return true
}

// byPhrase takes "the cart package" and "package cart" for the folder of that name, if there is one alone.
// In a folder that is too large for a scope the other words are looked up.
func (x *repoIndex) byPhrase(p *proposal) {
	all := tokens(p.text)
	for i, t := range all {
		if !isWordOf("package subpackage module crate folder directory", strings.ToLower(t.text)) {
			continue
		}
		for _, neighbour := range []int{i - 1, i + 1} {
			if neighbour < 0 || neighbour >= len(all) {
				continue
			}
			var named []string
			for dir := range x.folders {
				if path.Base(dir) == all[neighbour].text {
					named = append(named, dir)
				}
			}
			switch {
			case len(named) != 1:
			case len(x.folders[named[0]]) <= x.scopeRoom():
				x.addFolder(p, named[0])
			default:
				p.within = named[0]
			}
		}
	}
}

// fits reports whether a file is of the sort that the goal is about.
func (x *repoIndex) fits(name string, p *proposal) bool {
	switch {
	case p.within != "" && !strings.HasPrefix(name, p.within+"/"):
		return false
	case p.kind == docs:
		return isDoc(name)
	case isAside(name, p.spoken):
		return false
	case p.kind == tests:
		return !isDoc(name)
	}
	return !x.tests.all[name] && !isDoc(name) && (x.isSource(name) || !isData(name))
}

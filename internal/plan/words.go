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

// byWords finds the files in whose names, folders and definitions the words of the text stand, rare words first.
func (a *atlas) byWords(c *claim) {
	scores, said := map[string]float64{}, map[string][]string{}
	near := 0
	for _, f := range a.Files {
		if a.fits(f, c) {
			near++
		}
	}
	most := min(mostMatches, max(6, near/4))
	var many []string // words that too many files have
	words := a.textWords(c.text)
	for _, w := range slices.Sorted(maps.Keys(words)) {
		t := words[w]
		found := slices.DeleteFunc(slices.Clone(a.words[w]), func(m match) bool { return !a.fits(m.path, c) })
		if len(found) > most {
			many = append(many, w)
			found = slices.DeleteFunc(found, func(m match) bool { return m.weight < partOfName })
		}
		if len(found) > most {
			continue
		}
		factor := 1.0
		if t.quoted {
			factor = 3
		}
		for _, m := range found {
			if !slices.Contains(said[m.path], t.text) {
				said[m.path] = append(said[m.path], t.text)
			}
			scores[m.path] += factor * m.weight / math.Sqrt(float64(len(found)))
		}
	}
	for name, all := range said {
		slices.Sort(all)
		scores[name] *= 1 + 0.3*float64(len(all)-1) // one that several words lead to is meant more likely
	}
	best := slices.SortedFunc(maps.Keys(scores), func(x, y string) int {
		return cmp.Or(-cmp.Compare(scores[x], scores[y]), cmp.Compare(x, y))
	})
	if c.work == code && (len(best) == 0 || len(said[best[0]]) < 2) {
		for _, w := range many {
			if a.bigFolder(c, w, near) {
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
			c.seed(name, "has in its path or in its definitions: "+strings.Join(said[name], ", "))
			for _, word := range said[name] {
				delete(words, a.wordStem(word))
			}
		}
	}
	a.cover(c, words)
}

// cover adds the files in whose own names the words stand that led to none of the files found, as
// long as a word says clearly which is meant.
func (a *atlas) cover(c *claim, words map[string]token) {
	const mostNamed, mostAdded = 2, 2
	if c.work != code || len(c.seeds) == 0 {
		return
	}
	added := 0
	for _, w := range slices.Sorted(maps.Keys(words)) {
		var named []string
		for _, m := range a.words[w] {
			if m.weight >= partOfName && a.fits(m.path, c) {
				named = append(named, m.path)
			}
		}
		if len(named) == 0 || len(named) > mostNamed || added+len(named) > mostAdded {
			continue
		}
		for _, name := range named {
			c.seed(name, "has in its name: "+words[w].text)
		}
		added += len(named)
	}
}

// textWords are the words of a text that may stand in names, by their stems: as they are, and the
// parts of those with capitals inside.
func (a *atlas) textWords(text string) map[string]token {
	all := map[string]token{}
	for _, t := range tokens(text) {
		for _, field := range strings.FieldsFunc(t.text, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			for _, w := range append(splitName(field), strings.ToLower(field)) {
				if s := a.wordStem(w); s != "" && !all[s].quoted {
					all[s] = token{w, t.quoted}
				}
			}
		}
	}
	return all
}

// bigFolder takes the folder that has the word for its name and too many files for each of them to
// count, if there is one that is far the largest
// and no half of the files that the wish can be about, of which there are near; a folder of like
// files, deeper down, may be more.
func (a *atlas) bigFolder(c *claim, word string, near int) bool {
	best, size, rest := "", 0, 0
	for dir, files := range a.folders {
		if !slices.Equal(a.nameWords(path.Base(dir)), []string{word}) || isAside(dir+"/x", c.spoken) {
			continue
		}
		if len(files) > size || len(files) == size && dir < best {
			best, size, rest = dir, len(files), max(rest, size)
		} else {
			rest = max(rest, len(files))
		}
	}
	alike := strings.Contains(best, "/") && !slices.ContainsFunc(a.folders[best], func(name string) bool {
		return path.Dir(name) != best
	})
	if size <= a.roomOf() || size <= 3*rest || 2*size >= near && !alike {
		return false
	}
	a.byLargeFolder(c, best)
	return true
}

func (a *atlas) byLargeFolder(c *claim, dir string) {
	a.byFolder(c, dir)
	c.note("%s/ is larger than a scope should be; name the files that are meant", dir)
}

// byPhrase takes "the cart package" and "package cart" for the folder of that name, if there is one alone.
// In a folder that is too large for a scope the other words are looked up.
func (a *atlas) byPhrase(c *claim) {
	all := tokens(c.text)
	for i, t := range all {
		if !slices.Contains(strings.Fields("package subpackage module crate folder directory"),
			strings.ToLower(t.text)) {
			continue
		}
		for _, beside := range []int{i - 1, i + 1} {
			if beside < 0 || beside >= len(all) {
				continue
			}
			dir := a.onlyFolder(all[beside].text)
			switch {
			case dir == "":
			case len(a.folders[dir]) <= a.roomOf():
				a.byFolder(c, dir)
			default:
				c.under = dir
			}
		}
	}
}

// onlyFolder is the one folder that has the name for the last part of its path, "" where there are none or several.
func (a *atlas) onlyFolder(name string) string {
	found := ""
	for dir := range a.folders {
		if path.Base(dir) != name {
			continue
		}
		if found != "" {
			return ""
		}
		found = dir
	}
	return found
}

// fits reports whether a file is of the sort that the wish is about.
func (a *atlas) fits(name string, c *claim) bool {
	switch {
	case c.under != "" && !strings.HasPrefix(name, c.under+"/"):
		return false
	case c.work == docs:
		return isDoc(name)
	case isAside(name, c.spoken):
		return false
	case c.work == tests:
		return !isDoc(name)
	}
	return !a.mates.tests[name] && !isDoc(name) && (a.isSource(name) || !isData(name))
}

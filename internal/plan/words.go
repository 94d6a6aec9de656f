package plan

import (
	"cmp"
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
	for w, t := range textWords(c.text) {
		found := slices.DeleteFunc(slices.Clone(a.words[w]), func(m match) bool { return !a.fits(m.path, c) })
		if len(found) > most && c.work == code {
			a.bigFolder(c, w, near)
		}
		if len(found) > most {
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
	if len(c.patterns) > 0 {
		return // a folder of many alike
	}
	for _, all := range said {
		slices.Sort(all)
	}
	var best []string
	top := 0.0
	for name := range scores {
		scores[name] *= 1 + 0.3*float64(len(said[name])-1) // one that several words lead to is meant more likely
		best, top = append(best, name), max(top, scores[name])
	}
	slices.SortFunc(best, func(x, y string) int { return cmp.Or(-cmp.Compare(scores[x], scores[y]), cmp.Compare(x, y)) })
	const least, share, keep = 0.9, 0.6, 4
	for _, name := range best[:min(len(best), keep)] {
		if scores[name] >= max(least, share*top) {
			c.seed(name, "has in its path or in its definitions: "+strings.Join(said[name], ", "))
		}
	}
}

// textWords are the words of a text that may stand in names, by their stems: as they are, and the parts of those with capitals inside.
func textWords(text string) map[string]token {
	all := map[string]token{}
	for _, t := range tokens(text) {
		for _, field := range strings.FieldsFunc(t.text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			for _, w := range append(splitName(field), strings.ToLower(field)) {
				if s := wordStem(w); s != "" && !all[s].quoted {
					all[s] = token{w, t.quoted}
				}
			}
		}
	}
	return all
}

// bigFolder takes the folder that has the word for its name and too many files for each of them to count, if there is one that is far the largest
// and no half of the files that the wish can be about, of which there are near.
func (a *atlas) bigFolder(c *claim, word string, near int) {
	best, size, rest := "", 0, 0
	for dir, files := range a.folders {
		if !slices.Equal(nameWords(path.Base(dir)), []string{word}) || isAside(dir+"/x", c.spoken) {
			continue
		}
		if len(files) > size || len(files) == size && dir < best {
			best, size, rest = dir, len(files), max(rest, size)
		} else {
			rest = max(rest, len(files))
		}
	}
	if size > a.roomOf() && size > 3*rest && 2*size < near {
		a.byFolder(c, best)
		c.note("%s/ is larger than a scope should be; name the files that are meant", best)
	}
}

// fits reports whether a file is of the sort that the wish is about.
func (a *atlas) fits(name string, c *claim) bool {
	switch {
	case c.work == docs:
		return isDoc(name)
	case isAside(name, c.spoken):
		return false
	case c.work == tests:
		return !isDoc(name)
	}
	return !a.mates.tests[name] && !isDoc(name) && (a.isSource(name) || !isData(name))
}

package change

import (
	"slices"
	"sort"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// libraryLimit is how many lines, both sides together, are handed to the library at once.
// Two reasons meet in it.
// The library takes time in the square of the difference: twenty thousand lines are a second at worst.
// And it packs each distinct line into one rune, which goes wrong near the surrogates at 0xD800 = 55296;
// below the limit that range is never reached.
const libraryLimit = 20_000

// aligner finds which lines of two versions belong together.
// Every line that stays unmarked has its partner among the unmarked lines of the other side, in the same order.
type aligner struct {
	oldIDs, newIDs         []int // equal lines have equal ids
	oldChanged, newChanged []bool
	lines                  int // number of distinct lines
}

func newAligner(old, new []string) *aligner {
	a := &aligner{oldChanged: make([]bool, len(old)), newChanged: make([]bool, len(new))}
	known := make(map[string]int, len(old))
	number := func(lines []string) []int {
		ids := make([]int, len(lines))
		for i, line := range lines {
			id, ok := known[line]
			if !ok {
				id = len(known)
				known[line] = id
			}
			ids[i] = id
		}
		return ids
	}
	a.oldIDs, a.newIDs = number(old), number(new)
	a.lines = len(known)
	return a
}

// align marks what differs among the lines at the given positions of each side.
func (a *aligner) align(old, new []int) {
	old, new = a.trim(old, new)
	if len(old) > 0 && len(new) > 0 {
		old, new = a.trim(a.dropUnmatched(old, new))
	}
	if len(old) == 0 || len(new) == 0 {
		a.markAll(old, new)
		return
	}
	if len(old)+len(new) <= libraryLimit {
		a.alignByLibrary(old, new)
		return
	}
	anchors := a.anchors(old, new)
	if len(anchors) == 0 {
		// Too much for the library and nothing to divide it by: the whole region counts as replaced.
		a.markAll(old, new)
		return
	}
	i, j := 0, 0
	for _, anchor := range anchors {
		a.align(old[i:anchor.old], new[j:anchor.new])
		i, j = anchor.old+1, anchor.new+1
	}
	a.align(old[i:], new[j:])
}

// trim cuts off equal lines at both ends.
func (a *aligner) trim(old, new []int) ([]int, []int) {
	for len(old) > 0 && len(new) > 0 && a.oldIDs[old[0]] == a.newIDs[new[0]] {
		old, new = old[1:], new[1:]
	}
	for len(old) > 0 && len(new) > 0 && a.oldIDs[old[len(old)-1]] == a.newIDs[new[len(new)-1]] {
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	return old, new
}

// dropUnmatched marks the lines that the other side does not have at all and returns the rest.
// Such a line can have no partner, so leaving it out changes no alignment of the others.
func (a *aligner) dropUnmatched(old, new []int) ([]int, []int) {
	inOld, inNew := presence(a.oldIDs, old), presence(a.newIDs, new)
	return keepKnown(old, a.oldIDs, inNew, a.oldChanged), keepKnown(new, a.newIDs, inOld, a.newChanged)
}

func presence(ids, at []int) map[int]bool {
	set := make(map[int]bool, len(at))
	for _, p := range at {
		set[ids[p]] = true
	}
	return set
}

func keepKnown(at, ids []int, known map[int]bool, changed []bool) []int {
	kept := make([]int, 0, len(at))
	for _, p := range at {
		if known[ids[p]] {
			kept = append(kept, p)
		} else {
			changed[p] = true
		}
	}
	return kept
}

func (a *aligner) markAll(old, new []int) {
	for _, p := range old {
		a.oldChanged[p] = true
	}
	for _, p := range new {
		a.newChanged[p] = true
	}
}

// alignByLibrary aligns a region within libraryLimit.
// A timeout of zero keeps the library from looking at the clock, so the same input always gives the same answer.
func (a *aligner) alignByLibrary(old, new []int) {
	runes := make(map[int]rune, len(old))
	pack := func(ids, at []int) []rune {
		packed := make([]rune, len(at))
		for i, p := range at {
			r, ok := runes[ids[p]]
			if !ok {
				r = rune(len(runes) + 1)
				runes[ids[p]] = r
			}
			packed[i] = r
		}
		return packed
	}
	library := diffmatchpatch.New()
	library.DiffTimeout = 0
	i, j := 0, 0
	for _, d := range library.DiffMainRunes(pack(a.oldIDs, old), pack(a.newIDs, new), false) {
		for range d.Text {
			switch d.Type {
			case diffmatchpatch.DiffDelete:
				a.oldChanged[old[i]] = true
				i++
			case diffmatchpatch.DiffInsert:
				a.newChanged[new[j]] = true
				j++
			default:
				i++
				j++
			}
		}
	}
}

// anchor is a pair of indexes into the positions of a region.
type anchor struct{ old, new int }

// anchors returns the longest run, in both orders, of lines that occur exactly once on each side.
func (a *aligner) anchors(old, new []int) []anchor {
	oldAt, newAt := a.once(a.oldIDs, old), a.once(a.newIDs, new)
	var common []anchor
	for i, p := range old {
		id := a.oldIDs[p]
		if oldAt[id] >= 0 && newAt[id] >= 0 {
			common = append(common, anchor{i, newAt[id]})
		}
	}
	return longestRising(common)
}

// once maps the id of each line that occurs exactly once to its index, and every other id to a negative number.
func (a *aligner) once(ids, at []int) []int {
	const none, many = -1, -2
	index := slices.Repeat([]int{none}, a.lines)
	for i, p := range at {
		switch index[ids[p]] {
		case none:
			index[ids[p]] = i
		default:
			index[ids[p]] = many
		}
	}
	return index
}

// longestRising returns the longest subsequence of anchors, sorted by old, in which new rises too.
// It is patience sorting: top holds, for each length, the anchor that ends it earliest.
func longestRising(anchors []anchor) []anchor {
	var top []int
	before := make([]int, len(anchors))
	for i, x := range anchors {
		pile := sort.Search(len(top), func(k int) bool { return anchors[top[k]].new >= x.new })
		before[i] = -1
		if pile > 0 {
			before[i] = top[pile-1]
		}
		if pile == len(top) {
			top = append(top, i)
		} else {
			top[pile] = i
		}
	}
	rising := make([]anchor, len(top))
	if len(top) == 0 {
		return rising
	}
	for i, k := len(top)-1, top[len(top)-1]; k >= 0; i, k = i-1, before[k] {
		rising[i] = anchors[k]
	}
	return rising
}

// hunks collects the marks into ranges.
func (a *aligner) hunks() []Hunk {
	var hunks []Hunk
	i, j := 0, 0
	for i < len(a.oldIDs) || j < len(a.newIDs) {
		startOld, startNew := i, j
		for i < len(a.oldIDs) && a.oldChanged[i] {
			i++
		}
		for j < len(a.newIDs) && a.newChanged[j] {
			j++
		}
		if i > startOld || j > startNew {
			hunks = append(hunks, Hunk{startOld + 1, i - startOld, startNew + 1, j - startNew})
			continue
		}
		i++
		j++
	}
	return hunks
}

package plan

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// roomOf is how many files a drafted scope may have.
func (a *atlas) roomOf() int {
	if a.ScopeLimit > 0 {
		return a.ScopeLimit
	}
	return 20
}

// widen adds the files that belong to the seeds: their tests, what only they use, and what history changes with them.
func (a *atlas) widen(c *claim) {
	if c.work != code && c.work != research {
		return
	}
	for _, s := range c.seeds {
		for _, t := range a.testsOf(s) {
			a.take(c, t, "tests "+s)
		}
	}
	room := len(c.wider) + max(2, len(c.seeds))
	for _, s := range c.seeds {
		for _, l := range a.needs[s] {
			if len(c.wider) < room && below(l.To, path.Dir(s)) && a.servesOnly(l.To, c.seeds) {
				a.take(c, l.To, "is used by "+s+" and by nothing else")
			}
		}
	}
	for _, s := range c.seeds {
		for _, t := range a.companions(s) {
			if len(c.wider) >= room {
				break
			}
			a.take(c, t.other(s), fmt.Sprintf("changed together with %s by %d of %d commits, last %.8s", s, t.Count,
				t.Of, t.Commit))
		}
	}
	for _, s := range slices.Clone(c.wider) {
		for _, t := range a.mates.of(s) {
			a.take(c, t, "tests "+s)
		}
	}
	if c.work != code {
		return
	}
	for _, s := range c.seeds {
		if c.named[s] || len(c.seeds) == 1 {
			if made := a.testFor(s); made != "" && !a.mates.tests[s] && len(a.testsOf(s)) == 0 &&
				!slices.Contains(slices.Concat(c.fresh, c.guessed), made) && a.isSource(s) {
				c.guessed = append(c.guessed, made)
				c.note("%s: %s has no test yet, and tests of this repository are named so", made, s)
			}
		}
	}
}

// below reports a file in the folder or in one below it.
func below(name, folder string) bool { return folder == "." || strings.HasPrefix(name, folder+"/") }

// isSource reports a file whose code was read.
func (a *atlas) isSource(name string) bool { return len(a.needs[name])+len(a.needed[name]) > 0 }

func (a *atlas) take(c *claim, name, why string) {
	if len(c.seeds)+len(c.wider) >= a.roomOf() || slices.Contains(c.seeds, name) || slices.Contains(c.wider, name) {
		return
	}
	c.wider = append(c.wider, name)
	c.note("%s: %s", name, why)
}

// servesOnly reports whether all that need a file are among the given ones and their tests.
func (a *atlas) servesOnly(name string, users []string) bool {
	if slices.Contains(users, name) || a.mates.tests[name] || len(a.needed[name]) == 0 {
		return false
	}
	return !slices.ContainsFunc(a.needed[name], func(l Link) bool {
		return !slices.Contains(users, l.From) && !a.mates.tests[l.From]
	})
}

// companions are the two code files that a file is most often changed with, if the code links them
// or they share a folder.
func (a *atlas) companions(name string) []Together {
	const least, most = 3, 2
	var all []Together
	for _, t := range a.partner[name] {
		other := t.other(name)
		linked := slices.ContainsFunc(a.needs[name], func(l Link) bool {
			return l.To == other
		}) || slices.ContainsFunc(a.needed[name], func(l Link) bool { return l.From == other })
		near := path.Dir(other) == path.Dir(name)
		if t.Count < least || 5*t.Count < 3*t.Of || !linked && !near || isDoc(other) || isData(other) ||
			a.isHub(other) || a.mates.tests[other] {
			continue
		}
		all = append(all, t)
	}
	slices.SortStableFunc(all, func(x, y Together) int { return -cmp.Compare(x.Count*y.Of, y.Count*x.Of) })
	return all[:min(len(all), most)]
}

// isHub reports a file that changes with so many others that it belongs to none of them.
func (a *atlas) isHub(name string) bool { return len(a.partner[name]) > 12 }

// apart cuts the one claim of a task that names several places which do not need each other into one for each.
func (a *atlas) apart(c *claim) []*claim {
	if c.work != code || len(c.patterns)+len(c.seeds) < 2 || len(c.fresh) > 0 {
		return []*claim{c}
	}
	var parts []*claim
	byFolder := map[string]*claim{}
	part := func(folder string) *claim {
		p := byFolder[folder]
		if p == nil {
			p = &claim{wish: c.wish, named: map[string]bool{}}
			byFolder[folder], parts = p, append(parts, p)
		}
		return p
	}
	for _, pattern := range c.patterns {
		p := part(fixedFolder(pattern))
		p.patterns = append(p.patterns, pattern)
	}
	for _, s := range c.seeds {
		if !c.named[s] {
			return []*claim{c}
		}
		p := part(path.Dir(s))
		p.seeds, p.named[s] = append(p.seeds, s), true
	}
	if len(parts) < 2 || len(parts) > 6 || a.entangled(parts) {
		return []*claim{c}
	}
	for folder, p := range byFolder {
		place := folder
		if len(p.seeds) == 1 && len(p.patterns) == 0 {
			place = p.seeds[0]
		}
		p.name = fmt.Sprintf("%s: %s", place, c.name)
		p.text = fmt.Sprintf("%s\n\nDo the part of this that is in %s; others do the rest.", c.text, place)
		for _, line := range c.why {
			if strings.HasPrefix(line, folder+"/") || slices.ContainsFunc(p.seeds, func(s string) bool {
				return strings.HasPrefix(line, s+":")
			}) {
				p.why = append(p.why, line)
			}
		}
	}
	return parts
}

// entangled reports places of which two need each other.
func (a *atlas) entangled(parts []*claim) bool {
	owner := map[string]int{}
	for i, p := range parts {
		for _, f := range a.filesOf(p) {
			owner[f] = i
		}
	}
	way := map[[2]int]bool{}
	for from, i := range owner {
		for _, l := range a.needs[from] {
			if j, ours := owner[l.To]; ours && i != j {
				way[[2]int{i, j}] = true
			}
		}
	}
	for w := range way {
		if way[[2]int{w[1], w[0]}] {
			return true
		}
	}
	return false
}

// filesOf are the existing files of a claim: those of its patterns, its seeds and what belongs to them.
func (a *atlas) filesOf(c *claim) []string {
	all := slices.Concat(c.seeds, c.wider)
	for _, pattern := range c.patterns {
		if sc, err := (Subtask{Allowed: []string{pattern}}).Scope(Options{}); err == nil {
			all = append(all, sc.Select(a.Files)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

package plan

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// addRelated adds the files that belong to the seeds: their tests, what only they use, and what
// history changes with them.
func (x *repoIndex) addRelated(p *proposal) {
	if p.kind != code && p.kind != research {
		return
	}
	for _, s := range p.seeds {
		for _, t := range x.testsOf(s) {
			x.relate(p, t, "tests "+s)
		}
	}
	room := len(p.related) + max(2, len(p.seeds))
	for _, s := range p.seeds {
		for _, l := range x.needs[s] {
			dir := path.Dir(s)
			if below := dir == "." || strings.HasPrefix(l.To, dir+"/"); below && len(p.related) < room &&
				x.servesOnly(l.To, p.seeds) {
				x.relate(p, l.To, "is used by "+s+" and by nothing else")
			}
		}
	}
	for _, s := range p.seeds {
		for _, t := range x.companions(s) {
			if len(p.related) < room {
				x.relate(p, t.other(s), fmt.Sprintf("changed together with %s by %d of %d commits, last %.8s", s,
					t.Count, t.Of, t.Commit))
			}
		}
	}
	for _, s := range slices.Clone(p.related) {
		for _, t := range x.tests.of(s) {
			x.relate(p, t, "tests "+s)
		}
	}
	for _, s := range p.seeds {
		if p.kind == code && (p.named[s] || len(p.seeds) == 1) && !x.tests.all[s] && len(x.testsOf(s)) == 0 &&
			x.isSource(s) {
			p.guessed = x.addNewTest(p, p.guessed, s)
		}
	}
}

func (x *repoIndex) relate(p *proposal, name, why string) {
	if len(p.seeds)+len(p.related) < x.scopeRoom() && !slices.Contains(slices.Concat(p.seeds, p.related), name) {
		p.related = append(p.related, name)
		p.note("%s: %s", name, why)
	}
}

// servesOnly reports whether all that need a file are among the given ones and their tests.
func (x *repoIndex) servesOnly(name string, users []string) bool {
	return !slices.Contains(users, name) && !x.tests.all[name] && len(x.needed[name]) > 0 &&
		!slices.ContainsFunc(x.needed[name], func(l Link) bool {
			return !slices.Contains(users, l.From) && !x.tests.all[l.From]
		})
}

// companions are the two code files that a file is most often changed with, if the code links them
// or they share a folder.
func (x *repoIndex) companions(name string) []Together {
	const least, most = 3, 2
	var all []Together
	for _, t := range x.partners[name] {
		other := t.other(name)
		linked := path.Dir(other) == path.Dir(name) ||
			slices.ContainsFunc(x.needs[name], func(l Link) bool { return l.To == other }) ||
			slices.ContainsFunc(x.needed[name], func(l Link) bool { return l.From == other })
		if linked && t.Count >= least && 5*t.Count >= 3*t.Of && !isDoc(other) && !isData(other) && !x.isHub(other) &&
			!x.tests.all[other] {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b Together) int { return -cmp.Compare(a.Count*b.Of, b.Count*a.Of) })
	return all[:min(len(all), most)]
}

// filesOf are the existing files of a proposal: those of its patterns, its seeds and what belongs to them.
func (x *repoIndex) filesOf(p *proposal) []string {
	all := slices.Concat(p.seeds, p.related)
	for _, pattern := range p.patterns {
		if sc, err := (Subtask{Allowed: []string{pattern}}).Scope(Options{}); err == nil {
			all = append(all, sc.Select(x.Files)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

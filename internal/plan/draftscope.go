package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"delegate/scope"
)

// merge makes one proposal of goals about the same files, and of tests that belong to the goal
// before them. The notes say which.
func merge(proposals []*proposal) (all []*proposal, notes []string) {
	for _, p := range proposals {
		at := slices.IndexFunc(all, func(o *proposal) bool {
			return p.objective == "" && o.objective == "" && sameFiles(o, p)
		})
		if last := len(all) - 1; at < 0 && last >= 0 && p.kind == tests && p.objective == "" &&
			all[last].kind == code && (p.refersBack || p.lost()) {
			at = last
		}
		if at < 0 {
			all = append(all, p)
			continue
		}
		o := all[at]
		notes = append(notes, fmt.Sprintf("%q is part of %q: both are about the same files.", p.name, o.name))
		o.text += "\n" + p.text
		o.seeds, o.notes = appendNew(o.seeds, p.seeds...), appendNew(o.notes, p.notes...)
		o.fresh = appendNew(o.fresh, p.fresh...)
		for _, s := range p.seeds {
			o.named[s] = o.named[s] || p.named[s]
		}
	}
	return all, notes
}

// sameFiles reports two goals for code that share more than half of the files that they are about.
func sameFiles(a, b *proposal) bool {
	if a.kind != code || b.kind != code || len(a.seeds) == 0 || len(b.seeds) == 0 ||
		len(a.patterns)+len(b.patterns) > 0 {
		return false
	}
	shared := 0
	for _, s := range b.seeds {
		if slices.Contains(a.seeds, s) {
			shared++
		}
	}
	return 2*shared > min(len(a.seeds), len(b.seeds)) && 2*shared >= max(len(a.seeds), len(b.seeds))
}

// splitByPlace cuts the one proposal of a task that names several places which do not need each
// other into one for each.
func (x *repoIndex) splitByPlace(p *proposal) []*proposal {
	whole := []*proposal{p}
	if p.kind != code || len(p.patterns)+len(p.seeds) < 2 || len(p.fresh) > 0 {
		return whole
	}
	var parts []*proposal
	byFolder := map[string]*proposal{}
	part := func(folder string) *proposal {
		if byFolder[folder] == nil {
			byFolder[folder] = &proposal{goal: p.goal, named: map[string]bool{}}
			parts = append(parts, byFolder[folder])
		}
		return byFolder[folder]
	}
	for _, pattern := range p.patterns {
		one := part(fixedFolder(pattern))
		one.patterns = append(one.patterns, pattern)
	}
	for _, s := range p.seeds {
		if !p.named[s] {
			return whole
		}
		one := part(path.Dir(s))
		one.seeds, one.named[s] = append(one.seeds, s), true
	}
	if len(parts) < 2 || len(parts) > 6 || x.needEachOther(parts) {
		return whole
	}
	for folder, one := range byFolder {
		place := folder
		if len(one.seeds) == 1 && len(one.patterns) == 0 {
			place = one.seeds[0]
		}
		one.name = fmt.Sprintf("%s: %s", place, p.name)
		one.text = fmt.Sprintf("%s\n\nDo the part of this that is in %s; others do the rest.", p.text, place)
		for _, line := range p.notes {
			if strings.HasPrefix(line, folder+"/") || slices.ContainsFunc(one.seeds, func(s string) bool {
				return strings.HasPrefix(line, s+":")
			}) {
				one.notes = append(one.notes, line)
			}
		}
	}
	return parts
}

// needEachOther reports proposals of which two need each other.
func (x *repoIndex) needEachOther(parts []*proposal) bool {
	owner, needs := map[string]int{}, map[[2]int]bool{}
	for i, p := range parts {
		for _, f := range x.filesOf(p) {
			owner[f] = i
		}
	}
	for from, i := range owner {
		for _, l := range x.needs[from] {
			if j, ours := owner[l.To]; ours && i != j {
				if needs[[2]int{i, j}] = true; needs[[2]int{j, i}] {
					return true
				}
			}
		}
	}
	return false
}

// order lets a proposal whose words refer back come after the one before, and look where that one
// does if it found nothing itself.
func order(proposals []*proposal) {
	for i, p := range proposals {
		if i == 0 || !p.refersBack && p.kind != docs && p.kind != tests {
			continue
		}
		at := i - 1
		for at > 0 && proposals[at].kind != code {
			at--
		}
		before := proposals[at]
		if p.lost() && p.kind == code && p.refersBack {
			p.seeds, p.patterns = slices.Clone(before.seeds), slices.Clone(before.patterns)
			for _, s := range p.seeds {
				p.note("%s: what %q is about", s, before.name)
			}
		}
		if p.refersBack || p.general && before.kind == code {
			p.dependOn(at, fmt.Sprintf("its words build on %q", before.name))
		}
	}
}

// dependOn makes a proposal come after an earlier one.
func (p *proposal) dependOn(other int, why string) {
	if !slices.ContainsFunc(p.deps, func(d dependency) bool { return d.on == other }) {
		p.deps = append(p.deps, dependency{other, why})
	}
}

// share gives each related file to one proposal. What two proposals are about stays with both, and
// the later one waits.
func (x *repoIndex) share(proposals []*proposal) {
	core := map[string]bool{}
	for _, p := range proposals {
		for _, f := range slices.Concat(x.filesOf(&proposal{seeds: p.seeds, patterns: p.patterns}), p.fresh) {
			core[f] = true
		}
	}
	taken := map[string]bool{}
	for _, p := range proposals {
		p.related = slices.DeleteFunc(p.related, func(f string) bool { return core[f] || taken[f] })
		for _, f := range p.related {
			taken[f] = true
		}
	}
}

// subtasks turns proposals into subtasks whose scopes can meet only where one comes after the other.
func (x *repoIndex) subtasks(proposals []*proposal, o Options) []Subtask {
	all := make([]Subtask, len(proposals))
	for i, p := range proposals {
		all[i] = Subtask{Number: i + 1, Allowed: x.allowed(p, o)}
	}
	for i, p := range proposals {
		for j := range i {
			if witness, meet := overlap(all[j], all[i], o); meet {
				p.dependOn(j, fmt.Sprintf("both may write %q", witness))
			}
		}
		for _, d := range p.deps {
			all[i].Dependencies = append(all[i].Dependencies, d.on+1)
		}
		slices.Sort(all[i].Dependencies)
	}
	return all
}

func overlap(a, b Subtask, o Options) (witness string, meet bool) {
	scopeA, errA := a.Scope(o)
	scopeB, errB := b.Scope(o)
	if errA != nil || errB != nil {
		return "", true
	}
	return scope.Overlap(scopeA, scopeB)
}

// allowed are the patterns of a proposal: what it names, and its files, as a folder where it has all
// of that folder.
func (x *repoIndex) allowed(p *proposal, o Options) []string {
	var out []string
	add := func(pattern string) {
		if !slices.Contains(out, pattern) && usable(append(slices.Clip(out), pattern), o) {
			out = append(out, pattern)
		}
	}
	for _, pattern := range p.patterns {
		add(pattern)
	}
	files := slices.Concat(p.seeds, p.related, p.fresh, p.guessed)
	named, err := (Subtask{Allowed: out}).Scope(Options{})
	for _, f := range files {
		dir := path.Dir(f)
		switch {
		case err == nil && named.Check(f).Allowed:
		case x.isWhole(dir, files) && usable([]string{escape(dir) + "/**"}, o):
			add(escape(dir) + "/**")
		default:
			add(escape(f))
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, root := range o.Roots {
		if inside := path.Join(fixedFolder(root+"/"), fillIn); usable([]string{inside}, o) {
			return []string{inside}
		}
	}
	return []string{fillIn}
}

// fillIn stands where nothing was found. No file is there, and the analysis says so.
const fillIn = "fill-in/the-files/**"

// Unfilled are the numbers of the subtasks that still have what a draft puts where nothing was found in place of files.
func (p *Plan) Unfilled() (numbers []int) {
	for _, s := range p.Subtasks {
		unnamed := func(pattern string) bool { return strings.HasSuffix("/"+pattern, "/"+fillIn) }
		if slices.ContainsFunc(s.Allowed, unnamed) {
			numbers = append(numbers, s.Number)
		}
	}
	return numbers
}

// isWhole reports a folder that is not at the top and of which all files, two or more, are given.
func (x *repoIndex) isWhole(dir string, files []string) bool {
	all := x.folders[dir]
	return strings.Contains(dir, "/") && len(all) >= 2 && len(all) <= x.scopeRoom() &&
		!slices.ContainsFunc(all, func(f string) bool { return !slices.Contains(files, f) })
}

// usable reports patterns that a plan file can hold, that make a scope together, and of which the
// last allows something.
func usable(patterns []string, o Options) bool {
	last := patterns[len(patterns)-1]
	// without control characters, so that what has any comes back as another
	l := line{no: 1, text: joinList([]string{last})}
	if items := (&field{lines: []line{l}}).items(); len(items) != 1 || items[0].text != last {
		return false
	}
	if _, err := (Subtask{Allowed: patterns}).Scope(o); err != nil {
		return false
	}
	sc, err := (Subtask{Allowed: []string{last}}).Scope(o)
	return err == nil && !slices.ContainsFunc(sc.Warnings(), func(w scope.Warning) bool {
		return w.Kind == scope.WhollyForbidden
	})
}

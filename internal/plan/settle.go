package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"delegate/scope"
)

// join makes one claim of wishes about the same files, and of tests that belong to the wish before them.
func (a *atlas) join(claims []*claim) (all []*claim, notes []string) {
	for _, c := range claims {
		at := slices.IndexFunc(all, func(o *claim) bool { return c.task == "" && o.task == "" && sameWork(o, c) })
		if last := len(all) - 1; at < 0 && last >= 0 && c.work == tests && c.task == "" && all[last].work == code &&
			(c.follows || c.lost()) {
			at = last
		}
		if at < 0 {
			all = append(all, c)
			continue
		}
		o := all[at]
		notes = append(notes, fmt.Sprintf("%q is part of %q: both are about the same files.", c.name, o.name))
		o.text += "\n" + c.text
		for _, s := range c.seeds {
			if !slices.Contains(o.seeds, s) {
				o.seeds = append(o.seeds, s)
			}
			o.named[s] = o.named[s] || c.named[s]
		}
		for _, line := range c.why {
			if !slices.Contains(o.why, line) {
				o.why = append(o.why, line)
			}
		}
		o.fresh = append(o.fresh, slices.DeleteFunc(c.fresh, func(f string) bool {
			return slices.Contains(o.fresh, f)
		})...)
	}
	return all, notes
}

// sameWork reports two wishes for code that share more than half of the files that they are about.
func sameWork(o, c *claim) bool {
	if o.work != code || c.work != code || len(o.seeds) == 0 || len(c.seeds) == 0 ||
		len(o.patterns)+len(c.patterns) > 0 {
		return false
	}
	shared := 0
	for _, s := range c.seeds {
		if slices.Contains(o.seeds, s) {
			shared++
		}
	}
	return 2*shared > min(len(o.seeds), len(c.seeds)) && 2*shared >= max(len(o.seeds), len(c.seeds))
}

// follow lets a claim whose words refer back come after the one before, and look where that one
// does if it found nothing itself.
func (a *atlas) follow(claims []*claim) {
	for i, c := range claims {
		if i == 0 || !c.follows && c.work != docs && c.work != tests {
			continue
		}
		before := claims[i-1]
		for j := i - 1; j > 0 && before.work != code; j-- {
			before = claims[j-1]
		}
		if c.lost() && c.work == code && c.follows {
			c.seeds, c.patterns = slices.Clone(before.seeds), slices.Clone(before.patterns)
			for _, s := range c.seeds {
				c.note("%s: what %q is about", s, before.name)
			}
		}
		if c.follows || c.general && before.work == code {
			c.after(slices.Index(claims, before), i, fmt.Sprintf("its words build on %q", before.name))
		}
	}
}

// after makes a claim depend on an earlier one.
func (c *claim) after(other, own int, why string) {
	if other >= own || other < 0 || slices.Contains(c.deps, other) {
		return
	}
	c.deps = append(c.deps, other)
	c.because = append(c.because, why)
}

// share gives each file to one claim. What two claims are about stays with both, and the later one waits.
func (a *atlas) share(claims []*claim) {
	core := make([]map[string]bool, len(claims))
	for i, c := range claims {
		core[i] = map[string]bool{}
		bare := claim{seeds: c.seeds, patterns: c.patterns}
		for _, f := range slices.Concat(a.filesOf(&bare), c.fresh) {
			core[i][f] = true
		}
	}
	taken := map[string]int{}
	for i, c := range claims {
		for _, f := range c.wider {
			if _, known := taken[f]; !known {
				taken[f] = i
			}
		}
		c.wider = slices.DeleteFunc(c.wider, func(f string) bool {
			others := slices.ContainsFunc(core, func(set map[string]bool) bool { return set[f] })
			return others || taken[f] != i
		})
	}
}

// settle turns claims into subtasks whose scopes can meet only where one comes after the other.
func (a *atlas) settle(claims []*claim, o Options) []Subtask {
	subtasks := make([]Subtask, len(claims))
	for i, c := range claims {
		subtasks[i] = Subtask{Number: i + 1, Allowed: a.allowed(c, o)}
	}
	for i := range subtasks {
		for j := range i {
			a.separate(subtasks, claims, [2]int{j, i}, o)
		}
	}
	for i, c := range claims {
		for _, d := range c.deps {
			subtasks[i].Dependencies = append(subtasks[i].Dependencies, d+1)
		}
		slices.Sort(subtasks[i].Dependencies)
		subtasks[i].Dependencies = slices.Compact(subtasks[i].Dependencies)
	}
	return subtasks
}

// separate keeps the scopes of two subtasks apart: files that the one names are forbidden to the other's folder,
// and if that does not do, the later one waits.
func (a *atlas) separate(subtasks []Subtask, claims []*claim, pair [2]int, o Options) {
	first, second := pair[0], pair[1]
	if slices.Contains(claims[second].deps, first) {
		return
	}
	for _, way := range [][2]int{{first, second}, {second, first}} {
		witness, meet := overlap(subtasks[first], subtasks[second], o)
		if !meet {
			return
		}
		wide, narrow := &subtasks[way[0]], subtasks[way[1]]
		if !slices.Contains(claims[way[0]].seeds, witness) && !slices.ContainsFunc(narrow.Allowed, isGlob) {
			kept := wide.Forbidden
			for _, f := range narrow.Allowed {
				if sc, err := wide.Scope(o); err == nil && sc.Check(unescape(f)).Allowed {
					wide.Forbidden = append(slices.Clip(wide.Forbidden), f)
				}
			}
			if _, err := wide.Scope(o); err != nil {
				wide.Forbidden = kept
			}
		}
	}
	if witness, meet := overlap(subtasks[first], subtasks[second], o); meet {
		claims[second].after(first, second, fmt.Sprintf("both may write %q", witness))
	}
}

func overlap(x, y Subtask, o Options) (string, bool) {
	a, errA := x.Scope(o)
	b, errB := y.Scope(o)
	if errA != nil || errB != nil {
		return "", true
	}
	return scope.Overlap(a, b)
}

func isGlob(pattern string) bool {
	return strings.ContainsAny(unescapedMarks(pattern), "*?[{") || strings.HasSuffix(pattern, "/")
}

// unescapedMarks is the pattern without what a backslash protects.
func unescapedMarks(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' {
			i++
			continue
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// unescape is the path that an escaped one stands for.
func unescape(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// allowed are the patterns of a claim: what it names, and its files, as a folder where it has all of that folder.
func (a *atlas) allowed(c *claim, o Options) []string {
	var out []string
	add := func(pattern string) {
		if !slices.Contains(out, pattern) && usable(append(slices.Clip(out), pattern), o) {
			out = append(out, pattern)
		}
	}
	for _, p := range c.patterns {
		add(p)
	}
	set := map[string]bool{}
	for _, f := range slices.Concat(c.seeds, c.wider, c.fresh, c.guessed) {
		set[f] = true
	}
	named, err := (Subtask{Allowed: out}).Scope(Options{})
	for _, f := range slices.Concat(c.seeds, c.wider, c.fresh, c.guessed) {
		if err == nil && named.Check(f).Allowed {
			continue
		}
		if dir := a.wholeFolder(f, set); dir != "" && usable([]string{escape(dir) + "/**"}, o) {
			add(escape(dir) + "/**")
			continue
		}
		add(escape(f))
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

// wholeFolder is the folder of a file if it is not at the top and all of it, two files or more, is in the set.
func (a *atlas) wholeFolder(name string, set map[string]bool) string {
	dir := path.Dir(name)
	if !strings.Contains(dir, "/") || len(a.folders[dir]) < 2 || len(a.folders[dir]) > a.roomOf() {
		return ""
	}
	if slices.ContainsFunc(a.folders[dir], func(f string) bool { return !set[f] }) {
		return ""
	}
	return dir
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

package plan

import (
	"cmp"
	"delegate/internal/lazyregexp"
	"delegate/internal/ui"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"delegate/scope"
)

// proposal is a subtask in the making: a goal, and what of the repository it is about.
type proposal struct {
	goal
	seeds    []string        // existing files that its words lead to, the surest first
	named    map[string]bool // those of them that the text names
	spoken   []string        // the plain words of the text, sorted
	within   string          // a folder that the text speaks of, too large for a scope: words are looked up in there
	patterns []string        // globs and folders that it names
	fresh    []string        // files that it names and that do not exist
	guessed  []string        // tests that do not exist, where they would stand
	related  []string        // files that belong to the seeds
	notes    []string        // lines about what was found
	general  bool            // a document was taken that is about everything
	deps     []dependency    // proposals that come before
}

// dependency is the place of an earlier proposal, and why it comes before.
type dependency struct {
	on  int
	why string
}

// lost reports a proposal of which nothing was found.
func (p *proposal) lost() bool { return len(p.seeds)+len(p.patterns)+len(p.fresh) == 0 }

func (p *proposal) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

func (p *proposal) addSeed(name, why string) {
	if !slices.Contains(p.seeds, name) {
		p.seeds = append(p.seeds, name)
		p.note("%s: %s", name, why)
	}
}

const (
	maxSeeds = 8
	// maxDefiners is how many files may define a symbol for it to lead to them.
	maxDefiners = 3
)

// addRelated adds the files that belong to the seeds: their tests, what only they use, and what
// history changes with them.
func (x *repoIndex) addRelated(p *proposal) {
	if p.kind != code && p.kind != research {
		return
	}
	x.addCallers(p)
	for _, s := range p.seeds {
		for _, t := range x.tests.of(s) {
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
		if p.kind == code && (p.named[s] || len(p.seeds) == 1) && !x.tests.all[s] && len(x.tests.of(s)) == 0 &&
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

// byPath takes a token for a path or a glob; false if it is none.
func (x *repoIndex) byPath(p *proposal, t token) bool {
	name := strings.TrimPrefix(t.text, "./")
	if strings.ContainsAny(name, "*?[{") && !x.files[name] {
		return strings.Contains(name, "/") && x.byGlob(p, name)
	}
	whole := strings.TrimSuffix(name, "/")
	if _, err := scope.CleanPath(whole); err != nil {
		return false
	}
	if x.files[whole] {
		p.addSeed(whole, "named in the task")
		return true
	}
	slashed := strings.Contains(name, "/") || t.quoted
	if x.folders[whole] != nil && (slashed || strings.ContainsAny(whole, "._-")) {
		x.addFolder(p, whole)
		return true
	}
	if !slashed && path.Ext(whole) == "" {
		return false
	}
	var found, folders []string
	for _, f := range x.Files {
		if strings.HasSuffix(f, "/"+whole) {
			found = append(found, f)
		}
	}
	if len(found) > 0 && len(found) <= maxDefiners {
		for _, f := range found {
			p.addSeed(f, fmt.Sprintf("%q in the task", whole))
		}
		return true
	}
	for dir := range x.folders {
		if strings.HasSuffix(dir, "/"+whole) {
			folders = append(folders, dir)
		}
	}
	if len(folders) == 1 && strings.Contains(name, "/") {
		x.addFolder(p, folders[0])
		return true
	}
	return len(found) == 0 && x.addNewFile(p, whole)
}

// byModule takes a name with dots, such as shop.cart, for the one file that some languages import so.
func (x *repoIndex) byModule(p *proposal, t token) bool {
	whole := "/" + strings.ReplaceAll(t.text, ".", "/")
	if strings.Count(whole, "/") < 2 || strings.Contains(whole, "//") {
		return false
	}
	var found []string
	for _, f := range x.Files {
		if strings.HasSuffix("/"+strings.TrimSuffix(f, path.Ext(f)), whole) && !isDoc(f) {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		return false
	}
	p.addSeed(found[0], fmt.Sprintf("%q in the task", t.text))
	return true
}

func (x *repoIndex) byGlob(p *proposal, name string) bool {
	sc, err := scope.New(scope.Config{Allowed: []string{name}})
	if err != nil {
		return false
	}
	n := len(sc.Select(x.Files))
	if n == 0 && x.folders[fixedFolder(name)] == nil {
		return false
	}
	p.patterns = append(p.patterns, name)
	p.note("%s: named in the task, %s today", name, ui.Plural(n, "file"))
	return true
}

func (x *repoIndex) addFolder(p *proposal, dir string) {
	if pattern := escape(dir) + "/**"; !slices.Contains(p.patterns, pattern) {
		p.patterns = append(p.patterns, pattern)
		p.note("%s/: the task says so, %s today", dir, ui.Plural(len(x.folders[dir]), "file"))
	}
}

func (x *repoIndex) addLargeFolder(p *proposal, dir string) {
	x.addFolder(p, dir)
	p.note("%s/ is larger than a scope should be; name the files that are meant", dir)
}

// addNewFile takes a name for that of a file to make, if files of the repository end like it or a
// folder for it exists.
func (x *repoIndex) addNewFile(p *proposal, name string) bool {
	ext := path.Ext(name)
	if ext == "" || stem(name) == "" || unicode.IsDigit(rune(ext[min(1, len(ext)-1)])) {
		return false
	}
	known := slices.ContainsFunc(x.Files, func(f string) bool { return path.Ext(f) == ext })
	proper := unicode.IsUpper(rune(name[0])) && ext == ".js" && !strings.Contains(name, "/") // Node.js and its like
	if !known && x.folders[path.Dir(name)] == nil || proper || slices.Contains(p.fresh, name) {
		return false
	}
	p.fresh = append(p.fresh, name)
	p.note("%s: named in the task, does not exist yet", name)
	return true
}

var symbolForm = lazyregexp.New(`^[\pL_$][\pL\pN_$]*(?:(?:\.|::|#|->)[\pL_$][\pL\pN_$]*)*(?:\(.*\))?$`)

// bySymbol takes names of code for the files that define them: those in backticks, with a call's
// brackets, with capitals inside, or with underscores.
func (x *repoIndex) bySymbol(p *proposal, t token) {
	plain, _, called := strings.Cut(t.text, "(")
	hasCapitals := strings.IndexFunc(strings.TrimLeftFunc(plain, unicode.IsUpper), unicode.IsUpper) > 0
	if !symbolForm.MatchString(t.text) || !t.quoted && !called && !hasCapitals &&
		!strings.Contains(strings.Trim(plain, "_"), "_") && !strings.ContainsAny(plain, ".#") &&
		!strings.Contains(plain, "::") {
		return
	}
	parts := strings.FieldsFunc(plain, func(r rune) bool { return strings.ContainsRune(".:#->", r) })
	last := parts[len(parts)-1]
	all := slices.DeleteFunc(slices.Clone(x.symbols[last]), func(s Symbol) bool { return x.tests.all[s.Path] })
	if len(parts) > 1 {
		outer := parts[len(parts)-2]
		closer := slices.DeleteFunc(slices.Clone(all), func(s Symbol) bool {
			return !strings.HasSuffix(s.Name, outer+"."+last) && stem(s.Path) != outer &&
				path.Base(path.Dir(s.Path)) != outer
		})
		if len(closer) > 0 {
			all = closer
		}
	}
	definers := map[string]bool{}
	for _, s := range all {
		definers[s.Path] = true
	}
	switch {
	case len(definers) <= maxDefiners:
		for _, s := range all {
			p.addSeed(s.Path, fmt.Sprintf("defines %s on line %d, named in the task", s.Name, s.Line))
		}
	case t.quoted:
		p.note("`%s` is defined in %d files; name the one that is meant", plain, len(definers))
	}
}

// onlyDocs keeps documents, and falls back on those that are about everything.
func (x *repoIndex) onlyDocs(p *proposal) {
	sources := p.seeds
	p.seeds, p.notes = nil, nil
	for _, name := range sources {
		if isDoc(name) {
			p.addSeed(name, "a document that its words lead to")
		}
	}
	general := func(about, stems string) {
		for _, name := range x.Files {
			if !strings.Contains(name, "/") && isWordOf(stems, strings.ToLower(stem(name))) {
				p.general = true
				p.addSeed(name, about)
			}
		}
	}
	if slices.Contains(p.spoken, "changelog") || slices.Contains(p.spoken, "changes") {
		general("what changed, by version", "changelog changes history news")
	}
	if p.lost() {
		general("the front page of the repository", "readme")
	}
}

// onlyTests takes the tests of the files that were found, or a name for one where there is none.
func (x *repoIndex) onlyTests(p *proposal) {
	sources := p.seeds
	p.seeds = nil
	for _, name := range sources {
		if x.tests.all[name] {
			p.addSeed(name, "a test")
			continue
		}
		found := x.tests.of(name)
		for _, t := range found {
			p.addSeed(t, "tests "+name)
		}
		if len(found) == 0 {
			p.fresh = x.addNewTest(p, p.fresh, name)
		}
	}
}

// addNewTest appends where a test of the source file would stand.
func (x *repoIndex) addNewTest(p *proposal, list []string, source string) []string {
	made := x.newTestFor(source)
	if made == "" || slices.Contains(slices.Concat(p.fresh, p.guessed), made) {
		return list
	}
	p.note("%s: %s has no test yet, and tests of this repository are named so", made, source)
	return append(list, made)
}

// special are the characters that a glob gives a meaning to, and a comma, which separates a list.
var special = lazyregexp.New(`[\\*?\[\]{},!]`)

// escape makes a path a glob that matches it alone.
func escape(name string) string { return special.ReplaceAllString(name, `\${0}`) }

package plan

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"delegate/scope"
)

// claim is what a wish is about in the repository.
type claim struct {
	wish
	seeds  []string        // existing files that its words lead to, the surest first
	named  map[string]bool // those of them that the text names
	spoken []string        // the plain words of the text
	// a folder that the text speaks of and that is too large for a scope: its words are looked up in there
	under    string
	patterns []string // globs and folders that it names
	fresh    []string // files that it names and that do not exist
	guessed  []string // tests that do not exist, where they would stand
	wider    []string // files that belong to the seeds
	why      []string // lines about what was found
	general  bool     // a document was taken that is about everything
	deps     []int    // places of the claims that come before
	because  []string // why they do
}

// lost reports a claim of which nothing was found.
func (c *claim) lost() bool { return len(c.seeds)+len(c.patterns)+len(c.fresh) == 0 }

func (c *claim) note(format string, args ...any) { c.why = append(c.why, fmt.Sprintf(format, args...)) }

func (c *claim) seed(name string, words string) {
	if !slices.Contains(c.seeds, name) {
		c.seeds = append(c.seeds, name)
		c.note("%s: %s", name, words)
	}
}

const (
	mostSeeds = 8
	mostHomes = 3 // files that may define a symbol for it to lead to them
	// files in which a word may stand and still say something; a quarter of those that fit if that is less
	mostMatches = 40
)

// search finds what the text of a wish is about: what it names, or else where its words stand.
func (a *atlas) search(w wish) *claim {
	c := &claim{wish: w, named: map[string]bool{}, spoken: plainWords(w.text)}
	slices.Sort(c.spoken)
	c.spoken = slices.Compact(c.spoken)
	for _, token := range tokens(w.text) {
		a.lookUp(c, token)
	}
	a.byPhrase(c)
	for _, s := range c.seeds {
		c.named[s] = true
	}
	if c.lost() || len(c.seeds)+len(c.patterns) == 0 && w.work != code && w.work != research {
		a.byWords(c)
	}
	if c.lost() && c.under != "" {
		a.byLargeFolder(c, c.under)
	}
	switch w.work {
	case docs:
		a.onlyDocs(c)
	case tests:
		a.onlyTests(c)
	}
	if len(c.seeds) > mostSeeds {
		c.note("%d further files fit as well; add those that are needed", len(c.seeds)-mostSeeds)
		c.seeds = c.seeds[:mostSeeds]
	}
	return c
}

// token is a word of a text that may name something.
type token struct {
	text   string
	quoted bool // in backticks
}

func tokens(text string) []token {
	var all []token
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			all = append(all, token{strings.TrimSpace(part), true})
			continue
		}
		for word := range strings.FieldsSeq(part) {
			word = strings.Trim(word, `,;:!"'<>“”„‘’`)
			word = strings.TrimRight(word, ".?")
			if strings.HasPrefix(word, "(") || !strings.Contains(word, "(") {
				word = strings.Trim(word, "()")
			}
			if word != "" {
				all = append(all, token{word, false})
			}
		}
	}
	return all
}

func (a *atlas) lookUp(c *claim, t token) {
	switch {
	case t.text == "" || strings.Contains(t.text, "://") || strings.ContainsAny(t.text, " \t\n\\"):
	case a.byPath(c, t), a.byModule(c, t):
	case looksLikeSymbol(t):
		a.bySymbol(c, t)
	}
}

// byPath takes a token for a path or a glob; false if it is none.
func (a *atlas) byPath(c *claim, t token) bool {
	name := strings.TrimPrefix(t.text, "./")
	if strings.ContainsAny(name, "*?[{") && !a.files[name] {
		return strings.Contains(name, "/") && a.byGlob(c, name)
	}
	whole := strings.TrimSuffix(name, "/")
	if _, err := scope.CleanPath(whole); err != nil {
		return false
	}
	if a.files[whole] {
		c.seed(whole, "named in the task")
		return true
	}
	slashed := strings.Contains(name, "/") || t.quoted
	if _, there := a.folders[whole]; there && (slashed || strings.ContainsAny(whole, "._-")) {
		a.byFolder(c, whole)
		return true
	}
	if !slashed && path.Ext(whole) == "" {
		return false
	}
	ends := func(p string) bool { return strings.HasSuffix(p, "/"+whole) }
	var found []string
	for _, f := range a.Files {
		if ends(f) {
			found = append(found, f)
		}
	}
	if len(found) > 0 && len(found) <= mostHomes {
		for _, f := range found {
			c.seed(f, fmt.Sprintf("%q in the task", whole))
		}
		return true
	}
	var folders []string
	for dir := range a.folders {
		if ends(dir) {
			folders = append(folders, dir)
		}
	}
	if len(folders) == 1 && strings.Contains(name, "/") {
		a.byFolder(c, folders[0])
		return true
	}
	return len(found) == 0 && a.newFile(c, whole)
}

// byModule takes a name with dots, such as shop.cart, for the one file that some languages import so.
func (a *atlas) byModule(c *claim, t token) bool {
	whole := "/" + strings.ReplaceAll(t.text, ".", "/")
	if strings.Count(whole, "/") < 2 || strings.Contains(whole, "//") {
		return false
	}
	found := ""
	for _, f := range a.Files {
		if !strings.HasSuffix("/"+strings.TrimSuffix(f, path.Ext(f)), whole) || isDoc(f) {
			continue
		}
		if found != "" {
			return false
		}
		found = f
	}
	if found != "" {
		c.seed(found, fmt.Sprintf("%q in the task", t.text))
	}
	return found != ""
}

func (a *atlas) byGlob(c *claim, name string) bool {
	sc, err := scope.New(scope.Config{Allowed: []string{name}})
	if err != nil {
		return false
	}
	if n := len(sc.Select(a.Files)); n > 0 || a.folders[fixedFolder(name)] != nil {
		c.patterns = append(c.patterns, name)
		c.note("%s: named in the task, %d files today", name, n)
		return true
	}
	return false
}

func (a *atlas) byFolder(c *claim, dir string) {
	if pattern := escape(dir) + "/**"; !slices.Contains(c.patterns, pattern) {
		c.patterns = append(c.patterns, pattern)
		c.note("%s/: the task says so, %d files today", dir, len(a.folders[dir]))
	}
}

// newFile takes a name for that of a file to make, if files of the repository end like it or a folder for it exists.
func (a *atlas) newFile(c *claim, name string) bool {
	ext := path.Ext(name)
	if ext == "" || stem(name) == "" || unicode.IsDigit(rune(ext[min(1, len(ext)-1)])) {
		return false
	}
	known := slices.ContainsFunc(a.Files, func(f string) bool { return path.Ext(f) == ext })
	_, there := a.folders[path.Dir(name)]
	proper := unicode.IsUpper(rune(name[0])) && ext == ".js" && !strings.Contains(name, "/") // Node.js and its like
	if !known && !there || proper || slices.Contains(c.fresh, name) {
		return false
	}
	c.fresh = append(c.fresh, name)
	c.note("%s: named in the task, does not exist yet", name)
	return true
}

func symbolForm() *regexp.Regexp {
	return regexp.MustCompile(`^[\pL_$][\pL\pN_$]*(?:(?:\.|::|#|->)[\pL_$][\pL\pN_$]*)*(?:\(.*\))?$`)
}

// looksLikeSymbol reports names of code: in backticks, with a call's brackets, with capitals
// inside, or with underscores.
func looksLikeSymbol(t token) bool {
	if !symbolForm().MatchString(t.text) {
		return false
	}
	plain, _, called := strings.Cut(t.text, "(")
	inner := strings.IndexFunc(strings.TrimLeftFunc(plain, unicode.IsUpper), unicode.IsUpper) > 0
	return t.quoted || called || inner || strings.Contains(strings.Trim(plain, "_"), "_") ||
		strings.ContainsAny(plain, ".#") || strings.Contains(plain, "::")
}

func (a *atlas) bySymbol(c *claim, t token) {
	plain, _, _ := strings.Cut(t.text, "(")
	parts := strings.FieldsFunc(plain, func(r rune) bool { return strings.ContainsRune(".:#->", r) })
	if len(parts) == 0 {
		return
	}
	last := parts[len(parts)-1]
	all := slices.Clone(a.symbols[last])
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
	all = slices.DeleteFunc(all, func(s Symbol) bool { return a.mates.tests[s.Path] })
	homes := map[string]Symbol{}
	for _, s := range all {
		if _, known := homes[s.Path]; !known {
			homes[s.Path] = s
		}
	}
	if len(homes) > mostHomes {
		if t.quoted {
			c.note("`%s` is defined in %d files; name the one that is meant", plain, len(homes))
		}
		return
	}
	for _, s := range all {
		if homes[s.Path] == s {
			c.seed(s.Path, fmt.Sprintf("defines %s on line %d, named in the task", s.Name, s.Line))
		}
	}
}

// isAside reports files in folders of tests and examples that nobody speaks of.
func isAside(name string, spoken []string) bool {
	for dir := range strings.SplitSeq(path.Dir(name), "/") {
		switch dir {
		case "test", "tests", "spec", "__tests__", "testdata", "fixtures", "example", "examples", "bench", "benchmarks":
			return !slices.Contains(spoken, dir)
		}
	}
	return false
}

// testFolders are names of folders in which the tests of other folders stand.
func testFolders() []string { return []string{"test", "tests", "spec", "__tests__"} }

// isDoc reports files for people to read.
func isDoc(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".mdx", ".rst", ".adoc", ".txt":
		return true
	}
	return false
}

// isData reports files that a word of a task does not mean, unless it names them.
func isData(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".json", ".yml", ".yaml", ".toml", ".lock", ".sum", ".mod", ".svg", ".png", ".jpg", ".gif", ".ico", ".css",
		".html", ".xml", ".csv", "":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// onlyDocs keeps documents, and falls back on those that are about everything.
func (a *atlas) onlyDocs(c *claim) {
	sources := c.seeds
	c.seeds, c.why = nil, nil
	for _, name := range sources {
		if isDoc(name) {
			c.seed(name, "a document that its words lead to")
		}
	}
	words := plainWords(c.text)
	general := func(about string, stems ...string) {
		for _, name := range a.Files {
			if !strings.Contains(name, "/") && slices.Contains(stems, strings.ToLower(stem(name))) {
				c.general = true
				c.seed(name, about)
			}
		}
	}
	if slices.Contains(words, "changelog") || slices.Contains(words, "changes") {
		general("what changed, by version", "changelog", "changes", "history", "news")
	}
	for _, name := range sources {
		for _, t := range a.partner[name] {
			if other := t.other(name); isDoc(other) && 2*t.Count >= t.Of && len(c.seeds) < 3 && !a.isHub(other) {
				c.seed(other, fmt.Sprintf("changed together with %s by %d of %d commits", name, t.Count, t.Of))
			}
		}
	}
	if c.lost() {
		general("the front page of the repository", "readme")
	}
}

func (t Together) other(name string) string {
	if t.A == name {
		return t.B
	}
	return t.A
}

// onlyTests takes the tests of the files that were found, or a name for one where there is none.
func (a *atlas) onlyTests(c *claim) {
	sources := c.seeds
	c.seeds = nil
	for _, name := range sources {
		if a.mates.tests[name] {
			c.seed(name, "a test")
			continue
		}
		mates := a.testsOf(name)
		for _, t := range mates {
			c.seed(t, "tests "+name)
		}
		if made := a.testFor(name); len(mates) == 0 && made != "" && !slices.Contains(c.fresh, made) {
			c.fresh = append(c.fresh, made)
			c.note("%s: %s has no test yet, and tests of this repository are named so", made, name)
		}
	}
}

// testsOf are the tests that are named after a source file, or else the two that use most of it.
func (a *atlas) testsOf(source string) []string {
	if all := a.mates.of(source); len(all) > 0 || a.mates.tests[source] {
		return all
	}
	uses := map[string]int{}
	for _, l := range a.needed[source] {
		if a.mates.tests[l.From] && !isAside(l.From, testFolders()) {
			uses[l.From]++
		}
	}
	all := slices.Collect(maps.Keys(uses))
	slices.SortFunc(all, func(x, y string) int { return cmp.Or(-cmp.Compare(uses[x], uses[y]), cmp.Compare(x, y)) })
	return all[:min(len(all), 2)]
}

// testFor is where a test of the source file would stand, by the example of the tests that there are; "" without one.
func (a *atlas) testFor(source string) string {
	if path.Ext(source) == ".go" {
		return strings.TrimSuffix(source, ".go") + "_test.go"
	}
	inDir := map[string]int{}
	for _, t := range a.Tests {
		inDir[path.Dir(t)]++
	}
	best, at := "", math.MinInt
	for _, t := range a.Tests {
		own := stem(t)
		named := testedStem(t)
		if named == own || path.Ext(t) != path.Ext(source) || isAside(t, testFolders()) {
			continue
		}
		if n := 1_000_000*common(path.Dir(t), path.Dir(source)) - 10_000*strings.Count(t, "/") +
			inDir[path.Dir(t)]; n > at {
			best, at = path.Join(path.Dir(t), strings.Replace(own, named, stem(source), 1)+path.Ext(source)), n
		}
	}
	if best == "" || a.files[best] {
		return ""
	}
	return best
}

// common is how many folders two paths have in common from the root.
func common(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// escape makes a path a glob that matches it alone.
func escape(name string) string {
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(`\*?[]{},!`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

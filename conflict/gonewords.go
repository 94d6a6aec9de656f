package conflict

import (
	"errors"
	"path"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict/code"
	"delegate/conflict/internal/plain"
)

// findGoneWords reports words that one side takes out everywhere and the other newly writes: a key of a configuration,
// an environment variable, a column, a target, a class of a style sheet, the path of a file. It found 14 of 168 and 10
// of 71 breaks.
func findGoneWords(p Pair) ([]Finding, error) {
	return p.EachDirection(func(c *Direction) ([]Finding, error) {
		g := goneWords{Direction: c, takes: c.pair.theirs, writes: c.pair.ours, reported: map[Place]bool{}}
		if c.first {
			g.takes, g.writes = g.writes, g.takes
		}
		err := g.look()
		return c.found, err
	})
}

// goneWords looks at one direction of a pair.
type goneWords struct {
	*Direction
	takes, writes    *layout
	removed, written []*plainFile
	fresh            []freshWord
	reported         map[Place]bool // lines of the user
}

// freshWord is a word that the user newly writes.
type freshWord struct {
	plain.Word
	file *plainFile
}

func (w freshWord) use() Use {
	return Use{code.Reference{Name: w.Text, Line: w.Line, Args: code.NoCall}, &changedFile{file: w.file.file}}
}

func (g *goneWords) look() (err error) {
	if g.removed, err = g.takes.plainFiles(); err != nil {
		return err
	}
	if g.written, err = g.writes.plainFiles(); err != nil {
		return err
	}
	for _, f := range g.written {
		words := f.freshWords()
		if len(words) == 0 || !g.pair.stays(f.file.Path) {
			continue
		}
		for _, w := range words {
			g.fresh = append(g.fresh, freshWord{w, f})
		}
	}
	if err := errors.Join(g.lostNames(), g.lostFields(), g.demandedColumns(), g.goneTexts()); err != nil ||
		len(g.fresh) == 0 {
		return err
	}
	g.lostColumns()
	g.gonePaths()
	g.goneNames()
	return g.goneKeys()
}

// freshWords are the words that the head has more often than the base, where it newly has them. Many pairs ask.
func (f *plainFile) freshWords() []plain.Word {
	if f.fresh != nil {
		return f.fresh
	}
	more := map[plain.Word]int{}
	for _, w := range f.old.Used {
		more[withoutLine(w)]--
	}
	for _, w := range f.new.Used {
		more[withoutLine(w)]++
	}
	f.fresh = []plain.Word{}
	for _, w := range f.new.Used {
		if more[withoutLine(w)] > 0 && f.isNew(w.Line) {
			f.fresh = append(f.fresh, w)
		}
	}
	return f.fresh
}

// withoutLine is the word without its line.
func withoutLine(w plain.Word) plain.Word {
	w.Line = 0
	return w
}

// gone is a name that the side no longer defines where it did.
type gone struct {
	plain.Word
	file *plainFile
}

// goneKeys reports names of the base that the side's head has nowhere any more.
func (g *goneWords) goneKeys() error {
	byWord := map[string][]freshWord{}
	for _, w := range g.fresh {
		byWord[w.Text] = append(byWord[w.Text], w)
	}
	var candidates []gone
	var words []string
	for _, f := range g.removed {
		for _, w := range f.old.Defined {
			if len(byWord[w.Text]) > 0 && !slices.Contains(words, w.Text) && !g.stillThere(w.Text) {
				candidates, words = append(candidates, gone{w, f}), append(words, w.Text)
			}
		}
	}
	if len(words) == 0 {
		return nil
	}
	there, err := g.takes.mentioned(words)
	if err != nil {
		return err
	}
	slices.SortStableFunc(candidates, func(a, b gone) int { return len(b.Text) - len(a.Text) })
	for _, w := range candidates {
		var uses []Use
		for _, u := range byWord[w.Text] {
			// A key is not told again without the path that leads to it.
			at := placeOfLine(u.file, u.Line)
			if !there[w.Text] && !g.reported[at] && w.meantBy(u) && !g.brings(w.Text, u) && !g.goesOnWithout(w, u) {
				uses, g.reported[at] = append(uses, u.use()), true
			}
		}
		if len(uses) > 0 {
			g.tellGone(w, uses)
		}
	}
	return nil
}

// stillThere reports whether a changed file of the side defines or mentions the word in its head.
func (g *goneWords) stillThere(word string) bool {
	same := func(w plain.Word) bool { return w.Text == word }
	return slices.ContainsFunc(g.removed, func(f *plainFile) bool {
		return slices.ContainsFunc(f.new.Defined, same) || slices.ContainsFunc(f.new.Used, same)
	})
}

// brings reports whether the user brings the word's own definition with the use. A key that its own file refers to as
// well is one.
func (g *goneWords) brings(word string, use freshWord) bool {
	if use.AsKey {
		return slices.ContainsFunc(use.file.new.Used, func(w plain.Word) bool {
			return w.Text == word && w.Whole && !w.AsKey && use.file.isNew(w.Line)
		})
	}
	return slices.ContainsFunc(g.written, func(f *plainFile) bool {
		return slices.ContainsFunc(f.new.Defined, func(w plain.Word) bool {
			return w.Text == word && w.AsKey && f.isNew(w.Line)
		})
	})
}

// goesOnWithout reports whether the user gives a value for where the variable is not set, and the side has put no other
// name in its place, by which somebody may set it.
func (g *goneWords) goesOnWithout(w gone, use freshWord) bool {
	return g.nowInPlace(w) == "" && slices.ContainsFunc(use.file.new.Used, func(o plain.Word) bool {
		return o.Defaulted && o.Text == use.Text && o.Line == use.Line
	})
}

// meantBy reports whether a word of the user can mean the name.
func (w gone) meantBy(u freshWord) bool {
	switch {
	case plain.OwnNames(w.file.file.BasePath()) && w.file.file.BasePath() != u.file.file.BasePath():
		return false
	case u.Member:
		return w.AsKey && w.Of == ""
	case u.AsKey:
		from, to := w.file.file.BasePath(), u.file.file.Path
		return variableName(w.Text) || !w.AsKey || path.Dir(from) == path.Dir(to) && path.Ext(from) == path.Ext(to) &&
			(from == to || plain.Layered(to))
	case u.Whole:
		return true
	}
	return plain.Distinctive(w.Text)
}

// variableName tells how variables of the environment are written.
func variableName(word string) bool {
	return len(word) > 3 && strings.ToUpper(word) == word && strings.Contains(word, "_")
}

// tellGone notes that a name is gone and newly written.
func (g *goneWords) tellGone(w gone, uses []Use) {
	at := Place{Agent: g.by.set.Name, Path: w.file.file.Path, Line: max(w.file.lineNow(w.Line), 1), Symbol: w.Text}
	what := quoted(w.Text)
	did, edit := "removes "+what, "Replace or remove "+what
	if now := g.nowInPlace(w); now != "" {
		did, edit = "renames "+what+" to "+quoted(now), "Write "+quoted(now)+" in place of "+what
	}
	g.tell(goneKey, at, uses, "did", did, "what", what, "edit", edit)
}

// nowInPlace is the name that stands now where the name stood, "" for none.
func (g *goneWords) nowInPlace(w gone) string {
	line := w.file.lineNow(w.Line)
	was := func(o plain.Word) bool {
		return slices.ContainsFunc(w.file.old.Defined, func(b plain.Word) bool { return b.Text == o.Text })
	}
	for _, now := range w.file.new.Defined {
		if now.Line == line && w.file.isNew(line) && now.AsKey == w.AsKey && !was(now) &&
			strings.Count(now.Text, ".") == strings.Count(w.Text, ".") {
			return now.Text
		}
	}
	return ""
}

// lostColumns reports tables and columns that a migration of the side takes away, and that a new query needs.
func (g *goneWords) lostColumns() {
	for _, f := range g.removed {
		for _, loss := range f.losses {
			var uses []Use
			for _, u := range g.fresh {
				if u.InQuery && !u.AsKey && strings.EqualFold(u.Text, loss.Name) && u.file.queries(loss.Table) {
					uses = append(uses, u.use())
				}
			}
			if len(uses) == 0 {
				continue
			}
			at := Place{Agent: g.by.set.Name, Path: f.file.Path, Line: loss.Line, Symbol: loss.Name}
			g.tell(goneColumn, at, uses, "what", quoted(loss.Name))
		}
	}
}

// queries reports whether a statement of the file has the table; "" is one that is not known.
func (f *plainFile) queries(table string) bool {
	return table == "" || slices.ContainsFunc(f.new.Used, func(w plain.Word) bool {
		return w.InQuery && strings.EqualFold(w.Text, table)
	})
}

// gonePaths reports files that the side removes or moves, and whose path the user newly writes.
func (g *goneWords) gonePaths() {
	for _, f := range g.by.set.Files {
		old := f.BasePath()
		if f.Kind != change.Deleted && f.Kind != change.Renamed || g.merged.tree != nil && g.merged.Has(old) {
			continue
		}
		var uses []Use
		dotted := moduleIn(old)
		for _, u := range g.fresh {
			if !u.AsKey && !u.Member && (g.pathMeans(u, old) || g.lastOfPattern(u.Text, old) ||
				dotted != "" && u.Whole && strings.HasPrefix(u.Text+".", dotted+".")) {
				uses, g.reported[placeOfLine(u.file, u.Line)] = append(uses, u.use()), true
			}
		}
		if len(uses) == 0 {
			continue
		}
		did, edit := removal(f, "Write")
		g.tell(gonePath, Place{Agent: g.by.set.Name, Path: f.Path}, uses, "did", did, "edit", edit)
	}
}

// pathMeans reports whether a path that the user writes is that of a file: from the top or from where it is written, or
// the end of it, if no other file's path ends so.
func (g *goneWords) pathMeans(u freshWord, old string) bool {
	if path.Ext(u.Text) == "" && !strings.Contains(u.Text, "/") {
		return false
	}
	if u.Text == old || path.Join(path.Dir(u.file.file.Path), u.Text) == old {
		return true
	}
	end := "/" + strings.TrimLeft(u.Text, "./")
	return strings.Contains(u.Text, "/") && strings.HasSuffix(old, end) && !g.merged.hasPathEnding(end)
}

// lastOfPattern reports whether a pattern or folder of files has the file and nothing else that is in the merged tree.
func (g *goneWords) lastOfPattern(pattern, old string) bool {
	folder := strings.HasSuffix(pattern, "/")
	if !folder && !strings.ContainsAny(pattern, "*?[") {
		return false
	}
	fits := func(name string) bool {
		if folder {
			return strings.HasPrefix(name, pattern)
		}
		fits, err := path.Match(pattern, name)
		return err == nil && fits
	}
	return fits(old) && g.merged.tree != nil && !g.merged.hasFile(fits)
}

// moduleIn is what strings call a file of a package of Python, "" for others.
func moduleIn(file string) string {
	whole, isPython := strings.CutSuffix(file, ".py")
	if !isPython || !strings.Contains(file, "/") {
		return ""
	}
	return strings.ReplaceAll(whole, "/", ".")
}

// goneNames reports definitions that the side takes away, and whose dotted name a new string of the user has: what a
// test replaces, what a configuration names as its handler.
func (g *goneWords) goneNames() {
	for _, e := range g.by.edits {
		if !e.gone() || e.Old.Container != "" && !e.Old.Callable() {
			continue
		}
		file := e.from.file.BasePath()
		dotted := strings.ReplaceAll(strings.TrimSuffix(file, path.Ext(file)), "/", ".") + "." + e.Old.Key()
		var uses []Use
		for _, u := range g.fresh {
			at := placeOfLine(u.file, u.Line)
			whole := u.Whole && !u.AsKey && !u.Member && strings.Contains(u.Text, ".")
			if whole && strings.HasSuffix("."+dotted, "."+u.Text) && u.Text != e.Old.Key() && !g.reported[at] {
				uses, g.reported[at] = append(uses, u.use()), true
			}
		}
		if len(uses) > 0 && !g.doneByBoth(e) && !g.stillDefined(e) {
			f := g.tell(goneDotted, g.placeOf(e), uses, "did", e.phrase())
			f.instruct(g.instruction(e, uses))
		}
	}
}

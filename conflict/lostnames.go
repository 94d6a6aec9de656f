package conflict

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/plain"
)

// lostNames reports names that one side takes from what had them, and by which the other newly refers to it: the stage
// of an image, a job, a target, a block. Other than for words, it is no matter where else the name stands.
func (g *goneWords) lostNames() error {
	refs := g.writes.freshNames()
	if len(refs) == 0 || g.merged.tree == nil {
		return nil
	}
	for _, f := range g.removed {
		for _, def := range f.old.Given {
			var uses []Use
			for _, r := range refs[def.Name] {
				if r.Means(def) && !g.reported[placeOfLine(r.file, r.Line)] && g.pair.stays(r.file.file.Path) {
					uses = append(uses, r.use())
				}
			}
			if len(uses) == 0 {
				continue
			}
			given, err := g.stillGiven(def, f)
			if err == nil && !given && def.Role == plain.Event { // perhaps by a way that is not read
				var there map[string]bool
				there, err = g.takes.mentioned([]string{def.Name})
				given = there[def.Name]
			}
			if err != nil {
				return err
			}
			if !given {
				g.tellName(def, f, uses)
			}
		}
	}
	return nil
}

// freshNames are what the head of the side refers to more often than the base, by its name. Many pairs ask, once
// plainFiles has read the side.
func (l *layout) freshNames() map[string][]freshName {
	if l.fresh != nil {
		return l.fresh
	}
	l.fresh = map[string][]freshName{}
	before := map[plain.Named]int{}
	for _, f := range l.plain {
		for _, n := range f.old.Referred {
			n.Line = 0
			before[n]++
		}
	}
	for _, f := range l.plain {
		for _, n := range f.new.Referred {
			key := n
			key.Line = 0
			if before[key]--; before[key] < 0 {
				l.fresh[n.Name] = append(l.fresh[n.Name], freshName{n, f})
			}
		}
	}
	return l.fresh
}

// freshName is a reference that the user newly writes.
type freshName struct {
	plain.Named
	file *plainFile
}

func (n freshName) use() Use {
	return Use{code.Reference{Name: spoken(n.Name), Line: n.Line, Args: code.NoCall}, &changedFile{file: n.file.file}}
}

// spoken is a name as people write it.
func spoken(name string) string { return strings.ReplaceAll(name, "\n", ".") }

// placeOfLine is the place of a line in the user's head, without a symbol.
func placeOfLine(f *plainFile, line int) Place { return Place{Path: f.file.Path, Line: line} }

// stillGiven reports whether the merged tree gives the name to something where the definition of the base did.
func (g *goneWords) stillGiven(def plain.Named, f *plainFile) (bool, error) {
	if f.file.NewMode != 0 && !g.merged.Has(f.file.Path) {
		return true, nil // the merge moved it
	}
	words := strings.FieldsFunc(def.Name, func(c rune) bool { return strings.ContainsRune(" .\n/#", c) })
	if def.Within == f.file.BasePath() {
		def.Within = f.file.Path
		data, err := g.takes.plainText(g.merged.tree, f.file.Path, f.file.NewMode)
		return g.merged.conflicted[f.file.Path] || gives(def, f.file.Path, string(data)), err
	}
	folder, found := cmp.Or(def.Within, "."), false
	err := g.takes.eachText(g.merged.tree, folder, func(name, text string) bool {
		found = (folder == "." || path.Dir(name) == folder) && plain.Alike(name, f.file.BasePath()) &&
			plain.Mentions(text, words[len(words)-1]) && (g.merged.conflicted[name] || gives(def, name, text))
		return !found
	})
	if errors.Is(err, errUnseen) || errors.Is(err, fs.ErrNotExist) {
		return errors.Is(err, errUnseen), nil
	}
	return found, err
}

// gives reports whether a file gives the name.
func gives(def plain.Named, name, text string) bool {
	return slices.ContainsFunc(plain.Read(name, []byte(text), nil).Given, func(n plain.Named) bool {
		return n.Means(def)
	})
}

// tellName notes that a name is gone and newly referred to.
func (g *goneWords) tellName(def plain.Named, file *plainFile, uses []Use) {
	for _, u := range uses {
		g.reported[Place{Path: u.Path(), Line: u.Ref.Line}] = true
	}
	name, short := quoted(spoken(def.Name)), quoted(def.Short())
	what := "the " + string(def.Role) + " " + name
	if def.Role == plain.Sibling || def.Role == plain.Block {
		what = name
	}
	edit := "Replace or remove " + short
	line := file.lineNow(def.Line)
	for _, now := range file.new.Given {
		if now.Line == line && now.Role == def.Role {
			edit = "Write " + quoted(now.Short()) + " in place of " + short
		}
	}
	at := Place{Agent: g.by.set.Name, Path: file.file.Path, Line: max(line, 1), Symbol: spoken(def.Name)}
	g.tell(goneName, at, uses, "what", what, "edit", edit)
}

// lostFields reports fields and procedures of a schema that one side removes everywhere, and that new code of the other
// has as a member, in a file that names the type.
func (g *goneWords) lostFields() error {
	for _, f := range g.removed {
		for _, w := range f.old.Defined {
			if w.Of == "" || g.stillThere(w.Text) {
				continue
			}
			uses, err := g.membersNamed(w)
			if err != nil {
				return err
			}
			if len(uses) == 0 {
				continue
			}
			there, err := g.takes.mentioned([]string{w.Text})
			if err != nil {
				return err
			}
			if !there[w.Text] {
				g.tellGone(gone{w, f}, uses)
			}
		}
	}
	return nil
}

// membersNamed are the first lines of new code in each file that have the field as a member.
func (g *goneWords) membersNamed(field plain.Word) (uses []Use, err error) {
	member := plain.Member(field.Text)
	for _, f := range g.written {
		if !plain.IsCode(f.file.Path) || !g.pair.stays(f.file.Path) {
			continue
		}
		data, err := g.writes.plainText(g.writes.set.HeadFS, f.file.Path, f.file.NewMode)
		if err != nil {
			return nil, err
		}
		if field.Of != plain.Procedure && !plain.Mentions(string(data), field.Of) {
			continue
		}
		for i, line := range strings.Split(string(data), "\n") {
			if at := placeOfLine(f, i+1); f.isNew(i+1) && !g.reported[at] && member.MatchString(line) {
				g.reported[at] = true
				uses = append(uses, freshWord{plain.Word{Text: field.Text, Line: i + 1}, f}.use())
				break
			}
		}
	}
	return uses, nil
}

package conflict

import (
	"slices"
	"strings"

	"delegate/internal/syntax"
)

// findAPIConflicts reports what one side does to a definition that the other's new code relies on,
// and what both sides define at once.
func findAPIConflicts(p Pair) ([]Finding, error) {
	return p.eachWay(func(c *clash) ([]Finding, error) {
		found := c.uses()
		found = append(found, c.missing()...)
		found = append(found, c.overrides()...)
		if c.first {
			found = append(found, c.duplicates()...)
		}
		orphans, err := c.orphans()
		return append(found, orphans...), err
	})
}

// eachWay looks at the pair from both sides.
func (p Pair) eachWay(look func(*clash) ([]Finding, error)) ([]Finding, error) {
	if p.Merge.Err != nil || p.A.BaseFS == nil || p.B.BaseFS == nil {
		return nil, nil
	}
	a, err := p.reader.side(p.A)
	if err != nil {
		return nil, err
	}
	b, err := p.reader.side(p.B)
	if err != nil {
		return nil, err
	}
	families := countFamilies(a, b)
	var found []Finding
	for _, c := range []*clash{{by: a, user: b, first: true}, {by: b, user: a}} {
		c.pair, c.merged, c.families = &p, p.merged, families
		some, err := look(c)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return found, nil
}

// countFamilies counts for each name in how many types and files the two sides know a definition of it.
func countFamilies(sides ...*side) map[string]int {
	seen := map[[3]string]bool{}
	count := map[string]int{}
	for _, s := range sides {
		for _, src := range s.sources {
			for _, f := range []*syntax.File{src.old, src.new} {
				if f == nil {
					continue
				}
				for _, d := range f.Definitions {
					key := [3]string{d.Name, d.Container, homeOf(src.language, src.file.Path, f.Package).name}
					if d.Kind != syntax.Local && !seen[key] {
						seen[key] = true
						count[d.Name]++
					}
				}
			}
		}
	}
	return count
}

// use is one reference of the user's new code.
type use struct {
	ref  syntax.Reference
	from *source
}

func (u use) place(who string) Place {
	return Place{Agent: who, Path: u.from.file.Path, Line: u.ref.Line, Symbol: strings.TrimPrefix(u.ref.Qualifier+"."+u.ref.Name, ".")}
}

// uses reports the edits that break what the user's new code refers to.
func (c *clash) uses() []Finding {
	hits := map[int][]use{}
	weak := map[int]bool{}
	c.eachUse(func(u use) {
		for _, i := range c.by.byName[u.ref.Name] {
			e := c.by.edits[i]
			if e.what == introduced || e.what == rewritten || c.doneByBoth(e) || !c.breaks(e, u) {
				continue
			}
			sure := c.means(u.ref, u.from, classOf(e))
			if sure == none || sure == nameOnly && !c.checkable(u) || !c.stillSo(e, u) {
				continue
			}
			weak[i] = (weak[i] || len(hits[i]) == 0) && sure < likely
			hits[i] = append(hits[i], u)
		}
	})
	var found []Finding
	for i, e := range c.by.edits {
		if len(hits[i]) > 0 {
			f := c.finding(APIConflict, e, hits[i])
			f.weak = weak[i]
			f.Message = c.by.set.Name + " " + e.phrase() + ", and new code of " + c.user.set.Name + " " + verb(hits[i][0].ref.Use) + " it."
			found = append(found, f)
		}
	}
	return found
}

// eachUse shows every new reference of the user, and the fields that a value is written out with as references of their own.
func (c *clash) eachUse(see func(use)) {
	for _, src := range c.user.sources {
		for _, r := range src.refs {
			see(use{r, src})
			if r.Use != syntax.Construct || src.language == syntax.Go {
				continue
			}
			for _, name := range r.Named {
				field := syntax.Reference{Name: name, Type: strings.TrimPrefix(r.Qualifier+"."+r.Name, "."), Use: syntax.Read, Args: syntax.NoCall, In: r.In, Line: r.Line}
				see(use{field, src})
			}
		}
	}
}

// checkable reports whether a type checker of this program's own can tell about a use by name only.
func (c *clash) checkable(u use) bool { return u.from.language == syntax.Go }

// breaks reports whether the use, if it means the edited definition, is hurt by the edit.
func (c *clash) breaks(e edit, u use) bool {
	left := overloads(e)
	call := u.ref.Use == syntax.Call && e.old.Callable()
	switch e.what {
	case taken, renamed, moved:
		if e.from.new == nil && c.newlyImports(u.from, e) {
			return false // told as an import of what is gone
		}
		return len(left) == 0 || call && fits(u.ref, e.old.Params) && !fitsAny(u.ref, left)
	case reshaped:
		if !call {
			return typed(u.from.language) && u.ref.Use == syntax.Read
		}
		if !fitsAny(u.ref, left) {
			return fits(u.ref, e.old.Params)
		}
		return len(left) == 1 && otherwise(u.from.language, e.old.Params, e.new.Params) && u.ref.Args > 0
	case returns, retyped:
		return typed(u.from.language)
	case hidden:
		return e.new.Visibility == syntax.Private && u.from.file.BasePath() != e.from.file.BasePath() ||
			e.new.Visibility == syntax.Restricted && homeOf(u.from.language, u.from.file.Path, u.from.new.Package) != e.home()
	}
	return true
}

// overloads are the definitions that go by the old name in the same file afterwards.
func overloads(e edit) []syntax.Definition {
	at := e.to
	if e.what == taken {
		at = e.from
	}
	var all []syntax.Definition
	if at == nil || at.new == nil || e.what == moved {
		return nil
	}
	for _, d := range at.new.Definitions {
		if d.Key() == e.old.Key() && d.Callable() {
			all = append(all, d)
		}
	}
	return all
}

func fitsAny(r syntax.Reference, all []syntax.Definition) bool {
	return slices.ContainsFunc(all, func(d syntax.Definition) bool { return fits(r, d.Params) })
}

// newlyImports reports whether the user's source has a new import of the file in which the definition was.
func (c *clash) newlyImports(from *source, e edit) bool {
	t := c.targetOf(e)
	return slices.ContainsFunc(from.fresh, func(i syntax.Import) bool {
		_, ok := reaches(i, from.file.Path, t)
		return ok
	})
}

// stillSo looks whether the merged tree has the use and lacks what it needs.
func (c *clash) stillSo(e edit, u use) bool {
	if !c.merged.stillUsed(u.ref, u.from.file.Path) {
		return false
	}
	if !e.gone() {
		return true
	}
	if c.broughtBack(e) {
		return false
	}
	return len(overloads(e)) > 0 || !c.merged.defines(e.old.Key(), e.home(), e.from.file.BasePath())
}

// doneByBoth reports whether the user's side does the same to the definition, so that its code knows of it.
func (c *clash) doneByBoth(e edit) bool {
	for _, i := range c.user.byName[e.subject().Name] {
		o := c.user.edits[i]
		if o.what == introduced || o.old.Key() != e.old.Key() || o.from.file.BasePath() != e.from.file.BasePath() {
			continue
		}
		same := sameParams(o.new.Params, e.new.Params) && o.new.Result == e.new.Result && o.new.Type == e.new.Type && o.new.Visibility == e.new.Visibility
		if o.gone() && e.gone() || o.what == e.what && same {
			return true
		}
	}
	return false
}

// broughtBack reports whether the user's side itself defines what the other took away.
func (c *clash) broughtBack(e edit) bool {
	for _, i := range c.user.byName[e.old.Name] {
		if o := c.user.edits[i]; o.what == introduced && o.new.Key() == e.old.Key() && o.home() == e.home() {
			return true
		}
	}
	return false
}

// classOf turns the edit of a constructor into one of its class, by whose name it is called.
func classOf(e edit) edit {
	if !isConstructor(e.subject()) {
		return e
	}
	for _, d := range []*syntax.Definition{&e.old, &e.new} {
		d.Name, d.Container, d.Kind = lastOf(d.Container), containerOf(d.Container), syntax.Class
	}
	return e
}

func isConstructor(d syntax.Definition) bool {
	if d.Kind != syntax.Method || d.Container == "" {
		return false
	}
	switch d.Name {
	case "__init__", "constructor", "__construct", lastOf(d.Container):
		return true
	}
	return false
}

// finding fills in what every finding about a definition has in common.
func (c *clash) finding(t Type, e edit, uses []use) Finding {
	f := Finding{
		Type: t, Severity: Warning, Certainty: Suspected,
		Agents: []string{c.pair.A.Name, c.pair.B.Name},
		Places: []Place{e.place(c.by.set.Name)},
		Advice: c.pair.adviceToOrder(),
	}
	for _, u := range uses {
		f.Places = append(f.Places, u.place(c.user.set.Name))
	}
	return f
}

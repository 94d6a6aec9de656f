package conflict

import (
	"iter"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Direction is one direction in which an analyzer compares a pair: the definitions that one side, By, changed, with the
// new references of the other side, User. Pair.EachDirection gives both directions.
type Direction struct {
	pair   *Pair
	first  bool     // of the two directions: looks at what has none
	by     *changes // did something
	user   *changes // refers to it
	merged *merged
	found  []Finding
	err    error // why a finder could not tell
}

// finders look at each direction of a pair, or once at what has no direction.
type finders struct{ each, once []func(*Direction) }

func (f finders) run(p Pair) ([]Finding, error) {
	return p.EachDirection(func(c *Direction) ([]Finding, error) {
		all := f.each
		if c.first {
			all = slices.Concat(all, f.once)
		}
		for _, find := range all {
			find(c)
		}
		return c.found, c.err
	})
}

// EachDirection calls look for both directions of the pair and returns all findings. It works only in a call of
// Analyzer.Run by Run or Each. The error is the first of look, or one of reading a file. Without a merge (Merge.Err) or
// a tree of a base, there are no findings.
func (p Pair) EachDirection(look func(*Direction) ([]Finding, error)) ([]Finding, error) {
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
	var found []Finding
	for _, c := range []*Direction{{by: a, user: b, first: true}, {by: b, user: a}} {
		c.pair, c.merged = &p, p.merged
		some, err := look(c)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return found, nil
}

// By returns the side whose edits the direction is about.
func (c *Direction) By() change.Set { return c.by.set }

// User returns the side whose new code can break because of those edits.
func (c *Direction) User() change.Set { return c.user.set }

// Edits returns the changes of definitions in source files by the side By, in the order of its files.
func (c *Direction) Edits() iter.Seq[Edit] { return slices.Values(c.by.edits) }

// Uses returns the new references of the side User to the definition of an edit that are also in the merged tree. It
// matches them by imports, packages and types as far as the source shows them, so that it can miss some.
func (c *Direction) Uses(e Edit) []Use {
	if c.user.uses == nil { // many edits ask
		c.user.uses = map[string][]Use{}
		c.eachUse(func(u Use) { c.user.uses[u.Ref.Name] = append(c.user.uses[u.Ref.Name], u) })
	}
	var uses []Use
	for _, u := range c.user.uses[e.subject().Name] {
		if c.means(u.Ref, u.from, e) >= likely && c.holdsInMerge(e, u) {
			uses = append(uses, u)
		}
	}
	return uses
}

// Suspicion returns a Finding with the certainty Suspected, which is not blocking, for an edit and the uses of its
// definition. The message says what was found, in complete sentences.
func (c *Direction) Suspicion(t Type, e Edit, uses []Use, message string) Finding {
	return c.suspicion(t, c.placeOf(e), uses, message)
}

func (c *Direction) suspicion(t Type, at Place, uses []Use, message string) Finding {
	f := Finding{
		Type: t, Severity: Warning, Certainty: Suspected, Agents: []string{c.pair.A.Name, c.pair.B.Name},
		Message: message, Advice: c.pair.adviceToOrder(), Places: []Place{at},
	}
	for _, u := range uses {
		if at := u.place(c.user.set.Name); !slices.Contains(f.Places, at) {
			f.Places = append(f.Places, at)
		}
	}
	return f
}

// placeIn is a place in a source of the side that did something.
func (c *Direction) placeIn(src *changedFile, line int, symbol string) Place {
	return Place{Agent: c.by.set.Name, Path: src.file.Path, Line: line, Symbol: symbol}
}

// placeOf is where a person looks for the edit in the head: at the definition, or where it was.
func (c *Direction) placeOf(e Edit) Place {
	if e.Kind == Removed {
		return c.placeIn(e.from, e.from.lineNow(e.Old.Line), e.Old.Key())
	}
	return c.placeIn(e.to, e.New.Line, e.New.Key())
}

// Use is a reference in the new code of the side Direction.User.
type Use struct {
	Ref  code.Reference // name, kind of use and line
	from *changedFile
}

// Path returns the path of the file with the reference, in the head of the side.
func (u Use) Path() string { return u.from.file.Path }

func (u Use) place(who string) Place {
	symbol := strings.TrimPrefix(strings.TrimPrefix(u.Ref.Qualifier, code.Expression)+"."+u.Ref.Name, ".")
	return Place{Agent: who, Path: u.from.file.Path, Line: u.Ref.Line, Symbol: symbol}
}

// definitionUse is a definition that the user brings, as a place.
func definitionUse(e Edit) Use {
	return Use{code.Reference{Name: e.New.Key(), Line: e.New.Line, Args: code.NoCall}, e.to}
}

// importUse is an import of the user as a place.
func importUse(imp code.Import, src *changedFile) Use {
	name := imp.Module
	if imp.Member != "" && imp.Member != code.All {
		name = imp.Member + " from " + name
	}
	return Use{code.Reference{Name: name, Line: imp.Line, Args: code.NoCall}, src}
}

// eachUse shows every new reference of the user, and the fields that a value is written out with as
// references of their own.
func (c *Direction) eachUse(see func(Use)) {
	for _, src := range c.user.sources {
		for _, r := range src.refs {
			see(Use{r, src})
			if r.Use != code.Construct || src.language.Has(lang.ListsFields) {
				continue
			}
			for _, name := range r.Named {
				field := code.Reference{Name: name, Type: strings.TrimPrefix(r.Qualifier+"."+r.Name, "."),
					Use: code.Read, Args: code.NoCall, In: r.In, Line: r.Line}
				see(Use{field, src})
			}
		}
	}
}

// usesThat are those of eachUse for which wanted holds.
func (c *Direction) usesThat(wanted func(Use) bool) (uses []Use) {
	c.eachUse(func(u Use) {
		if wanted(u) {
			uses = append(uses, u)
		}
	})
	return uses
}

// importsThat are the user's new imports for which wanted holds, but for those that may fail.
func (c *Direction) importsThat(wanted func(code.Import, *changedFile) bool) (uses []Use) {
	for _, src := range c.user.sources {
		for _, imp := range src.fresh {
			if !imp.Guarded && wanted(imp, src) {
				uses = append(uses, importUse(imp, src))
			}
		}
	}
	return uses
}

// importsOfTarget are the user's new imports of a target in a related language, by what they take out of it.
func (c *Direction) importsOfTarget(t destination, wanted func(imp code.Import, inside string) bool) []Use {
	return c.importsThat(func(imp code.Import, src *changedFile) bool {
		inside, ok := c.reaches(imp, src.file.Path, t)
		return ok && src.language.Related(t.language) && wanted(imp, inside)
	})
}

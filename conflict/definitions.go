package conflict

import (
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// findAPIConflicts reports what one side does to a definition that the other's new code relies on,
// and what both sides define at once.
func findAPIConflicts(p Pair) ([]Finding, error) {
	return p.eachDirection(func(c *direction) ([]Finding, error) {
		found := c.uses()
		found = append(found, c.missing()...)
		found = append(found, c.overrides()...)
		found = append(found, c.implementersInOldForm()...)
		found = append(found, c.matchesWithoutMember()...)
		found = append(found, c.reorderedFields()...)
		found = append(found, c.renamedPackages()...)
		found = append(found, c.leftPackages()...)
		if c.first {
			found = append(found, c.duplicates()...)
		}
		orphans, err := c.undefinedVariables()
		return append(found, orphans...), err
	})
}

// eachDirection looks at the pair from both sides.
func (p Pair) eachDirection(look func(*direction) ([]Finding, error)) ([]Finding, error) {
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
	for _, c := range []*direction{{by: a, user: b, first: true}, {by: b, user: a}} {
		c.pair, c.merged = &p, p.merged
		some, err := look(c)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return found, nil
}

// use is one reference of the user's new code.
type use struct {
	ref  code.Reference
	from *source
}

func (u use) place(who string) Place {
	symbol := strings.TrimPrefix(strings.TrimPrefix(u.ref.Qualifier, code.Expression)+"."+u.ref.Name, ".")
	return Place{Agent: who, Path: u.from.file.Path, Line: u.ref.Line, Symbol: symbol}
}

// uses reports the edits that break what the user's new code refers to.
func (c *direction) uses() []Finding {
	hits := map[int][]use{}
	weak := map[int]bool{}
	c.eachUse(func(u use) {
		for _, i := range c.named(u) {
			e := c.by.edits[i]
			if e.old.Kind == code.Module && e.language().FileModules {
				continue // goes with its file
			}
			if e.kind == added || e.kind == bodyChanged || u.ref.Qualifier != "" && inPlace(e) || c.doneByBoth(e) ||
				!c.breaks(e, u) {
				continue
			}
			sure := c.means(u.ref, u.from, classOf(e))
			if sure == none || (sure == nameOnly || c.hasSubstitute(e)) && !c.checkable(u) || !c.holdsInMerge(e, u) {
				continue
			}
			weak[i] = (weak[i] || len(hits[i]) == 0) && (sure < likely || c.hasSubstitute(e) || c.servedInBuild(e, u))
			hits[i] = append(hits[i], u)
		}
	})
	c.oneDeclaration(hits)
	var found []Finding
	for i, e := range c.by.edits {
		if len(hits[i]) > 0 && !c.toldOfType(e, hits) {
			f := c.finding(APIConflict, e, hits[i])
			f.needsChecker = weak[i]
			f.runtimeOnly = e.kind == paramsChanged && lang.SameTypes(e.old.Params, e.new.Params) ||
				e.kind == asyncChanged && !e.language().Typed
			f.Message = c.by.set.Name + " " + e.phrase() + ", and new code of " + c.user.set.Name + " " +
				verb(hits[i][0].ref.Use, e) + " it."
			found = append(found, f)
		}
	}
	return found
}

// named are the edits of what the use may mean: by its name, or by the one that the file imports under that name.
func (c *direction) named(u use) []int {
	for _, imp := range u.from.new.Imports {
		if u.ref.Qualifier == "" && imp.Name == u.ref.Name && imp.Member != "" && imp.Member != imp.Name {
			return c.by.byName[imp.Member]
		}
	}
	return c.by.byName[u.ref.Name]
}

// oneDeclaration leaves of a C or C++ declaration and its definition, edited alike, the one that
// the user includes, or the first.
func (c *direction) oneDeclaration(hits map[int][]use) {
	best := map[string]int{}
	for i, e := range c.by.edits {
		if len(hits[i]) == 0 || !e.language().Headers {
			continue
		}
		key := string(e.kind) + " " + e.old.Key()
		first, known := best[key]
		switch t := c.targetOf(e); {
		case !known:
			best[key] = i
		case c.includes(hits[i][0].from, t) && !c.includes(hits[i][0].from, c.targetOf(c.by.edits[first])):
			delete(hits, first)
			best[key] = i
		default:
			delete(hits, i)
		}
	}
}

// includes reports whether the source imports the file itself.
func (c *direction) includes(from *source, t destination) bool {
	t.File = true
	return slices.ContainsFunc(from.new.Imports, func(i code.Import) bool {
		_, ok := reaches(i, from.file.Path, t)
		return ok
	})
}

// toldOfType reports whether the type around the definition is gone or unexported itself and told of,
// which says it for all that is in it.
func (c *direction) toldOfType(e edit, hits map[int][]use) bool {
	return e.old.Container != "" && slices.ContainsFunc(c.by.byName[lastOf(e.old.Container)], func(i int) bool {
		o := c.by.edits[i]
		return (o.gone() || o.kind == unexported && e.kind == unexported) && o.old.Key() == e.old.Container &&
			o.from == e.from && len(hits[i]) > 0
	})
}

// eachUse shows every new reference of the user, and the fields that a value is written out with as
// references of their own.
func (c *direction) eachUse(see func(use)) {
	for _, src := range c.user.sources {
		for _, r := range src.refs {
			see(use{r, src})
			if r.Use != code.Construct || src.language.ListsFields {
				continue
			}
			for _, name := range r.Named {
				field := code.Reference{Name: name, Type: strings.TrimPrefix(r.Qualifier+"."+r.Name, "."),
					Use: code.Read, Args: code.NoCall, In: r.In, Line: r.Line}
				see(use{field, src})
			}
		}
	}
}

// hasSubstitute reports whether what goes by the definition's name afterwards, or by that of its type,
// may serve its users as well:
// an alias in place of a type, a variable that holds a function, a member that a type now has from another.
func (c *direction) hasSubstitute(e edit) bool {
	holds := func(o edit) bool {
		value := o.new.Kind == code.Variable || o.new.Kind == code.Constant
		return o.kind == kindChanged && (o.new.Kind == code.Type || value && (o.old.Callable() || isType(o.old)))
	}
	return holds(e) || e.old.Container != "" &&
		slices.ContainsFunc(c.by.byName[lastOf(e.old.Container)], func(i int) bool {
			o := c.by.edits[i]
			return o.old.Key() == e.old.Container && (holds(o) || e.gone() && c.nowInherits(o, e))
		})
}

// nowInherits reports whether a type has got a base that may have the member it lost.
func (c *direction) nowInherits(typ, e edit) bool {
	return slices.ContainsFunc(typ.new.Bases, func(base string) bool {
		if slices.Contains(typ.old.Bases, base) {
			return false
		}
		return !e.from.language.Embeds || strings.Contains(base, ".") ||
			c.merged.defines(base+"."+e.old.Name, e.scope(), e.from.file.BasePath())
	})
}

// checkable reports whether a type checker of this program's own can tell about a use by name only.
func (c *direction) checkable(u use) bool { return u.from.language.Checked }

// breaks reports whether the use, if it means the edited definition, is hurt by the edit.
func (c *direction) breaks(e edit, u use) bool {
	left := c.overloads(e)
	call := u.ref.Use == code.Call && e.old.Callable()
	switch e.kind {
	case removed, renamed, moved:
		if staysNamed(e, u.ref) {
			return false
		}
		if (e.from.new == nil || e.from.file.OldPath != "") && c.newlyImports(u.from, e) && c.reallyGone(e.from.file) {
			return false // told as an import of what is gone
		}
		return len(left) == 0 || call && fits(u.ref, e.old.Params) && !fitsAny(u.ref, left)
	case paramsChanged:
		if !call {
			return u.from.language.Typed && u.ref.Use == code.Read && !isConstructor(e.old)
		}
		if !fitsAny(u.ref, left) {
			return fits(u.ref, e.old.Params)
		}
		return (len(left) == 1 || e.language().Headers) && meansOther(u, e.old, e.new)
	case resultChanged, typeChanged:
		literals := e.old.Kind == code.Type && strings.ContainsAny(e.old.Type, `"'`) // their members tell
		return !literals && (u.from.language.Matters == nil ||
			u.from.language.Matters(e.old.Result+e.old.Type, e.new.Result+e.new.Type))
	case kindChanged:
		if call && e.new.Callable() && fits(u.ref, e.new.Params) {
			return false
		}
		return !isType(e.old) || !isType(e.new) || u.ref.Use != code.Read
	case unexported:
		return c.outside(e, u)
	case asyncChanged:
		return call && !(u.from.language.Awaits && (u.ref.Awaited || !e.new.Async))
	case throwsChanged:
		return call && !c.prepared(u, e)
	case typeParamsChanged:
		return otherArity(u, e.old.TypeParams, e.new.TypeParams)
	}
	return true
}

// staysNamed reports whether a member that went into its C++ enumeration, or out of it, goes by the
// path that the reference has all the same:
// the members of a plain one go by its name as well.
func staysNamed(e edit, r code.Reference) bool {
	if e.old.Kind != code.Member || e.kind != renamed || e.new.Name != e.old.Name {
		return false
	}
	return e.new.Container == containerOf(e.old.Container) ||
		relativeTo(r.In, strings.Trim(r.Qualifier+"."+r.Name, "."), e.new.Key())
}

// outside reports whether a use stands where the definition can no longer be seen from.
func (c *direction) outside(e edit, u use) bool {
	owner, _, inMember := cutLast(u.ref.In)
	if inMember && e.old.Container != "" && lastOf(owner) == lastOf(e.old.Container) {
		return false
	}
	if e.from.language.PrivateInherited && c.inherits(owner, lastOf(e.old.Container)) {
		return false // private there means without a receiver, also in subclasses
	}
	if e.new.Visibility == code.Private {
		return u.from.file.BasePath() != e.from.file.BasePath() && !seesPrivate(u.from, c.targetOf(e))
	}
	if inMember && e.old.Container != "" && c.inherits(owner, lastOf(e.old.Container)) {
		return false
	}
	switch l := e.from.language; {
	case l.SeesRestricted != nil:
		return !l.SeesRestricted(u.from.file.Path, e.from.file.BasePath())
	case l.Protected:
		return e.old.Container != "" // seen from subclasses
	}
	return scopeOf(u.from.language, u.from.file.Path, u.from.new.Package) != e.scope()
}

// overloads are the definitions that go by the old name in the same file afterwards; for C and C++
// in any file of the side,
// since a declaration and its definition are apart.
func (c *direction) overloads(e edit) []code.Definition {
	at := []*source{e.to}
	if e.kind == removed {
		at[0] = e.from
	}
	if e.language().Headers && (e.kind == paramsChanged || e.kind == removed) {
		at = c.by.sources
	}
	var all []code.Definition
	for _, src := range at {
		if src == nil || src.new == nil || e.kind == moved || !src.language.Related(e.language()) {
			continue
		}
		for _, d := range src.new.Definitions {
			if d.Key() == e.old.Key() && d.Callable() {
				all = append(all, d)
			}
		}
	}
	return all
}

func fitsAny(r code.Reference, all []code.Definition) bool {
	return slices.ContainsFunc(all, func(d code.Definition) bool { return fits(r, d.Params) })
}

// newlyImports reports whether the user's source has a new import of the file in which the definition was.
func (c *direction) newlyImports(from *source, e edit) bool {
	t := c.targetOf(e)
	return slices.ContainsFunc(from.fresh, func(i code.Import) bool {
		_, ok := c.reaches(i, from.file.Path, t)
		return ok
	})
}

// holdsInMerge looks whether the merged tree has the use and lacks what it needs.
func (c *direction) holdsInMerge(e edit, u use) bool {
	if !c.merged.stillUsed(u.ref, u.from.file.Path) {
		return false
	}
	if !e.gone() {
		return true
	}
	return len(c.overloads(e)) > 0 || !c.stillDefined(e)
}

// stillDefined reports whether something by the name is there all the same in builds that had the
// definition: from the user's side, or in the merged tree.
func (c *direction) stillDefined(e edit) bool {
	builds := []string{"", e.from.old.Constraint}
	return c.reexported(e) || c.broughtBack(e, builds) ||
		c.merged.definesFor(e.old.Key(), e.scope(), e.from.file.BasePath(), builds)
}

// reexported reports whether a definition goes by what others knew it by as well: a C++ file of the
// side takes the name out of where it is now,
// or a file goes on to export by default what it has from another.
func (c *direction) reexported(e edit) bool {
	if at := e.from.file.BasePath(); e.old.Default && c.merged.Has(at) {
		return handsOnDefault(c.merged.source(at))
	}
	return e.language().Headers && slices.ContainsFunc(c.by.sources, func(src *source) bool {
		if src.new == nil || !src.language.Headers {
			return false
		}
		d, found := definition(src.new, e.old.Key())
		return found && d.Kind == code.Type
	})
}

// servedInBuild reports whether something by the name is there for just the builds that the use is in.
func (c *direction) servedInBuild(e edit, u use) bool {
	build := u.from.new.Constraint
	return e.gone() && build != "" && c.merged.definesFor(e.old.Key(), e.scope(), e.from.file.BasePath(),
		[]string{build})
}

// doneByBoth reports whether the user's side does the same to the definition, so that its code knows of it.
func (c *direction) doneByBoth(e edit) bool {
	for _, i := range c.user.byName[e.subject().Name] {
		o := c.user.edits[i]
		if o.kind == added || o.old.Key() != e.old.Key() || o.from.file.BasePath() != e.from.file.BasePath() {
			continue
		}
		same := sameParams(o.new.Params, e.new.Params) && o.new.Result == e.new.Result && o.new.Type == e.new.Type &&
			o.new.Visibility == e.new.Visibility
		if o.gone() && e.gone() || o.kind == e.kind && same {
			return true
		}
	}
	return false
}

// broughtBack reports whether the user's side itself defines what the other took away.
func (c *direction) broughtBack(e edit, builds []string) bool {
	for _, i := range c.user.byName[e.old.Name] {
		if o := c.user.edits[i]; o.kind == added && o.new.Key() == e.old.Key() && o.scope() == e.scope() &&
			c.merged.keeps(o) && slices.Contains(builds, o.to.new.Constraint) {
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
	for _, d := range []*code.Definition{&e.old, &e.new} {
		d.Name, d.Container, d.Kind = lastOf(d.Container), containerOf(d.Container), code.Class
	}
	return e
}

func isConstructor(d code.Definition) bool {
	if d.Kind != code.Method || d.Container == "" {
		return false
	}
	switch d.Name {
	case "__init__", "constructor", "__construct", "initialize", lastOf(d.Container):
		return true
	}
	return false
}

// finding fills in what every finding about a definition has in common.
func (c *direction) finding(t Type, e edit, uses []use) Finding {
	f := Finding{
		Type: t, Severity: Warning, Certainty: Suspected,
		Agents: []string{c.pair.A.Name, c.pair.B.Name},
		Places: []Place{e.place(c.by.set.Name)},
		Advice: c.pair.adviceToOrder(),
	}
	return c.withPlaces(f, uses)
}

// withPlaces adds the places of the uses, each once.
func (c *direction) withPlaces(f Finding, uses []use) Finding {
	for _, u := range uses {
		if at := u.place(c.user.set.Name); !slices.Contains(f.Places, at) {
			f.Places = append(f.Places, at)
		}
	}
	return f
}

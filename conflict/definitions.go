package conflict

import (
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/plain"
)

// uses reports the edits that break what the user's new code refers to. It found 74 of 168 and 33 of 71 breaks, and
// nearly all of the 17 in history.
func (c *Direction) uses() {
	hits := map[int][]Use{}
	weak := map[int]bool{}
	c.eachUse(func(u Use) {
		for _, i := range c.named(u) {
			e := c.by.edits[i]
			if e.Old.Kind == code.Module && e.language().Has(lang.FileModules) {
				continue // goes with its file
			}
			if e.Kind == Added || e.Kind == BodyChanged || u.Ref.Qualifier != "" && inPlace(e) || c.doneByBoth(e) ||
				!c.breaks(e, u) {
				continue
			}
			sure := c.means(u.Ref, u.from, classOf(e))
			if sure == nameOnly && c.isReadNow(e, u) {
				sure = likely
			}
			vague := (sure == nameOnly || c.hasSubstitute(e)) && !u.from.language.Has(lang.Checked)
			if sure == none || vague || !c.holdsInMerge(e, u) {
				continue
			}
			weak[i] = (weak[i] || len(hits[i]) == 0) &&
				(sure < likely || e.boundsChanged() || c.hasSubstitute(e) || c.servedInBuild(e, u))
			hits[i] = append(hits[i], u)
		}
	})
	c.oneDeclaration(hits)
	for i, e := range c.by.edits {
		if i > 0 && e.Kind == ResultChanged && len(hits[i-1]) > 0 && c.by.edits[i-1].Kind == ParamsChanged &&
			c.by.edits[i-1].Old.Key() == e.Old.Key() {
			continue // the whole new form is told
		}
		if len(hits[i]) > 0 && !c.isPartOfFinding(e, hits) {
			f := c.tell(brokenUse, c.placeOf(e), hits[i], "did", e.phrase(), "does", verb(hits[i][0].Ref.Use, e))
			f.instruct(c.instruction(e, hits[i]))
			f.needsChecker, f.definition = weak[i], c.identity(e)
			f.runtimeOnly = e.Kind == ParamsChanged && lang.SameTypes(e.Old.Params, e.New.Params) ||
				e.Kind == AsyncChanged && !e.language().Has(lang.Typed) || e.nowDuration() && c.givesNumber(hits[i]) ||
				e.Kind == KindChanged && e.Old.Kind == code.Field && e.New.Kind == code.Method || // read as a value
				e.gone() && c.answerer(e) != ""
		}
	}
}

// isReadNow reports whether a method that is read without a call now is the only one of the merged tree which a call on
// a value of a type that does not show can mean.
func (c *Direction) isReadNow(e Edit, u Use) bool {
	return e.Kind == KindChanged && e.Old.Kind == code.Method && !e.language().Has(lang.Typed) &&
		u.Ref.Use == code.Call &&
		plain.Distinctive(e.Old.Name) && !hasOwn(u.from, e.Old) && c.isSole(e)
}

// named are the edits of what the use may mean: by its name, or by the one that the file imports under that name.
func (c *Direction) named(u Use) []int {
	for _, imp := range u.from.New.Imports {
		if u.Ref.Qualifier == "" && imp.Name == u.Ref.Name && imp.Member != "" && imp.Member != imp.Name {
			return c.by.byName[imp.Member]
		}
	}
	return c.by.byName[u.Ref.Name]
}

// oneDeclaration leaves of a C or C++ declaration and its definition, edited alike, the one that
// the user includes, or the first.
func (c *Direction) oneDeclaration(hits map[int][]Use) {
	best := map[string]int{}
	for i, e := range c.by.edits {
		if len(hits[i]) == 0 || !e.language().Has(lang.Headers) {
			continue
		}
		key := string(e.Kind) + " " + e.Old.Key()
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
func (c *Direction) includes(from *changedFile, t destination) bool {
	t.File = true
	return slices.ContainsFunc(from.New.Imports, func(i code.Import) bool {
		_, ok := reaches(i, from.file.Path, t)
		return ok
	})
}

// isPartOfFinding reports whether the type around the definition is gone or unexported itself and in a finding,
// which says it for all that is in it.
func (c *Direction) isPartOfFinding(e Edit, hits map[int][]Use) bool {
	return e.Old.Container != "" && slices.ContainsFunc(c.by.byName[lastOf(e.Old.Container)], func(i int) bool {
		o := c.by.edits[i]
		return (o.gone() || o.Kind == Unexported && e.Kind == Unexported) && o.Old.Key() == e.Old.Container &&
			o.from == e.from && len(hits[i]) > 0
	})
}

// hasSubstitute reports whether what goes by the definition's name afterwards, or by that of its
// type, may serve its users as well: an alias in place of a type, a variable that holds a function,
// a member that a type now has from another.
func (c *Direction) hasSubstitute(e Edit) bool {
	holds := func(o Edit) bool {
		if o.Old.Kind == code.Enum && strings.ContainsAny(o.New.Type, `"'`) {
			return false // texts in place of members
		}
		value := o.New.Kind == code.Variable || o.New.Kind == code.Constant
		return o.Kind == KindChanged && (o.New.Kind == code.Type || value && (o.Old.Callable() || isType(o.Old)))
	}
	return holds(e) || e.Old.Container != "" &&
		slices.ContainsFunc(c.by.byName[lastOf(e.Old.Container)], func(i int) bool {
			o := c.by.edits[i]
			return o.Old.Key() == e.Old.Container && (holds(o) || e.gone() && c.nowInherits(o, e))
		})
}

// nowInherits reports whether a type has got a base that may have the member it lost.
func (c *Direction) nowInherits(typ, e Edit) bool {
	return slices.ContainsFunc(typ.New.Bases, func(base string) bool {
		if slices.Contains(typ.Old.Bases, base) {
			return false
		}
		return !e.from.language.Has(lang.Implicit) || strings.Contains(base, ".") ||
			c.merged.defines(base+"."+e.Old.Name, e.scope(), e.from.file.BasePath())
	})
}

// breaks reports whether the use, if it means the edited definition, is hurt by the edit.
func (c *Direction) breaks(e Edit, u Use) bool {
	left := c.overloads(e)
	call := u.Ref.Use == code.Call && e.Old.Callable()
	if u.Ref.Use == code.Call && e.Old.Kind == code.Field && hasMethod(e.from.Old, e.Old.Key()) {
		return false // calls the method that has the name of the field
	}
	switch e.Kind {
	case Removed, Renamed, Moved:
		if e.language().Has(lang.Headers) && readsOtherwise(e, u) || e.Kind == Moved && c.movedWithOwner(e) {
			return false
		}
		if staysNamed(e, u.Ref) || isConstructor(e.Old) && u.Ref.Use == code.Read && !u.from.language.Has(lang.Typed) {
			return false // also a class without its constructor has a name
		}
		if (e.from.New == nil || e.from.file.OldPath != "") && c.newlyImports(u.from, e) && c.reallyGone(e.from.file) {
			return false // a finding about an import says it
		}
		return len(left) == 0 || call && fits(u.Ref, e.Old.Params) && !fitsAny(u.Ref, left)
	case ParamsChanged:
		u.Ref = countedBy(u.Ref, e)
		if !call {
			return u.from.language.Has(lang.Typed) && u.Ref.Use == code.Read &&
				!isConstructor(e.Old) || c.decorates(e, u)
		}
		if !fitsAny(u.Ref, left) {
			return fits(u.Ref, e.Old.Params)
		}
		return (len(left) == 1 || e.language().Has(lang.Headers)) && meansOther(u, e.Old, e.New)
	case ResultChanged, TypeChanged:
		return c.hurtByType(e, u)
	case KindChanged:
		if call && e.New.Callable() && fits(u.Ref, e.New.Params) {
			return false
		}
		return !isType(e.Old) || !isType(e.New) || u.Ref.Use != code.Read
	case Unexported:
		return c.outside(e, u)
	case AsyncChanged:
		return call && !(u.from.language.Has(lang.Awaits) && (u.Ref.Awaited || !e.New.Async))
	case MadeReadOnly:
		owner, _, _ := cutLast(u.Ref.In)
		if e.language().Has(lang.Setters) && (lastOf(owner) == lastOf(e.Old.Container) ||
			c.inherits(owner, lastOf(e.Old.Container))) {
			return false
		}
		return u.Ref.Writes && !(lastOf(owner) == lastOf(e.Old.Container) && isConstructor(code.Definition{
			Kind: code.Method, Name: lastOf(u.Ref.In), Container: owner}))
	case MadeFinal:
		return u.Ref.Use == code.Inherit && !(e.New.Sealed && u.from.file.BasePath() == e.from.file.BasePath())
	case NoLongerStatic:
		return call && lastOf(u.Ref.Qualifier) == lastOf(e.Old.Container) && !c.extendsItself(e)
	case ReceiverChanged:
		return call && c.refused(e, u, left)
	case ThrowsChanged:
		return (call || u.Ref.Contained) && !c.prepared(u, e)
	case TypeParamsChanged:
		return otherArity(u, e.Old.TypeParams, e.New.TypeParams) || e.boundsChanged()
	}
	return true
}

// readsOtherwise reports whether a use in C means something else than the definition of its name: a type, since what a
// macro makes of a line reads as a variable with the name of its type, or what the library has in place of a macro.
func readsOtherwise(e Edit, u Use) bool {
	in := e.language().InLibrary
	return e.Old.Kind == code.Variable && isTypeIn(u.from, e.Old.Name) ||
		e.Old.Kind == code.Macro && in != nil && in(e.Old.Name)
}

// isTypeIn reports whether a file has something of a type by the name.
func isTypeIn(src *changedFile, name string) bool {
	return slices.ContainsFunc(src.New.Definitions, func(d code.Definition) bool {
		named := func(typ string) bool { return typeName(strings.TrimRight(withoutConst(typ), " *")) == name }
		return named(d.Type) || named(d.Result) || slices.ContainsFunc(d.Params, func(p code.Param) bool {
			return named(p.Type)
		})
	})
}

// staysNamed reports whether a member that went into its C++ enumeration, or out of it, goes by the
// path that the reference has all the same: the members of a plain one go by its name as well.
func staysNamed(e Edit, r code.Reference) bool {
	if e.Old.Kind != code.Member || e.Kind != Renamed || e.New.Name != e.Old.Name {
		return false
	}
	return e.New.Container == containerOf(e.Old.Container) ||
		relativeTo(r.In, strings.Trim(r.Qualifier+"."+r.Name, "."), e.New.Key())
}

// outside reports whether a use stands where the definition can no longer be seen from.
func (c *Direction) outside(e Edit, u Use) bool {
	owner, _, inMember := cutLast(u.Ref.In)
	if inMember && e.Old.Container != "" && lastOf(owner) == lastOf(e.Old.Container) {
		return false
	}
	if e.from.language.Has(lang.PrivateInherited) && c.inherits(owner, lastOf(e.Old.Container)) {
		return false // private there means without a receiver, also in subclasses
	}
	if e.New.Visibility == code.Private {
		return u.from.file.BasePath() != e.from.file.BasePath() && !seesPrivate(u.from, c.targetOf(e))
	}
	if inMember && e.Old.Container != "" && c.inherits(owner, lastOf(e.Old.Container)) {
		return false
	}
	switch l := e.from.language; {
	case l.SeesRestricted != nil:
		return !l.SeesRestricted(u.from.file.Path, e.from.file.BasePath())
	case l.Has(lang.Protected):
		return e.Old.Container != "" // seen from subclasses
	}
	return scopeOf(u.from.language, u.from.file.Path, u.from.New.Package) != e.scope()
}

// overloads are the definitions that go by the old name in the same file afterwards; for C and C++
// in any file of the side, since a declaration and its definition are apart.
func (c *Direction) overloads(e Edit) []code.Definition {
	at := []*changedFile{e.to}
	if e.Kind == Removed {
		at[0] = e.from
	}
	if e.language().Has(lang.Headers) && (e.Kind == ParamsChanged || e.Kind == Removed) {
		at = c.by.sources
	}
	var all []code.Definition
	for _, src := range at {
		if src == nil || src.New == nil || e.Kind == Moved || !src.language.Related(e.language()) {
			continue
		}
		for _, d := range src.New.Definitions {
			if d.Key() == e.Old.Key() && d.Callable() {
				all = append(all, d)
			}
		}
	}
	return all
}

// decorates reports whether a use of a function of Python is as a decorator, which calls it with what is below, and
// the function no longer takes that.
func (c *Direction) decorates(e Edit, u Use) bool {
	bare := strings.TrimSpace(c.lineOf(u))
	return strings.HasPrefix(bare, "@") && strings.HasSuffix(bare, u.Ref.Name) &&
		e.decoratesOtherwise()
}

// decoratesOtherwise reports whether a function of Python that took one thing, as decorators do, takes others now, all
// of which can be left out.
func (e Edit) decoratesOtherwise() bool {
	return len(e.Old.Params) == 1 && required(e.Old.Params) == 1 && required(e.New.Params) == 0 &&
		len(e.New.Params) > 0 && !e.New.Params[0].Rest && !hasParam(e.New.Params, e.Old.Params[0].Name)
}

func hasParam(params []code.Param, name string) bool {
	return slices.ContainsFunc(params, func(p code.Param) bool { return p.Name == name })
}

// extendsItself reports whether a module of Ruby has its own methods as well as what includes it.
func (c *Direction) extendsItself(e Edit) bool {
	owner, known := definition(e.to.New, e.New.Container)
	return known && slices.ContainsFunc(c.textOf(c.by, version{head: true, name: e.to.file.Path}, owner),
		func(line string) bool {
			text := strings.TrimSpace(line)
			return text == "extend self" || strings.HasPrefix(text, "module_function")
		})
}

// movedWithOwner reports whether the type around a member went where the member did, whose values have it as before.
func (c *Direction) movedWithOwner(e Edit) bool {
	return e.Old.Container != "" && slices.ContainsFunc(c.by.byName[lastOf(e.Old.Container)], func(i int) bool {
		o := c.by.edits[i]
		return o.Kind == Moved && o.Old.Key() == e.Old.Container && o.from == e.from && o.to == e.to && isType(o.Old)
	})
}

// hasMethod reports whether a file defines a method by a key, be it beside a field of the name.
func hasMethod(f *code.File, key string) bool {
	return slices.ContainsFunc(f.Definitions, func(d code.Definition) bool {
		return d.Kind == code.Method && d.Key() == key
	})
}

func fitsAny(r code.Reference, all []code.Definition) bool {
	return slices.ContainsFunc(all, func(d code.Definition) bool { return fits(r, d.Params) })
}

// newlyImports reports whether the user's source has a new import of the file in which the definition was.
func (c *Direction) newlyImports(from *changedFile, e Edit) bool {
	t := c.targetOf(e)
	return slices.ContainsFunc(from.fresh, func(i code.Import) bool {
		_, ok := c.reaches(i, from.file.Path, t)
		return ok
	})
}

// holdsInMerge looks whether the merged tree has the use and lacks what it needs.
func (c *Direction) holdsInMerge(e Edit, u Use) bool {
	if !c.merged.stillUsed(u.Ref, u.from.file.Path) {
		return false
	}
	if !e.gone() {
		return true
	}
	if e.Kind == Moved && u.Ref.Qualifier == "" && c.movedAlong(e, u) || c.takenAnew(e, u) {
		return false
	}
	return len(c.overloads(e)) > 0 || !c.stillDefined(e)
}

// movedAlong reports whether the file of the use is in the merged tree where the definition went, as when the side
// gives a package another name in all of its files.
func (c *Direction) movedAlong(e Edit, u Use) bool {
	name := u.from.file.Path
	if !c.merged.knows(name) || e.New.Key() != e.Old.Key() {
		return false
	}
	f := c.merged.source(name)
	return f != nil && scopeOf(u.from.language, name, f.Package) == site{e.New, e.to}.newScope()
}

// stillDefined reports whether something by the name is there all the same in builds that had the
// definition: from the user's side, or in the merged tree.
func (c *Direction) stillDefined(e Edit) bool {
	builds := []string{"", e.from.Old.Constraint}
	return c.reexported(e) || c.broughtBack(e, builds) || c.answers(e) || c.openedElsewhere(e) ||
		c.merged.definesFor(e.Old.Key(), e.scope(), e.from.file.BasePath(), builds)
}

// answers reports whether what the definition stood in answers for it as a member that it does not define.
func (c *Direction) answers(e Edit) bool {
	name := c.answerer(e)
	if name == "" || e.language().Answers == nil || e.Old.Container != "" || e.from.New == nil {
		return name != ""
	}
	head := version{head: true, name: e.from.file.Path}
	d, found := definition(e.from.New, name)
	return !found || e.language().Answers(c.textOf(c.by, head, d), c.sourceLines(c.by, head), e.Old.Name)
}

// answerer is the function by which what the definition stood in answers for members that it does not define, "" for
// none. Checkers take it to answer for all.
func (c *Direction) answerer(e Edit) string {
	for _, name := range e.from.language.AnyMember {
		key := strings.TrimPrefix(e.Old.Container+"."+name, ".")
		if c.merged.defines(key, e.scope(), e.from.file.BasePath()) {
			return key
		}
	}
	return ""
}

// openedElsewhere reports whether another changed file of either side has a part of a module or namespace that any
// file can open.
func (c *Direction) openedElsewhere(e Edit) bool {
	if e.Old.Kind != code.Module || e.language().FileScope() && e.language().Open == nil {
		return false
	}
	return slices.ContainsFunc(slices.Concat(c.by.sources, c.user.sources), func(src *changedFile) bool {
		if src.New == nil || src.language != e.language() || !c.merged.Has(src.file.Path) {
			return false
		}
		d, found := definition(src.New, e.Old.Key())
		return found && d.Kind == code.Module
	})
}

// reexported reports whether a definition goes by what others knew it by as well: a C++ file of the
// side takes the name out of where it is now, or a file goes on to export by default what it has
// from another.
func (c *Direction) reexported(e Edit) bool {
	if at := e.from.file.BasePath(); e.Old.Default && c.merged.Has(at) {
		return handsOnDefault(c.merged.source(at))
	}
	return e.language().Has(lang.Headers) && slices.ContainsFunc(c.by.sources, func(src *changedFile) bool {
		if src.New == nil || !src.language.Has(lang.Headers) {
			return false
		}
		d, found := definition(src.New, e.Old.Key())
		alias, given := definition(src.New, e.Old.Container)
		return found && (d.Kind == code.Type || isMacro(d)) || given && alias.Kind == code.Module && alias.Type != ""
	})
}

func isMacro(d code.Definition) bool { return d.Kind == code.Macro || d.Kind == code.Constant }

// servedInBuild reports whether something by the name is there for just the builds that the use is in.
func (c *Direction) servedInBuild(e Edit, u Use) bool {
	build := u.from.New.Constraint
	return e.gone() && build != "" && c.merged.definesFor(e.Old.Key(), e.scope(), e.from.file.BasePath(),
		[]string{build})
}

// doneByBoth reports whether the user's side does the same to the definition, so that its code knows of it.
func (c *Direction) doneByBoth(e Edit) bool {
	for _, i := range c.user.byName[e.subject().Name] {
		o := c.user.edits[i]
		if o.Kind == Added || o.Old.Key() != e.Old.Key() || o.from.file.BasePath() != e.from.file.BasePath() {
			continue
		}
		same := sameParams(o.New.Params, e.New.Params) && o.New.Result == e.New.Result && o.New.Type == e.New.Type &&
			o.New.Visibility == e.New.Visibility
		if o.gone() && e.gone() || o.Kind == e.Kind && same {
			return true
		}
	}
	return false
}

// broughtBack reports whether the user's side itself defines what the other took away.
func (c *Direction) broughtBack(e Edit, builds []string) bool {
	for _, i := range c.user.byName[e.Old.Name] {
		if o := c.user.edits[i]; o.Kind == Added && o.New.Key() == e.Old.Key() && o.scope() == e.scope() &&
			c.merged.keeps(o) && slices.Contains(builds, o.to.New.Constraint) {
			return true
		}
	}
	return false
}

// classOf turns the edit of a constructor into one of its class, by whose name it is called.
func classOf(e Edit) Edit {
	if !isConstructor(e.subject()) {
		return e
	}
	for _, d := range []*code.Definition{&e.Old, &e.New} {
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

package conflict

import (
	"cmp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// missing reports what a type of one side now demands and the other's new code does not bring: a method of an
// interface, a field of a value written out. It found 8 of 168 and 5 of 71 breaks.
func (c *Direction) missing() {
	for _, e := range c.by.edits {
		d := e.subject()
		if d.Container == "" || c.isNew(c.by, d.Container, e.to) {
			continue
		}
		switch {
		case e.Kind == Added && d.Abstract:
			c.implementersWithout(e)
		case d.Kind == code.Field && (e.Kind == Added || nowRequired(e)) ||
			e.Old.Kind == code.Field && (e.Kind == Removed || e.Kind == Renamed):
			c.literalsOf(e)
		}
	}
}

// isNew reports whether the side makes the type, so that nobody else can know it.
func (c *Direction) isNew(s *changes, key string, src *changedFile) bool {
	return slices.ContainsFunc(s.byName[lastOf(key)], func(i int) bool {
		o := s.edits[i]
		return o.Kind == Added && o.New.Key() == key && o.to == src
	})
}

// ownerEdit is an edit of nothing, which stands for the type around an edited member.
func ownerEdit(e Edit) Edit {
	o := e
	d := code.Definition{Name: lastOf(e.subject().Container), Container: containerOf(e.subject().Container),
		Kind: code.Class, Default: e.subject().Default}
	o.Kind, o.Old, o.New = BodyChanged, d, d
	if o.from == nil {
		o.from = o.to
	}
	return o
}

// implementersWithout reports the user's types that take up the interface and lack the method that it has got.
func (c *Direction) implementersWithout(e Edit) {
	if e.to.Old == nil {
		return
	}
	var uses []Use
	weak := false
	if e.to.language.Has(lang.Implicit) {
		uses, weak = c.implicit(e)
	} else {
		uses = c.usesThat(func(u Use) bool {
			if c.writtenWithout(u, e) {
				return true
			}
			if u.Ref.Use != code.Inherit || u.Ref.Name != lastOf(e.New.Container) ||
				c.means(u.Ref, u.from, ownerEdit(e)) < likely {
				return false
			}
			class, ok := definition(u.from.New, u.Ref.In)
			return ok && class.Kind != code.Interface && !class.Abstract && !c.mayHave(u.from.New, class, e)
		})
	}
	if len(uses) > 0 {
		c.tell(lacksMember, c.placeOf(e), uses, "did", e.phrase(), "what", signature(e), "type",
			quoted(cmp.Or(uses[0].Ref.In, uses[0].Ref.Name))).needsChecker = weak
	}
}

// writtenWithout reports whether a use writes out a value of the interface without the method.
func (c *Direction) writtenWithout(u Use, e Edit) bool {
	return u.Ref.Use == code.Construct && u.Ref.Name == lastOf(e.New.Container) &&
		u.from.language.Literal == lang.LiteralWhole && !u.Ref.Spread && !slices.Contains(u.Ref.Named, e.New.Name) &&
		c.means(u.Ref, u.from, ownerEdit(e)) >= likely
}

func definition(f *code.File, key string) (code.Definition, bool) {
	for _, d := range f.Definitions {
		if d.Kind != code.Local && strings.HasSuffix(key, d.Name) && d.Key() == key { // the last builds a string
			return d, true
		}
	}
	return code.Definition{}, false
}

// mayHave reports whether a type has the method that an interface demands, or may have it from another of its bases.
func (c *Direction) mayHave(f *code.File, class code.Definition, e Edit) bool {
	if has(f, class.Key(), e.New.Name) {
		return true
	}
	for _, base := range class.Bases {
		if name := lastOf(base); name != lastOf(e.New.Container) && (!c.defined(name) || c.given(name, e.New.Name)) {
			return true
		}
	}
	return false
}

// defined reports whether either side's changed files define a type of the name.
func (c *Direction) defined(name string) bool { return c.by.families[name]+c.user.families[name] > 0 }

// given reports whether a type of the name has the method in either side's changed files.
func (c *Direction) given(typ, method string) bool {
	for _, s := range []*changes{c.by, c.user} {
		for _, src := range s.sources {
			if src.New != nil && slices.ContainsFunc(src.New.Definitions, func(d code.Definition) bool {
				return lastOf(d.Container) == typ && d.Name == method && !d.Abstract
			}) {
				return true
			}
		}
	}
	return false
}

func has(f *code.File, class, member string) bool {
	return slices.ContainsFunc(f.Definitions, func(d code.Definition) bool {
		return d.Container == class && d.Name == member && !d.Abstract
	})
}

// implicit finds the user's new Go types that have every method the interface had and lack the new one.
func (c *Direction) implicit(e Edit) (uses []Use, weak bool) {
	types, weak := c.implementers(e)
	for _, o := range types {
		if methods := c.user.methods(o.New.Name, o.newScope()); !methods[e.New.Name] && len(o.New.Bases) == 0 {
			uses = append(uses, definitionUse(o))
		}
	}
	return uses, weak
}

// implementers are the user's new Go types that have every method which the interface of the edited one had.
// Only a type checker can tell whether they are meant for it: an interface of one method is no sign
// at all, unless an assertion says so.
func (c *Direction) implementers(e Edit) (types []Edit, weak bool) {
	if e.to.Old == nil {
		return nil, false
	}
	var before []string
	for _, d := range e.to.Old.Definitions {
		if d.Container == e.New.Container && d.Abstract {
			before = append(before, d.Name)
		}
	}
	weak = len(before) == 1
	for _, o := range c.user.edits {
		if len(before) == 0 || o.Kind != Added || !o.to.language.Has(lang.Implicit) ||
			o.New.Kind != code.Class && o.New.Kind != code.Type {
			continue
		}
		methods := c.user.methods(o.New.Name, o.newScope())
		if !slices.ContainsFunc(before, func(m string) bool { return !methods[m] }) {
			types = append(types, o)
			weak = weak && !asserted(o, e)
		}
	}
	return types, weak
}

// asserted reports whether the type's file says that it implements the interface: var _ pkg.I = (*T)(nil).
func asserted(o, e Edit) bool {
	said := func(name string, line int) int {
		return slices.IndexFunc(o.to.refs, func(r code.Reference) bool {
			return r.In == "_" && r.Name == name && (line == 0 || r.Line == line)
		})
	}
	i := said(e.New.Container, 0)
	return i >= 0 && said(o.New.Name, o.to.refs[i].Line) >= 0
}

// methods are the names of the methods that the side's changed files give to a type.
func (s *changes) methods(typ string, in scope) map[string]bool {
	all := map[string]bool{}
	for _, src := range s.sources {
		if src.New == nil || scopeOf(src.language, src.file.Path, src.New.Package) != in {
			continue
		}
		for _, d := range src.New.Definitions {
			if d.Container == typ && d.Kind == code.Method {
				all[d.Name] = true
			}
		}
	}
	return all
}

// matchesWithoutMember reports a new member of an enumeration whose other members are all matched by new code of the
// user, one by one. It found 3 of 168 and 3 of 71 breaks.
func (c *Direction) matchesWithoutMember() {
	for _, e := range c.by.edits {
		if e.Kind != Added || e.New.Kind != code.Member || !e.to.language.Has(lang.Exhaustive) || e.to.Old == nil ||
			c.isNew(c.by, e.New.Container, e.to) {
			continue
		}
		arms := map[string][]Use{} // by the function
		c.eachUse(func(u Use) {
			if u.Ref.Use == code.Match && u.from.language.Related(e.to.language) &&
				matchesMemberOf(u, e.New.Container) {
				arms[u.from.file.Path+" "+u.Ref.In] = append(arms[u.from.file.Path+" "+u.Ref.In], u)
			}
		})
		for _, uses := range arms {
			if matchesAll(uses, e) || c.matchesOnly(uses, e) {
				c.tell(matchesRest, c.placeOf(e), uses, "did", e.phrase(), "what", quoted(e.New.Key()), "at",
					placesOf(uses[:1]))
			}
		}
	}
}

// matchesMemberOf reports whether a match may be one of a member of the enumeration, or of all that have no case.
func matchesMemberOf(u Use, enum string) bool {
	return lastOf(u.Ref.Qualifier) == lastOf(enum) || lastOf(u.Ref.Type) == lastOf(enum) ||
		u.Ref.Qualifier == "" && (u.from.language.Has(lang.BareLabels) || u.Ref.Name == code.Default ||
			takesMember(u, enum))
}

// takesMember reports whether the file of a use imports its bare name, or all names, out of the enumeration.
func takesMember(u Use, enum string) bool {
	return slices.ContainsFunc(u.from.New.Imports, func(i code.Import) bool {
		of := strings.ReplaceAll(i.Module, "::", ".")
		return lastOf(of) == lastOf(enum) && (i.Member == code.All || i.Member != "" && i.Name == u.Ref.Name)
	})
}

// matchesAll reports whether the uses name every member that the enum had, of which there were two
// at least, and not the new one.
func matchesAll(uses []Use, e Edit) bool {
	names := map[string]bool{}
	for _, u := range uses {
		names[u.Ref.Name] = true
	}
	had := 0
	for _, d := range e.to.Old.Definitions {
		if d.Kind == code.Member && d.Container == e.New.Container {
			had++
			if !names[d.Name] {
				return false
			}
		}
	}
	return had > 1 && !names[e.New.Name] && !names[code.Default]
}

// matchesOnly reports whether an arm of a match of Rust has the one member that the enumeration had, and none has more.
func (c *Direction) matchesOnly(uses []Use, e Edit) bool {
	had := 0
	for _, d := range e.to.Old.Definitions {
		if d.Kind == code.Member && d.Container == e.New.Container {
			had++
		}
	}
	return had == 1 && len(uses) == 1 && uses[0].Ref.Name != code.Default && uses[0].Ref.Qualifier != "" &&
		strings.Contains(c.lineOf(uses[0]), "=>")
}

// overrides reports methods that the user newly writes to override or provide what the other side took away or gave
// another form. It found 5 of 168 breaks.
func (c *Direction) overrides() {
	for _, e := range c.by.edits {
		reshaped := e.Kind == ParamsChanged || e.Kind == MadeFinal || e.Kind == ReceiverChanged
		if !e.gone() && !reshaped && !e.givesOther() || e.Old.Kind != code.Method ||
			e.Old.Visibility == code.Private || isConstructor(e.Old) || e.from.language.Has(lang.Implicit) {
			continue
		}
		var uses []Use
		for _, i := range c.user.byName[e.Old.Name] {
			o := c.user.edits[i]
			hides := e.Kind == MadeFinal && e.language().Has(lang.Hides) && !o.New.Overrides
			if o.Kind == Added && o.New.Kind == code.Method && !hides && c.extends(o, e) && !sameAsNow(o, e) &&
				!c.callsOverridden(o, e) {
				uses = append(uses, definitionUse(o))
			}
		}
		if len(uses) > 0 {
			c.tell(overridesOld, c.placeOf(e), uses, "did", e.phrase(), "name", quoted(uses[0].Ref.Name)).
				instruct(overriding(e, uses))
		}
	}
}

// callsOverridden reports whether a new method calls the one that it overrides and that was removed. The finding about
// that call is enough.
func (c *Direction) callsOverridden(o, e Edit) bool {
	return e.gone() && slices.ContainsFunc(o.to.refs, func(r code.Reference) bool {
		u := Use{r, o.to}
		return r.In == o.New.Key() && r.Name == e.Old.Name && r.Use == code.Call && r.Type != "" &&
			lastOf(r.Type) != lastOf(o.New.Container) && c.breaks(e, u) && c.means(r, o.to, e) >= likely
	})
}

// overriding says what becomes of methods that override an edited one.
func overriding(e Edit, uses []Use) string {
	what := "Override what is there in place of " + quoted(e.Old.Key())
	switch e.Kind {
	case ParamsChanged, ResultChanged:
		what = "Give " + quoted(uses[0].Ref.Name) + " the form " + signature(e)
	case ReceiverChanged:
		what = "Write " + quoted(uses[0].Ref.Name) + " without " + e.Old.Receiver
		if e.New.Receiver != "" {
			what = "Write " + quoted(uses[0].Ref.Name) + " with " + e.New.Receiver
		}
	case MadeFinal:
		what = "Replace or remove " + quoted(uses[0].Ref.Name)
	case Renamed:
		what = "Rename " + quoted(uses[0].Ref.Name) + " to " + quoted(e.New.Name)
	}
	return what + " at " + placesOf(uses) + "."
}

// signature is a definition as others have to write it.
func signature(e Edit) string {
	if !e.New.Callable() {
		return quoted(e.New.Name)
	}
	return strings.TrimSpace(e.New.Name + "(" + paramList(e.New.Params) + ") " + brief(e.New.Result))
}

// extends reports whether the method's type has the edited method's type among its bases.
func (c *Direction) extends(o, e Edit) bool {
	class, ok := definition(o.to.New, o.New.Container)
	if !ok {
		return false
	}
	for _, base := range class.Bases {
		qualifier, name, _ := cutLast(base)
		r := code.Reference{Name: name, Qualifier: qualifier, Use: code.Inherit, In: class.Key(),
			Args: code.NoCall}
		if name == lastOf(e.Old.Container) && c.means(r, o.to, ownerEdit(e)) >= likely {
			return true
		}
	}
	// Other types may have the name of this one, whose own bases are known.
	typ := func(name string) bool { return c.inherits(lastOf(name), lastOf(e.Old.Container)) }
	above := slices.ContainsFunc(class.Bases, typ) || len(class.Bases) == 0 && typ(class.Name)
	return above && !slices.ContainsFunc(class.Bases, func(b string) bool {
		return lastOf(b) == lastOf(e.Old.Container)
	})
}

// sameAsNow reports whether the overriding method already has the form that the other side gives to the overridden one.
func sameAsNow(o, e Edit) bool {
	if e.Kind == ReceiverChanged {
		takesOver := o.New.Overrides || e.New.Abstract // another method of the name, where nothing says so
		return o.New.Receiver != e.Old.Receiver || !takesOver || !sameParams(o.New.Params, e.New.Params)
	}
	return e.Kind == ParamsChanged && sameParams(o.New.Params, e.New.Params) ||
		e.Kind == ResultChanged && lang.Plain(o.New.Result) != lang.Plain(e.Old.Result)
}

// givesOther reports whether a method gives what those that override it in its old form do not give.
func (e Edit) givesOther() bool {
	l := e.language()
	return e.Kind == ResultChanged && (l.Has(lang.Typed) || l.Has(lang.TypedOverrides)) && e.Old.Result != "" &&
		e.New.Result != "" &&
		(l.Matters == nil || l.Matters(e.Old.Result, e.New.Result)) &&
		!lang.Among(e.Old.Result, e.New.Result) && !lang.WiderCollection(e.New.Result, e.Old.Result) &&
		!slices.Contains([]string{"any", "unknown", "void", "mixed", "Object", "object"}, e.New.Result) &&
		!hasWord(e.New.Result, e.New.TypeParams)
}

// typeName is the name of a type that is written as one, without what says how it is passed; "" for any other.
func typeName(typ string) string {
	typ = strings.TrimPrefix(strings.TrimLeft(typ, "& "), "mut ")
	typ = typ[strings.LastIndexAny(typ, ":.")+1:]
	if word.FindString(typ) != typ {
		return ""
	}
	return typ
}

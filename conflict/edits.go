package conflict

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// EditKind is the kind of an Edit, as a verb for messages.
type EditKind string

// The values of Edit.Kind. A definition that exists in both versions has at most one edit of each kind.
const (
	Removed           EditKind = "removes"
	Renamed           EditKind = "renames"
	Moved             EditKind = "moves"
	ParamsChanged     EditKind = "changes the parameters of"
	ResultChanged     EditKind = "changes the result of"
	TypeChanged       EditKind = "changes the type of"
	Unexported        EditKind = "narrows the visibility of"
	KindChanged       EditKind = "turns"
	AsyncChanged      EditKind = "makes asynchronous"
	ThrowsChanged     EditKind = "lets throw"
	TypeParamsChanged EditKind = "changes the type parameters of"
	MadeReadOnly      EditKind = "makes read-only"
	MadeFinal         EditKind = "makes final"
	NoLongerStatic    EditKind = "makes no longer static"
	ReceiverChanged   EditKind = "changes the receiver of"
	BodyChanged       EditKind = "changes the body of"
	Added             EditKind = "adds"
)

// Edit is one change that a side makes to one definition.
type Edit struct {
	Kind EditKind // what was done
	// Old is the definition in the base, and zero if it was Added. New is the one in the head, and zero if it was
	// Removed.
	Old, New code.Definition
	// from and to are the sources in whose base and head they stand.
	from, to *changedFile
}

// subject is the definition as others know it from before, or as it comes.
func (e Edit) subject() code.Definition {
	if e.Kind == Added {
		return e.New
	}
	return e.Old
}

// scope is where the definition was known in before the edit, or is now for a new one.
func (e Edit) scope() scope {
	if e.Kind == Added {
		return scopeOf(e.to.language, e.to.file.Path, e.to.New.Package)
	}
	return scopeOf(e.from.language, e.from.file.BasePath(), e.from.Old.Package)
}

// gone reports whether the old name no longer means the definition.
func (e Edit) gone() bool { return e.Kind == Removed || e.Kind == Renamed || e.Kind == Moved }

// site is a definition and its source.
type site struct {
	def code.Definition
	src *changedFile
}

// findEdits compares the definitions of all changed sources, so that one that went to another file
// is not taken for gone.
func (s *changes) findEdits() {
	edits, won := 0, 0
	for _, src := range s.sources {
		if !src.faulty {
			p := src.pairUp()
			edits, won = edits+len(p.edits)+len(p.lost), won+len(p.won)
		}
	}
	var lost []unpaired
	came := additions{spots: make([]unpaired, 0, won), byKey: make(map[string][]int, won)}
	s.edits = make([]Edit, 0, edits+won)
	for _, src := range s.sources {
		s.noteBases(src)
		if src.faulty {
			continue // what its head defines is not known
		}
		p := src.pairUp()
		s.add(p.edits...)
		lost = append(lost, p.lost...)
		for _, spot := range p.won {
			came.add(spot)
		}
	}
	count := map[string]int{}
	for _, l := range lost {
		count[l.text()]++
	}
	for _, l := range lost {
		s.follow(l, came, count[l.text()] == 1 && len(came.byKey[l.text()]) == 1)
	}
	s.forgetRenamedTypes()
	for i, w := range came.spots {
		if !came.used[i] {
			s.added(w.site)
		}
	}
}

// added notes a new definition. The first constructor of a type stands in place of the one without parameters that
// the type had by itself, which others could call.
func (s *changes) added(w site) {
	old := w.src.Old
	if old == nil || !isConstructor(w.def) || len(w.def.Params) == 0 && w.def.Visibility == code.Public {
		s.add(Edit{Kind: Added, New: w.def, to: w.src})
		return
	}
	class, was := definition(old, w.def.Container)
	hidden := narrower(class.Visibility, w.def.Visibility)
	inherited := len(class.Bases) > 0 && !w.src.language.Has(lang.CallsBase) &&
		!hidden // a base's constructor serves as well
	if !was || inherited || slices.ContainsFunc(old.Definitions, func(d code.Definition) bool {
		return d.Container == w.def.Container && isConstructor(d)
	}) || slices.ContainsFunc(w.src.New.Definitions, func(d code.Definition) bool {
		return d.Container == w.def.Container && isConstructor(d) && len(d.Params) == 0 && d.Hash != w.def.Hash
	}) {
		s.add(Edit{Kind: Added, New: w.def, to: w.src})
		return
	}
	implicit := w.def
	implicit.Params, implicit.Line, implicit.Visibility = nil, class.Line, class.Visibility
	e := Edit{Kind: ParamsChanged, Old: implicit, New: w.def, from: w.src, to: w.src}
	switch {
	case hidden && len(w.def.Params) == 0:
		e.Kind = Unexported
	case len(w.def.Params) == 0:
		e = Edit{Kind: Added, New: w.def, to: w.src}
	}
	s.add(e)
}

// noteBases remembers what the types of the head extend.
func (s *changes) noteBases(src *changedFile) {
	if src.New == nil {
		return
	}
	for _, d := range src.New.Definitions {
		for _, b := range d.Bases {
			s.bases[d.Name] = append(s.bases[d.Name], lastOf(b))
		}
	}
}

// additions are the definitions that only the head has, found by what they could share with one that went.
type additions struct {
	spots []unpaired
	used  []bool
	byKey map[string][]int
}

func (a *additions) add(w unpaired) {
	for _, t := range w.keys {
		a.byKey[t] = append(a.byKey[t], len(a.spots))
	}
	a.spots, a.used = append(a.spots, w), append(a.used, false)
}

// matchKeys are what a definition that went and one that came have in common if they can be the same.
func matchKeys(s site, h scope) []string {
	kind := string(s.def.Kind) + " "
	all := []string{kind + s.def.Key()}
	switch {
	case s.def.Callable() || isType(s.def):
		all = append(all, kind+string(h.family)+h.name+" "+s.def.Container+".")
	case s.def.Kind == code.Member:
		all = append(all, kind+string(h.family)+h.name+" "+s.def.Name)
	}
	return append(all, textKey(s, h))
}

// textKey is shared by definitions in one container with the same text but for the name.
func textKey(s site, h scope) string {
	return fmt.Sprintf("%s %s%s %s %x", s.def.Kind, h.family, h.name, s.def.Container, s.def.Hash)
}

func (s site) oldScope() scope {
	return scopeOf(s.src.language, s.src.file.BasePath(), s.src.Old.Package)
}
func (s site) newScope() scope { return scopeOf(s.src.language, s.src.file.Path, s.src.New.Package) }

// add remembers edits under every name by which others can mean the definition.
func (s *changes) add(edits ...Edit) {
	for _, e := range edits {
		i := len(s.edits)
		s.edits = append(s.edits, e)
		d := e.subject()
		if e.Kind == Added || e.Kind == Renamed || e.Kind == Moved {
			s.byNewName[e.New.Name] = append(s.byNewName[e.New.Name], i)
		}
		s.byName[d.Name] = append(s.byName[d.Name], i)
		if class := lastOf(d.Container); isConstructor(d) && class != d.Name {
			s.byName[class] = append(s.byName[class], i)
		}
		if d.Default && (d.Container == "" || isConstructor(d)) {
			s.byName["default"] = append(s.byName["default"], i)
		}
	}
}

// editsOf are those of a definition that is still there.
func editsOf(old, new site) (all []Edit) {
	e := Edit{Old: old.def, New: new.def, from: old.src, to: new.src}
	note := func(w EditKind) { e.Kind = w; all = append(all, e) }
	if old.oldScope() != new.newScope() && !old.src.language.FileScope() {
		note(Moved)
		return all
	}
	if old.def.Kind != new.def.Kind && !bothValues(old.def.Kind, new.def.Kind) && !sameReader(old, new) {
		note(KindChanged)
		return all
	}
	if narrower(old.def.Visibility, new.def.Visibility) {
		note(Unexported)
	}
	if len(newlyThrown(e)) > 0 {
		note(ThrowsChanged)
	}
	if new.def.ReadOnly && !old.def.ReadOnly {
		note(MadeReadOnly)
	}
	if (new.def.Final || new.def.Sealed) && !old.def.Final && !old.def.Sealed {
		note(MadeFinal)
	}
	if old.def.Static && !new.def.Static && new.def.Kind == code.Method {
		note(NoLongerStatic)
	}
	if old.def.Receiver != new.def.Receiver && !old.def.Partial && !new.def.Partial {
		note(ReceiverChanged)
	}
	waits := old.def.Async != new.def.Async && givesPromise(old.def) != givesPromise(new.def)
	if waits {
		note(AsyncChanged)
	}
	formless := old.def.Kind == code.Method && old.def.Partial != new.def.Partial // the form of one is not written
	reshaped := !formless && old.def.Callable() &&
		!sameParams(genericForm(old.def).Params, genericForm(new.def).Params)
	if reshaped {
		note(ParamsChanged)
	}
	switch {
	case formless:
	case waits: // which says it of the result and the body too
	case !reshaped && (isType(old.def) || old.def.Callable() && old.src.language.Has(lang.Checked)) &&
		!sameParams(old.def.TypeParams, new.def.TypeParams):
		note(TypeParamsChanged)
	case old.def.Callable() && lang.Plain(genericForm(old.def).Result) != lang.Plain(genericForm(new.def).Result) &&
		!sameWhenAwaited(old.def, new.def):
		note(ResultChanged)
	case old.def.Kind == code.Module:
	case !old.def.Callable() && lang.Plain(old.def.Type) != lang.Plain(new.def.Type):
		note(TypeChanged)
	case old.def.Hash != new.def.Hash && !reshaped:
		note(BodyChanged)
	}
	return all
}

// sameReader reports whether a field became a method that is read the same way, or the other way round.
func sameReader(old, new site) bool {
	value := func(d code.Definition) bool {
		return d.Kind == code.Field || d.Kind == code.Method && len(d.Params) == 0
	}
	return old.src.language.Has(lang.FieldReaders) && value(old.def) && value(new.def)
}

// bothValues reports kinds between which a change means nothing to others.
func bothValues(a, b code.Kind) bool {
	value := func(k code.Kind) bool { return k == code.Variable || k == code.Constant }
	return value(a) && value(b)
}

func narrower(old, new code.Visibility) bool {
	order := []code.Visibility{code.Public, code.Restricted, code.Private}
	return slices.Index(order, new) > slices.Index(order, old)
}

// sameParams compares parameters as callers see them. How one takes an object apart is nothing to those who pass one.
func sameParams(a, b []code.Param) bool {
	return slices.EqualFunc(a, b, func(x, y code.Param) bool {
		if !x.Rest && y.Rest && x.Type == y.Type+"[]" {
			return x.Name == y.Name // Java takes an array for any number of them
		}
		if destructures(x) && destructures(y) {
			x.Name = y.Name
		}
		x.Type, y.Type = lang.Plain(x.Type), lang.Plain(y.Type)
		return x == y
	})
}

// genericForm is a function whose type parameters, by their usual names of one capital letter, are
// called by the order in which they come.
func genericForm(d code.Definition) code.Definition {
	names := map[string]string{}
	see := func(typ string) {
		for _, word := range word.FindAllString(typ, -1) {
			if _, known := names[word]; !known && len(word) == 1 && word >= "A" && word <= "Z" {
				names[word] = fmt.Sprintf("#%d", len(names))
			}
		}
	}
	for _, p := range d.Params {
		see(p.Type)
	}
	if see(d.Result); len(names) == 0 {
		return d
	}
	d.Params, d.Result = slices.Clone(d.Params), withNames(d.Result, names)
	for i := range d.Params {
		d.Params[i].Type = withNames(d.Params[i].Type, names)
	}
	return d
}

func isType(d code.Definition) bool {
	switch d.Kind {
	case code.Class, code.Interface, code.Enum, code.Type:
		return true
	}
	return false
}

// follow finds out what became of a definition that is no longer in its file.
// alone says that one definition only went and one came with this text, without which a field or
// value is not distinguished from another.
func (s *changes) follow(l unpaired, came additions, alone bool) {
	best, rank := -1, 0
	for _, t := range l.keys {
		for _, i := range came.byKey[t] {
			if r := likeness(l.site, came.spots[i].site, alone); !came.used[i] && r > rank {
				best, rank = i, r
			}
		}
	}
	if best < 0 {
		s.add(Edit{Kind: Removed, Old: l.def, from: l.src})
		return
	}
	came.used[best] = true
	w := came.spots[best]
	e := Edit{Kind: Renamed, Old: l.def, New: w.def, from: l.src, to: w.src}
	if w.def.Key() == l.def.Key() {
		if l.oldScope() == w.newScope() {
			if e.outOfHeader() { // only the file that it went to knows it now
				e.Kind, e.from, e.New.Visibility = Unexported, w.src, code.Private
				s.add(e)
			}
			s.add(editsOf(l.site, w.site)...)
			return
		}
		e.Kind = Moved
	}
	s.add(e)
}

// outOfHeader reports whether a field of C goes with its type from a header to a source file that was there.
func (e Edit) outOfHeader() bool {
	source := func(src *changedFile) bool { return strings.HasPrefix(path.Ext(src.file.Path), ".c") }
	return e.from.language.Has(lang.Headers) && e.Old.Kind == code.Field && !source(e.from) && source(e.to) &&
		e.to.Old != nil
}

// likeness ranks how surely a definition that came is the one that went; 0 is another one.
func likeness(l, w site, alone bool) int {
	if !w.src.language.Related(l.src.language) {
		return 0
	}
	sameKey, sameHome, sameText := w.def.Key() == l.def.Key(), l.oldScope() == w.newScope(), w.def.Hash == l.def.Hash
	sameShape := l.def.Callable() && sameParams(w.def.Params, l.def.Params) && w.def.Result == l.def.Result
	switch {
	case sameKey && sameHome:
		return 5
	case sameKey && sameText:
		return 4
	case sameHome && sameText && (l.def.Callable() || isType(l.def)):
		return 3
	case sameHome && sameText && alone && w.def.Container == l.def.Container && inPlaceOf(l, w):
		return 3
	case l.def.Kind == code.Member && l.src == w.src && w.def.Name == l.def.Name &&
		oneInOther(l.def.Container, w.def.Container):
		return 3
	case sameKey && l.def.Container == "" && sameShape:
		return 2
	case sameHome && sameShape && len(l.def.Params) > 0 && inPlaceOf(l, w):
		return 1
	}
	return 0
}

// oneInOther reports whether one of two paths is the other's begin: members of a C++ enumeration
// stand in it, or next to it.
func oneInOther(a, b string) bool {
	return a != b && (a == "" || b == "" || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+"."))
}

// inPlaceOf reports whether one definition came where the other was.
func inPlaceOf(l, w site) bool {
	const off = 2 // lines of a comment or a decorator in front
	was := l.src.lineNow(l.def.Line)
	return l.src == w.src && w.def.Line-off <= was && was <= w.def.End+off
}

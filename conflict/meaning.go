package conflict

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// evidence is how surely a reference means a definition.
type evidence int

const (
	none     evidence = iota
	nameOnly          // the name is the same, and nothing contradicts
	likely            // and the file can see the definition, and hardly anything else has the name
	resolved          // imports, packages and types lead from one to the other
)

// targetOf is the file in which the definition was known, as importers know it.
func (c *Direction) targetOf(e Edit) destination {
	if e.Kind == Added {
		return c.by.targetAt(e.to, e.to.file.Path, e.to.New)
	}
	return c.by.targetAt(e.from, e.from.file.BasePath(), e.from.Old)
}

func (s *changes) targetAt(src *changedFile, name string, f *code.File) destination {
	t := destination{src.language, lang.Target{Path: name, Package: f.Package}}
	if t.language.Has(lang.Folders) {
		t.Target.ImportPath = s.ImportPath(name)
	}
	return t
}

// means tells how surely the reference, in a source of the user's head, means what the edit is about.
func (c *Direction) means(r code.Reference, from *changedFile, e Edit) evidence {
	def := e.subject()
	t := c.targetOf(e)
	unseen := def.Visibility == code.Private && def.Container == "" && from.file.BasePath() != t.Path &&
		!seesPrivate(from, t)
	if !from.language.Related(t.language) || unseen {
		return none
	}
	if extends(def, r.Type) && c.sees(from, t) {
		return likely
	}
	if r.Type != "" && def.Container != "" {
		return c.memberOf(r, from, e)
	}
	if r.Type != "" && r.Qualifier == "" && r.Use == code.Read {
		return none // the name of a field where a value is written out
	}
	if of := lastOf(r.Qualifier); of != lastOf(def.Container) && (def.Static || def.Kind == code.Constant) &&
		def.Container != "" && of != "" && unicode.IsUpper([]rune(of)[0]) && c.inherits(of, lastOf(def.Container)) &&
		!c.given(of, def.Name) {
		return likely // by the name of a type that builds on the one which has it
	}
	if found, bound := c.byPath(r, from, e); found || bound {
		if !found && def.Kind == code.Macro && from.language.Has(lang.FileModules) && r.Qualifier == "" &&
			(!binds(from.New.Imports, r.Name) ||
				def.Visibility == code.Public && takesFromCrate(from.New.Imports, r.Name)) {
			return likely // macros are known by the order of the text, without an import, or at the root of their crate
		}
		return when(found, resolved)
	}
	if def.Container == "" || r.Qualifier == "" && r.Use != code.Construct &&
		(r.Use != code.Match || def.Kind != code.Member) {
		return none
	}
	if r.Type == "" {
		if r.Type = c.resultType(r, from); r.Type != "" {
			return min(c.memberOf(r, from, e), likely)
		}
	}
	if r.Type == "" && lang.Common(def.Name) {
		return nameOnly // which the values of every language have
	}
	if hasOwn(from, def) || from.language.Has(lang.FieldReaders) && def.Static && isVariable(r.Qualifier) &&
		!namedLike(r.Qualifier, def.Container) {
		return nameOnly
	}
	if r.Type == "" && !from.language.Has(lang.Typed) && !e.gone() && e.Kind != Added &&
		namedLike(r.Qualifier, def.Container) && (c.isSole(e) || e.Kind == MadeReadOnly && def.Kind == code.Field) {
		return likely
	}
	if r.Type == "" && !from.language.Has(lang.Typed) && e.gone() && namedLike(r.Qualifier, def.Container) &&
		c.isNowhere(def.Name, from.language) {
		return likely
	}
	if c.sees(from, t) && c.by.families[def.Name]+c.user.families[def.Name] <= 2 && len(def.Name) > 2 {
		return when(r.Type != "" || !c.hasNamesake(r.Qualifier, e), likely)
	}
	return nameOnly
}

// takesFromCrate reports whether a file imports a name from the root of a crate.
func takesFromCrate(imports []code.Import, name string) bool {
	return slices.ContainsFunc(imports, func(i code.Import) bool {
		return i.Name == name && i.Member == name && !strings.Contains(i.Module, "::")
	})
}

// hasOwn reports whether a file defines a member of the name in another type, so that a value of a type which does not
// show is as likely one of that.
func hasOwn(from *changedFile, def code.Definition) bool {
	return slices.ContainsFunc(from.New.Definitions, func(d code.Definition) bool {
		return d.Name == def.Name && d.Container != "" && d.Kind != code.Local && !d.Overrides &&
			lastOf(d.Container) != lastOf(def.Container)
	})
}

// isVariable reports whether a qualifier is one word that is written small, as no type is.
func isVariable(qualifier string) bool {
	return qualifier != "" && qualifier != "self" && !strings.Contains(qualifier, ".") &&
		unicode.IsLower([]rune(qualifier)[0])
}

// namedLike reports whether a variable or member is called by the name of a type, or by the last of its words.
func namedLike(qualifier, typ string) bool {
	name := strings.ToLower(strings.ReplaceAll(lastOf(qualifier), "_", ""))
	last := lastOf(typ)
	if i := strings.LastIndexFunc(last, unicode.IsUpper); i > 0 && len(name) > 3 && strings.ToLower(last[i:]) == name {
		return true
	}
	return len(name) > 2 && strings.ToLower(last) == name
}

// extends reports whether a method of C# is called on values of a type: its first parameter, which may be left out.
func extends(d code.Definition, typ string) bool {
	return d.Static && len(d.Params) > 0 && d.Params[0].Optional && typ != "" &&
		lastOf(d.Params[0].Type) == lastOf(typ)
}

func when(yes bool, e evidence) evidence {
	if yes {
		return e
	}
	return none
}

// byPath follows the names before the reference through the imports of its file and the packages that need none.
// bound is set if the names are bound to something else.
func (c *Direction) byPath(r code.Reference, from *changedFile, e Edit) (found, bound bool) {
	def, t := e.subject(), c.targetOf(e)
	whole := strings.Trim(r.Qualifier+"."+r.Name, ".")
	if r.Qualifier == code.Expression {
		return false, false
	}
	first, _, _ := strings.Cut(whole, ".")
	_, own := definition(from.New, first)
	shadowed := own && r.Qualifier == "" && r.In != first
	for _, imp := range from.New.Imports {
		if imp.Member == code.All && shadowed {
			continue
		}
		if binds, means := c.byImport(imp, whole, from, e); means {
			return true, true
		} else if binds && imp.Name == first {
			bound = true
		}
	}
	if bound {
		return false, true
	}
	if scopeOf(from.language, from.file.Path, from.New.Package) == e.scope() {
		if hidesAt(from, r.In, first, def.Key()) {
			return false, true
		}
		if relativeTo(r.In, whole, def.Key()) ||
			r.Qualifier == "" && def.Container != "" && c.implicitThis(r, from, def) {
			return true, true
		}
		return false, r.Qualifier == "" && def.Container == ""
	}
	if slices.ContainsFunc(from.New.Definitions, func(d code.Definition) bool {
		isValue := d.Kind == code.Variable || d.Kind == code.Constant
		leads := isValue || d.Kind == code.Module && from.language.Has(lang.FileModules) // to what a file has
		return d.Key() == first && d.Kind != code.Local && !(leads && r.Qualifier != "")
	}) {
		return false, true
	}
	if r.Qualifier != "" {
		if inside, ok := c.reaches(code.Import{Module: r.Qualifier, Member: r.Name}, from.file.Path, t); ok &&
			inside == def.Key() && t.language.Has(lang.FullNames) {
			return true, true
		}
	}
	return false, r.Qualifier == "" && def.Container == ""
}

// hidesAt reports whether a type inside of what a reference stands in has a name, and neither goes by the key itself
// nor has what does.
func hidesAt(from *changedFile, in, name, key string) bool {
	for ; in != ""; in = containerOf(in) {
		if d, found := definition(from.New, in+"."+name); found && isType(d) &&
			!strings.HasPrefix(key+".", d.Key()+".") {
			return true
		}
	}
	return false
}

// relativeTo reports whether a path means the definition from where it stands: as it is, or inside
// of one of the surrounding modules and types.
func relativeTo(in, whole, key string) bool {
	for {
		if strings.Trim(in+"."+whole, ".") == key {
			return true
		}
		if in == "" {
			return false
		}
		in = containerOf(in)
	}
}

// byImport tells whether the import binds the first of the names, and whether the whole then means the definition.
func (c *Direction) byImport(imp code.Import, whole string, from *changedFile, e Edit) (binds, means bool) {
	def := e.subject()
	first, rest, _ := strings.Cut(whole, ".")
	inside, ok := c.reachesEdit(imp, from, e)
	if outer, all := strings.CutSuffix(inside, code.All); ok && all && imp.Name == "" {
		return false, strings.TrimPrefix(def.Key(), outer) == whole
	}
	if imp.Name == "" || imp.Name != first {
		return false, false
	}
	if imp.Guarded {
		return true, false // the file goes on without it
	}
	if ok && inside == "" && imp.Member == "" && def.Default {
		imp.Member, inside = "default", "default" // all that the file gives out is one thing
	}
	if ok && sameName(strings.Trim(inside+"."+rest, "."), imp, e) {
		return true, true
	}
	// `import a.b.c` binds a, and a.b.c is the module.
	if tail, dottedModule := strings.CutPrefix(whole, imp.Module+"."); ok && dottedModule && inside == "" &&
		tail == def.Key() {
		return true, true
	}
	return true, false
}

// reachesEdit follows the import to the file of the edit, or to the front of a folder around it,
// which hands on what its files define.
func (c *Direction) reachesEdit(imp code.Import, from *changedFile, e Edit) (inside string, ok bool) {
	t := c.targetOf(e)
	if inside, ok = c.reaches(imp, from.file.Path, t); ok {
		return inside, true
	}
	front := t.language.FrontFile
	for dir := path.Dir(t.Path); front != "" && dir != "."; dir = path.Dir(dir) {
		t.Path = dir + "/" + front
		if inside, ok = c.reaches(imp, from.file.Path, t); ok && inside != "" {
			return inside, true
		}
	}
	return c.throughFronts(imp, from.file.Path, t, mostHandedOn)
}

// throughFronts follows an import to a file by way of others that hand on what it defines.
func (c *Direction) throughFronts(imp code.Import, from string, t destination, steps int) (inside string, ok bool) {
	if inside, ok = c.reaches(imp, from, t); ok || steps == 0 || t.language.Fronts == nil {
		return inside, ok
	}
	for _, front := range t.language.Fronts(t.Path) {
		if front == t.Path || !c.merged.knows(front) || !c.merged.Has(front) {
			continue
		}
		at := t
		at.Path = front
		whole, leads := c.reaches(imp, from, at)
		first, rest, _ := strings.Cut(whole, ".")
		if !leads || first == "" || first == code.All {
			continue
		}
		for _, next := range importsOf(c.merged.source(front)) {
			if !next.Reexported || next.Name != first && !handsOnAll(next) {
				continue
			}
			if handsOnAll(next) {
				next.Member = first
			}
			if inside, ok = c.throughFronts(next, front, t, steps-1); ok {
				return strings.Trim(inside+"."+rest, "."), true
			}
		}
	}
	return "", false
}

// sameName compares a path inside a module with a definition; a default export goes by any name.
func sameName(inside string, imp code.Import, e Edit) bool {
	def := e.subject()
	if imp.Member == "default" && e.Kind == Renamed && def.Container == "" && e.New.Default &&
		e.Old.Name != e.New.Name {
		return false // the importer has a name of its own for it
	}
	if inside == def.Key() {
		return true
	}
	rest, isDefault := strings.CutPrefix(inside, "default")
	_, member, _ := strings.Cut(def.Key(), ".")
	return isDefault && imp.Member == "default" && def.Default && strings.TrimPrefix(rest, ".") == member
}

// implicitThis reports whether a bare name inside of a type means the type's own member.
func (c *Direction) implicitThis(r code.Reference, from *changedFile, def code.Definition) bool {
	owner, _, inMember := cutLast(r.In)
	return from.language.Has(lang.BareMembers) && inMember &&
		(owner == def.Container || c.inherits(owner, def.Container))
}

// cutLast splits a dotted path at its last dot.
func cutLast(path string) (before, last string, found bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

func lastOf(path string) string {
	_, last, _ := cutLast(path)
	return last
}

// memberOf decides for a reference whose value has a known type.
func (c *Direction) memberOf(r code.Reference, from *changedFile, e Edit) evidence {
	def := e.subject()
	typ := strings.NewReplacer("::", ".", `\`, ".").Replace(r.Type)
	if pkg, unnamed := strings.CutSuffix(typ, "."+code.Expression); unnamed {
		return when(slices.ContainsFunc(from.New.Imports, func(i code.Import) bool {
			_, ok := reaches(i, from.file.Path, c.targetOf(e))
			return ok && i.Name == pkg
		}), likely)
	}
	if c.importedAs(typ, from, ownerEdit(e)) {
		return resolved
	}
	if lastOf(typ) != lastOf(def.Container) {
		return when(c.inherits(lastOf(typ), lastOf(def.Container)) && !c.given(lastOf(typ), def.Name), resolved)
	}
	qualifier, name, _ := cutLast(typ)
	owner := e
	owner.Old.Name, owner.Old.Container, owner.Old.Kind = lastOf(def.Container), containerOf(def.Container),
		code.Class
	owner.New.Name, owner.New.Container = owner.Old.Name, owner.Old.Container
	found, bound := c.byPath(code.Reference{Name: name, Qualifier: qualifier, In: r.In}, from, owner)
	switch {
	case found:
		return resolved
	case bound, qualifier != "" && from.language.Has(lang.FullNames) && from.language.Has(lang.PackageScope) &&
		!from.language.Has(lang.Nested):
		return none // the name in full of another
	}
	return likely
}

// importedAs reports whether a source imports a type under another name than its own.
func (c *Direction) importedAs(typ string, from *changedFile, e Edit) bool {
	return slices.ContainsFunc(from.New.Imports, func(i code.Import) bool {
		if i.Name != typ || i.Member == "" || i.Member == i.Name {
			return false
		}
		inside, ok := c.reachesEdit(i, from, e)
		return ok && sameName(inside, i, e)
	})
}

func containerOf(path string) string {
	before, _, _ := cutLast(path)
	return before
}

// inherits reports whether a type that either side changed has the other among its bases, be it by way of others.
func (c *Direction) inherits(typ, base string) bool {
	seen := map[string]bool{}
	var walk func(string) bool
	walk = func(name string) bool {
		if seen[name] {
			return false
		}
		seen[name] = true
		for _, s := range []*changes{c.user, c.by} {
			for _, b := range s.bases[name] {
				if b == base || walk(b) {
					return true
				}
			}
		}
		return false
	}
	return walk(lastOf(typ))
}

// sees reports whether the source imports the target or needs no import to use it.
func (c *Direction) sees(from *changedFile, t destination) bool {
	if scopeOf(from.language, from.file.Path, from.New.Package) == scopeOf(t.language, t.Path, t.Package) {
		return true
	}
	return slices.ContainsFunc(from.New.Imports, func(i code.Import) bool {
		_, ok := c.reaches(i, from.file.Path, t)
		return ok
	})
}

// reaches is the rule by names, held against the merged tree where names alone can mislead.
func (c *Direction) reaches(imp code.Import, from string, t destination) (inside string, ok bool) {
	if t.language.Aliases != nil {
		imp.Module = c.by.unaliased(t.language, imp.Module, from)
	}
	inside, ok = reaches(imp, from, t)
	hidden := ok && t.language.Hidden != nil && t.language.Hidden(imp, t.Path, c.merged.Has)
	return inside, ok && !hidden
}

// seesPrivate reports whether a source sees what is private in the file of a definition.
func seesPrivate(from *changedFile, t destination) bool {
	return from.language == t.language && t.language.SeesPrivate != nil &&
		t.language.SeesPrivate(from.file.Path, t.Path)
}

package conflict

import (
	"maps"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// cycles reports cycles of imports that need a new import of each side.
func (c *Direction) cycles() {
	seen := map[string]bool{}
	if !c.importsOwn() {
		return
	}
	for _, src := range c.by.sources {
		if src.New == nil || src.language.IsIsolated(src.file.Path) {
			continue
		}
		for _, imp := range slices.DeleteFunc(slices.Clone(src.fresh), isDeferred) {
			start := src.language.Node(src.file.Path)
			for _, to := range c.targets(src.file.Path, src.language, imp) {
				way, closing := c.wayBack(to, start, src.language)
				if closing == nil || seen[start+" "+to] {
					continue
				}
				seen[start+" "+to] = true
				c.suspect(ImportConflict, c.placeIn(src, imp.Line, imp.Module), []Use{*closing},
					"%s and %s together make a circle of imports: %s.",
					strings.Join(append([]string{start}, way...), " → "))
			}
		}
	}
}

// importsOwn reports whether the user newly imports anything of the merged tree, without which
// there is no cycle of both.
func (c *Direction) importsOwn() bool {
	return c.merged.tree != nil && slices.ContainsFunc(c.user.sources, func(src *source) bool {
		return slices.ContainsFunc(src.fresh, func(i code.Import) bool {
			return len(c.targets(src.file.Path, src.language, i)) > 0
		})
	})
}

// wayBack searches a way from one node to another in the merged tree, and on it the first new import of the user.
func (c *Direction) wayBack(from, to string, l *lang.Language) (way []string, closing *Use) {
	way, _ = shortestWay(from, to, func(at string) ([]string, error) {
		return slices.Sorted(maps.Keys(c.importsOf(at, l))), nil
	})
	for i := 1; i < len(way) && closing == nil; i++ {
		closing = c.importsOf(way[i-1], l)[way[i]]
	}
	return way, closing
}

// importsOf are the nodes that a node of the two sides together imports, each with the user's new
// import if that is one.
func (c *Direction) importsOf(at string, l *lang.Language) map[string]*Use {
	all := map[string]*Use{}
	for name, imports := range c.importsAt(at, l) {
		src := c.user.byPath[name]
		for _, imp := range slices.DeleteFunc(slices.Clone(imports), isDeferred) {
			var fresh *Use
			if src != nil {
				if i := slices.IndexFunc(src.fresh, sameImport(imp)); i >= 0 {
					u := importUse(src.fresh[i], src)
					fresh = &u
				}
			}
			for _, to := range c.targets(name, l, imp) {
				if _, known := all[to]; !known || fresh != nil {
					all[to] = fresh
				}
			}
		}
	}
	return all
}

// importsAt are the imports of a node's files: those of the base, with the files that either side
// changed in their place.
func (c *Direction) importsAt(at string, l *lang.Language) map[string][]code.Import {
	all := maps.Clone(c.pair.reader.baseImports(c.by.set, at, l))
	for _, s := range []*side{c.by, c.user} {
		for _, src := range s.byNode[at] {
			delete(all, src.file.BasePath())
			if src.New != nil && src.language == l && !l.IsIsolated(src.file.Path) {
				all[src.file.Path] = append(all[src.file.Path], src.New.Imports...)
			}
		}
	}
	return all
}

// baseImports are the imports of the files at a node of the set's base, which many pairs share.
func (r *reader) baseImports(s change.Set, at string, l *lang.Language) map[string][]code.Import {
	key := s.Base + " " + string(l.Name) + " " + at
	if known, ok := r.imports[key]; ok {
		return known
	}
	all, _ := nodeImports(s.BaseFS, at, l) // what cannot be read shows no way on
	r.imports[key] = all
	return all
}

// targets are the nodes of the merged tree that an import leads to; imports of other projects lead to none.
func (c *Direction) targets(from string, l *lang.Language, imp code.Import) []string {
	return leadsTo(together{c.merged, c.by}, from, l, imp)
}

// together is where the imports of both sides lead: their files as merged, and one side's modules.
type together struct {
	*merged
	by *side
}

func (t together) ImportPath(name string) string { return t.by.ImportPath(name) }

package conflict

import (
	"maps"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// cycles reports cycles of imports that need a new import of each side. It found 1 of 168 breaks.
func (c *Direction) cycles() {
	seen := map[string]bool{}
	if !c.importsOwn() {
		return
	}
	g := importGraph{together{c.merged, c.by}, c.importsAt, map[node]map[string][]importAt{}}
	for _, src := range c.by.sources {
		if src.New == nil || src.language.IsIsolated(src.file.Path) {
			continue
		}
		for _, imp := range slices.DeleteFunc(slices.Clone(src.fresh), isDeferred) {
			start := src.language.Node(src.file.Path)
			for _, to := range c.targets(src.file.Path, src.language, imp) {
				way, _ := g.way(node{src.language, to}, node{src.language, start})
				closing := c.closing(g, way, src.language)
				if closing == nil || seen[start+" "+to] {
					continue
				}
				seen[start+" "+to] = true
				c.tell(circle, c.placeIn(src, imp.Line, imp.Module), closing,
					"way", strings.Join(append([]string{start}, way...), " → "),
					"mine", placeText(src.file.Path, imp.Line)).cycle = true
			}
		}
	}
}

// importsOwn reports whether the user newly imports anything of the merged tree, without which
// there is no cycle of both.
func (c *Direction) importsOwn() bool {
	return c.merged.tree != nil && slices.ContainsFunc(c.user.sources, func(src *changedFile) bool {
		return slices.ContainsFunc(src.fresh, func(i code.Import) bool {
			return len(c.targets(src.file.Path, src.language, i)) > 0
		})
	})
}

// closing is the first new import of the user on a way.
func (c *Direction) closing(g importGraph, way []string, l *lang.Language) []Use {
	for i := 1; i < len(way); i++ {
		edges, _ := g.edges(node{l, way[i-1]})
		for _, imp := range edges[way[i]] {
			src := c.user.byPath[imp.path]
			if src != nil && slices.ContainsFunc(src.fresh, sameImport(imp.Import)) {
				return []Use{importUse(imp.Import, src)}
			}
		}
	}
	return nil
}

// importsAt are the imports of a node's files: those of the base, with the files that either side
// changed in their place.
func (c *Direction) importsAt(n node) (map[string][]code.Import, error) {
	all := maps.Clone(c.pair.reader.baseImports(c.by.set, n))
	for _, s := range []*changes{c.by, c.user} {
		for _, src := range s.byNode[n.at] {
			delete(all, src.file.BasePath())
			if src.New != nil && src.language == n.language && !n.language.IsIsolated(src.file.Path) {
				all[src.file.Path] = append(all[src.file.Path], src.New.Imports...)
			}
		}
	}
	return all, nil
}

// baseImports are the imports of the files at a node of the set's base, which many pairs share.
func (r *reader) baseImports(s change.Set, n node) map[string][]code.Import {
	key := s.Base + " " + string(n.language.Name) + " " + n.at
	if known, ok := r.imports[key]; ok {
		return known
	}
	all, _ := nodeImports(s.BaseFS, n.at, n.language) // what cannot be read shows no way on
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
	by *changes
}

func (t together) ImportPath(name string) string { return t.by.ImportPath(name) }

package gocheck

import (
	"context"
	"maps"
	"slices"
)

// plan is what is to be checked of a folder.
type plan struct {
	faults  []Problem // of the folder, or of what is around it
	missing string    // the package's import path if not all of it could be read
	parts   []part
}

// part is the package of a folder, the package with its tests, or the external tests.
type part struct {
	kind  partKind
	graph *graph
	node  *node
	files []file
}

type partKind int

const (
	plain partKind = iota
	inner
	outer
)

// isWhole reports whether all of the folder is known and nothing is wrong with it before its packages are checked.
func (p plan) isWhole() bool { return len(p.faults) == 0 && p.missing == "" && len(p.parts) > 0 }

// plan reads a folder, and finds what its packages import. One without Go files asks for nothing.
func (v *view) plan(ctx context.Context, dir string) (p plan, err error) {
	f, err := v.c.folder(v.tree, dir)
	if err != nil || f.isEmpty() {
		return p, err
	}
	w, err := v.workspace(dir)
	if err != nil {
		return p, err
	}
	if p.faults = slices.Clone(w.faults); len(p.faults) > 0 {
		return p, nil
	}
	p.faults = slices.Clone(f.faults)
	home := w.home(v.tree, dir)
	if f.partial {
		p.missing = home.path
		return p, nil
	}
	add := func(kind partKind, g *graph, at place, files []file) {
		var n *node
		if n, err = g.visit(ctx, at, files); err == nil {
			p.parts = append(p.parts, part{kind, g, n, files})
		}
	}
	g := v.graph(w, "")
	if len(f.plain) > 0 {
		add(plain, g, home, f.plain)
	}
	if err == nil && len(f.inner) > 0 {
		g = v.graph(w, home.path)
		add(inner, g, home, slices.Concat(f.plain, f.inner))
	}
	if err == nil && len(f.outer) > 0 {
		home.tests, home.path = home.path, home.path+"_test"
		add(outer, g, home, f.outer)
	}
	return p, err
}

// isSound reports whether nothing is wrong with the folder in this view, and what is said of it is what would be said
// of the parts of an earlier tree if nothing was wrong with them.
func (v *view) isSound(ctx context.Context, dir string, earlier plan) (bool, error) {
	p, err := v.plan(ctx, dir)
	if err != nil || !p.isWhole() {
		return false, err
	}
	var parts []part
	for _, was := range earlier.parts {
		i := slices.IndexFunc(p.parts, func(x part) bool { return x.kind == was.kind })
		if i < 0 || !p.parts[i].has(was.files) || !maps.Equal(p.parts[i].gaps(), was.gaps()) {
			return false, nil // before anything is checked: the earlier tree has to be anyhow
		}
		parts = append(parts, p.parts[i])
	}
	for _, now := range parts {
		r, err := v.c.load(ctx, now.node, whole)
		if err != nil {
			return false, err
		}
		if r.broken || len(r.problems)+len(now.graph.cycles) > 0 || !slices.Equal(r.missing, now.gaps().paths()) {
			return false, nil
		}
	}
	return true, nil
}

// has reports whether the part has files of these names.
func (p part) has(files []file) bool {
	return !slices.ContainsFunc(files, func(f file) bool {
		return !slices.ContainsFunc(p.files, func(o file) bool { return o.name == f.name })
	})
}

// gap is an import that leads to nothing that could be read. C has no answer.
type gap struct {
	importer, path string
	answer         answer
}

type gaps map[gap]bool

// gaps are those of the part and of all below it outside of the standard library, which is the same for all trees.
func (p part) gaps() gaps {
	all, seen := gaps{}, map[*node]bool{}
	var follow func(*node)
	follow = func(n *node) {
		if seen[n] || n.source == p.graph.c.std {
			return
		}
		seen[n] = true
		if len(importers(n, "C")) > 0 {
			all[gap{n.id(), "C", here}] = true
		}
		for _, e := range n.imports {
			if e.to != nil {
				follow(e.to)
			} else {
				all[gap{n.id(), e.path, e.answer}] = true
			}
		}
	}
	follow(p.node)
	return all
}

// paths are the imports that could not be loaded, sorted.
func (all gaps) paths() []string {
	paths := []string{}
	for g := range all {
		if g.answer != here {
			paths = append(paths, g.path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

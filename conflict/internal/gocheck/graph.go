package gocheck

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"maps"
	"path"
	"slices"
	"strings"
)

// view is one tree during one call of Check.
type view struct {
	c          *Checker
	tree       *source
	exists     map[string]bool       // by file
	workspaces map[string]*workspace // by go.mod or go.work
	graphs     map[graphKey]*graph
	problems   []Problem
	unresolved map[string]bool
	read       map[string]bool // files of packages of which nothing is missing
}

type graphKey struct {
	space  *workspace
	tested string
}

func newView(c *Checker, tree *source) *view {
	return &view{
		c: c, tree: tree, exists: map[string]bool{}, workspaces: map[string]*workspace{},
		graphs: map[graphKey]*graph{}, unresolved: map[string]bool{}, read: map[string]bool{},
	}
}

// graph is the one in which the tested package has its in-package tests, once that was visited with
// them; "" is the one without tests.
func (v *view) graph(space *workspace, tested string) *graph {
	key := graphKey{space, tested}
	if v.graphs[key] == nil {
		v.graphs[key] = newGraph(v.c, v, space)
		v.graphs[key].tested = tested
	}
	return v.graphs[key]
}

// graph holds packages and what they import, in one meaning of import paths.
type graph struct {
	c      *Checker
	view   *view            // nil for the standard library
	space  *workspace       // nil for the standard library
	tested string           // path of the package that is the first to be visited, "" if it may be any
	nodes  map[string]*node // by id
	open   []*node          // Tarjan's stack
	cycles []Problem
}

func newGraph(c *Checker, v *view, space *workspace) *graph {
	return &graph{c: c, view: v, space: space, nodes: map[string]*node{}}
}

// node is a package.
type node struct {
	place
	files   []file
	imports []edge // by path
	// key is the same for all packages with the same content that see the same content in what they import.
	key digest
	// order and low are Tarjan's numbers; isOpen says that the package's component is not complete.
	order, low int
	isOpen     bool
}

// edge is an import of a package; to is nil unless the answer is here.
type edge struct {
	path   string
	to     *node
	answer answer
}

// visit makes the node of a package and of all below it.
// Packages that import each other in a cycle come out as one component, whose inner imports are cut.
func (g *graph) visit(ctx context.Context, p place, files []file) (*node, error) {
	if n := g.nodes[p.id()]; n != nil {
		return n, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := &node{place: p, files: files, order: len(g.nodes), low: len(g.nodes), isOpen: true}
	g.nodes[p.id()] = n
	first := len(g.open)
	g.open = append(g.open, n)
	for _, name := range importsOf(files) {
		e, err := g.follow(ctx, n, name)
		if err != nil {
			// The graph of the standard library outlives this call, so no half of a node may stay.
			delete(g.nodes, p.id())
			g.open = g.open[:first]
			return nil, err
		}
		n.imports = append(n.imports, e)
		if e.to != nil && e.to.isOpen {
			n.low = min(n.low, e.to.low)
		}
	}
	if n.low == n.order {
		g.complete(g.open[first:])
		g.open = g.open[:first]
	}
	return n, nil
}

// importsOf lists what files import, without the two packages that have no files.
func importsOf(files []file) []string {
	all := map[string]bool{}
	for _, f := range files {
		for _, s := range f.imports {
			all[s.path] = true
		}
	}
	delete(all, "C")
	delete(all, "unsafe")
	return slices.Sorted(maps.Keys(all))
}

func (g *graph) follow(ctx context.Context, n *node, name string) (edge, error) {
	if name == g.tested {
		return edge{path: name, to: g.nodes[name]}, nil
	}
	p, a, err := g.resolve(n.place, name)
	if err != nil || a != here {
		return edge{path: name, answer: a}, err
	}
	at := g
	if p.source == g.c.std {
		at = g.c.library
	}
	if known := at.nodes[p.path]; known != nil {
		return edge{path: name, to: known}, nil
	}
	f, err := g.c.folder(p.source, p.dir)
	if err != nil {
		return edge{}, err
	}
	to, err := at.visit(ctx, p, f.plain)
	return edge{path: name, to: to}, err
}

// complete ends a component: it cuts a cycle, and gives keys.
func (g *graph) complete(members []*node) {
	inside := map[*node]bool{}
	for _, n := range members {
		inside[n] = true
	}
	if chain := g.cycle(members, inside); chain != nil {
		g.cycles = append(g.cycles, cycleProblem(chain))
	}
	for _, n := range members {
		n.isOpen = false
		for i, e := range n.imports {
			if inside[e.to] {
				n.imports[i] = edge{path: e.path, answer: cyclic}
			}
		}
	}
	for _, n := range members {
		n.key = g.c.keyOf(n)
	}
}

// cycle is the shortest way from the tree's member with the smallest path back to it; nil if there is none.
// Starting always there makes equal cycles of two trees equal problems.
func (g *graph) cycle(members []*node, inside map[*node]bool) []*node {
	var start *node
	for _, n := range members {
		if g.view != nil && n.source == g.view.tree && (start == nil || n.path < start.path) {
			start = n
		}
	}
	if start == nil {
		return nil
	}
	before := map[*node]*node{}
	for queue := []*node{start}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, e := range at.imports {
			if e.to == start {
				chain := []*node{at}
				for at != start {
					at = before[at]
					chain = append(chain, at)
				}
				slices.Reverse(chain)
				return chain
			}
			if inside[e.to] && before[e.to] == nil {
				before[e.to] = at
				queue = append(queue, e.to)
			}
		}
	}
	return nil
}

func cycleProblem(chain []*node) Problem {
	chain = append(chain, chain[0])
	var names []string
	for _, n := range chain {
		names = append(names, n.path)
	}
	at := importers(chain[0], chain[1].path)[0]
	at.Message = "import cycle: " + strings.Join(names, " → ")
	return at
}

// importers are the places where a package imports another, without a message.
func importers(n *node, name string) (all []Problem) {
	for _, f := range n.files {
		for _, s := range f.imports {
			if s.path == name {
				all = append(all, Problem{Path: path.Join(n.dir, f.name), Line: s.line})
			}
		}
	}
	return all
}

// keyOf is the digest of all that a check of the package depends on.
func (c *Checker) keyOf(n *node) (key digest) {
	h := sha256.New()
	write(h, n.path, n.dir, n.lang)
	switch {
	case n.source == c.std:
		write(h, "standard library")
	case n.source == c.cache:
		write(h, "module cache")
	default:
		write(h, "tree")
		for _, f := range n.files {
			write(h, f.name, string(f.sum[:]))
		}
	}
	for _, e := range n.imports {
		write(h, e.path, fmt.Sprint(e.answer))
		if e.to != nil {
			h.Write(e.to.key[:])
		}
	}
	h.Sum(key[:0])
	return key
}

// write adds texts in such a way that no two lists of texts give the same bytes.
func write(h hash.Hash, texts ...string) {
	for _, t := range texts {
		h.Write(binary.AppendUvarint(nil, uint64(len(t))))
		h.Write([]byte(t))
	}
}

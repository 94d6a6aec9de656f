package conflict

import (
	"cmp"
	"io/fs"
	"maps"
	"slices"

	"delegate/change"
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/languages"
)

// Cycle is an import cycle.
type Cycle struct {
	Language code.Language // of all its nodes
	// Nodes are the packages (folders) of a Go cycle, or the files of a cycle in another language, in the order in
	// which each imports the next one. The last one imports the first.
	Nodes []string
	// Path and Line are the location of the import that makes the cycle.
	Path string
	Line int
	// Conditional means that one of the imports is in a Go file with a build constraint.
	Conditional bool
}

// NewCycles returns the import cycles in after that before does not have, one for each import that makes a cycle. It
// examines the Go packages, and the JavaScript, TypeScript and Python files, that the changes touch.
//
// Imports inside of functions, imports of types only, Go test files, and files in testdata and vendor folders make no
// cycle. An import between two nodes that were in one cycle before is not reported. The search follows a limited number
// of packages or files for each import, so it can miss very long cycles. The error is one of reading a tree.
func NewCycles(before, after fs.FS, changes []change.File) ([]Cycle, error) {
	s := cycleSearch{before: treeGraph(before), after: treeGraph(after), tree: after, was: map[string]string{}}
	var starts []node
	for _, f := range changes {
		l := languageOf(f.Path)
		if l.Parse == nil || f.NewMode == 0 || !isText(f) || !takesPart(l, f.Path) {
			continue
		}
		s.was[l.Node(f.Path)] = l.Node(f.BasePath())
		starts = append(starts, node{l, l.Node(f.Path)})
	}
	slices.SortFunc(starts, func(a, b node) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.language.Name, b.language.Name))
	})
	var found []Cycle
	for _, st := range slices.Compact(starts) {
		cycles, err := s.from(st)
		if err != nil {
			return nil, err
		}
		for _, c := range cycles {
			if !slices.ContainsFunc(found, func(o Cycle) bool { return o.same(c) }) {
				found = append(found, c)
			}
		}
	}
	return found, nil
}

// takesPart reports whether the language's imports are followed and a build would see the file.
func takesPart(l *lang.Language, file string) bool {
	return l.Resolve != nil && !l.IsIsolated(file) && (l.Unbuilt == nil || !l.Unbuilt(file))
}

// same reports whether two cycles have the same nodes, wherever they begin.
func (c Cycle) same(o Cycle) bool {
	return slices.Equal(slices.Sorted(slices.Values(c.Nodes)), slices.Sorted(slices.Values(o.Nodes)))
}

// cycleSearch looks for cycles in one tree and for the same in the other.
type cycleSearch struct {
	before, after importGraph
	tree          fs.FS             // the later one
	was           map[string]string // where a node of the later tree was before it was renamed
}

// from lists the cycles that new imports of the node close.
func (s cycleSearch) from(st node) ([]Cycle, error) {
	edges, err := s.after.edges(st)
	if err != nil {
		return nil, err
	}
	old, err := s.before.edges(s.formerly(st))
	if err != nil {
		return nil, err
	}
	var found []Cycle
	for _, name := range slices.Sorted(maps.Keys(edges)) {
		to := node{st.language, name}
		if _, had := old[s.formerly(to).at]; had || to == st && !st.language.Has(lang.Folders) {
			continue // a script that has a library's name seems to import itself
		}
		way, err := s.after.way(to, st)
		if err != nil {
			return nil, err
		}
		before, err := s.wereInCycle(st, to)
		if err != nil {
			return nil, err
		}
		if way == nil || before {
			continue
		}
		nodes := append([]string{st.at}, way[:len(way)-1]...)
		by := edges[name][0]
		c := Cycle{Language: st.language.Name, Nodes: nodes, Path: by.path, Line: by.Line}
		if c.Conditional, err = s.isConditional(nodes, st.language); err != nil {
			return nil, err
		}
		found = append(found, c)
	}
	return found, nil
}

func (s cycleSearch) formerly(n node) node {
	if was, known := s.was[n.at]; known {
		n.at = was
	}
	return n
}

// wereInCycle reports whether the two nodes lay in one cycle before.
func (s cycleSearch) wereInCycle(a, b node) (bool, error) {
	a, b = s.formerly(a), s.formerly(b)
	if a == b {
		return false, nil
	}
	there, err := s.before.way(a, b)
	if err != nil || there == nil {
		return false, err
	}
	back, err := s.before.way(b, a)
	return back != nil, err
}

// isConditional reports whether one of the cycle's imports stands only in Go files that are not for every build.
func (s cycleSearch) isConditional(nodes []string, l *lang.Language) (bool, error) {
	if !l.Has(lang.Folders) {
		return false, nil
	}
	for i, at := range nodes {
		edges, err := s.after.edges(node{l, at})
		if err != nil {
			return false, err
		}
		always := false
		for _, p := range edges[nodes[(i+1)%len(nodes)]] {
			data, ok, err := readUpTo("the tree", s.tree, p.path, largestSource)
			if err != nil {
				return false, err
			}
			f, _ := languages.Parse(p.path, data)
			always = always || ok && f.Constraint == ""
		}
		if !always {
			return true, nil
		}
	}
	return false, nil
}

//go:build cgo

package syntax

import (
	"path"
	"strings"
)

// reader reads one file: it knows what the file binds where, and writes the lists.
type reader struct {
	*tree
	*grammar
	file *File
	name string // of the file, its path included

	frames []frame // in the order of their nodes, parents first; the first is the file
	here   int32   // the frame of the node that is being read
	marks  []mark  // the first ones are shared

	bound   map[place]int32     // the last binding of a name in a frame
	held    map[member]int32    // the last binding of a member
	binds   []binding           // the first one is for no binding
	types   map[string][]string // the bases of the file's types, by key
	results map[string]string   // what callables give, by key
	locals  map[member]bool     // the Local definitions listed so far, by the key of their function
	given   map[string]bool     // the names that the file gives out besides the definitions that say so
	main    string              // the name of what the file gives out by default
	weak    []int               // the places in the file's Definitions of those that give way to others

	depth int // of expressions whose type is asked for in that of others

	strings map[string]string // the parts of the source in the lists, each copied once
}

// level is what a frame is to names.
type level uint8

// The levels of frames. A name is bound in the next frame around it whose level is right for it.
const (
	nameLevel     level = iota // a definition that binds no names, such as a variable
	blockLevel                 // part of a function
	functionLevel              // a function, named or not
	typeLevel                  // names in it are members
	moduleLevel                // a namespace inside of the file
	fileLevel
)

// frame is a stretch of the file in which names are bound, or that has a name.
type frame struct {
	up    int32
	node  node
	after node
	level level
	deep  int    // how many frames it stands in
	depth int    // how many definitions it stands in
	key   string // the Key of the innermost definition that is no Local
	self  string // the Key of the innermost type
	enum  bool   // the type is an enumeration
	// section is the visibility of the definitions that follow, in languages that say it once for several.
	section Visibility
}

// The bounds of nesting, far beyond what people write. What is deeper belongs to the definition,
// and to the block, around it.
const (
	maxDepth  = 24   // of definitions
	maxFrames = 256  // of definitions and blocks
	maxKey    = 1024 // bytes
)

// member is a name in a type, which is known by its key.
type member struct{ owner, name string }

// place is a name in a frame.
type place struct {
	frame int32
	name  string
}

// unset is the value of a variable that is declared without one.
const unset node = -1

// binding says what a name stands for from some place on.
type binding struct {
	previous int32  // the same name's earlier binding in the same frame
	at       node   // where
	typ      string // declared, as written
	value    node   // what it is set to, 0 if not known
	from     int32  // the frame in which value stands
	what     bound
	solved   bool   // answer is known
	answer   string // the type of what the name holds, all its bindings together
}

// bound is what kind of thing a name is bound to.
type bound uint8

const (
	toValue   bound = iota // a variable or a parameter
	toNamed                // a definition that is no Local
	toModule               // an imported module
	toMember               // one imported name of a module
	toType                 // a parameter that stands for a type
	elsewhere              // a name of a frame further out, such as Python's global names
)

func newReader(g *grammar, t *tree, name string) *reader {
	r := &reader{
		tree: t, grammar: g, name: name,
		frames: []frame{{node: 0, after: t.cells[0].after, level: fileLevel}},
		marks:  newMarks(len(t.cells) / 8), binds: make([]binding, 1),
		bound: map[place]int32{}, held: map[member]int32{}, types: map[string][]string{}, results: map[string]string{},
		locals: map[member]bool{}, given: map[string]bool{},
		strings: map[string]string{},
	}
	return r
}

// read fills the lists.
func (r *reader) read(language Language) File {
	r.file = &File{Language: language, Faults: r.faults()}
	r.declareAll()
	r.referAll()
	return *r.file
}

// declareAll is the first pass.
func (r *reader) declareAll() {
	for n := range node(len(r.cells)) {
		for r.here != 0 && n >= r.frames[r.here].after {
			r.here = r.frames[r.here].up
		}
		if k := r.cells[n].kind; int(k) < len(r.tree.rules) {
			for _, rule := range r.tree.rules[k] {
				rule(r, n)
			}
		}
	}
	r.here = 0
	r.settle()
	r.giveOut()
}

// giveOut makes public what the file gives out by name, and marks what it gives out by default.
func (r *reader) giveOut() {
	if len(r.given) == 0 && r.main == "" {
		return
	}
	for i, d := range r.file.Definitions {
		if d.Kind == Local {
			continue
		}
		if d.Container == "" && r.given[d.Name] {
			r.file.Definitions[i].Visibility = Public
		}
		if r.main != "" {
			outermost, _, _ := strings.Cut(d.Key(), ".")
			r.file.Definitions[i].Default = outermost == r.main
		}
	}
	for i, imported := range r.file.Imports {
		if imported.Name != "" && r.given[imported.Name] {
			r.file.Imports[i].Reexported = true
		}
	}
}

// at is the frame of the node that is being read.
func (r *reader) at() *frame { return &r.frames[r.here] }

// around finds the next frame around of one of the levels. The file is around all.
func (r *reader) around(levels ...level) int32 {
	f := r.here
	for ; f != 0; f = r.frames[f].up {
		for _, l := range levels {
			if r.frames[f].level == l {
				return f
			}
		}
	}
	return 0
}

// inFunction reports whether the node being read stands in a function or lambda, with no type between.
func (r *reader) inFunction() bool {
	return r.frames[r.around(functionLevel, typeLevel)].level == functionLevel
}

// inType reports whether the node being read stands in a type, with no function between.
func (r *reader) inType() bool {
	return r.frames[r.around(functionLevel, typeLevel)].level == typeLevel
}

// open starts a frame at the node that is being read, which lasts to the node's end. It belongs to
// the definition with the key.
func (r *reader) open(n node, l level, key string) {
	up := r.at()
	if up.deep >= maxFrames {
		return
	}
	key = r.keep(key)
	f := frame{up: r.here, node: n, after: r.cells[n].after, level: l, deep: up.deep + 1, depth: up.depth, key: key,
		self: up.self}
	if key != up.key {
		f.depth++
	}
	if l == typeLevel {
		f.self = key
	}
	r.frames = append(r.frames, f)
	r.here = int32(len(r.frames)) - 1
}

// opens makes a rule for nodes that bind names and are no definitions.
func opens(l level) rule {
	return func(r *reader, n node) { r.open(n, l, r.at().key) }
}

// site is where a definition stands.
type site struct {
	whole node // all of it; 0 for the name alone
	// the leaf with its name, which is no reference; 0 for a definition whose name cannot be used,
	// which is then not bound
	name  node
	value node // what it is set to, if that is known
	from  node // the first node at which a local name stands for it, where that is not the name itself
}

// define lists a definition and binds its name in the frame around it. d holds what the language says of it;
// container, lines and hash are filled in here, and the name too if it is "".
// It returns the key for the frame to open at it. Nothing is listed where definitions nest too deep
// or have too long names, or where the parser has put in the name.
func (r *reader) define(d Definition, s site) string {
	r.skip(s.name)
	if d.Name == "" {
		d.Name = r.keep(r.text(s.name))
	}
	if d.Name == "" || r.at().depth >= maxDepth || len(r.at().key)+len(d.Name) > maxKey {
		return r.at().key
	}
	d.Container = r.at().key
	r.list(&d, s)
	key := d.Key()
	switch d.Kind {
	case Class, Interface, Enum, Type, Module:
		r.types[key] = append(r.types[key], d.Bases...)
	case Function, Method, Macro:
		result := d.Result
		if other, again := r.results[key]; again && other != result {
			result = "" // it depends on the arguments
		}
		r.results[key] = result
	}
	b := binding{at: s.whole, what: toNamed, typ: d.Type, value: s.value}
	switch {
	case s.name == 0:
	case r.inType():
		r.hold(d.Container, d.Name, b)
	default:
		r.bind(r.around(fileLevel, moduleLevel, functionLevel, blockLevel), d.Name, b)
	}
	return key
}

// mostLocalNodes is how much of a Local's value its hash covers. Functions inside of one another
// would otherwise be read once for each level.
const mostLocalNodes = 400

// list adds a definition with its lines and its hash.
func (r *reader) list(d *Definition, s site) {
	whole := s.whole
	if whole == 0 {
		whole = s.name
	}
	after := r.cells[whole].after
	if d.Kind == Local {
		after = min(after, whole+mostLocalNodes)
	}
	if d.Kind != Local {
		d.TypeParams = r.typeParams(whole)
	}
	d.Line, d.End, d.Hash = r.line(whole), r.lastLine(whole), r.hash(whole, after, d.Name)
	r.file.Definitions = append(r.file.Definitions, *d)
}

// typeParams reads the type parameters of a declaration. In all grammars they stand in a list of their own.
func (r *reader) typeParams(whole node) (params []Param) {
	list := r.child(whole, "type_parameters", "type_parameter_list", "template_parameter_list", "type_parameter")
	for n := range r.parts(list) {
		name := r.field(n, "name")
		for leaf := n; name == 0 && leaf < r.cells[n].after; leaf++ {
			if r.flagged(leaf, isName) {
				name = leaf
			}
		}
		if name == 0 || r.is(n, "lifetime_parameter") {
			continue
		}
		bound, _, _ := strings.Cut(strings.Join(strings.Fields(r.source[r.cells[name].end:r.cells[n].end]), " "), "= ")
		optional := r.has(n, "=") || r.field(n, "value") != 0
		params = append(params, Param{Name: r.keep(r.text(name)), Type: r.keep(strings.TrimSpace(bound)),
			Optional: optional})
	}
	return params
}

// bind binds a name in a frame.
func (r *reader) bind(f int32, name string, b binding) {
	p := place{f, name}
	b.previous, b.from = r.bound[p], r.here
	r.binds = append(r.binds, b)
	r.bound[p] = int32(len(r.binds)) - 1
}

// hold remembers what a member of a type holds. The owner is the type's key.
func (r *reader) hold(owner, name string, b binding) {
	m := member{owner, name}
	b.previous, b.from = r.held[m], r.here
	r.binds = append(r.binds, b)
	r.held[m] = int32(len(r.binds)) - 1
}

// holds reports whether a type is known to have a member so far.
func (r *reader) holds(owner, name string) bool { return r.held[member{owner, name}] != 0 }

// attribute lists a member that code inside of a type's methods makes, once.
func (r *reader) attribute(d Definition, owner string, s site) {
	d.Name, d.Container = r.keep(r.text(s.name)), owner
	if !r.holds(owner, d.Name) {
		r.skip(s.name)
		r.list(&d, s)
	}
	r.hold(owner, d.Name, binding{at: s.name, typ: d.Type, value: s.value, what: toNamed})
}

// rebind notes a further value of a variable. It does nothing to a name that is not bound so far.
func (r *reader) rebind(name string, at, value node) {
	for f := r.here; ; f = r.frames[f].up {
		if b := r.bound[place{f, name}]; b != 0 {
			r.bind(f, name, binding{at: at, value: value, what: r.binds[b].what})
			return
		}
		if f == 0 {
			return
		}
	}
}

// local lists a Local of a type, as declared, and binds its name in the next frame of one of the levels.
// Outside of functions it binds the name only.
func (r *reader) local(typ string, s site, levels ...level) {
	r.skip(s.name)
	name := r.keep(r.text(s.name))
	r.bind(r.around(levels...), name, binding{at: max(s.name, s.from), typ: typ, value: s.value})
	if name == "" || r.around(functionLevel) == 0 {
		return
	}
	d := Definition{Name: name, Container: r.at().key, Kind: Local, Visibility: Private, Type: typ}
	if m := (member{r.at().key, name}); !r.locals[m] {
		r.locals[m] = true
		r.list(&d, s)
	}
}

// parameter is a Param and the leaves whose names it binds, several where it takes its argument apart.
type parameter struct {
	Param
	whole node
	names []node
}

// paramsOf gives the parameters without what they bind.
func paramsOf(all []parameter) []Param {
	var params []Param
	for _, p := range all {
		params = append(params, p.Param)
	}
	return params
}

// localParams lists and binds what parameters bind in the function that was opened last.
func (r *reader) localParams(all []parameter) {
	for _, p := range all {
		typ := p.Type
		if p.Rest || len(p.names) != 1 || p.Name == "" || p.Name[0] == '{' {
			typ = ""
		}
		for _, name := range p.names {
			r.local(typ, site{whole: p.whole, name: name}, functionLevel)
		}
	}
}

// bindParams binds what parameters bind in the frame that was opened last, and lists none of it: a
// function without a body has no Locals.
func (r *reader) bindParams(all []parameter) {
	for _, p := range all {
		for _, name := range p.names {
			r.skip(name)
			r.bind(r.here, r.text(name), binding{at: name, typ: p.Type})
		}
	}
}

// imports lists an import and binds its name all over the file. The leaf with the name is no
// reference; 0 for an import that binds no name.
func (r *reader) imports(i Import, name node) {
	r.skip(name)
	i.Module, i.Member, i.Name = r.keep(i.Module), r.keep(i.Member), r.keep(i.Name)
	r.file.Imports = append(r.file.Imports, i)
	if i.Name == "" || name == 0 {
		return
	}
	what := toMember
	if i.Member == "" {
		what = toModule
	}
	r.bind(0, i.Name, binding{at: name, what: what})
}

// keep copies a part of the source, so that the lists do not hold on to all of it.
func (r *reader) keep(s string) string {
	if s == "" {
		return ""
	}
	kept, found := r.strings[s]
	if !found {
		kept = strings.Clone(s)
		r.strings[kept] = kept
	}
	return kept
}

// written is a node's text with single spaces, as types are listed. What makes it too long is left out.
func (r *reader) written(n node) string {
	if n == 0 {
		return ""
	}
	text := r.text(n)
	if len(text) > longestType {
		text = strings.ToValidUTF8(text[:longestType], "")
	}
	if strings.ContainsAny(text, "\n\t\r") || strings.Contains(text, "  ") {
		text = strings.Join(strings.Fields(text), " ")
	}
	return r.keep(text)
}

// fileName is the file's name without its folders.
func (r *reader) fileName() string { return path.Base(r.name) }

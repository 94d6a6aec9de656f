//go:build cgo

package sitter

import (
	"maps"
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/text/shorten"
)

// Reader reads one file: it knows what the file binds where, and writes the lists.
type Reader struct {
	*tree
	*Grammar
	File *code.File
	Name string // of the file, its path included

	Frames []frame // in the order of their nodes, parents first; the first is the file
	Here   int32   // the frame of the node that is being read
	Marks  []Mark  // the first one is for none

	bound   map[place]int32     // the last binding of a name in a frame
	held    map[member]int32    // the last binding of a member
	Binds   []Binding           // the first one is for no binding
	Types   map[string][]string // the bases of the file's types, by key
	results map[string]string   // what callables give, by key
	locals  map[member]bool     // the Local definitions listed so far, by the key of their function
	Given   map[string]bool     // the names that the file gives out besides the definitions that say so
	Also    map[string]string   // further names of what the file gives out, with what each of them means
	asked   map[member]bool     // names that the definition with the key asks for before it uses them
	Main    string              // the name of what the file gives out by default
	partial []int               // the places in the file's Definitions of those to be merged into others

	depth int // of expressions whose type is asked for in that of others

	strings map[string]string // the parts of the source in the lists, each copied once
}

// Level is what a frame is to names.
type Level uint8

// The levels of frames. A name is bound in the next frame around it whose level is right for it.
const (
	NameLevel     Level = iota // a definition that binds no names, such as a variable
	BlockLevel                 // part of a function
	FunctionLevel              // a function, named or not
	TypeLevel                  // names in it are members
	ModuleLevel                // a namespace inside of the file
	FileLevel
)

// frame is a stretch of the file in which names are bound, or that has a name.
type frame struct {
	Up    int32
	Node  Node
	after Node
	Level Level
	deep  int    // how many frames it stands in
	depth int    // how many definitions it stands in
	Key   string // the Key of the innermost definition that is no Local
	Self  string // the Key of the innermost type
	Enum  bool   // the type is an enumeration
	// Section is the visibility of the definitions that follow, in languages that say it once for several.
	Section code.Visibility
}

// The bounds of nesting, far beyond what people write. What is deeper belongs to the definition,
// and to the block, around it.
const (
	MaxDepth  = 24   // of definitions
	maxFrames = 256  // of definitions and blocks
	MaxKey    = 1024 // bytes
)

// member is a name in a type, which is known by its key.
type member struct{ owner, name string }

// place is a name in a frame.
type place struct {
	frame int32
	name  string
}

// Unset is the value of a variable that is declared without one.
const Unset Node = -1

// Binding says what a name stands for from some place on.
type Binding struct {
	previous int32  // the same name's earlier binding in the same frame
	At       Node   // where
	Typ      string // declared, as written
	Value    Node   // what it is set to, 0 if not known
	from     int32  // the frame in which value stands
	What     bound
	solved   bool   // answer is known
	answer   string // the type of what the name holds, all its bindings together
}

// bound is what kind of thing a name is bound to.
type bound uint8

const (
	ToValue   bound = iota // a variable or a parameter
	ToNamed                // a definition that is no Local
	toModule               // an imported module
	toMember               // one imported name of a module
	ToType                 // a parameter that stands for a type
	Elsewhere              // a name of a frame further out, such as Python's global names
)

func newReader(g *Grammar, t *tree, name string) *Reader {
	return &Reader{
		tree: t, Grammar: g, Name: name,
		Frames: []frame{{Node: 0, after: t.Cells[0].After, Level: FileLevel}},
		Marks:  make([]Mark, 1, len(t.Cells)/8+1), Binds: make([]Binding, 1),
		bound: map[place]int32{}, held: map[member]int32{}, Types: map[string][]string{}, results: map[string]string{},
		locals: map[member]bool{}, Given: map[string]bool{}, asked: map[member]bool{}, Also: map[string]string{},
		strings: map[string]string{},
	}
}

// read fills the lists.
func (r *Reader) read(language code.Language) code.File {
	r.File = &code.File{Language: language, Faults: r.faults()}
	r.declareAll()
	r.referAll()
	return *r.File
}

// declareAll is the first pass.
func (r *Reader) declareAll() {
	for n := range Node(len(r.Cells)) {
		for r.Here != 0 && n >= r.Frames[r.Here].after {
			r.Here = r.Frames[r.Here].Up
		}
		if k := r.Cells[n].kind; int(k) < len(r.tree.rules) {
			for _, rule := range r.tree.rules[k] {
				rule(r, n)
			}
		}
	}
	r.Here = 0
	r.mergePartial()
	r.giveOut()
}

// giveOut makes public what the file gives out by name, and marks what it gives out by default.
func (r *Reader) giveOut() {
	if len(r.Given) == 0 && len(r.Also) == 0 && r.Main == "" {
		return
	}
	given := maps.Clone(r.Given)
	for _, name := range r.Also {
		given[name] = true
	}
	for i, d := range r.File.Definitions {
		if d.Kind == code.Local {
			continue
		}
		if d.Container == "" && r.Given[d.Name] {
			r.File.Definitions[i].Visibility = code.Public
		}
		if r.Main != "" {
			outermost, _, _ := strings.Cut(d.Key(), ".")
			r.File.Definitions[i].Default = outermost == r.Main
		}
	}
	for i, imported := range r.File.Imports {
		if imported.Name != "" && given[imported.Name] {
			r.File.Imports[i].Reexported = true
		}
	}
	r.giveAgain()
}

// giveAgain lists what the file gives out under a further name by that name too, with its members.
func (r *Reader) giveAgain() {
	own := r.File.Definitions
	for _, name := range slices.Sorted(maps.Keys(r.Also)) {
		for _, d := range own {
			rest, inside := strings.CutPrefix(d.Container+".", r.Also[name]+".")
			switch {
			case d.Kind == code.Local || d.Key() == name:
				continue
			case d.Container == "" && d.Name == r.Also[name]:
				d.Name, d.Visibility = r.Keep(name), code.Public
			case inside:
				d.Container = r.Keep(strings.TrimSuffix(name+"."+rest, "."))
			default:
				continue
			}
			r.File.Definitions = append(r.File.Definitions, d)
		}
	}
}

// At is the frame of the node that is being read.
func (r *Reader) At() *frame { return &r.Frames[r.Here] }

// Around finds the next frame around of one of the levels. The file is around all.
func (r *Reader) Around(levels ...Level) int32 {
	f := r.Here
	for f != 0 && !slices.Contains(levels, r.Frames[f].Level) {
		f = r.Frames[f].Up
	}
	return f
}

// InFunction reports whether the node being read stands in a function or lambda, with no type between.
func (r *Reader) InFunction() bool {
	return r.Frames[r.Around(FunctionLevel, TypeLevel)].Level == FunctionLevel
}

// InType reports whether the node being read stands in a type, with no function between.
func (r *Reader) InType() bool {
	return r.Frames[r.Around(FunctionLevel, TypeLevel)].Level == TypeLevel
}

// Open starts a frame at the node that is being read, which lasts to the node's end. It belongs to
// the definition with the key.
func (r *Reader) Open(n Node, l Level, key string) {
	up := r.At()
	if up.deep >= maxFrames {
		return
	}
	key = r.Keep(key)
	f := frame{Up: r.Here, Node: n, after: r.Cells[n].After, Level: l, deep: up.deep + 1, depth: up.depth, Key: key,
		Self: up.Self}
	if key != up.Key {
		f.depth++
	}
	if l == TypeLevel {
		f.Self = key
	}
	r.Frames = append(r.Frames, f)
	r.Here = int32(len(r.Frames)) - 1
}

// Site is where a definition stands.
type Site struct {
	Whole Node // all of it; 0 for the name alone
	// the leaf with its name, which is no reference; 0 for a definition whose name cannot be used,
	// which is then not bound
	Name  Node
	Value Node // what it is set to, if that is known
	From  Node // the first node at which a local name stands for it, where that is not the name itself
}

// Define lists a definition and binds its name in the frame around it. d holds what the language says of it;
// container, lines and hash are filled in here, and the name too if it is "".
// It returns the key for the frame to open at it. Nothing is listed where definitions nest too deep
// or have too long names, or where the parser has put in the name.
func (r *Reader) Define(d code.Definition, s Site) string {
	r.Skip(s.Name)
	if d.Name == "" {
		d.Name = r.Keep(r.Text(s.Name))
	}
	if d.Name == "" || r.At().depth >= MaxDepth || len(r.At().Key)+len(d.Name) > MaxKey {
		return r.At().Key
	}
	d.Container = r.At().Key
	r.list(&d, s)
	key := d.Key()
	switch d.Kind {
	case code.Class, code.Interface, code.Enum, code.Type, code.Module:
		r.Types[key] = append(r.Types[key], d.Bases...)
	case code.Function, code.Method, code.Macro:
		result := d.Result
		if other, again := r.results[key]; again && other != result {
			result = "" // it depends on the arguments
		}
		r.results[key] = result
	}
	b := Binding{At: s.Whole, What: ToNamed, Typ: d.Type, Value: s.Value}
	switch {
	case s.Name == 0:
	case r.InType():
		r.Hold(d.Container, d.Name, b)
	default:
		r.Bind(r.Around(FileLevel, ModuleLevel, FunctionLevel, BlockLevel), d.Name, b)
	}
	return key
}

// mostLocalNodes is how much of a Local's value its hash covers. Functions inside of one another
// would otherwise be read once for each level.
const mostLocalNodes = 400

// list adds a definition with its lines and its hash.
func (r *Reader) list(d *code.Definition, s Site) {
	whole := s.Whole
	if whole == 0 {
		whole = s.Name
	}
	after := r.Cells[whole].After
	if d.Kind == code.Local {
		after = min(after, whole+mostLocalNodes)
	}
	if d.Kind != code.Local {
		d.TypeParams, d.Conditional = r.typeParams(whole), r.conditional(whole)
	}
	d.Line, d.End, d.Hash = r.Line(whole), r.lastLine(whole), r.hash(whole, after, d.Name)
	r.File.Definitions = append(r.File.Definitions, *d)
}

// typeParams reads the type parameters of a declaration. In all grammars they stand in a list of their own.
func (r *Reader) typeParams(whole Node) (params []code.Param) {
	list := r.Child(whole, "type_parameters", "type_parameter_list", "template_parameter_list", "type_parameter")
	for n := range r.Parts(list) {
		name := r.Field(n, "name")
		for leaf := n; name == 0 && leaf < r.Cells[n].After; leaf++ {
			if r.Flagged(leaf, IsName) {
				name = leaf
			}
		}
		if name == 0 || r.Is(n, "lifetime_parameter") {
			continue
		}
		bound, _, _ := strings.Cut(strings.Join(strings.Fields(r.Source[r.Cells[name].End:r.Cells[n].End]), " "), "= ")
		optional := r.Has(n, "=") || r.Field(n, "value") != 0
		params = append(params, code.Param{Name: r.Keep(r.Text(name)), Type: r.Keep(strings.TrimSpace(bound)),
			Optional: optional})
	}
	r.demands(whole, params)
	return params
}

// BoundIn is the last binding of a name in a frame, 0 for none.
func (r *Reader) BoundIn(f int32, name string) int32 { return r.bound[place{f, name}] }

// Bind binds a name in a frame.
func (r *Reader) Bind(f int32, name string, b Binding) {
	bind(r, r.bound, place{f, name}, b)
}

// BindHere binds a declared name in the frame that was opened last. It does nothing to no node.
func (r *Reader) BindHere(name Node, b Binding) {
	if b.At = name; name != 0 {
		r.Skip(name)
		r.Bind(r.Here, r.Text(name), b)
	}
}

// Hold remembers what a member of a type holds. The owner is the type's key.
func (r *Reader) Hold(owner, name string, b Binding) {
	bind(r, r.held, member{owner, name}, b)
}

func bind[K comparable](r *Reader, last map[K]int32, key K, b Binding) {
	b.previous, b.from = last[key], r.Here
	r.Binds = append(r.Binds, b)
	last[key] = int32(len(r.Binds)) - 1
}

// Holds reports whether a type is known to have a member so far.
func (r *Reader) Holds(owner, name string) bool { return r.held[member{owner, name}] != 0 }

// mostBack bounds how many definitions back a member is looked for.
const mostBack = 4000

// LastMember is the last definition of the name in the frame's own definition, nil if there is none.
func (r *Reader) LastMember(name string) *code.Definition {
	all := r.File.Definitions
	for i := len(all) - 1; i >= max(0, len(all)-mostBack); i-- {
		if all[i].Container == r.At().Key && all[i].Name == name && all[i].Kind != code.Local {
			return &all[i]
		}
	}
	return nil
}

// Attribute lists a member that code inside of a type's methods makes, once.
func (r *Reader) Attribute(d code.Definition, owner string, s Site) {
	d.Name, d.Container = r.Keep(r.Text(s.Name)), owner
	if !r.Holds(owner, d.Name) {
		r.Skip(s.Name)
		r.list(&d, s)
	}
	r.Hold(owner, d.Name, Binding{At: s.Name, Typ: d.Type, Value: s.Value, What: ToNamed})
}

// Rebind notes a further value of a variable. It does nothing to a name that is not bound so far.
func (r *Reader) Rebind(name string, at, value Node) {
	for f := r.Here; ; f = r.Frames[f].Up {
		if b := r.BoundIn(f, name); b != 0 {
			r.Bind(f, name, Binding{At: at, Value: value, What: r.Binds[b].What})
			return
		}
		if f == 0 {
			return
		}
	}
}

// Local lists a Local of a type, as declared, and binds its name in the next frame of one of the levels.
// Outside of functions it binds the name only.
func (r *Reader) Local(typ string, s Site, levels ...Level) {
	r.Skip(s.Name)
	name := r.Keep(r.Text(s.Name))
	r.Bind(r.Around(levels...), name, Binding{At: max(s.Name, s.From), Typ: typ, Value: s.Value})
	if name == "" || r.Around(FunctionLevel) == 0 {
		return
	}
	d := code.Definition{Name: name, Container: r.At().Key, Kind: code.Local, Visibility: code.Private, Type: typ}
	if m := (member{r.At().Key, name}); !r.locals[m] {
		r.locals[m] = true
		r.list(&d, s)
	}
}

// Parameter is a Param and the leaves whose names it binds, several where it takes its argument apart.
type Parameter struct {
	code.Param
	Whole Node
	Names []Node
}

// ParamsOf gives the parameters without what they bind.
func ParamsOf(all []Parameter) []code.Param {
	var params []code.Param
	for _, p := range all {
		params = append(params, p.Param)
	}
	return params
}

// LocalParams lists and binds what parameters bind in the function that was opened last.
func (r *Reader) LocalParams(all []Parameter) {
	for _, p := range all {
		typ := p.Type
		if p.Rest || len(p.Names) != 1 || p.Name == "" || p.Name[0] == '{' {
			typ = ""
		}
		for _, name := range p.Names {
			r.Local(typ, Site{Whole: p.Whole, Name: name}, FunctionLevel)
		}
	}
}

// BindParams binds what parameters bind in the frame that was opened last, and lists none of it: a
// function without a body has no Locals.
func (r *Reader) BindParams(all []Parameter) {
	for _, p := range all {
		for _, name := range p.Names {
			r.BindHere(name, Binding{Typ: p.Type})
		}
	}
}

// Imports lists an import and binds its name all over the file. The leaf with the name is no
// reference; 0 for an import that binds no name.
func (r *Reader) Imports(i code.Import, name Node) {
	r.Skip(name)
	i.Module, i.Member, i.Name = r.Keep(i.Module), r.Keep(i.Member), r.Keep(i.Name)
	r.File.Imports = append(r.File.Imports, i)
	if i.Name == "" || name == 0 {
		return
	}
	what := toMember
	if i.Member == "" {
		what = toModule
	}
	r.Bind(0, i.Name, Binding{At: name, What: what})
}

// Keep copies a part of the source, so that the lists do not hold on to all of it.
func (r *Reader) Keep(s string) string {
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

// Written is a node's text with single spaces, as types are listed. What makes it too long is left out.
func (r *Reader) Written(n Node) string {
	if n == 0 {
		return ""
	}
	text := shorten.Prefix(r.Text(n), lang.LongestType)
	if strings.ContainsAny(text, "\n\t\r") || strings.Contains(text, "  ") {
		text = strings.Join(strings.Fields(text), " ")
	}
	return r.Keep(text)
}

// FileName is the file's name without its folders.
func (r *Reader) FileName() string { return path.Base(r.Name) }

//go:build cgo

package syntax

import (
	"slices"
	"strings"

	ruby "github.com/tree-sitter/tree-sitter-ruby/bindings/go"
)

func rubyGrammar() *grammar {
	return &grammar{
		pointer: ruby.Language,
		names:   []string{"identifier", "constant"},
		words: map[string]bool{"self": true, "instance_variable": false, "class_variable": false,
			"global_variable": false},
		comments: []string{"comment"},
		tokens:   []string{"string_content"},
		members:  map[string]access{"scope_resolution": {object: "scope", member: "name"}},
		calls:    map[string]call{"call": {callee: "method", arguments: "arguments", object: "receiver"}},
		inner:    map[string]string{"parenthesized_statements": "", "pattern": ""},
		spread:   []string{"splat_argument", "hash_splat_argument", "forward_argument"},
		infer: map[string]func(*reader, node, int32) (string, node){
			"call":                rubyCalled,
			"instance_variable":   rubyOwnVariable,
			"assignment":          func(r *reader, n node, _ int32) (string, node) { return "", r.field(n, "right") },
			"operator_assignment": func(r *reader, n node, _ int32) (string, node) { return "", r.field(n, "right") },
		},
		builtin: []string{"puts", "print", "p", "raise", "loop", "lambda", "proc", "format", "block_given?",
			"require", "binding", "freeze", "_1", "_2", "Struct", "Class", "Module", "Data"},
		nothing:     []string{"nil"},
		bareMembers: true,
		bare:        func(t string) string { return t },
		rules:       rubyRules(),
	}
}

func rubyRules() map[string]rule {
	return map[string]rule{
		"program":          opens(blockLevel),
		"identifier":       rubyBare,
		"call":             rubyCall,
		"super":            rubySuper,
		"class":            rubyClass,
		"module":           rubyClass,
		"singleton_class":  func(r *reader, n node) { r.open(n, typeLevel, r.at().key) },
		"method":           rubyMethod,
		"singleton_method": rubyMethod,
		"alias":            rubyAlias,
		"undef":            skipsAll,

		"block":               rubyBlock,
		"do_block":            rubyBlock,
		"lambda":              rubyBlock,
		"assignment":          rubyAssignment,
		"operator_assignment": rubyAssignment,
		"for":                 func(r *reader, n node) { rubyTargets(r, r.field(n, "pattern"), site{}) },
		"exception_variable":  func(r *reader, n node) { rubyTargets(r, r.first(n), site{}) },
		"when":                rubyWhen,
		"in_clause":           rubyPattern,
		"test_pattern":        rubyPattern,
		"match_pattern":       rubyPattern,
	}
}

// rubyIsTest tells the files in which minitest and RSpec look for tests.
func rubyIsTest(r *reader) bool {
	name := strings.TrimSuffix(r.fileName(), ".rb")
	return strings.HasSuffix(name, "_test") || strings.HasSuffix(name, "_spec") || strings.HasPrefix(name, "test_")
}

// rubyBare reads a name that stands alone: a call without arguments, if it is no variable.
// Some such calls say how visible the methods are that follow.
func rubyBare(r *reader, n node) {
	if c := r.cells[n].mark; c != noMark && c != rootMark {
		return
	}
	if s := rubySection(r.text(n)); s != "" && r.is(r.parent(n), "body_statement") && r.at().level == typeLevel {
		r.at().section = s
		r.skip(n)
		return
	}
	r.mark(n).use = Call
}

// rubySection is what a word says of the methods after it, "" if it is no such word.
func rubySection(word string) Visibility {
	switch word {
	case "public", "module_function":
		return Public
	case "protected":
		return Restricted
	case "private", "private_class_method", "private_constant":
		return Private
	}
	return ""
}

// rubyCalled gives what a call makes: new makes an object of the class that it is called on.
func rubyCalled(r *reader, n node, f int32) (string, node) {
	receiver := r.field(n, "receiver")
	if r.text(r.field(n, "method")) != "new" || !r.is(receiver, "constant", "scope_resolution") {
		return r.typeOfCall(n, r.grammar.calls["call"], f), 0
	}
	if t := r.typeOf(receiver, f); t != "" {
		return t, 0
	}
	if path := r.path(receiver); path != Expression {
		return path, 0
	}
	return "", 0
}

// rubyOwnVariable gives the type of what the methods of a type set a variable of their object to.
func rubyOwnVariable(r *reader, n node, f int32) (string, node) {
	if b := r.memberOf(r.frames[f].self, r.text(n)); b != 0 {
		return r.solve(b), 0
	}
	return "", 0
}

// rubyArguments counts arguments, with the names of those that have one. A block is none.
func rubyArguments(r *reader, list node) arguments {
	a := r.arguments(list)
	for n := range r.parts(list) {
		switch key := r.field(n, "key"); {
		case r.is(n, "block_argument"):
			a.count--
		case r.is(n, "pair") && r.is(key, "hash_key_symbol", "simple_symbol"):
			a.named = append(a.named, r.keep(strings.TrimPrefix(r.text(key), ":")))
		}
	}
	return a
}

// rubyPath writes a chain of calls without arguments as names with dots between.
func rubyPath(r *reader, n node) string {
	var names []string
	for range maxPath {
		if !r.is(n, "call") {
			path := r.path(n)
			if path == Expression {
				return path
			}
			names = append(names, path)
			slices.Reverse(names)
			return strings.Join(names, ".")
		}
		method := r.field(n, "method")
		if r.field(n, "arguments") != 0 || r.field(n, "block") != 0 || method == 0 || r.field(n, "receiver") == 0 {
			return Expression
		}
		names = append(names, r.text(method))
		n = r.field(n, "receiver")
	}
	return Expression
}

// rubyCall reads a call: of new as one of the class, and of what Ruby's own methods define as that.
func rubyCall(r *reader, n node) {
	method, receiver, list := r.field(n, "method"), r.field(n, "receiver"), r.field(n, "arguments")
	if receiver == 0 && rubyDirective(r, n, method, list) || rubyTest(r, n, method) {
		return
	}
	if r.is(receiver, "call") && r.flagged(method, isName) {
		r.mark(method).path = rubyPath(r, receiver)
	}
	up := r.parent(n)
	switch {
	case r.text(method) == "new" && r.is(receiver, "constant", "scope_resolution"):
		r.skip(method)
		r.uses(receiver, Call, rubyArguments(r, list))
	case r.is(up, "assignment", "operator_assignment") && r.field(up, "left") == n:
		r.useName(method, Read)
	default:
		r.uses(method, Call, rubyArguments(r, list))
	}
}

// rubySuper makes a call of the base's method of what calls super.
func rubySuper(r *reader, n node) {
	self, name := r.at().self, pathEnd(r.at().key)
	if self == "" || !r.inFunction() {
		return
	}
	m := r.mark(n)
	m.name, m.use, m.path, m.typ, m.args = name, Call, "super", r.baseOf(self), arguments{spread: true}
	if up := r.parent(n); r.is(up, "call") {
		m.args = rubyArguments(r, r.field(up, "arguments"))
	}
}

func rubyAlias(r *reader, n node) {
	name, of := r.field(n, "name"), r.field(n, "alias")
	r.skip(name)
	r.useName(of, Read)
	rubyAgain(r, n, strings.TrimPrefix(r.text(name), ":"), strings.TrimPrefix(r.text(of), ":"))
}

// rubyBlock begins a block, which has variables of its own and those around it.
func rubyBlock(r *reader, n node) {
	r.open(n, blockLevel, r.at().key)
	for _, p := range rubyParams(r, r.field(n, "parameters")) {
		for _, name := range p.names {
			r.local("", site{whole: p.whole, name: name}, blockLevel)
		}
	}
}

// rubyVariable lists a variable where it is first set. In a block that may be one from around it.
func rubyVariable(r *reader, s site) {
	name := r.text(s.name)
	for f := r.here; f != 0; f = r.frames[f].up {
		if b := r.bound[place{f, name}]; b != 0 && r.binds[b].what == toValue {
			r.skip(s.name)
			r.rebind(name, s.name, s.value)
			return
		}
		if l := r.frames[f].level; l == functionLevel || l == typeLevel {
			break
		}
	}
	r.local("", s, functionLevel, blockLevel)
}

func rubyAssignment(r *reader, n node) {
	left, right := r.field(n, "left"), r.field(n, "right")
	switch r.kind(left) {
	case "identifier":
		rubyVariable(r, site{whole: n, name: left, value: right})
	case "constant":
		rubyConstant(r, n, left, right)
	case "instance_variable":
		r.hold(r.at().self, r.text(left), binding{at: left, value: right, what: toNamed})
	case "left_assignment_list":
		for c := range r.parts(left) {
			if r.is(c, "constant") {
				r.define(Definition{Kind: Constant, Visibility: Public, Static: r.inType()}, site{whole: n, name: c})
			}
		}
		rubyTargets(r, left, site{whole: n})
	}
}

// rubyTargets lists the variables that a list of targets sets.
func rubyTargets(r *reader, target node, s site) {
	for n := target; target != 0 && n < r.cells[target].after; n++ {
		switch {
		case r.is(n, "call", "element_reference", "scope_resolution"):
			n = r.cells[n].after - 1
		case r.is(n, "identifier"):
			s.name = n
			rubyVariable(r, s)
		}
	}
}

func rubyWhen(r *reader, n node) {
	for p := range r.inField(n, "pattern") {
		r.useName(p, Match)
	}
}

// rubyPattern reads a pattern, in which names bind and constants are compared with.
func rubyPattern(r *reader, n node) {
	pattern := r.field(n, "pattern")
	for c := pattern; pattern != 0 && c < r.cells[pattern].after; c++ {
		switch r.kind(c) {
		case "variable_reference_pattern", "expression_reference_pattern", "call":
			c = r.cells[c].after - 1
		case "identifier":
			rubyVariable(r, site{name: c})
		case "scope_resolution":
			r.useName(c, Match)
			c = r.cells[c].after - 1
		case "constant":
			r.use(c, Match)
		case "hash_key_symbol":
			if r.is(r.parent(c), "keyword_pattern") && r.field(r.parent(c), "value") == 0 {
				rubyVariable(r, site{name: c})
			}
		}
	}
}

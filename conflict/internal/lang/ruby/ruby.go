//go:build cgo

package ruby

import (
	"strings"

	ruby "github.com/tree-sitter/tree-sitter-ruby/bindings/go"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// parser reads Ruby with its grammar, which is C code.
func parser() func(string, []byte) code.File { return grammar().Parser(code.Ruby) }

func grammar() *sitter.Grammar {
	return &sitter.Grammar{
		Pointer: ruby.Language,
		Names:   []string{"identifier", "constant"},
		Words: map[string]bool{"self": true, "instance_variable": false, "class_variable": false,
			"global_variable": false},
		Comments: []string{"comment"},
		Tokens:   []string{"string_content"},
		Members:  map[string]sitter.Access{"scope_resolution": {Object: "scope", Member: "name"}},
		Calls:    map[string]sitter.Call{"call": {Callee: "method", Arguments: "arguments", Object: "receiver"}},
		Inner:    map[string]string{"parenthesized_statements pattern": "^"},
		Spread:   []string{"splat_argument", "hash_splat_argument", "forward_argument"},
		Infer: map[string]sitter.Infer{
			"call":              called,
			"instance_variable": ownVariable,
		},
		SameType: map[string]string{"assignment operator_assignment": "right"},
		Builtin: []string{"puts", "print", "p", "raise", "loop", "lambda", "proc", "format", "block_given?",
			"require", "binding", "freeze", "_1", "_2", "Struct", "Class", "Module", "Data"},
		Literals: map[string]string{"array string_array symbol_array": "Array", "hash": "Hash",
			"string heredoc_beginning": "String"},
		Nothing:     []string{"nil"},
		BareMembers: true,
		Bare:        func(t string) string { return t },
		Targets: func(r *sitter.Reader, target sitter.Node) []sitter.Node {
			return r.Within(target, "identifier", "call", "element_reference", "scope_resolution")
		},
		Local: variable,
		Variables: map[string]sitter.Variable{
			"for":                {Name: "pattern"},
			"exception_variable": {Name: "^"},
		},
		Rules: map[string]sitter.Rule{
			"program":                 sitter.Opens(sitter.BlockLevel),
			"identifier":              bare,
			"call":                    call,
			"super":                   super,
			"class module":            class,
			"singleton_class":         sitter.Opens(sitter.TypeLevel),
			"method singleton_method": readMethod,
			"alias":                   alias,
			"undef":                   sitter.SkipsAll,
			"unary":                   ask,

			"block do_block lambda":                readBlock,
			"assignment operator_assignment":       assignment,
			"when":                                 sitter.Matches("pattern"),
			"in_clause test_pattern match_pattern": readPattern,
		},
	}
}

// isTest tells the files in which minitest and RSpec look for tests.
func isTest(r *sitter.Reader) bool {
	name := strings.TrimSuffix(r.FileName(), ".rb")
	return strings.HasSuffix(name, "_test") || strings.HasSuffix(name, "_spec") || strings.HasPrefix(name, "test_")
}

// bare reads a name that stands alone: a call without arguments, if it is no variable.
// Some such calls say how visible the methods are that follow.
func bare(r *sitter.Reader, n sitter.Node) {
	if !r.Unmarked(n) {
		return
	}
	if s := section(r.Text(n)); s != "" && r.Is(r.Parent(n), "body_statement") && r.At().Level == sitter.TypeLevel {
		r.At().Section = s
		r.Skip(n)
		return
	}
	r.Mark(n).Use = code.Call
}

// section is what a word says of the methods after it, "" if it is no such word.
func section(word string) code.Visibility {
	switch word {
	case "public":
		return code.Public
	case "module_function":
		return moduleFunction
	case "protected":
		return code.Restricted
	case "private", "private_class_method", "private_constant":
		return code.Private
	}
	return ""
}

// called gives what a call makes: new makes an object of the class that it is called on.
func called(r *sitter.Reader, n sitter.Node, f int32) (string, sitter.Node) {
	receiver := r.Field(n, "receiver")
	if r.Text(r.Field(n, "method")) != "new" || !r.Is(receiver, "constant", "scope_resolution") {
		return r.TypeOfCall(n, r.Grammar.Calls["call"], f), 0
	}
	if t := r.TypeOf(receiver, f); t != "" {
		return t, 0
	}
	if path := r.Path(receiver); path != code.Expression {
		return path, 0
	}
	return "", 0
}

// ownVariable gives the type of what the methods of a type set a variable of their object to.
func ownVariable(r *sitter.Reader, n sitter.Node, f int32) (string, sitter.Node) {
	if b := r.MemberOf(r.Frames[f].Self, r.Text(n)); b != 0 {
		return r.Solve(b), 0
	}
	return "", 0
}

// readArguments counts arguments, with the names of those that have one. A block is none.
func readArguments(r *sitter.Reader, list sitter.Node) sitter.Arguments {
	a := r.Arguments(list)
	for n := range r.Parts(list) {
		switch key := r.Field(n, "key"); {
		case r.Is(n, "block_argument"):
			a.Count--
		case r.Is(n, "pair") && r.Is(key, "hash_key_symbol", "simple_symbol"):
			a.Named = append(a.Named, r.Keep(strings.TrimPrefix(r.Text(key), ":")))
		}
	}
	return a
}

// readPath writes a chain of calls without arguments as names with dots between.
func readPath(r *sitter.Reader, n sitter.Node) string {
	path := ""
	for range sitter.MaxPath {
		if !r.Is(n, "call") {
			if begin := r.Path(n); begin != code.Expression {
				return strings.TrimSuffix(begin+"."+path, ".")
			}
			break
		}
		if r.Find(n, "arguments block") != 0 || r.Field(n, "method") == 0 || r.Field(n, "receiver") == 0 {
			break
		}
		n, path = r.Field(n, "receiver"), strings.TrimSuffix(r.TextAt(n, "method")+"."+path, ".")
	}
	return code.Expression
}

// call reads a call: of new as one of the class, and of what Ruby's own methods define as that.
func call(r *sitter.Reader, n sitter.Node) {
	method, receiver, list := r.Field(n, "method"), r.Field(n, "receiver"), r.Field(n, "arguments")
	switch r.Text(method) {
	case "respond_to?", "method_defined?", "instance_method_defined?", "const_defined?", "public_method_defined?":
		r.Asks(named(r, r.First(list)))
	}
	if receiver == 0 && directive(r, n, method, list) || test(r, n, method) {
		return
	}
	if r.Is(receiver, "call") && r.Flagged(method, sitter.IsName) {
		r.Mark(method).Path = readPath(r, receiver)
	}
	byName(r, method, receiver, list)
	up := r.Parent(n)
	switch {
	case r.Text(method) == "new" && r.Is(receiver, "constant", "scope_resolution"):
		r.Skip(method)
		r.Uses(receiver, code.Call, readArguments(r, list))
	case r.Is(up, "assignment", "operator_assignment") && r.Field(up, "left") == n:
		r.Use(method, code.Read)
		if r.LeafOf(method) != 0 {
			r.Mark(r.LeafOf(method)).Writes = true
		}
	default:
		r.Uses(method, code.Call, readArguments(r, list))
	}
}

// super makes a call of the base's method of what calls super.
func super(r *sitter.Reader, n sitter.Node) {
	self, name := r.At().Self, sitter.PathEnd(r.At().Key)
	if self == "" || !r.InFunction() {
		return
	}
	m := r.Mark(n)
	m.Name, m.Use, m.Path, m.Typ, m.Args = name, code.Call, "super", r.BaseOf(self), sitter.Arguments{Spread: true}
	if up := r.Parent(n); r.Is(up, "call") {
		m.Args = readArguments(r, r.Field(up, "arguments"))
	} else {
		m.Args = handedOn(r, n)
	}
	if base := r.BaseOf(self); name == "initialize" && base != "" {
		r.CallsType(n, base, m.Args)
		m.Path, _ = sitter.CutLast(base, ".")
		m.Typ = ""
	}
}

// handedOn are the arguments of a super without any: those of the method around.
func handedOn(r *sitter.Reader, n sitter.Node) (a sitter.Arguments) {
	for !r.Is(n, "method", "singleton_method") && n != 0 {
		n = r.Parent(n)
	}
	for _, p := range readParams(r, r.Field(n, "parameters")) {
		if r.Is(p.Whole, "block_parameter") {
			continue
		}
		a.Count++
		a.Spread = a.Spread || p.Rest || p.Optional
		if p.NamedOnly {
			a.Named = append(a.Named, p.Name)
		}
	}
	return a
}

// byName reads a method that a symbol names: in a call that takes one, or as a block.
func byName(r *sitter.Reader, method, receiver, list sitter.Node) {
	for n := range r.Parts(list) {
		if symbol := r.First(n); r.Is(n, "block_argument") && r.Is(symbol, "simple_symbol") {
			m := r.Mark(symbol)
			m.Name, m.Use, m.Path = r.Keep(named(r, symbol)), code.Call, code.Expression
		}
	}
	switch symbol := r.First(list); r.Text(method) {
	case "send", "public_send", "__send__", "method", "instance_method", "stub", "stubs", "expects", "try":
		if r.Is(symbol, "simple_symbol") && receiver != 0 {
			m := r.Mark(symbol)
			m.Name, m.Use = r.Keep(named(r, symbol)), code.Read
			r.Member(symbol, receiver)
		}
	}
}

func alias(r *sitter.Reader, n sitter.Node) {
	name, of := r.Field(n, "name"), r.Field(n, "alias")
	r.Skip(name)
	r.Use(of, code.Read)
	again(r, n, strings.TrimPrefix(r.Text(name), ":"), strings.TrimPrefix(r.Text(of), ":"))
}

// ask reads defined?, which asks for a name.
func ask(r *sitter.Reader, n sitter.Node) {
	if leaf := r.LeafOf(r.Field(n, "operand")); strings.HasPrefix(r.Text(n), "defined?") {
		r.Asks(r.Text(leaf))
	}
}

// readBlock begins a block, which has variables of its own and those around it.
func readBlock(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.BlockLevel, r.At().Key)
	for _, p := range readParams(r, r.Field(n, "parameters")) {
		for _, name := range p.Names {
			r.Local("", sitter.Site{Whole: p.Whole, Name: name}, sitter.BlockLevel)
		}
	}
}

// variable lists a variable where it is first set. In a block that may be one from around it.
func variable(r *sitter.Reader, _ string, s sitter.Site) {
	name := r.Text(s.Name)
	for f := r.Here; f != 0; f = r.Frames[f].Up {
		if b := r.BoundIn(f, name); b != 0 && r.Binds[b].What == sitter.ToValue {
			r.Skip(s.Name)
			r.Rebind(name, s.Name, s.Value)
			return
		}
		if l := r.Frames[f].Level; l == sitter.FunctionLevel || l == sitter.TypeLevel {
			break
		}
	}
	r.Local("", s, sitter.FunctionLevel, sitter.BlockLevel)
}

func assignment(r *sitter.Reader, n sitter.Node) {
	left, right := r.Field(n, "left"), r.Field(n, "right")
	switch r.Kind(left) {
	case "identifier":
		r.Locals(left, "", sitter.Site{Whole: n, Value: right})
	case "constant":
		constant(r, n, left, right)
	case "instance_variable":
		r.Hold(r.At().Self, r.Text(left), sitter.Binding{At: left, Value: right, What: sitter.ToNamed})
	case "left_assignment_list":
		for c := range r.Each(left, ">constant") {
			r.Define(code.Definition{Kind: code.Constant, Visibility: code.Public, Static: r.InType()},
				sitter.Site{Whole: n, Name: c})
		}
		r.Locals(left, "", sitter.Site{Whole: n})
	}
}

// readPattern reads a pattern, in which names bind and constants are compared with.
func readPattern(r *sitter.Reader, n sitter.Node) {
	r.Walk(r.Field(n, "pattern"), func(c sitter.Node) bool {
		switch r.Kind(c) {
		case "variable_reference_pattern", "expression_reference_pattern", "call":
			return false
		case "identifier":
			variable(r, "", sitter.Site{Name: c})
		case "scope_resolution", "constant":
			r.Use(c, code.Match)
			return false
		case "hash_key_symbol":
			if up := r.Parent(c); r.Is(up, "keyword_pattern") && r.Field(up, "value") == 0 {
				variable(r, "", sitter.Site{Name: c})
			}
		}
		return true
	})
}

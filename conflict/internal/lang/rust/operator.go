//go:build cgo

package rust

import (
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// operator reads an operator as the call of the method that it stands for.
func operator(r *sitter.Reader, n sitter.Node) {
	switch r.Text(r.Field(n, "operator")) {
	case "==", "!=":
		callsOf(r, n, r.Field(n, "left"), "eq")
	case "<", "<=", ">", ">=":
		callsOf(r, n, r.Field(n, "left"), "partial_cmp")
	}
}

// callsOf makes a node the call of a method on an object, if the object's type shows.
func callsOf(r *sitter.Reader, n, object sitter.Node, method string) {
	if r.LeafOf(object) == 0 && !r.Is(object, "reference_expression") {
		return
	}
	m := r.Mark(n)
	m.Name, m.Object, m.Use, m.Typed, m.Args.Spread = method, object, code.Call, true, true
}

// keyed reads what a collection needs of its keys.
func keyed(r *sitter.Reader, n sitter.Node) {
	key := r.Find(n, "type_arguments/^")
	if !r.Is(key, "type_identifier", "scoped_type_identifier") {
		return
	}
	m := r.Mark(r.Field(n, "type_arguments"))
	switch r.Text(r.LeafOf(r.Field(n, "type"))) {
	case "HashMap", "HashSet":
		m.Name, m.Args.Spread = "hash", true
	case "BTreeMap", "BTreeSet":
		m.Name, m.Args.Spread = "cmp", true
	default:
		return
	}
	m.Use, m.Typ = code.Call, bare(r.Written(key))
}

// formatted reads the macros that write values for people who debug, and those that compare: they call methods of
// the values that they are given by name.
func formatted(r *sitter.Reader, n sitter.Node) {
	tree := r.Child(n, "token_tree")
	var tokens []sitter.Node
	for c := range r.Children(tree) {
		if !r.Flagged(c, sitter.IsComment) {
			tokens = append(tokens, c)
		}
	}
	switch name := r.Text(r.Field(n, "macro")); name {
	case "assert_eq", "assert_ne", "debug_assert_eq", "debug_assert_ne":
		if value := alone(r, tokens, 1); value != 0 {
			callsOf(r, tokens[0], value, "eq")
		}
	case "format", "print", "println", "eprint", "eprintln", "write", "writeln", "panic", "debug", "info", "warn",
		"error":
		for i, c := range tokens {
			if r.Is(c, "string_literal") {
				debugged(r, tokens, i)
				break
			}
		}
	}
}

// alone is the name that is all of the argument which begins at a token, but for a reference to it; 0 if it is more.
func alone(r *sitter.Reader, tokens []sitter.Node, i int) sitter.Node {
	for i < len(tokens) && r.Is(tokens[i], "&") {
		i++
	}
	if i+1 < len(tokens) && r.Is(tokens[i], "identifier") && slices.Contains([]string{",", ")", "]", "}"},
		r.Text(tokens[i+1])) {
		return tokens[i]
	}
	return 0
}

// debugged finds the arguments behind a text that it wants written by Debug.
func debugged(r *sitter.Reader, tokens []sitter.Node, text int) {
	arguments := []int{}
	for i := text + 1; i+1 < len(tokens); i++ {
		if r.Text(tokens[i]) == "," {
			arguments = append(arguments, i)
		}
	}
	holes := strings.Split(strings.ReplaceAll(r.Text(tokens[text]), "{{", ""), "{")[1:]
	next := 0
	for _, hole := range holes {
		name, form, _ := strings.Cut(strings.SplitN(hole, "}", 2)[0], ":")
		if name != "" {
			continue
		}
		if next < len(arguments) && strings.HasSuffix(form, "?") {
			if value := alone(r, tokens, arguments[next]+1); value != 0 {
				callsOf(r, tokens[arguments[next]], value, "fmt")
			}
		}
		next++
	}
}

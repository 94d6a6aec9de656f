//go:build cgo

package rust

import (
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// readSimple is the name that a pattern binds the whole value to, 0 if it takes the value apart.
func readSimple(r *sitter.Reader, pattern sitter.Node) sitter.Node {
	for r.Is(pattern, "mut_pattern", "ref_pattern", "reference_pattern") {
		pattern = r.Last(pattern)
	}
	if r.Is(pattern, "identifier") && !sitter.StartsUpper(r.Text(pattern)) {
		return pattern
	}
	return 0
}

// readBound lists the names that a pattern binds, and says of all others in it that they are compared with.
// A bare name binds unless it is a constant, a member of an enumeration or a type, all of which
// begin with a capital letter.
func readBound(r *sitter.Reader, pattern sitter.Node) (names []sitter.Node) {
	for n := pattern; n != 0 && n < r.Cells[pattern].After; n++ {
		switch r.Kind(n) {
		case "shorthand_field_identifier":
			names = append(names, n)
		case "identifier":
			up := r.Parent(n)
			if r.Field(up, "type") == n || sitter.StartsUpper(r.Text(n)) && !r.Is(up, "captured_pattern") {
				r.Use(n, code.Match)
			} else {
				names = append(names, n)
			}
		case "type_identifier", "scoped_identifier", "scoped_type_identifier", "generic_type",
			"generic_type_with_turbofish":
			r.Use(n, code.Match)
			n = r.Cells[n].After - 1
		case "macro_invocation", "const_block":
			n = r.Cells[n].After - 1
		}
	}
	return names
}

// locals lists the variables of a pattern, which stand for something from the end of the site's from on.
func locals(r *sitter.Reader, pattern sitter.Node, typ string, s sitter.Site) {
	if simple := readSimple(r, pattern); simple != 0 {
		pattern = simple
	}
	s.From = r.Cells[s.From].After - 1
	r.Locals(pattern, typ, s)
}

func let(r *sitter.Reader, n sitter.Node) {
	locals(r, r.Field(n, "pattern"), r.WrittenAt(n, "type"),
		sitter.Site{Whole: n, Value: r.Field(n, "value"), From: n})
}

func readFor(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.BlockLevel, r.At().Key)
	if value := r.Field(n, "value"); value != 0 {
		locals(r, r.Field(n, "pattern"), "", sitter.Site{From: value})
	}
}

// arm begins an arm of a match, whose pattern may have a condition.
func arm(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.BlockLevel, r.At().Key)
	whole := r.Field(n, "pattern")
	if pattern := r.First(whole); pattern != 0 && pattern != r.Field(whole, "condition") {
		locals(r, pattern, "", sitter.Site{From: pattern})
	}
}

func closure(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.FunctionLevel, r.At().Key)
	r.LocalParams(readParams(r, r.Field(n, "parameters")))
}

// own gives the name of the surrounding type to a leaf that says Self.
func own(r *sitter.Reader, leaf sitter.Node) {
	if self := r.At().Self; leaf != 0 && self != "" && r.Text(leaf) == "Self" {
		r.Mark(leaf).Name = sitter.PathEnd(self)
	}
}

func readStruct(r *sitter.Reader, n sitter.Node) {
	name := r.Field(n, "name")
	r.Uses(name, code.Construct, r.Arguments(r.Field(n, "body")))
	own(r, name)
}

// readTokens reads what is handed to a macro, which has no syntax but tokens: names, paths, and
// calls as far as they look like such.
func readTokens(r *sitter.Reader, n sitter.Node) {
	var tokens []sitter.Node
	for c := range r.Children(n) {
		if !r.Flagged(c, sitter.IsComment) {
			tokens = append(tokens, c)
		}
	}
	for i := 1; i+1 < len(tokens); i++ {
		if r.Is(tokens[i], "identifier") {
			token(r, tokens, i)
		}
	}
}

// token reads a name among tokens, of which it is neither the first nor the last.
func token(r *sitter.Reader, tokens []sitter.Node, i int) {
	name, before, after := tokens[i], r.Text(tokens[i-1]), tokens[i+1]
	switch before {
	case "let", "fn", "struct", "enum", "trait", "type", "mod", "'", "mut":
		r.Skip(name)
		return
	case "|":
		if r.Is(after, "|", ",", ":") {
			r.Skip(name)
			return
		}
	}
	switch {
	case r.Is(after, "token_tree") && strings.HasPrefix(r.Text(after), "("):
		m := r.Mark(name)
		m.Use, m.Args = code.Call, tokenArguments(r, after)
	case r.Text(after) == ":":
		r.Skip(name)
	case before != "." && before != "::" && r.Text(after) != "::" && r.Is(r.At().Node, "macro_definition") &&
		!sitter.StartsUpper(r.Text(name)):
		r.Skip(name)
	}
	if before == "." || before == "::" {
		tokenMember(r, tokens, i)
	}
}

// tokenMember takes a name among tokens out of what stands before it.
func tokenMember(r *sitter.Reader, tokens []sitter.Node, i int) {
	name, path := tokens[i], ""
	first := i
	for first >= 2 && r.Is(tokens[first-1], ".", "::") {
		first -= 2
		if i-first > 2*sitter.MaxPath || !r.Is(tokens[first], "identifier", "self", "super", "crate", "metavariable") {
			r.Mark(name).Path = code.Expression
			return
		}
		path = sitter.Join(strings.TrimPrefix(r.Text(tokens[first]), "$"), path)
	}
	if first == i-2 && !r.Is(tokens[first], "metavariable") {
		r.Member(name, tokens[first])
	} else {
		r.Mark(name).Path = strings.TrimSuffix(path, ".")
	}
}

// tokenArguments counts arguments by the commas between them, as far as no comma may be of another kind.
func tokenArguments(r *sitter.Reader, tree sitter.Node) (a sitter.Arguments) {
	open := false
	for c := range r.Children(tree) {
		switch {
		case c == tree+1 || r.Cells[c].After == r.Cells[tree].After || r.Flagged(c, sitter.IsComment):
		case r.Text(c) == ",":
			open = false
		default:
			if !open {
				a.Count, open = a.Count+1, true
			}
			if r.Is(c, "|", "<", "metavariable", "token_repetition") {
				a.Spread = true
			}
		}
	}
	return a
}

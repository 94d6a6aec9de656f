//go:build cgo

package syntax

import "strings"

// rustSimple is the name that a pattern binds the whole value to, 0 if it takes the value apart.
func rustSimple(r *reader, pattern node) node {
	for r.is(pattern, "mut_pattern", "ref_pattern", "reference_pattern") {
		pattern = r.last(pattern)
	}
	if r.is(pattern, "identifier") && !startsUpper(r.text(pattern)) {
		return pattern
	}
	return 0
}

// rustBound lists the names that a pattern binds, and says of all others in it that they are compared with.
// A bare name binds unless it is a constant, a member of an enumeration or a type, all of which
// begin with a capital letter.
func rustBound(r *reader, pattern node) (names []node) {
	for n := pattern; n != 0 && n < r.cells[pattern].after; n++ {
		switch r.kind(n) {
		case "shorthand_field_identifier":
			names = append(names, n)
		case "identifier":
			up := r.parent(n)
			if r.field(up, "type") == n || startsUpper(r.text(n)) && !r.is(up, "captured_pattern") {
				r.use(n, Match)
			} else {
				names = append(names, n)
			}
		case "type_identifier", "scoped_identifier", "scoped_type_identifier", "generic_type",
			"generic_type_with_turbofish":
			r.use(n, Match)
			n = r.cells[n].after - 1
		case "macro_invocation", "const_block":
			n = r.cells[n].after - 1
		}
	}
	return names
}

// rustLocals lists the variables of a pattern, which stand for something from the end of the site's from on.
func rustLocals(r *reader, pattern node, typ string, s site) {
	simple := rustSimple(r, pattern)
	for _, name := range rustBound(r, pattern) {
		one := site{whole: s.whole, name: name, from: r.cells[s.from].after - 1}
		if name == simple {
			one.value = s.value
			r.local(typ, one, blockLevel, functionLevel)
		} else {
			r.local("", one, blockLevel, functionLevel)
		}
	}
}

func rustLet(r *reader, n node) {
	rustLocals(r, r.field(n, "pattern"), r.written(r.field(n, "type")),
		site{whole: n, value: r.field(n, "value"), from: n})
}

func rustFor(r *reader, n node) {
	r.open(n, blockLevel, r.at().key)
	if value := r.field(n, "value"); value != 0 {
		rustLocals(r, r.field(n, "pattern"), "", site{from: value})
	}
}

// rustArm begins an arm of a match, whose pattern may have a condition.
func rustArm(r *reader, n node) {
	r.open(n, blockLevel, r.at().key)
	whole := r.field(n, "pattern")
	if pattern := r.first(whole); pattern != 0 && pattern != r.field(whole, "condition") {
		rustLocals(r, pattern, "", site{from: pattern})
	}
}

func rustClosure(r *reader, n node) {
	r.open(n, functionLevel, r.at().key)
	r.localParams(rustParams(r, r.field(n, "parameters")))
}

// rustOwn gives the name of the surrounding type to a leaf that says Self.
func rustOwn(r *reader, leaf node) {
	if self := r.at().self; leaf != 0 && self != "" && r.text(leaf) == "Self" {
		r.mark(leaf).name = pathEnd(self)
	}
}

func rustStruct(r *reader, n node) {
	name := r.field(n, "name")
	r.uses(name, Construct, r.arguments(r.field(n, "body")))
	rustOwn(r, name)
}

func rustOwnCall(r *reader, n node) { rustOwn(r, r.field(n, "function")) }

// rustTokens reads what is handed to a macro, which has no syntax but tokens: names, paths, and
// calls as far as they look like such.
func rustTokens(r *reader, n node) {
	var tokens []node
	for c := range r.children(n) {
		if !r.flagged(c, isComment) {
			tokens = append(tokens, c)
		}
	}
	for i := 1; i+1 < len(tokens); i++ {
		if r.is(tokens[i], "identifier") {
			rustToken(r, tokens, i)
		}
	}
}

// rustToken reads a name among tokens, of which it is neither the first nor the last.
func rustToken(r *reader, tokens []node, i int) {
	name, before, after := tokens[i], r.text(tokens[i-1]), tokens[i+1]
	switch before {
	case "let", "fn", "struct", "enum", "trait", "type", "mod", "'", "mut":
		r.skip(name)
		return
	case "|":
		if r.is(after, "|", ",", ":") {
			r.skip(name)
			return
		}
	}
	switch {
	case r.is(after, "token_tree") && strings.HasPrefix(r.text(after), "("):
		m := r.mark(name)
		m.use, m.args = Call, rustTokenArguments(r, after)
	case r.text(after) == ":":
		r.skip(name)
	case before != "." && before != "::" && r.text(after) != "::" && r.is(r.at().node, "macro_definition") &&
		!startsUpper(r.text(name)):
		r.skip(name)
	}
	if before == "." || before == "::" {
		rustTokenMember(r, tokens, i)
	}
}

// rustTokenMember takes a name among tokens out of what stands before it.
func rustTokenMember(r *reader, tokens []node, i int) {
	name, path := tokens[i], ""
	first := i
	for first >= 2 && r.is(tokens[first-1], ".", "::") {
		first -= 2
		if i-first > 2*maxPath || !r.is(tokens[first], "identifier", "self", "super", "crate", "metavariable") {
			r.mark(name).path = Expression
			return
		}
		path = join(strings.TrimPrefix(r.text(tokens[first]), "$"), path)
	}
	if first == i-2 && !r.is(tokens[first], "metavariable") {
		r.member(name, tokens[first])
	} else {
		r.mark(name).path = strings.TrimSuffix(path, ".")
	}
}

// rustTokenArguments counts arguments by the commas between them, as far as no comma may be of another kind.
func rustTokenArguments(r *reader, tree node) (a arguments) {
	open := false
	for c := range r.children(tree) {
		switch {
		case c == tree+1 || r.cells[c].after == r.cells[tree].after || r.flagged(c, isComment):
		case r.text(c) == ",":
			open = false
		default:
			if !open {
				a.count, open = a.count+1, true
			}
			if r.is(c, "|", "<", "metavariable", "token_repetition") {
				a.spread = true
			}
		}
	}
	return a
}

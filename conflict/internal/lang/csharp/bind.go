//go:build cgo

package csharp

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// local lists a local variable of a type, which may be left to its value.
func local(r *sitter.Reader, typ sitter.Node, s sitter.Site) {
	if !r.Is(s.Name, "identifier") || r.Text(s.Name) == "_" {
		return
	}
	text := r.Written(typ)
	if r.Is(typ, "implicit_type") {
		text = ""
	}
	r.Local(text, s, sitter.BlockLevel, sitter.FunctionLevel)
}

func lambda(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.FunctionLevel, r.At().Key)
	if list := r.Field(n, "parameters"); r.Is(list, "parameter_list") {
		r.LocalParams(readParams(r, list))
	} else if list != 0 {
		r.Local("", sitter.Site{Name: list}, sitter.FunctionLevel)
	}
}

// query begins a query. A name after `into` stands for what comes out of its first part.
func query(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.BlockLevel, r.At().Key)
	for c := range r.Parts(n) {
		if r.Is(c, "identifier") {
			local(r, 0, sitter.Site{Name: c})
		}
	}
}

// readRange reads the name that a clause of a query gives to what it goes through.
func readRange(r *sitter.Reader, n sitter.Node) {
	name := r.Field(n, "name")
	for c := range r.Parts(n) {
		if name == 0 && r.Is(c, "identifier") {
			name = c
		}
	}
	local(r, r.Field(n, "type"), sitter.Site{Name: name})
}

// designation reads a type and a name: in a pattern, as an argument, or of what is caught.
func designation(r *sitter.Reader, n sitter.Node) {
	typ, name := r.Field(n, "type"), r.Field(n, "name")
	if r.Is(n, "declaration_pattern", "recursive_pattern") {
		r.UseName(typ, code.Match)
	}
	local(r, typ, sitter.Site{Name: name})
}

func tuple(r *sitter.Reader, n sitter.Node) {
	for name := range r.InField(n, "name") {
		local(r, 0, sitter.Site{Name: name})
	}
}

// subpattern reads the name of a property in a pattern as a member of the type that the pattern names.
func subpattern(r *sitter.Reader, n sitter.Node) {
	key := r.First(n)
	if !r.Has(n, ":") || !r.Is(key, "identifier") {
		return
	}
	typ := r.Field(r.Parent(r.Parent(n)), "type")
	if typ == 0 {
		r.Skip(key)
		return
	}
	r.Mark(key).Typ = bare(r.Written(typ))
	r.Mark(key).Use = code.Read
}

func forEach(r *sitter.Reader, n sitter.Node) {
	r.Open(n, sitter.BlockLevel, r.At().Key)
	local(r, r.Field(n, "type"), sitter.Site{Name: r.Field(n, "left")})
}

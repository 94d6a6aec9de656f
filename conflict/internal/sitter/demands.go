//go:build cgo

package sitter

import (
	"strings"

	"delegate/conflict/code"
)

// demands adds to type parameters what is said of them behind the list.
func (r *Reader) demands(whole Node, params []code.Param) {
	if len(params) == 0 {
		return
	}
	add := func(name, demand, between string) {
		for i, p := range params {
			if p.Name == name && p.Type != "" {
				params[i].Type = r.Keep(p.Type + between + strings.TrimLeft(demand, ": "))
			} else if p.Name == name {
				params[i].Type = r.Keep(demand)
			}
		}
	}
	for clause := range r.Parts(whole) {
		switch r.Kind(clause) {
		case "type_parameter_constraints_clause":
			for part := range r.Each(clause, ">type_parameter_constraint") {
				add(r.Text(r.First(clause)), r.Written(part), ", ")
			}
		case "where_clause":
			for part := range r.Parts(clause) {
				add(r.TextAt(part, "left"), r.WrittenAt(part, "bounds"), " + ")
			}
		}
	}
}

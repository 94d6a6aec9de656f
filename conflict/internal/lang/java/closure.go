//go:build cgo

package java

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/sitter"
)

// provides says that a function which is written in place, or named, provides what the type of a variable demands.
func provides(r *sitter.Reader, typ, value sitter.Node) {
	if leaf := r.LeafOf(typ); leaf != 0 && r.Is(value, "lambda_expression", "method_reference") {
		m := r.Mark(leaf)
		m.Use = code.Inherit
		m.Args.Function(r, value)
	}
}

// callers are the methods of the library's collections and streams that call what they are given, by their names.
var callers = map[string]bool{
	"allMatch": true, "anyMatch": true, "compute": true, "computeIfAbsent": true, "computeIfPresent": true,
	"filter": true, "flatMap": true, "forEach": true, "ifPresent": true, "map": true, "mapToInt": true,
	"mapToLong": true, "mapToObj": true, "noneMatch": true, "peek": true, "removeIf": true, "replaceAll": true,
}

// throwsNothing reports whether a function is handed to one of the callers, which take none that throws what is
// checked.
func throwsNothing(r *sitter.Reader, function sitter.Node) bool {
	call := r.Find(function, "../..")
	return r.Is(r.Parent(function), "argument_list") && r.Is(call, "method_invocation") &&
		callers[r.TextAt(call, "name")]
}

// contained marks calls in a function that must let nothing checked through, unless they stand in a try.
func contained(r *sitter.Reader, n sitter.Node) {
	for up := r.Parent(n); up != 0; up = r.Parent(up) {
		switch {
		case r.Is(up, "try_statement", "try_with_resources_statement", "method_declaration", "class_body"):
			return
		case r.Is(up, "lambda_expression"):
			if throwsNothing(r, up) {
				r.Mark(r.Field(n, "name")).Contained = true
			}
			return
		}
	}
}

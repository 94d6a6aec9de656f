//go:build cgo

package csharp

import "delegate/conflict/internal/sitter"

// assignment reads what is set, and the function that is hung on an event.
func assignment(r *sitter.Reader, n sitter.Node) {
	sitter.Writes("left")(r, n)
	if leaf := r.LeafOf(r.Field(n, "left")); leaf != 0 {
		r.Mark(leaf).Args.Function(r, r.Field(n, "right"))
	}
}

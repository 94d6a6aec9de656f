//go:build !cgo

package python

import "delegate/conflict/code"

// parser is none: the grammar is C code.
func parser() func(string, []byte) code.File { return nil }

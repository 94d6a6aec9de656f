//go:build cgo

package python

import "delegate/conflict/code"

// parser reads Python with its grammar, which is C code.
func parser() func(string, []byte) code.File { return grammar().Parser(code.Python) }

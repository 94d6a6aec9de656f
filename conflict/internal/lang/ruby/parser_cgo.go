//go:build cgo

package ruby

import "delegate/conflict/code"

// parser reads Ruby with its grammar, which is C code.
func parser() func(string, []byte) code.File { return grammar().Parser(code.Ruby) }

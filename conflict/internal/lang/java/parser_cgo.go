//go:build cgo

package java

import "delegate/conflict/code"

// parser reads Java with its grammar, which is C code.
func parser() func(string, []byte) code.File { return grammar().Parser(code.Java) }

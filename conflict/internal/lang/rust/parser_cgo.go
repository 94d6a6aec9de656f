//go:build cgo

package rust

import "delegate/conflict/code"

// parser reads Rust with its grammar, which is C code.
func parser() func(string, []byte) code.File { return grammar().Parser(code.Rust) }

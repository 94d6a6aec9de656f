//go:build cgo

package csharp

import "delegate/conflict/code"

// parser reads CSharp with its grammar, which is C code.
func parser() func(string, []byte) code.File { return grammar().Parser(code.CSharp) }

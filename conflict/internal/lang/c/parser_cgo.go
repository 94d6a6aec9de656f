//go:build cgo

package c

import "delegate/conflict/code"

// parseC reads C with its grammar, which is C code.
func parseC() func(string, []byte) code.File { return cGrammar().Parser(code.C) }

// parseCPP reads CPP with its grammar, which is C code.
func parseCPP() func(string, []byte) code.File { return cppGrammar().Parser(code.CPP) }

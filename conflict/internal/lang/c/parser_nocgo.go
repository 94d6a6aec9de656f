//go:build !cgo

package c

import "delegate/conflict/code"

// parseC is none: the grammar is C code.
func parseC() func(string, []byte) code.File { return nil }

// parseCPP is none: the grammar is C code.
func parseCPP() func(string, []byte) code.File { return nil }

//go:build cgo

package php

import "delegate/conflict/code"

// parser reads PHP with its grammar, which is C code.
func parser() func(string, []byte) code.File { return grammar().Parser(code.PHP) }

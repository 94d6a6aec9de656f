//go:build !cgo

package javascript

import "delegate/conflict/code"

// parseJavaScript is none: the grammar is C code.
func parseJavaScript() func(string, []byte) code.File { return nil }

// parseTypeScript is none: the grammar is C code.
func parseTypeScript() func(string, []byte) code.File { return nil }

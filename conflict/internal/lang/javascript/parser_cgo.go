//go:build cgo

package javascript

import "delegate/conflict/code"

// parseJavaScript reads JavaScript with its grammar, which is C code.
func parseJavaScript() func(string, []byte) code.File {
	return javascriptGrammar().Parser(code.JavaScript)
}

// parseTypeScript reads TypeScript with its grammar, which is C code.
func parseTypeScript() func(string, []byte) code.File {
	return typescriptGrammar().Parser(code.TypeScript)
}

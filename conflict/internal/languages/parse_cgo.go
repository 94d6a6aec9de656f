//go:build cgo

package syntax

import "sync"

// known holds the grammars of this build, made when the first is asked for.
var known = sync.OnceValue(func() map[Language]*grammar {
	return map[Language]*grammar{
		Python:     pythonGrammar(),
		JavaScript: javascriptGrammar(),
		TypeScript: typescriptGrammar(),
		Java:       javaGrammar(),
		Rust:       rustGrammar(),
		C:          cGrammar(),
		CPP:        cppGrammar(),
		CSharp:     csharpGrammar(),
		PHP:        phpGrammar(),
		Ruby:       rubyGrammar(),
	}
})

// grammars lists the languages that this build reads with tree-sitter.
func grammars() map[Language]*grammar { return known() }

// parseSitter reads a file in a language of grammars.
func parseSitter(language Language, name string, data []byte) File {
	return grammars()[language].Parse(language, name, data)
}

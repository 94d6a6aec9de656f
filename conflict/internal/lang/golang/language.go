// Package golang reads Go with go/parser and knows the rules of the language.
package golang

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages is Go.
func Languages() []*lang.Language {
	return []*lang.Language{{Name: code.Go, Endings: []string{".go"}, Parse: parse, Imports: readImports}}
}

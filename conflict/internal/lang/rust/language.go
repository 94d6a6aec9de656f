// Package rust reads Rust and knows the rules of the language.
package rust

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages are the languages of this folder.
func Languages() []*lang.Language {
	return []*lang.Language{
		{Name: code.Rust, Endings: []string{".rs"}, Parse: parser()},
	}
}

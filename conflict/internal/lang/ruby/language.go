// Package ruby reads Ruby and knows the rules of the language.
package ruby

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages are the languages of this folder.
func Languages() []*lang.Language {
	return []*lang.Language{
		{Name: code.Ruby, Endings: []string{".rb"}, Parse: parser()},
	}
}

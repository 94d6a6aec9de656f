// Package python reads Python and knows the rules of the language.
package python

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages are the languages of this folder.
func Languages() []*lang.Language {
	return []*lang.Language{
		{Name: code.Python, Endings: []string{".py", ".pyi"}, Parse: parser()},
	}
}

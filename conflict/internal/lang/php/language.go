// Package php reads PHP and knows the rules of the language.
package php

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages are the languages of this folder.
func Languages() []*lang.Language {
	return []*lang.Language{
		{Name: code.PHP, Endings: []string{".php"}, Parse: parser()},
	}
}

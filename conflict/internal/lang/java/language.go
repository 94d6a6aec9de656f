// Package java reads Java and knows the rules of the language.
package java

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages are the languages of this folder.
func Languages() []*lang.Language {
	return []*lang.Language{
		{Name: code.Java, Endings: []string{".java"}, Parse: parser()},
	}
}

// Package csharp reads C# and knows the rules of the language.
package csharp

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages are the languages of this folder.
func Languages() []*lang.Language {
	return []*lang.Language{
		{Name: code.CSharp, Endings: []string{".cs"}, Parse: parser()},
	}
}

// Package javascript reads JavaScript and TypeScript and knows the rules of the language.
package javascript

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages are the languages of this folder.
func Languages() []*lang.Language {
	return []*lang.Language{
		{Name: code.JavaScript, Endings: []string{".js", ".mjs", ".cjs", ".jsx"}, Parse: parseJavaScript()},
		{Name: code.TypeScript, Endings: []string{".ts", ".mts", ".cts", ".tsx"}, Parse: parseTypeScript()},
	}
}

// Package c reads C and C++ and knows the rules of the language.
package c

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages are the languages of this folder.
func Languages() []*lang.Language {
	return []*lang.Language{
		{Name: code.C, Endings: []string{".c"}, Parse: parseC()},
		{Name: code.CPP, Endings: []string{".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"}, Parse: parseCPP()},
	}
}

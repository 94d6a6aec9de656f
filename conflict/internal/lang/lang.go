// Package lang says what a programming language is to the analysis of conflicts: the values and
// functions of Language, which each folder below this one fills in for its language.
//
// A language is added by a folder with its Languages and by its line in package languages.
package lang

import "delegate/conflict/code"

// Language is one programming language.
type Language struct {
	Name code.Language
	// Endings are those of the names of its files, in small letters and with the dot.
	Endings []string
	// Parse reads a file; nil in a build that has no parser of the language.
	Parse func(name string, data []byte) code.File
	// Imports reads a file's imports alone where that is quicker than Parse; nil where it is not.
	Imports func(name string, data []byte) []code.Import
}

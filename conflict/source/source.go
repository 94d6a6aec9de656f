// Package source parses source files and package manifests, as the data types of package code.
//
//	f, ok := source.Parse("limit/rate.go", data)
//	if ok && len(f.Faults) == 0 {
//		fmt.Println(f.Package, len(f.Definitions))
//	}
//
// Each function parses one file by itself and reads no other file. All functions are safe for concurrent use.
//
// Most grammars are C code of tree-sitter. Parse files that an attacker may have written in a separate process, which
// can be limited and killed.
package source

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/languages"
	"delegate/conflict/internal/manifest"
)

// LanguageOf returns the language of a file, by its name, and whether this build can parse it.
// The language is "" for NotCode. For Unreadable it can be a language that package code has no constant for.
func LanguageOf(file string) (code.Language, code.Support) { return languages.Of(file) }

// Parse parses a source file. Its name decides the language. Places that do not parse, and text that is not UTF-8, are
// in File.Faults. ok is false if this build cannot parse the language.
func Parse(file string, data []byte) (f code.File, ok bool) { return languages.Parse(file, data) }

// IsManifest reports whether ParseManifest can parse a file, by the last element of its slash-separated path.
func IsManifest(file string) bool { return manifest.IsManifest(file) }

// ParseManifest parses a manifest or lock file. The last element of its slash-separated path decides the kind. A byte
// order mark is skipped, and lines can end in LF or CRLF. The error wraps a code.Fault if the text does not parse, and
// then the Manifest is zero.
func ParseManifest(file string, data []byte) (code.Manifest, error) {
	return manifest.Parse(file, data)
}

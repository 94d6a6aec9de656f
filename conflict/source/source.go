// Package source reads source files, and manifests of packages, one at a time and without following
// anything they name.
//
// Bytes that an adversary may have chosen are not for this process: grammars are C code.
package source

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/languages"
	"delegate/conflict/internal/manifest"
)

// LanguageOf tells a file's language by its name, and what this build can do with it.
// The language is "" for NotCode; for an Unreadable one it may be any language's name.
func LanguageOf(file string) (code.Language, code.Support) { return languages.Of(file) }

// Parse reads a source file. The name decides the language; data must be UTF-8 text, and anything
// else is a Fault. ok is false if this build cannot read the language.
func Parse(file string, data []byte) (f code.File, ok bool) { return languages.Parse(file, data) }

// Imports reads a file's imports alone, which for Go is many times quicker than Parse. It is empty
// if this build cannot read the language.
func Imports(file string, data []byte) []code.Import { return languages.Imports(file, data) }

// IsManifest reports whether ParseManifest reads the file, by the last element of its path, which has slashes.
func IsManifest(file string) bool { return manifest.IsManifest(file) }

// ParseManifest reads a manifest or lock file; the last element of its path, which has slashes,
// says which kind. A byte order mark is skipped, and lines end in LF or CRLF. The error wraps a
// code.Fault if the text is not what the name says, and then the Manifest is the zero value.
func ParseManifest(file string, data []byte) (code.Manifest, error) {
	return manifest.Parse(file, data)
}

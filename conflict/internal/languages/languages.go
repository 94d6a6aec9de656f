// Package languages lists the programming languages that are read, and reads their files.
package languages

import (
	"path"
	"slices"
	"strings"
	"sync"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/lang/c"
	"delegate/conflict/internal/lang/csharp"
	"delegate/conflict/internal/lang/golang"
	"delegate/conflict/internal/lang/java"
	"delegate/conflict/internal/lang/javascript"
	"delegate/conflict/internal/lang/php"
	"delegate/conflict/internal/lang/python"
	"delegate/conflict/internal/lang/ruby"
	"delegate/conflict/internal/lang/rust"
)

// All are the languages, a line each; the folder of some has two.
var All = sync.OnceValue(func() []*lang.Language {
	return slices.Concat(
		golang.Languages(),
		javascript.Languages(),
		python.Languages(),
		java.Languages(),
		rust.Languages(),
		php.Languages(),
		c.Languages(),
		csharp.Languages(),
		ruby.Languages(),
	)
})

// byEnding are the languages by the endings of their files' names.
var byEnding = sync.OnceValue(func() map[string]*lang.Language {
	all := map[string]*lang.Language{}
	for _, l := range All() {
		for _, ending := range l.Endings {
			all[ending] = l
		}
	}
	return all
})

// byName are the languages by their names.
var byName = sync.OnceValue(func() map[code.Language]*lang.Language {
	all := map[code.Language]*lang.Language{}
	for _, l := range All() {
		all[l.Name] = l
	}
	return all
})

// Named is the language of a name, one without any properties for a name that is in no list.
func Named(name code.Language) *lang.Language {
	if l := byName()[name]; l != nil {
		return l
	}
	return &lang.Language{Name: name}
}

// Of tells a file's language by its name, and what this build can do with it. The name of the
// language is "" for NotCode; for an Unreadable one it may be any language's name.
func Of(file string) (code.Language, code.Support) {
	ext := strings.ToLower(path.Ext(file))
	if l := byEnding()[ext]; l != nil {
		if l.Parse == nil {
			return l.Name, code.Unreadable
		}
		return l.Name, code.Readable
	}
	if name, found := unreadable()[ext]; found {
		return name, code.Unreadable
	}
	return "", code.NotCode
}

// Parse reads a file. The name decides the language; data must be UTF-8 text, and anything else is
// a Fault. ok is false if this build cannot read the language.
func Parse(file string, data []byte) (f code.File, ok bool) {
	name, support := Of(file)
	if support != code.Readable {
		return code.File{}, false
	}
	l := Named(name)
	if l.OtherKind != nil && l.OtherKind(data) {
		return code.File{Language: name}, true
	}
	return l.Parse(file, data), true
}

// Imports reads a file's imports alone, which for Go is many times quicker than Parse. It is empty
// if this build cannot read the language.
func Imports(file string, data []byte) []code.Import {
	name, support := Of(file)
	if quick := Named(name).Imports; support == code.Readable && quick != nil {
		return quick(file, data)
	}
	f, _ := Parse(file, data)
	return f.Imports
}

// unreadable maps the endings of names to languages that nothing here can read.
func unreadable() map[string]code.Language {
	return map[string]code.Language{
		".swift": "Swift", ".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala", ".groovy": "Groovy", ".dart": "Dart",
		".ex": "Elixir", ".exs": "Elixir",
		".erl": "Erlang", ".hs": "Haskell", ".ml": "OCaml", ".fs": "F#", ".vb": "Visual Basic", ".lua": "Lua",
		".pl": "Perl", ".pm": "Perl", ".r": "R", ".jl": "Julia",
		".m": "Objective-C", ".mm": "Objective-C", ".zig": "Zig", ".nim": "Nim", ".clj": "Clojure", ".cljs": "Clojure",
		".vue": "Vue", ".svelte": "Svelte", ".sol": "Solidity", ".v": "Verilog", ".vhd": "VHDL", ".f90": "Fortran",
		".pas": "Pascal", ".d": "D", ".cr": "Crystal",
	}
}

package syntax

import (
	"bytes"
	"go/build/constraint"
	"path"
	"slices"
	"strings"
)

// Support is what this build can do with a file.
type Support int

// The levels of support.
const (
	// NotCode is no source file of a programming language, as far as its name says.
	NotCode Support = iota
	// Unreadable is a source file in a language without a grammar here, or without one in this build.
	Unreadable
	// Readable files can be parsed.
	Readable
)

// LanguageOf tells a file's language by its name, and what this build can do with it.
// The language is "" for NotCode; for an Unreadable one it may be any language's name.
func LanguageOf(name string) (Language, Support) {
	ext := strings.ToLower(path.Ext(name))
	if l, found := readable()[ext]; found {
		if l == Go || grammars()[l] != nil {
			return l, Readable
		}
		return l, Unreadable
	}
	if l, found := unreadable()[ext]; found {
		return l, Unreadable
	}
	return "", NotCode
}

// readable maps the endings of names to languages with a grammar. A header is read as C++, which
// holds C's declarations too.
func readable() map[string]Language {
	return map[string]Language{
		".go": Go, ".py": Python, ".pyi": Python, ".js": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript,
		".jsx": JavaScript,
		".ts":  TypeScript, ".mts": TypeScript, ".cts": TypeScript, ".tsx": TypeScript, ".java": Java, ".rs": Rust,
		".c": C, ".h": CPP, ".cc": CPP, ".cpp": CPP, ".cxx": CPP, ".hh": CPP, ".hpp": CPP, ".hxx": CPP, ".cs": CSharp,
		".rb": Ruby, ".php": PHP,
	}
}

// unreadable maps the endings of names to languages that nothing here can read.
func unreadable() map[string]Language {
	return map[string]Language{
		".swift": "Swift", ".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala", ".groovy": "Groovy", ".dart": "Dart",
		".ex": "Elixir", ".exs": "Elixir",
		".erl": "Erlang", ".hs": "Haskell", ".ml": "OCaml", ".fs": "F#", ".vb": "Visual Basic", ".lua": "Lua",
		".pl": "Perl", ".pm": "Perl", ".r": "R", ".jl": "Julia",
		".m": "Objective-C", ".mm": "Objective-C", ".zig": "Zig", ".nim": "Nim", ".clj": "Clojure", ".cljs": "Clojure",
		".vue": "Vue", ".svelte": "Svelte", ".sol": "Solidity", ".v": "Verilog", ".vhd": "VHDL", ".f90": "Fortran",
		".pas": "Pascal", ".d": "D", ".cr": "Crystal",
	}
}

// Parse reads a file. The name decides the language; data must be UTF-8 text, and anything else is a Fault.
// ok is false if this build cannot read the language.
func Parse(name string, data []byte) (f File, ok bool) {
	language, support := LanguageOf(name)
	if support != Readable {
		return File{}, false
	}
	if language == Go {
		f := parseGo(name, data)
		f.Constraint = constraintOf(name, data)
		return f, true
	}
	f = parseSitter(language, name, data)
	markInside(&f)
	return f, true
}

// markInside finds the imports that stand in functions.
func markInside(f *File) {
	for i, imp := range f.Imports {
		f.Imports[i].Inside = slices.ContainsFunc(f.Definitions, func(d Definition) bool {
			return d.Callable() && d.Line < imp.Line && imp.Line <= d.End
		})
	}
}

// Imports reads a file's imports alone, which for Go is many times quicker than Parse. It is empty
// if this build cannot read the language.
func Imports(name string, data []byte) []Import {
	if language, support := LanguageOf(name); language != Go || support != Readable {
		f, _ := Parse(name, data)
		return f.Imports
	}
	return goImports(name, data)
}

// constraintOf is what a Go file says of the builds that it is for.
func constraintOf(name string, data []byte) string {
	var said []string
	parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(path.Base(name), ".go"), "_test"), "_")
	for _, part := range parts[1:] {
		if slices.Contains(systems(), part) {
			said = append(said, part)
		}
	}
	for line := range bytes.Lines(data) {
		text := string(bytes.TrimSpace(line))
		if constraint.IsGoBuild(text) || constraint.IsPlusBuild(text) {
			said = append(said, text)
		}
		if strings.HasPrefix(text, "package ") {
			break
		}
	}
	return strings.Join(said, " ")
}

// systems are the names of operating systems and architectures that limit a Go file which ends in them.
func systems() []string {
	return []string{
		"aix", "android", "darwin", "dragonfly", "freebsd", "illumos", "ios", "js", "linux", "netbsd", "openbsd",
		"plan9", "solaris", "wasip1", "windows",
		"386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le",
		"riscv64", "s390x", "wasm",
	}
}

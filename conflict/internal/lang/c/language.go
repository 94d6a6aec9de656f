// Package c reads C and C++ and knows the rules of the languages.
package c

import (
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages are C and C++. A header is read as C++, which holds C's declarations too.
func Languages() []*lang.Language {
	imported := lang.Imported{Reaches: reaches, Open: open, Keys: lang.StemKeys, InLibrary: inLibrary,
		LibraryGives: libraryGives}
	visible := lang.Visible{Scope: lang.Everywhere, Excludes: excludes}
	checks := lang.Checks{Literal: lang.LiteralAggregate}
	const traits = lang.Headers | lang.Protected | lang.Typed
	// Where a value is made or a function called, type arguments may be left to be inferred.
	templates := checks
	templates.NamesTypeArguments = func(u code.Use) bool { return u == code.Read || u == code.Inherit }
	return []*lang.Language{{
		Name: code.C, Family: code.CPP, Endings: []string{".c"}, Parse: parseC(), Ecosystem: "C",
		Imported: imported, Visible: visible, Checks: checks, Traits: traits,
		Words: lang.Words{Kinds: map[code.Kind]string{code.Class: "struct"}},
	}, {
		Name: code.CPP, Endings: []string{".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"}, Parse: parseCPP(),
		Ecosystem: "C++", Imported: imported, Visible: visible, Checks: templates,
		Traits: traits | lang.BareMembers,
		Words:  lang.Words{Kinds: map[code.Kind]string{code.Module: "namespace"}},
	}}
}

// reaches takes a source file for what its header declares.
func reaches(imp code.Import, _ string, t lang.Target) (inside string, ok bool) {
	return code.All, lang.EndsWith(strings.TrimLeft(path.Clean(imp.Module), "./"), t.Path) ||
		!t.File && imp.Module != "" && lang.Stem(imp.Module) == lang.Stem(t.Path)
}

func open(imp code.Import, from, _, _ string) (files []string) {
	for _, dir := range lang.Parents(from) {
		files = append(files, path.Join(dir, imp.Module), path.Join(dir, "include", imp.Module))
	}
	return files
}

// excludes: each source has its own types, macros and constants, and functions of C have no overloads.
func excludes(a, b lang.Placed) bool {
	plain := func(p lang.Placed) bool { return path.Ext(p.File) == ".c" && p.Kind == code.Function && !p.Partial }
	return (a.File == b.File || a.Callable() && a.Kind != code.Macro) &&
		(lang.Overloaded(a, b) || plain(a) && plain(b) && a.Name != "main")
}

// inLibrary tells the functions of C's library for which projects have macros of their own on systems that lack them.
func inLibrary(name string) bool { return slices.Contains(library, name) }

var library = strings.Fields("" +
	"memcpy memmove memset memcmp memchr strlen strcmp strncmp strcpy strncpy strcat strncat " +
	"strchr strrchr strstr strtol strtoul strtod strerror malloc calloc realloc free abort " +
	"exit getenv qsort bsearch abs printf fprintf sprintf snprintf vsnprintf vfprintf sscanf " +
	"fopen fclose fread fwrite fseek ftell fflush remove rename isalpha isdigit isalnum " +
	"isspace isupper islower isxdigit isprint tolower toupper assert offsetof va_copy strtoll " +
	"strtoull round floor")

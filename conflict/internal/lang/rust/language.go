// Package rust reads Rust and knows the rules of the language.
package rust

import (
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/text/lazyregexp"
)

// Languages is Rust.
func Languages() []*lang.Language {
	return []*lang.Language{{
		Name: code.Rust, Endings: []string{".rs"}, Parse: parser(), Ecosystem: "Rust",
		Traits: lang.FileModules | lang.FullNames | lang.Typed | lang.Exhaustive,
		Imported: lang.Imported{Reaches: reaches, SamePlace: samePlace, Keys: keys, Fronts: fronts,
			Aliases: crateNames, AliasFiles: []string{"Cargo.toml"}},
		Visible: lang.Visible{
			Scope: func(file, _ string) string {
				return strings.TrimSuffix(strings.TrimSuffix(file, ".rs"), "/mod")
			},
			SeesPrivate: seesPrivate, SeesRestricted: sameCrate, TypePath: typePath,
		},
		Checks: lang.Checks{Literal: lang.LiteralWhole},
		Words:  lang.Words{Kinds: map[code.Kind]string{code.Class: "struct", code.Interface: "trait"}},
	}}
}

// modulePath splits a path into the folder of the crate and the path of the module inside of it. The
// root of a crate is a folder named src.
func modulePath(file string) (crate string, module []string) {
	crate, inside, found := strings.Cut("/"+file, "/src/")
	if !found {
		crate, inside = path.Dir(file), path.Base(file)
	}
	module = strings.Split(strings.TrimSuffix(inside, ".rs"), "/")
	switch module[len(module)-1] {
	case "mod", "lib", "main":
		module = module[:len(module)-1]
	}
	return strings.TrimPrefix(crate, "/"), module
}

func crateName(folder string) string { return strings.ReplaceAll(path.Base(folder), "-", "_") }

// parts are the names of an import's path.
func parts(imp code.Import) []string {
	all := strings.FieldsFunc(strings.ReplaceAll(imp.Module, "::", "."), func(r rune) bool { return r == '.' })
	if imp.Member != "" {
		all = append(all, imp.Member)
	}
	return all
}

var (
	packageName = lazyregexp.New(`(?m)^\[package\]\s[^\[]*?^name\s*=\s*"([\w-]+)"`)
	libraryName = lazyregexp.New(`(?m)^\[lib\]\s[^\[]*?^name\s*=\s*"([\w-]+)"`)
)

// crateNames are what tests, examples and programs call the library beside them, by its manifest.
func crateNames(manifest []byte) map[string]string {
	match := libraryName.FindSubmatch(manifest)
	if match == nil {
		match = packageName.FindSubmatch(manifest)
	}
	if match == nil {
		return nil
	}
	name := strings.ReplaceAll(string(match[1]), "-", "_")
	return map[string]string{name: "src", name + "::": "src"}
}

// atRoot is an import by a name of the crate's manifest as its root writes it.
func atRoot(imp code.Import, from string) (code.Import, string) {
	if !strings.HasPrefix(imp.Module, "./") {
		return imp, from
	}
	crate, inside, _ := strings.Cut("/"+path.Join(path.Dir(from), imp.Module)+"/", "/src/")
	imp.Module = strings.TrimSuffix("crate::"+strings.TrimSuffix(inside, "/"), "::")
	return imp, strings.TrimPrefix(crate+"/src/lib.rs", "/")
}

// fronts are the modules around a file, which may hand on what it defines.
func fronts(file string) (all []string) {
	for _, dir := range lang.Parents(file) {
		all = append(all, path.Join(dir, "lib.rs"), path.Join(dir, "mod.rs"), dir+".rs")
	}
	return all
}

// reaches follows module paths from the root of a crate.
func reaches(imp code.Import, from string, t lang.Target) (string, bool) {
	imp, from = atRoot(imp, from)
	crate, module := modulePath(t.Path)
	fromCrate, here := modulePath(from)
	rest := parts(imp)
	for i := 0; len(rest) > 0; i++ {
		switch first := rest[0]; {
		case first == "crate" && i == 0 && fromCrate == crate:
			here = nil
		case first == "self" && i == 0 && fromCrate == crate:
		case first == "super" && fromCrate == crate && len(here) > 0:
			here = here[:len(here)-1]
		case i == 0 && first == crateName(crate) && fromCrate != crate:
			here = nil
		default:
			return below(slices.Concat(here, rest), module, i > 0 || fromCrate == crate)
		}
		rest = rest[1:]
	}
	return below(here, module, true)
}

func below(whole, module []string, known bool) (string, bool) {
	if !known || len(whole) < len(module) || !slices.Equal(whole[:len(module)], module) {
		return "", false
	}
	return strings.Join(whole[len(module):], "."), true
}

func samePlace(file string) []string {
	whole := strings.TrimSuffix(strings.TrimSuffix(file, ".rs"), "/mod")
	return []string{file, whole + ".rs", whole + "/mod.rs"}
}

func keys(from string, imp code.Import) []string {
	return lang.WithMember(lang.ModuleWords(from, imp), imp)
}

// seesPrivate: what is private is seen from the modules below.
func seesPrivate(from, file string) bool {
	crate, module := modulePath(file)
	fromCrate, here := modulePath(from)
	return crate == fromCrate && len(here) >= len(module) && slices.Equal(here[:len(module)], module)
}

func sameCrate(from, file string) bool {
	crate, _ := modulePath(file)
	fromCrate, _ := modulePath(from)
	return crate == fromCrate
}

// typePath is the crate and the path of a type as a file names it: its own, one that it names by its path, or one that
// it imports from its crate.
func typePath(file string, f *code.File, typ string) string {
	crate, here := modulePath(file)
	var whole []string
	if slices.ContainsFunc(f.Definitions, func(d code.Definition) bool {
		return d.Kind != code.Local && d.Key() == typ && !d.Partial
	}) {
		whole = append(slices.Clone(here), typ)
	} else if i := slices.IndexFunc(f.Definitions, func(d code.Definition) bool {
		return d.Key() == typ && d.Partial && strings.Contains(d.Type, ".")
	}); i >= 0 {
		whole = target(code.Import{Module: f.Definitions[i].Type}, here)
	} else if i := slices.IndexFunc(f.Imports, func(i code.Import) bool { return i.Name == typ }); i >= 0 {
		whole = target(f.Imports[i], here)
	}
	if len(whole) < 2 {
		return ""
	}
	return crate + " " + strings.Join(whole, ".")
}

// target is the path of what an import names in its own crate, seen from a module; nil for what is in others.
func target(imp code.Import, here []string) []string {
	all := parts(imp)
	if len(all) == 0 {
		return nil
	}
	switch all[0] {
	case "crate":
		return all[1:]
	case "self":
		return slices.Concat(here, all[1:])
	case "super":
		if len(here) > 0 {
			return slices.Concat(here[:len(here)-1], all[1:])
		}
	}
	return nil
}

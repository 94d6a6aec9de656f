// Package javascript reads JavaScript and TypeScript and knows the rules of the languages.
package javascript

import (
	"bytes"
	"path"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/text/lazyregexp"
)

// Languages are JavaScript and TypeScript.
func Languages() []*lang.Language {
	imported := lang.Imported{
		Reaches: reaches, Resolve: resolve, SamePlace: samePlace, Keys: keys, FrontFile: "index.ts",
		Aliases: aliases, AliasFiles: aliasFiles(),
	}
	visible := lang.Visible{
		Scope: func(file, _ string) string { return strings.TrimSuffix(withoutEnding(file), "/index") },
	}
	unpacking, nothing := lang.Unpacking{Gives: gives, Takes: lang.TakenBy(takes)}, lang.NullOr(`\bcatch\b`)
	return []*lang.Language{{
		Name: code.JavaScript, Family: code.TypeScript, Endings: []string{".js", ".mjs", ".cjs", ".jsx"},
		Traits: lang.AnyFile | lang.Awaits | lang.KeyedResults,
		Parse:  parseJavaScript(), OtherKind: isPacked, Ecosystem: "npm", Imported: imported, Visible: visible,
		Checks: lang.Checks{Matters: lang.OtherSort, Unpacking: unpacking, Nothing: nothing},
	}, {
		Name: code.TypeScript, Endings: []string{".ts", ".mts", ".cts", ".tsx"}, Parse: parseTypeScript(),
		Traits:    lang.AnyFile | lang.Typed | lang.Awaits | lang.Exhaustive | lang.KeyedResults,
		OtherKind: isMarkup, Ecosystem: "npm", Imported: imported,
		Visible: lang.Visible{Scope: visible.Scope, Excludes: excludes},
		Checks: lang.Checks{
			Literal: lang.LiteralWhole, Unpacking: unpacking,
			Nothing: nothing,
			Matters: func(old, new string) bool { return old != "" && new != "" && !lang.Among(new, old) },
			// Calls leave them to be inferred.
			NamesTypeArguments: func(u code.Use) bool { return u != code.Call },
		},
	}}
}

// isPacked tells what a program put together of others' code and wrote in few lines, to be run and not to be read.
func isPacked(data []byte) bool {
	const enough, usual = 20_000, 500 // of bytes of the file and of a line
	return len(data) > enough && len(data) > usual*bytes.Count(data, []byte("\n"))
}

// isMarkup tells the translations of Qt, which are XML.
func isMarkup(data []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n")
	return bytes.HasPrefix(text, []byte("<?xml")) || bytes.HasPrefix(text, []byte("<!DOCTYPE"))
}

// excludes: interfaces and modules of one name are put together. A class and its values have their members apart.
func excludes(a, b lang.Placed) bool {
	return a.Static == b.Static && a.Kind != code.Interface && a.Kind != code.Module && a.Kind != code.Field
}

func withoutEnding(name string) string {
	for _, ending := range []string{".d.ts", ".tsx", ".ts", ".mts", ".cts", ".jsx", ".js", ".mjs", ".cjs"} {
		if rest, ok := strings.CutSuffix(name, ending); ok {
			return rest
		}
	}
	return name
}

// reaches follows relative paths exactly. An alias such as "@/x" or a package of the same
// repository is followed by the end of its path.
func reaches(imp code.Import, from string, t lang.Target) (inside string, ok bool) {
	whole, module := withoutEnding(t.Path), imp.Module
	index := strings.TrimSuffix(whole, "/index")
	if strings.HasPrefix(module, ".") {
		target := path.Join(path.Dir(from), module)
		return imp.Member, target == whole || target == index || target == t.Path || withoutEnding(target) == whole
	}
	ends := func(rest string) bool { return lang.EndsWith(withoutEnding(rest), whole) || lang.EndsWith(rest, index) }
	if rest, ok := strings.CutPrefix(strings.TrimLeft(module, "@~#"), "/"); ok && rest != "" {
		return imp.Member, ends(rest)
	}
	return imp.Member, strings.Contains(module, "/") && !strings.HasPrefix(module, "@") && ends(module)
}

func aliasFiles() []string {
	return []string{"tsconfig.json", "jsconfig.json", "tsconfig.base.json", "package.json"}
}

var (
	baseURL  = lazyregexp.New(`"baseUrl"\s*:\s*"([^"]*)"`)
	pathName = lazyregexp.New(`"([^"*]+)\*?"\s*:\s*\[\s*"([^"*]+)\*?"`)
	ownName  = lazyregexp.New(`"(#[^"*]+)\*?"\s*:\s*"\./([^"*]+)\*?[^"]*"`)
)

// aliases are the paths of a tsconfig.json, which may have comments and is read by its lines, or the imports of a
// package.json, whose names begin with "#".
func aliases(data []byte) map[string]string {
	_, paths, some := bytes.Cut(data, []byte(`"paths"`))
	if !some {
		all := map[string]string{}
		for _, match := range ownName.FindAllSubmatch(data, -1) {
			all[string(match[1])] = string(match[2])
		}
		return all
	}
	base := ""
	if match := baseURL.FindSubmatch(data); match != nil {
		base = string(match[1])
	}
	all := map[string]string{}
	paths, _, _ = bytes.Cut(paths, []byte("}"))
	for _, match := range pathName.FindAllSubmatch(paths, -1) {
		all[string(match[1])] = path.Join(base, string(match[2]))
	}
	return all
}

func resolve(_ lang.Tree, from string, imp code.Import) (all []string) {
	if !strings.HasPrefix(imp.Module, ".") {
		return nil
	}
	whole := withoutEnding(path.Join(path.Dir(from), imp.Module))
	for _, ending := range []string{".ts", ".tsx", ".js", ".jsx", "/index.ts", "/index.js"} {
		all = append(all, whole+ending)
	}
	return all
}

func samePlace(file string) []string {
	whole := strings.TrimSuffix(withoutEnding(file), "/index")
	all := []string{file}
	for _, ending := range []string{".ts", ".tsx", ".js", ".jsx", "/index.ts", "/index.tsx", "/index.js"} {
		all = append(all, whole+ending)
	}
	return all
}

func keys(from string, imp code.Import) []string {
	whole := imp.Module
	if strings.HasPrefix(whole, ".") {
		whole = path.Join(path.Dir(from), whole)
	}
	return []string{path.Base(withoutEnding(whole)), path.Base(whole)}
}

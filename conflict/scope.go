package conflict

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/languages"
)

// destination is a file as importers know it, with its language.
type destination struct {
	language *lang.Language
	lang.Target
}

// languageOf is the language of a file that can be read, one without properties for any other.
func languageOf(file string) *lang.Language {
	name, _ := languages.Of(file)
	return languages.Named(name)
}

// scopeOf is the scope of a file in its language.
func scopeOf(l *lang.Language, file, pkg string) scope {
	name := file
	if l.Scope != nil {
		name = l.Scope(file, pkg)
	}
	return scope{l.FamilyName(), name}
}

// scope is what a file is in by the structure of its language: files of one scope see each other's
// definitions by their bare names.
type scope struct {
	family code.Language
	name   string
}

// reaches says what an import of the file from takes out of the target, see lang.Language.
func reaches(imp code.Import, from string, t destination) (inside string, ok bool) {
	if t.language.Reaches == nil {
		return "", false
	}
	return t.language.Reaches(imp, from, t.Target)
}

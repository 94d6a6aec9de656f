// Package lang says what a programming language is to the analysis of conflicts: the values and
// functions of Language, which each folder below this one fills in for its language.
//
// A language is added by a folder with its Languages and by its line in package languages. Whatever
// a language does not set has the meaning that its field names for the zero value.
package lang

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
)

// Language is one programming language: how its files are read, where its imports lead, who sees
// what, and which changes hurt.
type Language struct {
	Name code.Language
	// Family is shared by languages whose code can use one another's definitions; "" is Name.
	Family code.Language
	// Endings are those of the names of its files, in small letters and with the dot.
	Endings []string
	// Parse reads a file; nil in a build that has no parser of the language.
	Parse func(name string, data []byte) code.File
	// Imports reads a file's imports alone where that is quicker than Parse; nil where it is not.
	Imports func(name string, data []byte) []code.Import
	// OtherKind reports contents that are no code, in a file whose name ends like the language's. nil: there are none.
	OtherKind func(data []byte) bool
	// Comment is what LineComment returns; "" is "//".
	Comment string
	// Traits are what is true of the language.
	Traits Trait
	// Ecosystem is that of the packages which the language's files import.
	Ecosystem code.Ecosystem

	Imported
	Visible
	Checks
	Words
}

// Trait is something that is true of a language or not.
type Trait uint32

// The traits of languages, each with what it means where it is set.
const (
	// HandedOn: Importers of a file get what it imports itself.
	HandedOn Trait = 1 << iota
	// AnyFile: Files can be imported that are no code.
	AnyFile
	// PackageScope: Scope goes by the declared package alone.
	PackageScope
	// Folders: A package is a folder, and imports lead to folders.
	Folders
	// Headers: Definitions are declared in other files, whose text is put in by a preprocessor.
	Headers
	// FileModules: Modules inside of the language go with their files.
	FileModules
	// FullNames: A name can be written with its whole path in place of an import.
	FullNames
	// BareMembers: A bare name inside of a type can mean the type's own member.
	BareMembers
	// Nested: A package sees the definitions of those around it.
	Nested
	// Protected: Restricted members are those that only subclasses see, and all else is public.
	Protected
	// PrivateInherited: Subclasses see private members.
	PrivateInherited
	// Setters: A read-only property may be one that its type, and those that build on it, still set.
	Setters
	// Hides: A method that does not say that it overrides hides one of its name.
	Hides
	// CallsBase: A constructor that names none of its base's calls the one without parameters.
	CallsBase
	// Typed: Types are checked before anything runs.
	Typed
	// TypedOverrides: A method that overrides has to give what the other gives, even where nothing else is typed.
	TypedOverrides
	// Checked: This program has a type checker of its own, so that vague suspicions are worth naming.
	Checked
	// ErrorValues: Functions give errors as values, which code compares with those that packages name.
	ErrorValues
	// ListsFields: The parser lists the fields of a literal as references.
	ListsFields
	// Implicit: Types implement interfaces without saying so.
	Implicit
	// FunctionalInterfaces: A function can stand for an interface with one method.
	FunctionalInterfaces
	// KeyedResults: Functions give what has keys that no type lists.
	KeyedResults
	// Exhaustive: Those who match an enumeration have to name all its members.
	Exhaustive
	// BareLabels: A case of a switch names the members of an enumeration without it.
	BareLabels
	// Awaits: References say whether their value is awaited.
	Awaits
	// FieldReaders: A method without parameters is read like a field.
	FieldReaders
)

// Has reports whether the language has a trait.
func (l *Language) Has(t Trait) bool { return l.Traits&t != 0 }

// Imported is where the language's imports lead.
type Imported struct {
	// Reaches says what an import of the file from takes out of a target: the dotted path inside of
	// it that the import's name stands for, "" for the target itself, and code.All as its last part
	// for everything below.
	Reaches func(imp code.Import, from string, t Target) (inside string, ok bool)
	// Aliases reads the file by which a folder gives other names to its paths, at AliasFiles in it: what an import
	// may begin with, by the path, relative to the folder, that it stands for. nil: there are none.
	Aliases    func(data []byte) map[string]string
	AliasFiles []string
	// Fronts are the files that may hand on what a file defines. nil: that does not show by its path.
	Fronts func(file string) []string
	// Resolve gives the files (or with Folders the folders) of a tree that an import leads to,
	// existing or not. nil: cycles of imports are not looked for.
	Resolve func(in Tree, from string, imp code.Import) []string
	// Hidden reports whether an import that Reaches a file is answered by another file of the tree,
	// or by none. nil: never.
	Hidden func(imp code.Import, file string, has func(name string) bool) bool
	// Open gives the files in which an import that binds no name may find the name of a definition;
	// from and pkg are the importing file and its package. nil: there are no such imports, or their
	// files are not known.
	Open func(imp code.Import, from, pkg, name string) []string
	// Global are the names of the files whose re-exported imports hold for a whole project.
	Global []string
	// SamePlace gives the files that serve the same import as a file, itself among them. nil: only itself.
	SamePlace func(file string) []string
	// Keys are the words of an import among those of Language.FileKeys, at least one of which its
	// target has. nil: the last word of its module, and its member.
	Keys func(from string, imp code.Import) []string
	// FrontFile is the name of the file that stands for its folder.
	FrontFile string
	// Builtin reports modules that are found without any dependency. nil: none.
	Builtin func(module string) bool
	// InLibrary reports functions that the language's own library has, for when a project no longer has another in
	// their place. nil: none.
	InLibrary func(name string) bool
	// LibraryGives reports whether a module of the language's library, which the tree does not have, has what a
	// reference names. nil: that is not known.
	LibraryGives func(module string, r code.Reference) bool
	// Isolated reports files of tests, which no other file imports or needs. nil: none.
	Isolated func(file string) bool
	// Unbuilt reports files that a build of the project does not see. nil: none.
	Unbuilt func(file string) bool
}

// Visible is which definitions files see.
type Visible struct {
	// Scope names what a file is in: files of one scope know each other's definitions by their bare names.
	Scope func(file, pkg string) string
	// SeesPrivate reports whether a file sees what is private in another. nil: never.
	SeesPrivate func(from, file string) bool
	// SeesRestricted reports whether a file sees what is restricted in another. nil: in its scope.
	SeesRestricted func(from, file string) bool
	// TypePath is the same for one type in all files that define methods of it, "" where that does
	// not show. nil: types have their methods in one scope.
	TypePath func(file string, f *code.File, typ string) string
	// AnyMember are the names of functions that answer for every member which a module or a type does not define.
	AnyMember []string
	// Answers reports whether such a function of a file, by the lines of both, may answer for a name. nil: for all.
	Answers func(function, file []string, name string) bool
	// Excludes reports whether one scope can have only one of two definitions of one key. nil: of
	// all but modules, parts of types and methods that override.
	Excludes func(a, b Placed) bool
}

// Checks is which changes of a definition hurt those who use it.
type Checks struct {
	// Nothing is how functions say that there is nothing to give, or that they fail.
	Nothing Nothing
	// Matters reports whether another result or type can hurt who uses the value. nil: always.
	Matters func(old, new string) bool
	// NamesTypeArguments reports whether such a use of a type names all its type arguments. nil: it need not.
	NamesTypeArguments func(u code.Use) bool
	// Literal is how values are written out with their fields.
	Literal Literal
	// Unpacking is how code without written types takes apart what a function gives.
	Unpacking Unpacking
}

// Literal is how a language writes out values with their fields.
type Literal int

// The ways of literals. A new field breaks those that the comment names.
const (
	LiteralOpen       Literal = iota // none
	LiteralByPosition                // those that give fields by position
	LiteralAggregate                 // those that give fields by position, as far as they go
	LiteralWhole                     // those that do not name all fields
)

// Words are the language's own words in messages.
type Words struct {
	// Kinds are its words for kinds of definitions, where they are not the kinds' own.
	Kinds map[code.Kind]string
	// Package is its word for a package; "" is "package".
	Package string
	// Brackets are those around type parameters; "" are "<>".
	Brackets string
}

// Target is a file as importers know it.
type Target struct {
	Path    string
	Package string
	// ImportPath is what Go imports the file's folder by, "" if no go.mod says it.
	ImportPath string
	// File is set where the file itself is meant and not what it declares for another.
	File bool
}

// Placed is a definition and the file that it stands in.
type Placed struct {
	code.Definition
	File string
}

// Tree is what an import is looked up in.
type Tree interface {
	// Has reports whether there is such a file or folder.
	Has(name string) bool
	// ImportPath is what Go imports the file's folder by; "" if no go.mod says it.
	ImportPath(file string) string
}

// Related reports whether code of the one language can use definitions of the other.
func (l *Language) Related(o *Language) bool { return l.FamilyName() == o.FamilyName() }

// FamilyName is the name that a language shares with those it is related to.
func (l *Language) FamilyName() code.Language { return cmp.Or(l.Family, l.Name) }

// LineComment returns the sign of the language's comments that end with their line.
func (l *Language) LineComment() string { return cmp.Or(l.Comment, "//") }

// FileScope reports whether each file is a scope of its own, which others enter by importing the file.
func (l *Language) FileScope() bool { return l.Scope == nil || l.Scope("a", "p") != l.Scope("b", "p") }

// IsIsolated reports whether a file is one of tests that no other file imports.
func (l *Language) IsIsolated(file string) bool { return l.Isolated != nil && l.Isolated(file) }

// Reads reports whether a file is one of the language and none of tests that no other file imports.
func (l *Language) Reads(file string) bool {
	return slices.Contains(l.Endings, path.Ext(file)) && !l.IsIsolated(file)
}

// Node is what imports of the language lead to: a file, or with Folders its folder.
func (l *Language) Node(file string) string {
	if l.Has(Folders) {
		return path.Dir(file)
	}
	return file
}

// Places are the files that serve the same import.
func (l *Language) Places(file string) []string {
	if l.SamePlace == nil {
		return []string{file}
	}
	return l.SamePlace(file)
}

// FileKeys are the words by one of which every import of a file names it; defined are the names at
// the file's top.
func (l *Language) FileKeys(t Target, defined []string) []string {
	switch {
	case l.Has(Folders):
		return []string{path.Base(cmp.Or(t.ImportPath, path.Dir(t.Path)))}
	case l.Has(PackageScope):
		return defined
	}
	dir := path.Base(path.Dir(t.Path))
	switch base, _, _ := strings.Cut(path.Base(t.Path), "."); base {
	case "lib", "main":
		return []string{base, dir, "crate"}
	case "__init__", "index", "mod":
		return []string{base, dir}
	default:
		return []string{Stem(t.Path), base}
	}
}

// ImportKeys are the words to look up among those of FileKeys.
func (l *Language) ImportKeys(from string, imp code.Import) []string {
	if l.Keys != nil {
		return l.Keys(from, imp)
	}
	words := ModuleWords(from, imp)
	return WithMember(words[len(words)-1:], imp)
}

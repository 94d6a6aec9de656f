// Package code is what source files and manifests tell others, as data: what they define, what they
// import, what they refer to, and what packages require.
package code

import "fmt"

// Language is a programming language by its usual name.
type Language string

// The languages whose files can be read, given a build with a C compiler for all but Go.
const (
	Go         Language = "Go"
	Python     Language = "Python"
	JavaScript Language = "JavaScript"
	TypeScript Language = "TypeScript"
	Java       Language = "Java"
	Rust       Language = "Rust"
	C          Language = "C"
	CPP        Language = "C++"
	CSharp     Language = "C#"
	Ruby       Language = "Ruby"
	PHP        Language = "PHP"
)

// Support is what a build of this program can do with a file.
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

// File is what one source file tells others. It holds no part of the source itself.
type File struct {
	Language Language
	// Package is the package or namespace that the file declares: Go's package name, Java's
	// package, C#'s and PHP's first namespace. It is empty where the language has none or the file
	// names none.
	Package string
	// Constraint is what a Go file says of the builds that it is for: the system in its name and
	// its //go:build line; "" for all.
	Constraint  string
	Imports     []Import
	Definitions []Definition
	References  []Reference
	// Faults are the places that the parser could not read. What stands outside of them is in the lists all the same.
	Faults []Fault
}

// Fault is a place at which a source file or a manifest does not parse. It is an error for callers
// to whom the whole file is one.
type Fault struct {
	Line   int // from 1
	Reason string
}

func (f Fault) Error() string { return fmt.Sprintf("line %d: %s", f.Line, f.Reason) }

// Import is one name, or one module, that a file takes from elsewhere. A statement that takes
// several names makes several imports.
type Import struct {
	// Module is the module as the file writes it, without quotes: "net/http", "./util", "..pkg.mod"
	// (Python, with its leading dots), "java.util", "crate::net", "stdio.h", "App\Models". Of an
	// import of one member it is the part before the member: Java's `import java.util.List` has
	// Module "java.util" and Member "List".
	Module string
	// Member is the one name taken out of the module, All for all of them, "" for the module itself.
	Member string
	// Name is what the file calls the import, "" if it binds no name or if it binds all names of the module.
	// Go's `import "net/http"` is called "http", by the last element of its path without a version.
	Name string
	// Reexported imports are definitions to others too: `export {x} from "./y"`, `pub use`.
	Reexported bool
	// Inside imports stand in a function and are made when it runs.
	Inside bool
	// TypeOnly imports take types alone and are gone when the program runs: TypeScript's `import type`.
	TypeOnly bool
	// Guarded imports may fail: the file says what it does then.
	Guarded bool
	Line    int
}

// All as an import's Member stands for every name of the module.
const All = "*"

// Kind is what a definition defines.
type Kind string

// The kinds of definitions.
const (
	Function Kind = "function"
	// a function of a type, constructors included (they are called as the language calls them:
	// __init__, constructor, the class name)
	Method    Kind = "method"
	Class     Kind = "class"     // class, struct, record
	Interface Kind = "interface" // interface, trait, protocol
	Enum      Kind = "enum"
	Type      Kind = "type"   // alias, union, any other named type
	Member    Kind = "member" // of an enumeration or of a union of literals
	Field     Kind = "field"  // field, property, attribute
	Variable  Kind = "variable"
	Constant  Kind = "constant"
	Macro     Kind = "macro"
	Module    Kind = "module" // module or namespace inside of a file
	Local     Kind = "local"  // variable or parameter inside of a function, once a function and name
)

// IsType reports whether a kind is one of types.
func (k Kind) IsType() bool { return k == Class || k == Interface || k == Enum || k == Type }

// Visibility is from where a definition can be used.
type Visibility string

// The visibilities.
const (
	Public Visibility = "public" // from everywhere
	// Restricted is from the same package, module, crate, or from subclasses: unexported in Go,
	// protected, package-private, pub(crate). C#'s internal is Public: where an assembly ends does
	// not show.
	Restricted Visibility = "restricted"
	// Private is from the same file or type only, in Rust from the same module and those below;
	// also names with a leading underscore in Python.
	Private Visibility = "private"
)

// Definition is one thing that a file defines.
type Definition struct {
	Name string
	// Container is the dotted path of what the definition stands in, "" at the top of a file:
	// "Outer.Inner" for a method of a nested class, the receiver's type name for a Go method, the
	// function for a Local ("T.m" for one in a method).
	Container  string
	Kind       Kind
	Visibility Visibility
	// Params are the parameters of functions, methods and macros, without receivers (self, this).
	Params []Param
	// TypeParams are the type parameters, with their constraints as types. Lifetimes are none, and
	// those of a Go method are its type's.
	TypeParams []Param
	// Async functions are called async: a call gives what has to be awaited.
	Async bool
	// Throws are the exceptions that a Java method declares, as written.
	Throws []string
	// Result is the declared type of a function's result, as written with single spaces; "" if there is none.
	Result string
	// Type is the declared type of a field, variable or constant and what an alias stands for, as
	// written with single spaces; "" if not declared.
	Type string
	// Bases are the names of what a type extends, implements or embeds, as written without type
	// arguments: "Base", "pkg.Base". A Rust `impl Trait for T` adds Trait to the bases of a
	// definition of T that it makes if the file has none (with Partial set).
	Bases []string
	// Abstract methods have no body of their own and have to be provided by others: methods of
	// interfaces, abstract methods. Of an abstract class nobody makes a value.
	Abstract bool
	// Overrides is set if the definition says that it overrides another: @Override, override.
	Overrides bool
	// Static members belong to the type and not to its values.
	Static bool
	// ReadOnly fields can be set where their type makes a value, and nowhere else.
	ReadOnly bool
	// Final types cannot be extended, and final methods not overridden.
	Final bool
	// Receiver is how a method takes the value that it is called on, as far as its language has a word for it: C++'s
	// const, Rust's &self, &mut self and self.
	Receiver string
	// Explicit constructors, and operators that convert, do so only where that is written: C++'s explicit.
	Explicit bool
	// Sealed types can be extended by those alone that they name.
	Sealed bool
	// Conditional definitions stand where a preprocessor leaves them out of some builds.
	Conditional bool
	// Partial marks a further part of a type that is defined elsewhere: Rust's impl blocks, C#'s
	// partial classes, reopened Ruby classes do not set it. C's declarations of what is defined
	// elsewhere have it too: prototypes outside of classes, extern variables, `typedef struct s s`.
	// So do the methods that a Rust type derives, whose form is not written; their Type is the trait.
	Partial bool
	// Default is set for what a JavaScript or TypeScript file exports by default, and for its
	// members: others import it by a name of their own.
	Default bool
	// Test is set for a test that a test runner would run, and for what groups tests.
	Test bool
	// Line and End are the first and last line, from 1, without comments in front.
	Line, End int
	// Hash covers the tokens of the whole definition without comments, space and its own name,
	// so that it tells a change of the definition from one of its layout, and a renamed definition from another.
	Hash uint64
}

// Key is the name by which others inside the package know the definition: its container, a dot and its name.
func (d Definition) Key() string {
	if d.Container == "" {
		return d.Name
	}
	return d.Container + "." + d.Name
}

// Callable reports whether the definition has parameters, be they none.
func (d Definition) Callable() bool {
	return d.Kind == Function || d.Kind == Method || d.Kind == Macro
}

// Param is one parameter.
type Param struct {
	// "" where it has none; in JavaScript and TypeScript the pattern, braces included, of one that
	// takes an object apart
	Name string
	Type string // as written with single spaces, "" where not declared
	// Optional parameters may be left out of a call.
	Optional bool
	// Rest parameters take any number of arguments, none included: `...T`, `*args`, `...rest`, and
	// with NamedOnly `**kwargs`.
	Rest bool
	// NamedOnly parameters have to be given by name (Python after `*`, Ruby's keywords);
	// PositionalOnly ones must not be.
	NamedOnly, PositionalOnly bool
}

// Use is what a reference does with the name.
type Use string

// The uses.
const (
	Read Use = "read" // any use that is none of the others, types in declarations included
	Call Use = "call" // f(x), and `new T(x)` with T as the name
	// a value written out with its fields: Go's T{…}, Rust's T { … }; Args counts the values, Named
	// has the names of the fields
	Construct Use = "construct"
	Inherit   Use = "inherit" // extends, implements, embeds, `impl Trait for`
	Match     Use = "match"   // a case label or pattern: `case Color.RED`, `Color::Red =>`
)

// Default is the name of a Match that stands for every value which has no case of its own.
const Default = "default"

// NoCall is the number of arguments of a reference that calls nothing.
const NoCall = -1

// AnyNumber is the number of parameters of a function that is handed over by a name which does not tell it.
const AnyNumber = -1

// Reference is one use of a name that the file does not bind locally.
// A name bound to a parameter or variable of the surrounding functions is no reference, but a
// member of such a value is.
type Reference struct {
	Name string
	// Qualifier is what stands before the name: "pkg" in pkg.F, "a.b" in a.b.c(), "self" or "this";
	// "::" and "->" and "\" are written as dots.
	// It is "" for a bare name and Expression if it is not a path of names, as in f().g.
	Qualifier string
	// Type is the type of the value before the name as far as this file shows it, as written
	// without pointers, references and type arguments: from a declared variable, parameter or
	// field, `x := T{…}`, `x = T(…)` or `new T(…)`, or the surrounding type for self and this. ""
	// if it does not show. In Go the result of a function of an imported package is of type pkg.?
	// (see Expression): one of the package's types most likely. In TypeScript it can be the begin
	// of a type that is written out in place and has no name: "{ reset(): void }".
	Type string
	Use  Use
	// Args counts the arguments of a call and the values of a Construct, NoCall for all else.
	Args int
	// Named are the names of arguments or fields given by name; they are counted in Args.
	Named []string
	// Spread is set if one of the arguments stands for any number of them (f(xs...), f(*xs), or
	// Go's f(g()) with g alone inside), so that Args says nothing.
	Spread bool
	// Writes is set where the name is set to something.
	Writes bool
	// Awaited is set for calls in JavaScript and TypeScript whose value is awaited, or handed on to who may do so.
	Awaited bool
	// Held is how the file holds the value before the name, where it shows.
	Held Holding
	// Contained calls stand in a function which Java's collections and streams call, that nothing checked may leave.
	Contained bool
	// Functions are the numbers of parameters of the functions that are handed over, written in place or by name;
	// AnyNumber where it does not show.
	Functions []int
	// In is the Key of the innermost definition around the reference that is no Local, "" at the top of the file.
	In   string
	Line int
}

// Holding is what code may do with a value that it has.
type Holding uint8

// The holdings that matter to who calls a method.
const (
	Unknown   Holding = iota
	Shared            // it belongs to others, or is constant: it can be read
	Exclusive         // it belongs to another, who lets it be changed, but not be given away
	Fixed             // it can be given away, but not changed
)

// Expression as a qualifier stands for one that is not a path of names.
const Expression = "?"

// Package code has the data types for parsed source files and package manifests: what a file defines, imports and
// refers to, and which dependencies a project has. Package source fills them in:
//
//	f, ok := source.Parse("a.go", data)
//	for _, d := range f.Definitions {
//		fmt.Println(d.Line, d.Kind, d.Key())
//	}
//
// The same types describe all languages. A field that a language does not have is zero.
package code

import "fmt"

// Language is the usual name of a programming language.
type Language string

// The languages that can be parsed. For all but Go, the program must be built with cgo.
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

// Support says whether this build of the program can parse a file.
type Support int

// The values of Support.
const (
	// NotCode means that the name is not one of a source file.
	NotCode Support = iota
	// Unreadable means that the file is in a language that this build cannot parse.
	Unreadable
	// Readable means that the file can be parsed.
	Readable
)

// File is a parsed source file.
type File struct {
	Language Language // decided by the name of the file
	// Package is the package or namespace that the file declares: Go's package name, Java's
	// package, C#'s and PHP's first namespace. It is empty if the language has none or the file
	// declares none.
	Package string
	// Constraint is the build constraint of a Go file: the system and architecture in its name, and
	// its //go:build line; "" if it is part of every build.
	Constraint  string
	Imports     []Import     // in the order of the file
	Definitions []Definition // in the order of the file
	References  []Reference  // uses of names that are not local
	// Faults are the places that do not parse. The lists above contain what is outside of them.
	Faults []Fault
}

// Fault is a place of a source file or a manifest that does not parse. It is also an error, for functions that accept
// no such place.
type Fault struct {
	Line   int    // from 1
	Reason string // what is wrong
}

// Error returns the line and the reason.
func (f Fault) Error() string { return fmt.Sprintf("line %d: %s", f.Line, f.Reason) }

// Import is the import of one name or one module. A statement that imports several names gives several imports.
type Import struct {
	// Module is the module as the file writes it, without quotes: "net/http", "./util", "..pkg.mod"
	// (Python, with its leading dots), "java.util", "crate::net", "stdio.h", "App\Models". If one
	// member is imported, it is the part before the member: Java's `import java.util.List` has
	// Module "java.util" and Member "List".
	Module string
	// Member is the imported name of the module; All for all names, and "" for the module itself.
	Member string
	// Name is the name by which the file refers to the import; "" if there is none, or if all names are imported.
	// For Go's `import "net/http"` it is "http", the last element of the path without a version.
	Name string
	// Reexported means that other files can import the name from this one: `export {x} from "./y"`, `pub use`.
	Reexported bool
	// Inside means that the import is inside of a function.
	Inside bool
	// TypeOnly means that only types are imported and the import does not exist at run time: TypeScript's `import
	// type`.
	TypeOnly bool
	// Guarded means that the file handles the failure of the import, as by Python's `try`.
	Guarded bool
	Line    int // from 1
}

// All is the Member of an import of all names of a module.
const All = "*"

// Kind is the kind of a definition.
type Kind string

// The values of Definition.Kind.
const (
	Function Kind = "function"
	// a function of a type, including constructors, whose name is the one of the language:
	// __init__, constructor, the class name
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
	Local     Kind = "local"  // variable or parameter of a function; one definition for each function and name
)

// IsType reports whether k is a kind of type: Class, Interface, Enum or Type.
func (k Kind) IsType() bool { return k == Class || k == Interface || k == Enum || k == Type }

// Visibility says from where a definition can be used.
type Visibility string

// The values of Definition.Visibility.
const (
	Public Visibility = "public" // from everywhere
	// Restricted is from the same package, module, crate, or from subclasses: unexported in Go,
	// protected, package-private, pub(crate). C#'s internal is Public, because the source does not
	// show which assembly a file belongs to.
	Restricted Visibility = "restricted"
	// Private is from the same file or type only, in Rust from the same module and those below;
	// also names with a leading underscore in Python.
	Private Visibility = "private"
)

// Definition is one function, type, variable or other symbol that a file defines.
type Definition struct {
	Name string // as declared, without its container
	// Container is the dotted path of the definition that contains this one, "" at the top of a file:
	// "Outer.Inner" for a method of a nested class, the receiver's type name for a Go method, the
	// function for a Local ("T.m" for one in a method).
	Container  string
	Kind       Kind       // what sort of symbol it is
	Visibility Visibility // from where it can be used
	// Params are the parameters of functions, methods and macros, without receivers (self, this).
	Params []Param
	// TypeParams are the type parameters, with their constraints as Param.Type. Lifetimes are not included. Those of
	// a Go method are in the definition of its type.
	TypeParams []Param
	// Async means that the result of the function has to be awaited.
	Async bool
	// Throws are the exceptions that a Java method declares, as written.
	Throws []string
	// Result is the declared type of a function's result, as written with single spaces; "" if there is none.
	Result string
	// Type is the declared type of a field, variable or constant, or the type that an alias names, as
	// written with single spaces; "" if not declared.
	Type string
	// Bases are the types that a type extends, implements or embeds, as written without type
	// arguments: "Base", "pkg.Base". Rust's `impl Trait for T` adds Trait to the bases of T; if the file does not
	// define T, it gives a definition of T with Partial set.
	Bases []string
	// Abstract means that a method has no body, such as a method of an interface, or that a class cannot be
	// instantiated.
	Abstract bool
	// Overrides means that the definition says that it overrides another: @Override, override.
	Overrides bool
	// Static means that a member belongs to the type and not to its values.
	Static bool
	// ReadOnly means that a field can be set only where a value of its type is constructed.
	ReadOnly bool
	// Final means that a type cannot be extended, or a method not overridden.
	Final bool
	// Receiver is the way in which a method takes its receiver, if the language declares that: C++'s "const", Rust's
	// "&self", "&mut self" and "self".
	Receiver string
	// Sealed means that only those types can extend the type which it names.
	Sealed bool
	// Conditional means that the definition is inside of a preprocessor condition, such as #ifdef.
	Conditional bool
	// Partial marks a further part of a type that is defined elsewhere: Rust's impl blocks, C#'s
	// partial classes. Reopened Ruby classes do not set it. C's declarations of definitions
	// elsewhere have it too: prototypes outside of classes, extern variables, `typedef struct s s`.
	// So do the methods that a Rust type derives; their Type is the trait.
	Partial bool
	// Default means that the definition is the default export of a JavaScript or TypeScript file, or a member of it.
	// Other files import it by a name of their own.
	Default bool
	// Test means that the definition is a test that a test runner would run, or a group of tests.
	Test bool
	// Line and End are the first and the last line, from 1, without comments in front.
	Line, End int
	// Hash is a hash of the tokens of the whole definition, without comments, white space and its own name. It does not
	// change if the definition is only formatted or renamed.
	Hash uint64
}

// Key returns the name of the definition inside of its package: the container, a dot and the name.
func (d Definition) Key() string {
	if d.Container == "" {
		return d.Name
	}
	return d.Container + "." + d.Name
}

// Callable reports whether the definition is a function, method or macro.
func (d Definition) Callable() bool {
	return d.Kind == Function || d.Kind == Method || d.Kind == Macro
}

// Param is one parameter of a function, or one type parameter.
type Param struct {
	// Name is "" if the parameter has none. For a destructured parameter in JavaScript and TypeScript it is the pattern
	// with its braces.
	Name string
	Type string // as written with single spaces; "" if not declared
	// Optional means that a call can omit the argument.
	Optional bool
	// Rest means that the parameter takes any number of arguments, also none: `...T`, `*args`, `...rest`, and
	// with NamedOnly `**kwargs`.
	Rest bool
	// NamedOnly means that the argument must be passed by name (Python after `*`, Ruby's keywords),
	// and PositionalOnly that it must not be.
	NamedOnly, PositionalOnly bool
}

// Use is the way in which a Reference uses a name.
type Use string

// The values of Reference.Use.
const (
	Read Use = "read" // any use that is none of the others, including types in declarations
	Call Use = "call" // f(x), and `new T(x)` with T as the name
	// a composite literal: Go's T{…}, Rust's T { … }; Args counts the values, and Named has the names of the fields
	Construct Use = "construct"
	Inherit   Use = "inherit" // extends, implements, embeds, `impl Trait for`
	Match     Use = "match"   // a case label or pattern: `case Color.RED`, `Color::Red =>`
)

// Default is the Name of a Match for all values that have no case of their own.
const Default = "default"

// NoCall is Reference.Args of a reference that is not a call or a Construct.
const NoCall = -1

// AnyNumber is an element of Reference.Functions for a function whose number of parameters is not known.
const AnyNumber = -1

// Reference is one use of a name that is not local to a function. The name of a parameter or local variable is no
// reference, but a member of such a value is.
type Reference struct {
	Name string // without its qualifier
	// Qualifier is the expression before the name: "pkg" in pkg.F, "a.b" in a.b.c(), "self" or "this";
	// "::" and "->" and "\" are written as dots.
	// It is "" for a bare name, and Expression if it is not a path of names, as in f().g.
	Qualifier string
	// Type is the type of the value before the name, as far as this file shows it, as written
	// without pointers, references and type arguments: from a declared variable, parameter or
	// field, `x := T{…}`, `x = T(…)` or `new T(…)`, or the surrounding type for self and this. It is ""
	// if it is not known. In Go, the result of a function of an imported package has the type pkg.?
	// (see Expression), because it is most likely a type of that package. In TypeScript it can be the beginning
	// of a type literal: "{ reset(): void }".
	Type string
	Use  Use // what is done with the name
	// Args is the number of arguments of a Call or of values of a Construct, and NoCall for other uses.
	Args int
	// Named are the names of arguments or fields that are passed by name. Args includes them.
	Named []string
	// Spread means that one argument stands for any number of arguments (f(xs...), f(*xs), or
	// Go's f(g()) with g as the only argument), so that Args is not the number of arguments.
	Spread bool
	// Writes means that the reference assigns to the name.
	Writes bool
	// Awaited means that the value of a call in JavaScript or TypeScript is awaited, or passed on to code that may
	// await it.
	Awaited bool
	// Held says how the file may use the value before the name, if it shows that.
	Held Holding
	// Contained means that a call is in a function that Java's collections and streams call, which must not throw a
	// checked exception.
	Contained bool
	// Functions are the numbers of parameters of the functions that are passed as arguments, as literals or by name;
	// AnyNumber if the number is not known.
	Functions []int
	// In is the Key of the innermost definition around the reference that is not a Local; "" at the top of the file.
	In   string
	Line int // from 1
}

// Holding says what code may do with a value, by its declaration in Rust or C++.
type Holding uint8

// The values of Reference.Held. They decide which methods can be called on the value.
const (
	Unknown   Holding = iota
	Shared            // a shared reference or a constant: the value can only be read
	Exclusive         // an exclusive reference: the value can be changed, and not moved
	Fixed             // an immutable variable that owns the value: it can be moved, and not changed
)

// Expression is the Qualifier of a reference whose qualifier is not a path of names.
const Expression = "?"

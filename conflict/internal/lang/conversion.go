package lang

// Converting is how a language makes a value of one type of a value of another where nothing says so.
type Converting struct {
	// Places are those in a line at which it may. nil: it never does.
	Places func(line string) []Conversion
	// Literal reports whether a value is written out, and so of no type that a program defines.
	Literal func(value string) bool
}

// Conversion is a place in a line where a value becomes one of another type.
type Conversion struct {
	To       string // the type as written
	Returned bool   // it is the result of the function around
	Value    string
}

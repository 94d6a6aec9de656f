package lang

// Annotating is how a language annotates, for those whose annotations have elements. The zero value has none.
type Annotating struct {
	// Names reports whether a line annotates something by a name.
	Names func(line, name string) bool
	// Demands reports whether what has these lines is an annotation, and one of its elements has to be given.
	Demands func(annotation, element []string) bool
	// Alone is the element that can be given without its name.
	Alone string
}

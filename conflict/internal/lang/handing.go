package lang

// Handing is how functions are handed to others in a language whose grammar does not list it. The zero value has none.
type Handing struct {
	// Params are the types of the parameters of a type of functions, nil if it is none.
	Params func(typ string) []string
	// Handed are the parameters of those arguments that are functions, by their types, "" for one that says none: of
	// functions written in place, and of those that the text of the file defines by the argument's name.
	Handed func(arguments []string, text string) [][]string
}

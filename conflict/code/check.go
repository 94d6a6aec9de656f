package code

// Problem is an error in the code that a compiler or type checker reports.
type Problem struct {
	Path string // of the file, relative to the root of the tree, separated by slashes
	Line int    // from 1
	// Message is one line of text. It contains no line number, so that the same problem has the same message in two
	// trees.
	Message string
}

// Report is the result of a compiler or type checker for one tree.
type Report struct {
	Problems []Problem // empty if none was found
	// Read lists the files, sorted, that were checked completely, with everything that they import. For other files
	// it is not known whether they have a problem.
	Read []string
	// Unresolved lists, as predicates for a message, what could not be loaded, or where the checker stopped. Problems
	// that can be a consequence of it may be missing.
	Unresolved []string
}

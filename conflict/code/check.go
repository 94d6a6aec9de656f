package code

// Problem is one error that a compiler or type checker reports.
type Problem struct {
	// Path is the file, from the root of the tree, with slashes.
	Path string
	Line int // from 1
	// Message is one line of text without a line number, so that it is the same wherever the place moves to.
	Message string
}

// Report is what a compiler or type checker says of one tree.
type Report struct {
	Problems []Problem
	// Read are the files of the tree, sorted, that were read to their end with all that they need. Of others the
	// absence of a problem proves nothing.
	Read []string
	// Unresolved says, each as the end of a sentence, what could not be loaded or what the checker stopped at.
	// Problems that may follow from it may be left out.
	Unresolved []string
}

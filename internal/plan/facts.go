package plan

// Facts are what the repository and the configuration say at the time of planning.
// Those of the code and of the history are for advice only, and any of them may be missing.
type Facts struct {
	// Files are the tracked files of the base.
	Files []string
	// Tests are those of them that hold tests.
	Tests []string
	// ScopeLimit is how many existing files one scope may match; 0 is no limit.
	ScopeLimit int
	// MaxParallel is how many agents may run at the same time; 0 is no limit.
	MaxParallel int
	// ContextCap is how many bytes of a context an agent is handed; 0 is no limit.
	ContextCap int
	// Symbols are what the source files define, by file and line.
	Symbols []Symbol
	// Links are which file needs which.
	Links []Link
	// Together are the pairs of files that history changes together, the most frequent first.
	Together []Together
	// Gaps say in words what of the repository was not read.
	Gaps []string
}

// Symbol is one definition.
type Symbol struct {
	// Name is the dotted path inside of the file: "Bucket.Take" for a method.
	Name string
	Path string
	Line int
}

// Link says that the file From needs the file To.
type Link struct {
	// Line is where From says so first.
	From, To string
	Line     int
	// Symbol is what To defines on line At and From uses, "" for an import of which no more is known.
	Symbol string
	At     int
}

// Together is a pair of files that commits change together.
type Together struct {
	// A comes before B in the order of paths.
	A, B string
	// Count is how many commits changed both, Of how many changed the one of them that changes less often.
	Count, Of int
	// Commit is the newest that changed both.
	Commit string
}

//go:build race

package compare

// Raced says that this test binary has the race detector in it, which sees nothing of what git and
// the programs of tests do.
const Raced = true

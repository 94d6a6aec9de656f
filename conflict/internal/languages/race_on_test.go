//go:build race

package syntax

// raced says that this test binary has the race detector in it. Reading a file starts nothing,
// so there a few files and a tenth of the size show what it can, and all of them are read without it.
const raced = true

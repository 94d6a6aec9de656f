//go:build race

package watch_test

// raced says that this test binary has the race detector in it.
// It finds that the library of the screen closes the reader of the terminal beside its last read
// (Bubble Tea 2.0.10 with cancelreader 0.2.2), at the end of each screen.
const raced = true

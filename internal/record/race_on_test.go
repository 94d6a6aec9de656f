//go:build race

package record

// raced says that this test binary has the race detector in it, which sees nothing of what happens between processes.
const raced = true

//go:build race

package main

// raced says that this test binary has the race detector in it, which is no part of what attacks
// are about and makes them slow.
const raced = true

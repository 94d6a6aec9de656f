//go:build !long

package long

// Set tells whether the tag long is set.
const Set = false

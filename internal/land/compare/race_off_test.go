//go:build !race

package compare

const Raced = false

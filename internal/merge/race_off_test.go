//go:build !race

package merge

const Raced = false

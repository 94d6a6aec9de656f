//go:build !race

package merge_test

const raced = false

//go:build !race

package land_test

const Raced = false

//go:build !race

package registry

const raced = false

package golang

import (
	"bytes"
	"go/build/constraint"
	"path"
	"slices"
	"strings"
)

// constraintOf is what a Go file says of the builds that it is for.
func constraintOf(name string, data []byte) string {
	var said []string
	parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(path.Base(name), ".go"), "_test"), "_")
	for _, part := range parts[1:] {
		if slices.Contains(systems(), part) {
			said = append(said, part)
		}
	}
	for line := range bytes.Lines(data) {
		text := string(bytes.TrimSpace(line))
		if constraint.IsGoBuild(text) || constraint.IsPlusBuild(text) {
			said = append(said, text)
		}
		if strings.HasPrefix(text, "package ") {
			break
		}
	}
	return strings.Join(said, " ")
}

// systems are the names of operating systems and architectures that limit a Go file which ends in them.
func systems() []string {
	return []string{
		"aix", "android", "darwin", "dragonfly", "freebsd", "illumos", "ios", "js", "linux", "netbsd", "openbsd",
		"plan9", "solaris", "wasip1", "windows",
		"386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le",
		"riscv64", "s390x", "wasm",
	}
}

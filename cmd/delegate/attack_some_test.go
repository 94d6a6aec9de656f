//go:build linux && !long

package main

import (
	"os"
	"slices"
	"testing"
)

// attacks are some of each class and of each way to be made, found and put back; all are made with the tag long.
func attacks(t *testing.T) []attack {
	t.Helper()
	some := []string{
		"001-absolute", "003-link-file", "009-forbidden-moved", "021-delete", "035-other-worktree", "043-pattern-new",
		"047-progress", "056-socket", "101-main", "105-config", "110-pointer", "132-object-overwrite", "142-commit",
		"212-remote-folder", "302-daemon", "307-trace", "401-foreign-block", "403-registry", "412-exit", "501-clipboard",
	}
	all := slices.DeleteFunc(readAttacks(t), func(a attack) bool { return !slices.Contains(some, a.name) })
	if len(all) != len(some) {
		t.Fatalf("%d of the %d attacks are there", len(all), len(some))
	}
	return all
}

// persons has an ordinary user alone, as whom the suite runs.
func persons() map[string]int {
	if uid := os.Getuid(); uid != 0 {
		return map[string]int{"user": uid}
	}
	return map[string]int{"user": ordinaryUser}
}

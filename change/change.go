// Package change describes what changed between two commits: the file trees of both, the list of files that differ, and
// the difference of one file by lines and words.
//
//	for _, f := range set.Files {
//		old, new := … // the contents of f.BasePath() in set.BaseFS and of f.Path in set.HeadFS
//		err := change.Diff(os.Stdout, f, old, new, change.DiffOptions{}) // as "git diff" prints it
//	}
//
// The package reads no repository and runs no program. worktree.Repository.Changes returns a Set for two commits, and
// tests can make one in memory. All functions are safe for concurrent use.
package change

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
)

// Kind is the kind of change of one file.
type Kind string

// The values of File.Kind. A Renamed file can have new content and a new mode as well.
const (
	Added       Kind = "added"
	Modified    Kind = "modified" // the content, and possibly the mode
	Deleted     Kind = "deleted"
	Renamed     Kind = "renamed"
	TypeChanged Kind = "type changed" // between a file, a symbolic link and a submodule
	ModeChanged Kind = "mode changed" // the mode alone
)

// The modes that git stores for an entry of a tree. Zero stands for an absent file.
const (
	ModeFile       uint32 = 0o100644
	ModeExecutable uint32 = 0o100755
	ModeSymlink    uint32 = 0o120000
	ModeSubmodule  uint32 = 0o160000
)

// typeBits is the part of a git mode that tells files, links and submodules apart.
const typeBits uint32 = 0o170000

// File is one file that differs between two commits.
type File struct {
	// Path is the path of the file in the head commit, or in the base if it was deleted.
	// Paths are relative to the root of the repository and separated by slashes.
	Path string
	// OldPath is the path of a renamed file in the base, and empty for every other kind.
	OldPath string
	Kind    Kind // what changed
	// OldMode and NewMode are git modes; zero means that the file is absent on that side.
	OldMode, NewMode uint32
	// OldID and NewID are the object ids of the blobs, in full; empty means that the file is absent, or the id unknown.
	OldID, NewID string
	// Insertions and Deletions are numbers of lines. They are zero for binary files, and where nobody counted (see
	// Count).
	Insertions, Deletions int
	// Binary means that git treats one of the versions as binary (see IsBinary).
	Binary bool
}

// BasePath returns the path of the file in the base: OldPath if it was renamed, else Path.
func (f File) BasePath() string {
	if f.OldPath != "" {
		return f.OldPath
	}
	return f.Path
}

// Set is all that changed between a base and a head commit, such as the work on one branch.
type Set struct {
	// Name identifies the work in messages: a branch, an agent such as "AGT-001", or "target".
	Name string
	// Base and Head are commit ids.
	Base, Head string
	// BaseFS and HeadFS read the trees of Base and Head. They can be nil where only the list of files is used.
	BaseFS, HeadFS fs.FS
	// Files is sorted by Path. Renames are detected, so that a renamed file is one entry.
	Files []File
}

// Paths returns every path that the set changes, sorted and without duplicates. A rename gives both its paths.
func (s Set) Paths() []string {
	paths := make([]string, 0, len(s.Files))
	for _, f := range s.Files {
		paths = append(paths, f.Path)
		if f.OldPath != "" {
			paths = append(paths, f.OldPath)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// RenamedFrom returns the old paths of the renamed files.
func (s Set) RenamedFrom() (paths []string) {
	for _, f := range s.Files {
		if f.OldPath != "" {
			paths = append(paths, f.OldPath)
		}
	}
	return paths
}

// sniffed is how far into a file git looks for a NUL byte.
const sniffed = 8000

// IsBinary reports whether git treats the data as binary: its first 8000 bytes contain a NUL byte.
func IsBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0
}

// Hunk is one range of lines that differs between two versions of a file, without context.
//
// Lines are numbered from 1. If a side has no lines in the hunk, its number of lines is 0, and its start is the line
// before which the lines of the other side are inserted: at the end of the file, one more than its number of lines.
type Hunk struct {
	OldStart, OldLines int // first line and number of lines in the old version
	NewStart, NewLines int // the same in the new version
}

// Hunks compares two versions of a file and returns the ranges that differ, in order, with at least one equal line
// between two of them. It treats both versions as text; use IsBinary first. The result is empty for equal versions.
func Hunks(old, new []byte) []Hunk {
	return compareLines(splitLines(old), splitLines(new))
}

// Count returns the number of inserted and deleted lines, as "git diff --numstat" does. Both are zero if either version
// is binary.
func Count(old, new []byte) (ins, del int) {
	if IsBinary(old) || IsBinary(new) {
		return 0, 0
	}
	for _, h := range Hunks(old, new) {
		ins += h.NewLines
		del += h.OldLines
	}
	return ins, del
}

// splitLines cuts the data after each newline, so that joining the lines gives the data back.
func splitLines(data []byte) []string {
	text := string(data)
	lines := make([]string, 0, strings.Count(text, "\n")+1)
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	return lines
}

// compareLines aligns two lists of lines.
func compareLines(old, new []string) []Hunk {
	a := newAligner(old, new)
	a.align(positions(len(old)), positions(len(new)))
	return a.hunks()
}

// positions returns 0, 1, …, n-1.
func positions(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// Package change says what an agent did, as data:
// a base and a head as file trees, the list of files that differ between them,
// and the text difference of one file.
//
// It owns two decisions: which facts about a changed file the rest of the program may rely on, and
// how two versions of one file are aligned line by line. It reads no repository and runs no
// program; who knows git fills a Set, and tests fill one from memory.
package change

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
)

// Kind is what happened to one file.
type Kind string

// The kinds of change.
// A renamed file may have new content and a new mode as well.
const (
	Added       Kind = "added"
	Modified    Kind = "modified"
	Deleted     Kind = "deleted"
	Renamed     Kind = "renamed"
	TypeChanged Kind = "type changed" // file, symbolic link and submodule turned into one another
	ModeChanged Kind = "mode changed" // the mode and nothing else
)

// The modes that git gives to a file in a tree. Zero stands for an absent file.
const (
	ModeFile       uint32 = 0o100644
	ModeExecutable uint32 = 0o100755
	ModeSymlink    uint32 = 0o120000
	ModeSubmodule  uint32 = 0o160000
)

// typeBits is the part of a git mode that tells files, links and submodules apart.
const typeBits uint32 = 0o170000

// File is one changed file.
type File struct {
	// Path is where the file is in the head; for a deleted file, where it was in the base.
	// Paths are relative to the root of the repository and separated by slashes.
	Path string
	// OldPath is where a renamed file was in the base, and empty for every other kind.
	OldPath string
	Kind    Kind
	// OldMode and NewMode are git modes; zero means that the file is absent on that side.
	OldMode, NewMode uint32
	// OldID and NewID are git object ids; empty means absent or not known.
	OldID, NewID string
	// Insertions and Deletions count lines, and are zero for binary files.
	Insertions, Deletions int
	Binary                bool
}

// BasePath is the file's path in the base: OldPath for a renamed file, Path for any other.
func (f File) BasePath() string {
	if f.OldPath != "" {
		return f.OldPath
	}
	return f.Path
}

// Set is everything that one agent, branch or moved target changed.
type Set struct {
	// Name is how people call the side: "AGT-001", a branch, "target".
	Name string
	// Base and Head are commit ids.
	Base, Head string
	// BaseFS and HeadFS are the trees of Base and Head; either may be nil where only the list matters.
	BaseFS, HeadFS fs.FS
	// Files is sorted by Path, with renames detected.
	Files []File
}

// Paths returns every path that the set touches, both sides of a rename included, sorted and each once.
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

// RenamedFrom returns the old names of the files that the set renames.
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

// IsBinary reports whether git would treat the data as binary: there is a NUL in its first 8000 bytes.
func IsBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0
}

// Hunk is one place where two versions of a file differ, without context.
// Lines count from 1.
// A side that has no lines there has a length of 0,
// and its start is the line before which the other side's lines would go
// (one more than the number of lines, at the end of the file).
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
}

// Hunks returns the line ranges that differ, in order, with at least one common line between two of them.
// It treats both versions as text; ask IsBinary first.
func Hunks(old, new []byte) []Hunk {
	return compareLines(splitLines(old), splitLines(new))
}

// Count returns the number of lines added and removed, and zeroes if either version is binary.
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

package change

import (
	"bytes"
	"io/fs"
	"slices"
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

// sniffed is how far into a file git looks for a NUL byte.
const sniffed = 8000

// IsBinary reports whether git would treat the data as binary: there is a NUL in its first 8000 bytes.
func IsBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0
}

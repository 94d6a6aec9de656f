package scope

import (
	"fmt"
	"strings"
)

// PathError says why a path was refused.
type PathError struct {
	// Path is the path as given.
	Path string
	// Reason is a clause about the path.
	Reason string
}

func (e *PathError) Error() string { return fmt.Sprintf("path %q %s", e.Path, e.Reason) }

// CleanPath returns the one spelling of a path below the root of the repository:
// separated by "/", without empty segments, "." segments and a trailing "/".
//
// It refuses with a *PathError what is empty, absolute or the root itself, and what contains ".." or NUL,
// also where the ".." would stay inside the repository, because behind a symbolic link it does not.
// Every other byte is part of a name, as it is for git: newlines, backslashes, invalid UTF-8.
// A path in the spelling of Windows must be converted before (filepath.ToSlash).
func CleanPath(p string) (string, error) {
	switch {
	case p == "":
		return "", &PathError{Path: p, Reason: "is empty"}
	case p[0] == '/':
		return "", &PathError{Path: p, Reason: "is absolute, it must be relative to the root of the repository"}
	case strings.IndexByte(p, 0) >= 0:
		return "", &PathError{Path: p, Reason: "contains a NUL byte"}
	}
	clean := true
	for at := 0; at <= len(p); {
		end := segmentEnd(p, at)
		switch p[at:end] {
		case "..":
			return "", &PathError{Path: p, Reason: `contains ".."`}
		case "", ".":
			clean = false
		}
		at = end + 1
	}
	if clean {
		return p, nil
	}
	return dropEmpty(p)
}

func dropEmpty(p string) (string, error) {
	var kept []string
	for s := range strings.SplitSeq(p, "/") {
		if s != "" && s != "." {
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 {
		return "", &PathError{Path: p, Reason: "is the root of the repository, not a path below it"}
	}
	return strings.Join(kept, "/"), nil
}

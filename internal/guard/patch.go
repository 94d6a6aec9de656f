package guard

import (
	"errors"
	"fmt"
	"strings"
)

// patched lists the paths that a patch in codex's format writes, deletes or moves to.
// Content has "+", "-" or a blank before it, so a line that begins with stars is part of the
// format, and must be a known one.
func patched(patch string) ([]string, error) {
	var paths []string
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, " \t\r\n")
		path, names := fileLine(strings.TrimSpace(line))
		switch {
		case names:
			if err := checkPath(path); err != nil {
				return nil, err
			}
			paths = append(paths, path)
		case strings.HasPrefix(line, "***") && !knownLine(line):
			return nil, fmt.Errorf("the patch has the line %q", line)
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("the patch names no file")
	}
	return paths, nil
}

func fileLine(line string) (path string, names bool) {
	for _, word := range []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"} {
		if path, names = strings.CutPrefix(line, word); names {
			return strings.TrimPrefix(path, " "), true
		}
	}
	return "", false
}

func knownLine(line string) bool {
	return line == "*** Begin Patch" || line == "*** End Patch" || line == "*** End of File" ||
		strings.HasPrefix(line, "*** Environment ID:")
}

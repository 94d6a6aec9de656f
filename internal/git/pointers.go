package git

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/atomicfile"
)

// PointerError says that a file by which git finds its way between a checkout and the repository
// does not say what it should: git in that checkout would use another repository, or none.
type PointerError struct {
	File  string
	Want  string // what git writes there
	Found string // what is there instead; "" if there is no plain file, or nothing in it
}

func (e *PointerError) Error() string {
	found := "is missing, empty or no plain file"
	if e.Found != "" {
		found = fmt.Sprintf("says %q", e.Found)
	}
	return fmt.Sprintf("%s %s; it should be a file that says %q: write that into it, and do not run git there before",
		e.File, found, e.Want)
}

// mostPointer is more than a path can have.
const mostPointer = 64 << 10

// CheckPointers compares the three files that tie a linked checkout to the repository with one
// another: the checkout's `.git`, and `commondir` and `gitdir` in the folder that git keeps for it.
// They may be absolute or relative, as git writes them; no link on the way is followed, save those
// that lead to the checkout or to the repository themselves. The first that leads elsewhere is a
// *PointerError. The main checkout has none of them.
func (r *Repo) CheckPointers() error {
	if r.GitDir == r.CommonDir {
		return nil
	}
	file := filepath.Join(r.Worktree, ".git")
	for _, p := range []struct{ file, prefix, to, usual string }{
		{file, "gitdir: ", r.GitDir, r.GitDir},
		{filepath.Join(r.GitDir, "commondir"), "", r.CommonDir, "../.."},
		{filepath.Join(r.GitDir, "gitdir"), "", file, file},
	} {
		found, ok := pointer(p.file)
		to, named := strings.CutPrefix(found, p.prefix)
		if !ok || !named || !leadsTo(filepath.Dir(p.file), to, p.to) {
			return &PointerError{File: p.file, Want: p.prefix + p.usual, Found: found}
		}
	}
	return nil
}

// pointer is a small file's text without the line break at its end; false if it is no plain file, or empty.
// A path can hold a line break itself.
func pointer(path string) (string, bool) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	data, err := atomicfile.ReadRegular(path, mostPointer)
	line := strings.TrimSuffix(string(data), "\n")
	return line, err == nil && line != ""
}

// leadsTo says whether what a file in the folder points to is the wanted path, by the words alone.
func leadsTo(folder, to, want string) bool {
	to = filepath.FromSlash(to)
	wanted := spelled(want)
	if filepath.IsAbs(to) {
		return slices.Contains(wanted, filepath.Clean(to))
	}
	return slices.ContainsFunc(spelled(folder), func(from string) bool {
		return slices.Contains(wanted, filepath.Join(from, to))
	})
}

// spelled are the ways in which git may write a path: as it was given, with the links on the way to
// it resolved, or with its own as well.
func spelled(path string) []string {
	ways := []string{filepath.Clean(path)}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		ways = append(ways, filepath.Join(folder, filepath.Base(path)))
	}
	if full, err := filepath.EvalSymlinks(path); err == nil {
		ways = append(ways, full)
	}
	return ways
}

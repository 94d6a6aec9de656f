package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/index"

	"delegate/change"
)

// Untouched reports whether the checkout has each of the files that a change begins from, and nothing where it makes
// one, by the times that an index of it knows: so git has nothing to refuse where it makes the change by that
// index. False says only that git has to look. No file is opened but the index.
func (r *Repo) Untouched(file string, files []change.File) bool {
	if isThere(filepath.Join(r.GitDir, "info", "sparse-checkout")) {
		return false
	}
	idx, written, err := readIndex(file)
	if err != nil {
		return false
	}
	staged, folders := make(map[string]*index.Entry, len(idx.Entries)), map[string]bool{}
	for _, e := range idx.Entries {
		if e.Stage != 0 {
			return false // git changes nothing before a merge is over
		}
		staged[e.Name] = e
		for at := above(e.Name); at != "" && !folders[at]; at = above(at) {
			folders[at] = true
		}
	}
	return !slices.ContainsFunc(entries(files), func(f change.File) bool {
		if !r.onlyFolders(f.Path) || f.NewMode == change.ModeSubmodule {
			return true
		}
		full, e := filepath.Join(r.Worktree, filepath.FromSlash(f.Path)), staged[f.Path]
		if f.OldMode != 0 {
			return e == nil || e.SkipWorktree || e.IntentToAdd || uint32(e.Mode) != f.OldMode ||
				e.Hash.String() != f.OldID || !isAsIndexed(full, *e, written)
		}
		for at := above(f.Path); at != ""; at = above(at) {
			if staged[at] != nil {
				return true
			}
		}
		_, err := os.Lstat(full)
		return e != nil || folders[f.Path] || !errors.Is(err, fs.ErrNotExist)
	})
}

// above is the folder that a path lies in, "" at the top.
func above(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

// onlyFolders reports whether all that is there on the way to a path are folders; a link to one is none.
func (r *Repo) onlyFolders(path string) bool {
	at := r.Worktree
	parts := strings.Split(path, "/")
	for _, part := range parts[:len(parts)-1] {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return true
		}
		if err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

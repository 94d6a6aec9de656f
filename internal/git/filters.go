package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"

	"delegate/change"
	"delegate/internal/sys/atomicfile"
)

// FilterError says that git would not write files because a filter that is required (as git-lfs is) fails on one.
type FilterError struct {
	Worktree string
	Err      error // with what the filter and git said, which names the file and the filter
}

func (e *FilterError) Error() string {
	return fmt.Sprintf("git cannot write files of %s, because a filter fails: %v", e.Worktree, e.Err)
}

func (e *FilterError) Unwrap() error { return e.Err }

func (r *Repo) requiresFilters(ctx context.Context) (bool, error) {
	found, err := r.matching(ctx, `^filter\..*\.required$`)
	return len(found) > 0, err
}

// CheckFilters is a *FilterError where a filter that is required fails on the new content of a change's files: git
// ends in the middle of a checkout there, with files before that one written. Filters run as they do for a checkout,
// but no file is written. Where no filter is required, or no attributes name one, it starts no process. Attributes
// are taken as the checkout has them now, and no filter is tried in a sparse one.
func (r *Repo) CheckFilters(ctx context.Context, files []change.File) error {
	required, err := r.requiresFilters(ctx)
	if err != nil || !required || isThere(filepath.Join(r.GitDir, "info", "sparse-checkout")) {
		return err
	}
	var paths, asked []string
	for _, f := range files {
		if f.NewMode == plainFile || f.NewMode == executableFile {
			paths, asked = append(paths, f.Path), append(asked, f.NewID+" "+f.Path)
		}
	}
	if filtered, err := r.mayFilter(ctx, paths); err != nil || !filtered || len(asked) == 0 {
		return err
	}
	c := call{args: []string{"cat-file", "--batch", "--filters", "-z"}, stdin: records(asked)}
	err = r.full(c, r.stream(ctx, c, func(a *answer) { _, a.err = io.Copy(io.Discard, a) }))
	if err == nil || ctx.Err() != nil || errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return &FilterError{Worktree: r.Worktree, Err: err}
}

// mayFilter reports whether attributes by which these files are checked out name a filter. It is true where only git
// can tell.
func (r *Repo) mayFilter(ctx context.Context, paths []string) (bool, error) {
	named, err := r.HasConfig(ctx, "core.attributesfile")
	if err != nil || named {
		return named, err
	}
	home, _ := os.UserHomeDir() // without one there is nothing below it
	places := append(r.attributesOf(paths), filepath.Join(personsFolder(home), "attributes"))
	return slices.ContainsFunc(places, func(file string) bool { return mayHave(file, "filter") }), nil
}

// attributesOf are the files by which these files of the checkout have attributes; those of the person are not listed.
func (r *Repo) attributesOf(paths []string) []string {
	folders := map[string]bool{}
	for _, name := range paths {
		for dir := path.Dir(name); !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	files := []string{filepath.Join(r.CommonDir, "info", "attributes")}
	for dir := range folders {
		files = append(files, filepath.Join(r.Worktree, filepath.FromSlash(dir), ".gitattributes"))
	}
	return files
}

// mayHave reports whether one of the words may be in a file of attributes.
func mayHave(file string, words ...string) bool {
	data, err := atomicfile.ReadRegular(file, mostOfAttributes)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return false
	}
	return err != nil || slices.ContainsFunc(words, func(word string) bool {
		return bytes.Contains(data, []byte(word))
	})
}

// mostOfAttributes is the size up to which a file of attributes is read.
const mostOfAttributes = 1 << 20

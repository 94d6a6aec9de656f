package takeover

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"
)

// Unkept are what lies at the paths of the checkout, and below them, and is not in the commit as it is there: nobody
// else has it. A repository of its own is one of them, by its folder. Nothing lies behind a folder that is a link.
func (c *Checkout) Unkept(ctx context.Context, commit string, paths []string) ([]string, error) {
	entries, err := c.Repo.Entries(ctx, commit)
	if err != nil {
		return nil, err
	}
	held := map[string]string{}
	for _, e := range entries {
		held[e.Path] = e.ID
	}
	var unkept, files []string
	for _, p := range paths {
		if c.behindLink(p) {
			continue
		}
		err := filepath.WalkDir(c.file(p), func(file string, entry fs.DirEntry, err error) error {
			name, relErr := filepath.Rel(c.Path, file)
			switch {
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
				return nil
			case err != nil || relErr != nil:
				return errors.Join(err, relErr)
			case entry.IsDir():
				if _, err := os.Lstat(filepath.Join(file, ".git")); err == nil {
					unkept = append(unkept, filepath.ToSlash(name))
					return fs.SkipDir
				}
			case entry.Type().IsRegular(), entry.Type()&fs.ModeSymlink != 0:
				files = append(files, filepath.ToSlash(name))
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("look at %q: %w", c.file(p), err)
		}
	}
	ids, err := c.Repo.HashFiles(ctx, files)
	if err != nil {
		return nil, err
	}
	for i, name := range files {
		if ids[i] == "" || ids[i] != held[name] {
			unkept = append(unkept, name)
		}
	}
	slices.Sort(unkept)
	return slices.Compact(unkept), nil
}

// file is where a path of the checkout lies.
func (c *Checkout) file(name string) string { return filepath.Join(c.Path, filepath.FromSlash(name)) }

// behindLink says whether a folder on the way to a path is a symbolic link.
func (c *Checkout) behindLink(name string) bool {
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if info, err := os.Lstat(c.file(at)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

package takeover

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/sys/atomicfile"
	"delegate/scope"
)

// Copied is a file that was put into a checkout and that git would count as new there: its path and object id.
type Copied struct {
	Path string `json:"path"`
	ID   string `json:"id"`
}

// CopyInto copies the listed files and folders (paths or globs, relative to the folder from) into the checkout.
// Files that the checkout has already are left alone. It never hard-links.
// It returns those copies that git does not ignore, so that snapshots can leave them out while unchanged.
func (c *Checkout) CopyInto(ctx context.Context, from string, list []string) ([]Copied, error) {
	made, err := c.copyAll(from, list)
	if err != nil {
		return nil, err
	}
	return c.visible(ctx, made)
}

// CopyTo copies what CopyInto would to another folder, which is empty, to be sent to a checkout elsewhere.
func (c *Checkout) CopyTo(folder, from string, list []string) error {
	elsewhere := Checkout{Path: folder, Repo: c.Repo}
	_, err := elsewhere.copyAll(from, list)
	return err
}

// copyAll copies the listed files and answers which it made.
func (c *Checkout) copyAll(from string, list []string) (map[string]bool, error) {
	made := map[string]bool{}
	for _, item := range list {
		paths, err := c.expand(from, item)
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			if err := c.copyTree(from, p, made); err != nil {
				return nil, fmt.Errorf("copy %q: %w", item, err)
			}
		}
	}
	return made, nil
}

// expand is the item itself, or the paths below from that it matches as a glob.
func (c *Checkout) expand(from, item string) ([]string, error) {
	if !strings.ContainsAny(item, "*?[{") {
		clean, err := scope.CleanPath(strings.TrimSuffix(item, "/"))
		if err != nil {
			return nil, fmt.Errorf("copy %q: %w", item, err)
		}
		if _, err := os.Lstat(filepath.Join(from, clean)); err != nil {
			return nil, nil // listed for all checkouts, not there in this one
		}
		return []string{clean}, nil
	}
	pattern, err := scope.ParsePattern(item)
	if err != nil {
		return nil, fmt.Errorf("copy %q: %w", item, err)
	}
	var found []string
	err = filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, p)
		if err != nil || relative == "." {
			return err
		}
		if d.Name() == ".git" || c.isCheckout(p, d) {
			return skip(d)
		}
		if pattern.Match(filepath.ToSlash(relative)) {
			found = append(found, filepath.ToSlash(relative))
			return skip(d)
		}
		return nil
	})
	return found, err
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return filepath.SkipDir
	}
	return nil
}

// isCheckout says whether a folder is a linked checkout of the same repository, such as another
// agent's where they lie inside the main one.
func (c *Checkout) isCheckout(path string, d fs.DirEntry) bool {
	if !d.IsDir() {
		return false
	}
	pointer, err := os.ReadFile(filepath.Join(path, ".git"))
	if err != nil {
		return false
	}
	folder, found := strings.CutPrefix(strings.TrimRight(string(pointer), "\n"), "gitdir: ")
	return found && filepath.Dir(folder) == filepath.Join(c.Repo.CommonDir, "worktrees")
}

func (c *Checkout) copyTree(from, path string, made map[string]bool) error {
	root, err := os.OpenRoot(c.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	return filepath.WalkDir(filepath.Join(from, path), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" || c.isCheckout(p, d) {
			return skip(d)
		}
		relative, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		if throughLink(root, relative) {
			return skip(d) // the commit has a link there, and what it leads to is not the checkout's
		}
		if d.IsDir() {
			return root.MkdirAll(relative, 0o755)
		}
		if _, err := root.Lstat(relative); err == nil {
			return nil
		}
		if err := root.MkdirAll(filepath.Dir(relative), 0o755); err != nil {
			return err
		}
		made[filepath.ToSlash(relative)] = true
		return copyFile(root, p, relative)
	})
}

// throughLink says whether a folder on the way to the path, or the path itself, is a link in the checkout.
func throughLink(root *os.Root, relative string) bool {
	for at := relative; at != "."; at = filepath.Dir(at) {
		if info, err := root.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

func copyFile(root *os.Root, from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return root.Symlink(target, to)
	}
	if !info.Mode().IsRegular() {
		return nil // sockets and the like are no files to work on
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	if err := atomicfile.Reflink(out, in); err != nil {
		if _, err := io.Copy(out, in); err != nil {
			out.Close()
			return err
		}
	}
	return out.Close()
}

// visible keeps the copies that git lists as untracked, with their object ids.
func (c *Checkout) visible(ctx context.Context, made map[string]bool) ([]Copied, error) {
	if len(made) == 0 {
		return nil, nil
	}
	entries, err := c.Repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if e.Code == "??" && made[e.Path] {
			paths = append(paths, e.Path)
		}
	}
	ids, err := c.Repo.HashFiles(ctx, paths)
	if err != nil {
		return nil, err
	}
	var copied []Copied
	for i, id := range ids {
		if id != "" {
			copied = append(copied, Copied{Path: paths[i], ID: id})
		}
	}
	return copied, nil
}

// unchangedCopies are the copied files that still are what was copied.
func (c *Checkout) unchangedCopies(ctx context.Context, copied []Copied) ([]string, error) {
	var paths, want []string
	for _, f := range copied {
		paths, want = append(paths, f.Path), append(want, f.ID)
	}
	ids, err := c.Repo.HashFiles(ctx, paths)
	if err != nil {
		return nil, err
	}
	var same []string
	for i, id := range ids {
		if id != "" && id == want[i] {
			same = append(same, paths[i])
		}
	}
	return same, nil
}

// mostStamped bounds how many entries of a copy list are looked at; what lies behind them is taken to be as it was.
const mostStamped = 50_000

// CopyStamp changes with what CopyInto would copy: names, modes, sizes and times of the files, "" if there are none.
func (c *Checkout) CopyStamp(from string, list []string) (string, error) {
	sum, seen := sha256.New(), 0
	for _, item := range list {
		paths, err := c.expand(from, item)
		if err != nil {
			return "", err
		}
		for _, p := range paths {
			err := filepath.WalkDir(filepath.Join(from, filepath.FromSlash(p)),
				func(at string, d fs.DirEntry, err error) error {
					if seen++; err != nil || seen > mostStamped {
						return cmp.Or(err, fs.SkipAll)
					}
					info, err := d.Info()
					if err == nil {
						fmt.Fprintf(sum, "%q %v %d %d\n", at, info.Mode(), info.Size(), info.ModTime().UnixNano())
					}
					return err
				})
			if err != nil {
				return "", fmt.Errorf("look at %q: %w", item, err)
			}
		}
	}
	if seen == 0 {
		return "", nil
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

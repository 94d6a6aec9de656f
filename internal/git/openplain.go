package git

import (
	"context"
	"os"
	"path/filepath"
)

// openPlain finds the repository of a folder where it is as git makes it: a folder `.git` in the first of the folders
// above that has one, all of this person's and on one file system, with nothing configured that lays it elsewhere.
// Of any other git is asked, which then says as well what is wrong. A nil Repo says that it is.
func openPlain(ctx context.Context, dir string) *Repo {
	// git stops below the first, and takes every repository for another person's by the second, which is for tests
	if os.Getenv("GIT_CEILING_DIRECTORIES") != "" || os.Getenv("GIT_TEST_ASSUME_DIFFERENT_OWNER") != "" {
		return nil
	}
	at, err := filepath.Abs(dir)
	if err == nil {
		at, err = filepath.EvalSymlinks(at)
	}
	if err != nil {
		return nil
	}
	from, ok := ownFolder(at)
	for ; ok; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			break
		}
		if at == filepath.Dir(at) || isThere(filepath.Join(at, "HEAD")) {
			return nil // none, or a git folder itself
		}
	}
	own := filepath.Join(at, ".git")
	if top, mine := ownFolder(at); !ok || !mine || top != from {
		return nil
	}
	if inside, mine := ownFolder(own); !mine || inside != from || isThere(filepath.Join(own, "commondir")) {
		return nil
	}
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Lstat(filepath.Join(own, name)); err != nil || !info.IsDir() {
			return nil
		}
	}
	r := &Repo{GitDir: own, CommonDir: own, Worktree: at, common: newCommon()}
	if info, err := os.Lstat(filepath.Join(own, "HEAD")); err != nil || !info.Mode().IsRegular() || !r.isUsual(ctx) {
		return nil
	}
	return r
}

// isUsual says that the configuration lays nothing elsewhere. git reads it only from a repository whose form it knows,
// and lists only that of the person and of the system in any other.
func (r *Repo) isUsual(ctx context.Context) bool {
	found, err := r.matching(ctx, `^core\.(bare|worktree|repositoryformatversion)$`)
	known := false
	for _, s := range found {
		switch {
		case s.key == "core.repositoryformatversion":
			known = known || s.scope == "local"
		case s.key != "core.bare" || s.bare || s.value != "false":
			return false
		}
	}
	return known && err == nil
}

// ownFolder is the device of a folder that is no link, and whether the person who runs this owns it.
func ownFolder(path string) (device uint64, own bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return 0, false
	}
	return owned(info)
}

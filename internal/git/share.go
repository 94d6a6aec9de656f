package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/index"

	"delegate/internal/atomicfile"
)

// largeFile is from which size on a file of a new checkout is shared with the same one of this checkout. Small ones are
// written as fast as they are shared.
const largeFile = 128 << 10

const plainFile, executableFile = 0o100644, 0o100755 // modes in an index

var errTouched = errors.New("the file was touched since the index was written")

// shareFiles puts the large files of this checkout that are as its index has them into a new one, so that they take
// neither time nor room there: their blocks are shared by the file system until somebody writes to one of the two. The
// new index says what is there; git then makes of it what it should be, whatever that is. Where files cannot be shared,
// it does nothing.
//
// Files that a filter of the person's own made are left to git, since agents' worktrees may be made without it.
func (r *Repo) shareFiles(ctx context.Context, path, newIndex string) error {
	if r.Worktree == "" || !canShare(r.IndexPath(), filepath.Join(path, ".git.shared")) {
		return nil
	}
	filters, err := r.matching(ctx, `^filter\..*\.(smudge|process)$`)
	own := func(s setting) bool { return !strings.HasPrefix(s.key, "filter.lfs.") }
	if err != nil || slices.ContainsFunc(filters, own) {
		return err
	}
	from, written, err := readIndex(r.IndexPath())
	if err != nil {
		return nil // git says so where that matters
	}
	to := &index.Index{Version: 2}
	for _, e := range from.Entries {
		if e.Stage != 0 || e.SkipWorktree || e.IntentToAdd || e.Size < largeFile ||
			e.Mode != plainFile && e.Mode != executableFile {
			continue
		}
		if shared, err := r.shareFile(path, *e, written); err == nil {
			to.Entries = append(to.Entries, shared)
		}
	}
	if len(to.Entries) == 0 {
		return nil
	}
	var text bytes.Buffer
	if err := index.NewEncoder(&text).Encode(to); err != nil {
		return err
	}
	return os.WriteFile(newIndex, text.Bytes(), 0o666)
}

// readIndex reads an index and when it was written; an error of those of another form than the usual one.
func readIndex(file string) (*index.Index, time.Time, error) {
	info, err := os.Stat(file) // first: of two indexes the older time makes more files doubtful
	if err != nil {
		return nil, time.Time{}, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, time.Time{}, err
	}
	var idx index.Index
	return &idx, info.ModTime(), index.NewDecoder(bytes.NewReader(data)).Decode(&idx)
}

// shareFile is the entry of one file in the new index; an error where git is to write the file, since the one here is
// not surely what this index says, or for any other reason.
func (r *Repo) shareFile(path string, e index.Entry, written time.Time) (*index.Entry, error) {
	name := filepath.FromSlash(e.Name)
	here, there := filepath.Join(r.Worktree, name), filepath.Join(path, name)
	if !isAsIndexed(here, e, written) {
		return nil, errTouched
	}
	if err := os.MkdirAll(filepath.Dir(there), 0o777); err != nil {
		return nil, err
	}
	perm := fs.FileMode(0o666)
	if e.Mode == executableFile {
		perm = 0o777
	}
	if err := shareBlocks(here, there, perm); err != nil {
		return nil, err
	}
	if !isAsIndexed(here, e, written) {
		return nil, errors.Join(errTouched, os.Remove(there))
	}
	// By an older time than that of the index git knows without reading it that the file is what the index says.
	if err := os.Chtimes(there, e.ModifiedAt, e.ModifiedAt); err != nil {
		return nil, err
	}
	info, err := os.Lstat(there)
	if err != nil {
		return nil, err
	}
	s, _ := stampOf(info)
	e.CreatedAt, e.ModifiedAt = time.Unix(0, s.changed), info.ModTime()
	e.Dev, e.Inode = uint32(s.device), uint32(s.inode)
	e.UID, e.GID = uint32(os.Getuid()), uint32(os.Getgid())
	return &e, nil
}

// isAsIndexed says that a file has not been touched since the index was written, by the times that git goes by too.
func isAsIndexed(file string, e index.Entry, written time.Time) bool {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	s, known := stampOf(info)
	return known && uint32(info.Size()) == e.Size && uint32(s.inode) == e.Inode &&
		info.ModTime().Equal(e.ModifiedAt) && time.Unix(0, s.changed).Equal(e.CreatedAt) &&
		info.ModTime().Before(written) && (info.Mode()&0o100 != 0) == (e.Mode == executableFile)
}

// canShare says that a file can be shared with a new one in another folder.
func canShare(file, trial string) bool {
	err := shareBlocks(file, trial, 0o600)
	return errors.Join(err, os.Remove(trial)) == nil
}

// shareBlocks makes a new file with what another one holds, without a copy of it. Where that fails, no file is left.
func shareBlocks(from, to string, perm fs.FileMode) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	if err = errors.Join(atomicfile.Reflink(target, source), target.Close()); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

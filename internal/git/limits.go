package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// differing are the files of the checkout that the index does not have or may have otherwise; their
// content is not looked at.
func (r *Repo) differing(ctx context.Context, env []string, filter ...string) ([]string, error) {
	listed := call{env: env, reads: true, limit: workLimit}
	listed.args = append([]string{"diff-files", "--name-only", "-z", "--no-renames"}, filter...)
	known, err := r.listed(ctx, listed)
	if err != nil {
		return nil, err
	}
	listed.args = []string{"ls-files", "--others", "--exclude-standard", "-z"}
	others, err := r.listed(ctx, listed)
	return append(known, others...), err
}

// Skipped is a file that a snapshot leaves out; the tree has it as the commit does.
type Skipped struct {
	Path string
	Size int64
	Why  SkipReason
}

// SkipReason says why.
type SkipReason string

// The reasons: one of the bounds, or a lease by which another process stops each process that opens the file.
const (
	BeyondFile    SkipReason = "file"
	BeyondWork    SkipReason = "work"
	BeyondEntries SkipReason = "entries" // Path is ".": nothing that is uncommitted is in
	Leased        SkipReason = "lease"
)

// errEntries says that a listing has more entries than the bounds allow.
var errEntries = errors.New("more entries than are looked at")

// listed reads the paths of a -z listing as far as the bounds let it; errEntries beyond.
func (r *Repo) listed(ctx context.Context, c call) (paths []string, err error) {
	err = streamed(ctx, r.inside(c), func(a answer) error {
		for {
			path, err := a.field()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if r.bounds.Entries > 0 && len(paths) >= r.bounds.Entries {
				return errEntries
			}
			paths = append(paths, path)
		}
	})
	return paths, err
}

// beyond are the files of the checkout that a snapshot has to leave out, by their sizes on the disk: nothing is read.
// Files that are as large as the commit has them count for nothing: without their times in the
// index, all are listed as changed.
func (r *Repo) beyond(ctx context.Context, index string) ([]Skipped, error) {
	paths, err := r.differing(ctx, []string{"GIT_INDEX_FILE=" + index})
	if errors.Is(err, errEntries) {
		return []Skipped{{Path: ".", Size: int64(r.bounds.Entries), Why: BeyondEntries}}, nil
	}
	if err != nil {
		return nil, err
	}
	var left, doubtful []Skipped
	total := int64(0)
	for _, path := range paths {
		size, leased := look(filepath.Join(r.Worktree, filepath.FromSlash(path)))
		total += size
		if leased {
			left = append(left, Skipped{path, size, Leased})
		} else if size > 0 {
			doubtful = append(doubtful, Skipped{Path: path, Size: size})
		}
	}
	large := func(l Skipped) bool { return r.bounds.File > 0 && l.Size > r.bounds.File }
	if r.bounds.Work == 0 || total <= r.bounds.Work {
		doubtful = filtered(doubtful, large)
	}
	if doubtful, err = r.grown(ctx, index, doubtful); err != nil {
		return nil, err
	}
	total = 0
	for _, l := range doubtful {
		switch total += l.Size; {
		case large(l):
			l.Why = BeyondFile
		case r.bounds.Work > 0 && total > r.bounds.Work:
			l.Why = BeyondWork
		default:
			continue
		}
		total -= l.Size
		left = append(left, l)
	}
	return left, nil
}

func leftWhy(leased bool) SkipReason {
	if leased {
		return Leased
	}
	return BeyondFile
}

func filtered(all []Skipped, keep func(Skipped) bool) (kept []Skipped) {
	for _, l := range all {
		if keep(l) {
			kept = append(kept, l)
		}
	}
	return kept
}

// look returns the size of a regular file, 0 of anything else, and whether a process holds a lease on it:
// an opener would wait for them.
func look(path string) (size int64, leased bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err == nil {
		_ = file.Close()
	}
	return info.Size(), errors.Is(err, syscall.EAGAIN)
}

// grown are those of the files that have not the size that the commit has them in, or that its
// pointer names for a large file of LFS.
func (r *Repo) grown(ctx context.Context, index string, files []Skipped) (grown []Skipped, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	paths := make([]string, len(files))
	for i, l := range files {
		paths[i] = l.Path
	}
	known, err := r.IndexEntries(ctx, index, paths)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range known {
		ids = append(ids, e.ID)
	}
	sizes, err := r.sizes(ctx, ids)
	if err != nil {
		return nil, err
	}
	blobs, err := r.OpenBlobs(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range files {
		e, committed := known[l.Path]
		if committed && (sizes[e.ID] == l.Size || pointedSize(blobs, e.ID, sizes[e.ID]) == l.Size) {
			continue
		}
		grown = append(grown, l)
	}
	return grown, blobs.Close()
}

// pointedSize is the size that a pointer of git-lfs names, -1 if the object is none.
func pointedSize(blobs *Blobs, id string, size int64) int64 {
	const mostPointed = 1 << 10
	pointed := int64(-1)
	if size <= 0 || size > mostPointed {
		return pointed
	}
	data, _, err := blobs.Read(id, mostPointed)
	if err != nil || !strings.HasPrefix(string(data), "version https://git-lfs.github.com/spec/") {
		return pointed
	}
	for line := range strings.Lines(string(data)) {
		if _, err := fmt.Sscanf(line, "size %d", &pointed); err == nil {
			break
		}
	}
	return pointed
}

// excluding are the pathspecs of everything but these files.
func excluding(left []Skipped) []string {
	specs := []string{"."}
	for _, l := range left {
		specs = append(specs, ":(top,literal,exclude)"+l.Path)
	}
	return specs
}

package git

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"delegate/internal/atomicfile"
	"delegate/internal/run"
)

// copied says that a private index is the copy of the one with which git made the files of a commit, as long as it is
// the file of that stamp and the machine was not started again: of what was written before, a part can be lost.
type copied struct{ Commit, File, Boot string }

func copiedFile(index string) string { return index + ".copied" }

// CopyIndex makes a private index for Snapshot of the one of this checkout, in which nobody has worked since git made
// its files of the commit: so looks by it read what was touched since, and not everything. It waits for no disk: half
// an index is found by git and made anew.
func (r *Repo) CopyIndex(to, commit string) error {
	data, err := os.ReadFile(r.IndexPath())
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), atomicfile.WriteUnsynced(to, data, 0o600))
	}
	if err != nil {
		return fmt.Errorf("copy index of %q: %w", r.Worktree, err)
	}
	file, boot := fileStamp(to), run.Boot()
	if file == "" || boot == "" || isThere(filepath.Join(r.GitDir, "info", "sparse-checkout")) {
		return nil
	}
	note, err := json.Marshal(copied{Commit: commit, File: file, Boot: boot})
	if err != nil {
		return err
	}
	// It need not outlive a crash: without it git makes the index.
	return atomicfile.WriteUnsynced(copiedFile(to), note, 0o600)
}

// fileStamp tells one content of a file that is only ever replaced from another, "" where that cannot be known.
func fileStamp(file string) string {
	info, err := os.Lstat(file)
	if err != nil {
		return ""
	}
	is, ok := stampOf(info)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d %d %d %d", info.Size(), is.changed, is.device, is.inode)
}

// startIndex fills the private index from the commit, unless it is that of the commit's own files. One that git cannot
// read is only a cache: it is made anew. It answers whether what is staged in the checkout is known to be the commit.
func (r *Repo) startIndex(ctx context.Context, index, from string) (nothingStaged bool, err error) {
	var note copied
	if atomicfile.ReadJSON(copiedFile(index), &note) == nil && note == (copied{from, fileStamp(index), run.Boot()}) {
		return r.isStaged(index), nil
	}
	c := call{args: []string{"read-tree", "--reset", from}, env: []string{"GIT_INDEX_FILE=" + index}}
	_, err = r.do(ctx, c)
	if run.ExitCode(err) > 0 && os.Remove(index) == nil {
		_, err = r.do(ctx, c)
	}
	return false, wrap(err, "snapshot of %q", r.Worktree)
}

// isStaged reports whether the index that says what is staged is, byte by byte, this one.
func (r *Repo) isStaged(index string) bool {
	staged := r.stagedIndex
	if staged == "" {
		staged = r.IndexPath()
	}
	ours, err := os.ReadFile(index)
	theirs, theirErr := atomicfile.ReadRegular(staged, int64(len(ours)))
	return errors.Join(err, theirErr) == nil && bytes.Equal(ours, theirs)
}

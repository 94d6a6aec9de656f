package git

import (
	"context"
	"fmt"
	"math"
	"strings"

	"delegate/internal/run"
)

// TakeOverError says in git's own words why objects that an agent wrote do not become part of the repository:
// one is missing, is not what its name says, or is not formed as git would form it. No reference was moved.
type TakeOverError struct{ Detail string }

func (e *TakeOverError) Error() string { return "git objects are not sound: " + e.Detail }

// checkLimits returns a *TakeOverError if an agent's objects are more than the bounds allow: by
// sizes, or because a few trees that are in one another many times stand for millions of paths,
// which every git that lists them would fill its memory with. ids are the objects that are new.
func (r *Repo) checkLimits(ctx context.Context, held *Repo, ids []string) error {
	out, err := held.do(ctx, call{
		args:  []string{"cat-file", "--batch-check=%(objecttype) %(objectsize) %(objectname)"},
		stdin: strings.NewReader(strings.Join(ids, "\n") + "\n"), env: offline(),
	})
	if err != nil && run.ExitCode(err) <= 0 { // one that is missing is found by who reads it
		return fmt.Errorf("ask for the sizes of %d objects: %w", len(ids), err)
	}
	fresh, total := map[string]bool{}, int64(0)
	for line := range strings.Lines(string(out)) {
		var kind, id string
		var size int64
		if n, err := fmt.Sscanf(line, "%s %d %s", &kind, &size, &id); err != nil || n != 3 {
			continue
		}
		total += size
		if kind == "blob" && r.bounds.File > 0 && size > r.bounds.File {
			return &TakeOverError{Detail: fmt.Sprintf(
				"the file %s has %d bytes, and %d are the most (limits.file_size)", id, size, r.bounds.File)}
		}
		fresh[id] = kind == "tree" || kind == "commit"
	}
	if r.bounds.Work > 0 && total > r.bounds.Work {
		return &TakeOverError{Detail: fmt.Sprintf("its commits have %d bytes, and %d are the most (limits.work_size)",
			total, r.bounds.Work)}
	}
	if r.bounds.Entries == 0 {
		return nil
	}
	blobs, err := held.OpenBlobs(ctx)
	if err != nil {
		return err
	}
	defer blobs.Close()
	c := &treeCounter{blobs: blobs, fresh: fresh, trees: map[string][]string{}, counts: map[string]int{}}
	for _, id := range ids {
		if fresh[id] {
			if err := c.check(ctx, r, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostTree bounds one tree or commit that is counted.
const mostTree = 64 << 20

// treeCounter counts the entries of trees. Each tree is read once.
type treeCounter struct {
	blobs  *Blobs
	fresh  map[string]bool     // the new trees and commits
	trees  map[string][]string // the ids of the folders in a tree, and "" for each file
	counts map[string]int
	allow  int // entries that a whole tree may have, 0 before it was needed
}

// check holds the tree of a new commit against the bounds. Where no folder is in it twice, the new
// trees themselves are its size, and no other is read.
func (c *treeCounter) check(ctx context.Context, r *Repo, commit string) error {
	data, kind, err := c.blobs.Read(commit, mostTree)
	if err != nil || kind != "commit" {
		return err
	}
	root, err := ParseCommitTree(data)
	if err != nil {
		return err
	}
	seen, entries := map[string]bool{}, 0
	once, err := c.once(root, seen, &entries)
	if err != nil || once && entries <= r.bounds.Entries {
		return err
	}
	if c.allow == 0 {
		c.allow = r.bounds.Entries
		if base, err := r.TreeOf(ctx, "HEAD"); err == nil {
			known, err := c.count(base)
			if err != nil {
				return err
			}
			c.allow += known
		}
	}
	n, err := c.count(root)
	if err == nil && n > c.allow {
		err = &TakeOverError{Detail: fmt.Sprintf("commit %s has more than %d files (limits.entries)", commit, c.allow)}
	}
	return err
}

// once reports whether no folder is below the tree twice, as far as it is new.
func (c *treeCounter) once(tree string, seen map[string]bool, entries *int) (bool, error) {
	if seen[tree] {
		return false, nil
	}
	seen[tree] = true
	if !c.fresh[tree] {
		return true, nil
	}
	folders, err := c.read(tree)
	if err != nil {
		return false, err
	}
	*entries += len(folders)
	for _, id := range folders {
		if id == "" {
			continue
		}
		if once, err := c.once(id, seen, entries); err != nil || !once {
			return false, err
		}
	}
	return true, nil
}

// count is how many files a tree has in all, at most the largest number there is.
func (c *treeCounter) count(tree string) (int, error) {
	if n, known := c.counts[tree]; known {
		return n, nil
	}
	folders, err := c.read(tree)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, id := range folders {
		n := 1
		if id != "" {
			if n, err = c.count(id); err != nil {
				return 0, err
			}
			n = max(n, 1)
		}
		if total += n; total < 0 || total > math.MaxInt/2 {
			total = math.MaxInt / 4
		}
	}
	c.counts[tree] = total
	return total, nil
}

func (c *treeCounter) read(tree string) ([]string, error) {
	if folders, known := c.trees[tree]; known {
		return folders, nil
	}
	data, _, err := c.blobs.Read(tree, mostTree)
	if err != nil {
		return nil, err
	}
	entries, err := ParseTree(data, len(tree)/2)
	if err != nil {
		return nil, err
	}
	folders := make([]string, len(entries))
	for i, e := range entries {
		if e.Mode == treeMode {
			folders[i] = e.ID
		}
	}
	c.trees[tree] = folders
	return folders, nil
}

package git

import (
	"context"
	"errors"
	"math"
	"strconv"
)

// TrackedFile is one file of a checkout as git has it.
type TrackedFile struct {
	Path string // from the checkout's root
	Open func() (*Repo, error)
}

// InHead is the file's content in the checkout's commit; nil if that has no such file, or if there is none yet.
func (f TrackedFile) InHead(ctx context.Context) ([]byte, error) {
	found, err := f.contents(ctx, func(*Repo) []string { return []string{"HEAD"} })
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// InStashes are the contents of the file in each stash, tracked or not.
func (f TrackedFile) InStashes(ctx context.Context) ([][]byte, error) {
	return f.contents(ctx, func(r *Repo) (revisions []string) {
		for _, id := range r.ReflogIDs("refs/stash") {
			revisions = append(revisions, id, id+"^3")
		}
		return revisions
	})
}

// Stages are the versions between which a merge could not decide: of the merge base, of HEAD and of what is merged,
// each nil where that has no such file. Found is false where git's index has no conflict of the file.
func (f TrackedFile) Stages(ctx context.Context) (base, ours, theirs []byte, found bool, err error) {
	for i, to := range []*[]byte{&base, &ours, &theirs} {
		stage, err := f.contents(ctx, func(*Repo) []string { return []string{":" + strconv.Itoa(i+1)} })
		if err != nil {
			return nil, nil, nil, false, err
		}
		if len(stage) > 0 {
			*to, found = stage[0], true
		}
	}
	return base, ours, theirs, found, nil
}

func (f TrackedFile) contents(ctx context.Context, of func(*Repo) []string) (found [][]byte, err error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	revisions := of(r)
	if len(revisions) == 0 {
		return nil, nil
	}
	blobs := r.OpenBlobs(ctx)
	defer blobs.Close()
	for _, revision := range revisions {
		object, err := blobs.read(revision+":"+f.Path, math.MaxInt32)
		switch {
		case err == nil:
			found = append(found, object.data)
		case !errors.Is(err, ErrNoObject):
			return nil, wrap(err, "read %q in %q", f.Path, revision)
		}
	}
	return found, nil
}

// IsKept reports whether a commit of a branch, tag or stash has the file with this content.
func (f TrackedFile) IsKept(ctx context.Context, content []byte) (bool, error) {
	r, err := f.Open()
	if err != nil {
		return false, err
	}
	id, err := r.hashBytes(ctx, content)
	if err != nil {
		return false, err
	}
	commits, err := r.lines(ctx, "log", "--all", "-m", "-1", "--format=%H", "--find-object="+id, "--", f.Path)
	return len(commits) > 0, wrap(err, "look for %q in the history", f.Path)
}

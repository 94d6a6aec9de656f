package git

import (
	"context"
	"strings"

	"delegate/internal/sys/run"
)

// Note is a text beside a commit, under a reference such as `refs/notes/commits`.
type Note struct{ Ref, Commit, Text string }

// HasNote says whether the commit has a note there.
func (r *Repo) HasNote(ctx context.Context, ref, commit string) (bool, error) {
	_, err := r.read(ctx, "notes", "--ref="+ref, "list", commit)
	if run.ExitCode(err) == 1 {
		return false, nil
	}
	return err == nil, wrap(err, "look for a note on %.12s", commit)
}

// AddNote adds one to a commit that has none there. It writes.
func (r *Repo) AddNote(ctx context.Context, n Note) error {
	_, err := r.do(ctx, call{args: []string{"notes", "--ref=" + n.Ref, "add", "-F", "-", n.Commit},
		stdin: strings.NewReader(n.Text)})
	return wrap(err, "add a note to %.12s", n.Commit)
}

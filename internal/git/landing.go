package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// NewCommit is a commit to be made.
type NewCommit struct {
	Tree, Message string
	Parents       []string
	AuthorOf      string // the commit whose author and date it keeps; "" for the person's own
}

// Commit makes a commit object, signed where commit.gpgSign says so; no reference moves.
// An error of the signing program is one of the call: nothing unsigned is made instead.
func (r *Repo) Commit(ctx context.Context, c NewCommit) (string, error) {
	args := []string{"commit-tree", c.Tree}
	for _, p := range c.Parents {
		args = append(args, "-p", p)
	}
	signs, err := r.signs(ctx)
	if err != nil {
		return "", err
	}
	if signs {
		args = append(args, "-S")
	}
	var env []string
	if c.AuthorOf != "" {
		if env, err = r.authorship(ctx, c.AuthorOf); err != nil {
			return "", err
		}
	}
	id, err := r.id(ctx, call{args: append(args, "-F", "-"), stdin: strings.NewReader(c.Message), env: env})
	if err != nil {
		return "", fmt.Errorf("commit tree %.12s: %w", c.Tree, err)
	}
	return id, nil
}

// signs says whether the person signs every commit. commit-tree does not ask by itself.
func (r *Repo) signs(ctx context.Context) (bool, error) {
	return r.isSet(ctx, "commit.gpgSign")
}

// isSet is a setting that is true or false; false where it is not made.
func (r *Repo) isSet(ctx context.Context, key string) (bool, error) {
	args := []string{"config", "--type=bool", "--default=false", "--get", key}
	value, err := r.line(ctx, args...)
	if err == nil && value != "true" && value != "false" {
		err = odd(args, value)
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", key, err)
	}
	return value == "true", nil
}

// authorship is the environment that gives a commit the author and date of another.
func (r *Repo) authorship(ctx context.Context, commit string) ([]string, error) {
	line, err := r.line(ctx, "log", "-1", "--no-show-signature", "--format=%an%x00%ae%x00%ad", "--date=raw", commit)
	if err != nil {
		return nil, fmt.Errorf("read commit %.12s: %w", commit, err)
	}
	values := strings.Split(line, "\x00")
	if len(values) != 3 {
		return nil, fmt.Errorf("read commit %.12s: git log answered %q", commit, line)
	}
	return []string{"GIT_AUTHOR_NAME=" + values[0], "GIT_AUTHOR_EMAIL=" + values[1], "GIT_AUTHOR_DATE=@" + values[2]},
		nil
}

// Message is the whole message of a commit.
func (r *Repo) Message(ctx context.Context, commit string) (string, error) {
	text, err := r.line(ctx, "log", "-1", "--no-show-signature", "--format=%B", commit)
	if err != nil {
		return "", fmt.Errorf("read message of %.12s: %w", commit, err)
	}
	return strings.TrimRight(text, "\n") + "\n", nil
}

// OwnCommits are the commits of a line of work that another has not, oldest first, without merges.
func (r *Repo) OwnCommits(ctx context.Context, onto, head string) ([]string, error) {
	args := []string{"rev-list", "--reverse", "--topo-order", "--no-merges", head, "^" + onto}
	commits, err := r.ids(ctx, call{args: args, reads: true})
	if err != nil {
		return nil, fmt.Errorf("list commits of %.12s: %w", head, err)
	}
	return commits, nil
}

// ErrNotPicked is wrapped for a commit that cannot be made anew elsewhere: it has not one parent,
// or an author whom git would not accept again.
var ErrNotPicked = errors.New("cannot be made anew")

// Pick applies what a commit changed in its parent to another commit, by git's three-way merge, without a checkout.
// ErrNotPicked if the result could be no commit.
func (r *Repo) Pick(ctx context.Context, commit, onto string) (Merged, error) {
	parents, err := r.Parents(ctx, commit)
	if err != nil {
		return Merged{}, err
	}
	if len(parents) != 1 {
		return Merged{}, fmt.Errorf("pick %.12s: %w: it has %d parents", commit, ErrNotPicked, len(parents))
	}
	author, err := r.authorship(ctx, commit)
	if err != nil {
		return Merged{}, err
	}
	if slices.ContainsFunc(author[:2], func(e string) bool {
		return strings.Trim(e[strings.Index(e, "=")+1:], " .,:;<>\"\\'") == ""
	}) {
		return Merged{}, fmt.Errorf("pick %.12s: %w: its author has no name or address", commit, ErrNotPicked)
	}
	tree, err := r.TreeOf(ctx, onto)
	if err != nil {
		return Merged{}, err
	}
	// The target's tree as a change of the commit's parent: so that parent is the merge base.
	ours, err := r.CommitTreeLike(ctx, tree, "Pick\n", parents[0])
	if err != nil {
		return Merged{}, err
	}
	return r.Merge(ctx, ours, commit)
}

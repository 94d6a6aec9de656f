package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/run"
)

// Person is a name and an address as git writes them.
type Person struct {
	Name, Email string
}

func (p Person) String() string { return p.Name + " <" + p.Email + ">" }

// Committer is who commits here by git's own rules (environment, configuration); ErrNoIdentity
// (wrapped) if git knows no identity.
func (r *Repo) Committer(ctx context.Context) (Person, error) {
	return r.person(ctx, "GIT_COMMITTER_IDENT")
}

// Author is the same for authorship.
func (r *Repo) Author(ctx context.Context) (Person, error) { return r.person(ctx, "GIT_AUTHOR_IDENT") }

func (r *Repo) person(ctx context.Context, variable string) (Person, error) {
	out, err := r.line(ctx, "-c", "user.useConfigOnly=true", "var", variable)
	if run.ExitCode(err) > 0 {
		return Person{}, fmt.Errorf("ask git who commits: %w", ErrNoIdentity)
	}
	if err != nil {
		return Person{}, fmt.Errorf("ask git who commits: %w", err)
	}
	name, rest, found := strings.Cut(out, " <")
	email, _, closed := strings.Cut(rest, ">")
	if !found || !closed {
		return Person{}, fmt.Errorf("ask git who commits: answer %q", out)
	}
	return Person{Name: name, Email: email}, nil
}

// CommitTree makes a commit object of a tree; no reference moves. It writes one object.
func (r *Repo) CommitTree(ctx context.Context, tree, message string, parents ...string) (string, error) {
	return r.commitTree(ctx, nil, tree, message, parents)
}

func (r *Repo) commitTree(
	ctx context.Context, env []string, tree, message string, parents []string, options ...string,
) (string, error) {
	args := append([]string{"commit-tree", tree, "-F", "-"}, options...)
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	id, err := r.id(ctx, call{args: args, stdin: strings.NewReader(message), env: env})
	return id, wrap(err, "commit tree %.12s", tree)
}

// CommitPaths commits these files of the checkout and nothing else, what is staged elsewhere stays staged. It writes.
func (r *Repo) CommitPaths(ctx context.Context, message string, paths []string) (string, error) {
	add := append([]string{"--literal-pathspecs", "add", "-f", "--"}, paths...)
	if _, err := r.do(ctx, call{args: add}); err != nil {
		return "", fmt.Errorf("stage %q: %w", paths[0], err)
	}
	args := append([]string{"--literal-pathspecs", "commit", "--quiet", "--only", "-m", message, "--"}, paths...)
	if _, err := r.do(ctx, call{args: args}); err != nil {
		return "", fmt.Errorf("commit %q: %w", paths[0], err)
	}
	return r.Resolve(ctx, "HEAD")
}

// CommitTreeLike is CommitTree with the author, committer and dates of the first parent, so that
// the same input gives the same commit.
func (r *Repo) CommitTreeLike(ctx context.Context, tree, message string, parents ...string) (string, error) {
	env, err := r.identity(ctx, parents[0], authorFormat+"%x00"+committerFormat)
	if err != nil {
		return "", err
	}
	return r.commitTree(ctx, env, tree, message, parents)
}

// Formats of git log that print the environment which gives another commit the same author or
// committer. Without the "@" git takes a small number of seconds for another form of date.
const (
	authorFormat    = "GIT_AUTHOR_NAME=%an%x00GIT_AUTHOR_EMAIL=%ae%x00GIT_AUTHOR_DATE=@%ad"
	committerFormat = "GIT_COMMITTER_NAME=%cn%x00GIT_COMMITTER_EMAIL=%ce%x00GIT_COMMITTER_DATE=@%cd"
)

// identity is the environment that gives a commit what the format names of another.
func (r *Repo) identity(ctx context.Context, commit, format string) ([]string, error) {
	args := []string{"log", "-1", "--no-show-signature", "--format=" + format, "--date=raw", commit}
	line, err := cached(r, format, []string{commit}, func() (string, error) { return r.line(ctx, args...) })
	env := strings.Split(line, "\x00")
	if err == nil && len(env) != strings.Count(format, "%x00")+1 {
		err = odd(args, line)
	}
	return env, wrap(err, "read commit %.12s", commit)
}

// NewCommit is a commit to be made.
type NewCommit struct {
	Tree, Message string
	Parents       []string
	AuthorOf      string // the commit whose author and date it keeps; "" for the person's own
}

// Commit makes a commit object, signed where commit.gpgSign says so; no reference moves.
// An error of the signing program is one of the call: nothing unsigned is made instead.
func (r *Repo) Commit(ctx context.Context, c NewCommit) (string, error) {
	signs, err := r.isSet(ctx, "commit.gpgSign") // commit-tree does not ask by itself
	if err != nil {
		return "", err
	}
	var options, env []string
	if signs {
		options = []string{"-S"}
	}
	if c.AuthorOf != "" {
		if env, err = r.identity(ctx, c.AuthorOf, authorFormat); err != nil {
			return "", err
		}
	}
	return r.commitTree(ctx, env, c.Tree, c.Message, c.Parents, options...)
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
	author, err := r.identity(ctx, commit, authorFormat)
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

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
// (wrapped) if git knows nobody.
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

func (r *Repo) commitTree(ctx context.Context, env []string, tree, message string, parents []string) (string, error) {
	args := []string{"commit-tree", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	id, err := r.id(ctx, call{args: append(args, "-F", "-"), stdin: strings.NewReader(message), env: env})
	if err != nil {
		return "", fmt.Errorf("commit tree %.12s: %w", tree, err)
	}
	return id, nil
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
	names, err := fact(r, "people", parents[:1], func() (string, error) {
		return r.line(ctx, "log", "-1", "--no-show-signature", "--format=%an%x00%ae%x00%ad%x00%cn%x00%ce%x00%cd",
			"--date=raw", parents[0])
	})
	if err != nil {
		return "", fmt.Errorf("read commit %.12s: %w", parents[0], err)
	}
	values := strings.Split(names, "\x00")
	if len(values) != 6 {
		return "", fmt.Errorf("read commit %.12s: git log answered %q", parents[0], names)
	}
	var env []string
	for i, name := range []string{"AUTHOR_NAME", "AUTHOR_EMAIL", "AUTHOR_DATE", "COMMITTER_NAME", "COMMITTER_EMAIL",
		"COMMITTER_DATE"} {
		if strings.HasSuffix(name, "_DATE") {
			values[i] = "@" + values[i] // without it git takes a small number of seconds for another form of date
		}
		env = append(env, "GIT_"+name+"="+values[i])
	}
	return r.commitTree(ctx, env, tree, message, parents)
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

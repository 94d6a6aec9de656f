package git

import (
	"context"
	"fmt"
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

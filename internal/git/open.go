package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"delegate/internal/run"
)

// Open finds the repository and checkout that hold dir. It returns ErrNotRepository outside of any
// and ErrBare inside a bare one; if git refuses to look, a *run.ExitError (wrapped) has its words.
// The folder alone decides: GIT_DIR and its like, which are set inside git's hooks and aliases, do
// not point it elsewhere.
func Open(ctx context.Context, dir string) (*Repo, error) {
	answer, err := ask(ctx, dir, "--is-inside-work-tree", "--git-dir", "--git-common-dir", "--show-toplevel")
	if lines := strings.Split(answer, "\n"); err == nil && len(lines) == 4 && lines[0] == "true" {
		return &Repo{GitDir: lines[1], CommonDir: lines[2], Worktree: lines[3], facts: newFactCache()},
			nil
	}
	return openOdd(ctx, dir)
}

// openOdd asks one question at a time: to learn which one git refuses, and because a path may itself hold a line break.
func openOdd(ctx context.Context, dir string) (*Repo, error) {
	inside, err := ask(ctx, dir, "--is-inside-work-tree")
	switch {
	case isOutside(err):
		return nil, fmt.Errorf("open %q: %w", dir, ErrNotRepository)
	case err != nil:
		return nil, fmt.Errorf("open %q: %w", dir, err)
	case inside != "true":
		return nil, fmt.Errorf("open %q: %w", dir, ErrBare)
	}
	r := Repo{facts: newFactCache()}
	for _, part := range []struct {
		option string
		path   *string
	}{{"--git-dir", &r.GitDir}, {"--git-common-dir", &r.CommonDir}, {"--show-toplevel", &r.Worktree}} {
		if *part.path, err = ask(ctx, dir, part.option); err != nil {
			return nil, fmt.Errorf("open %q: %w", dir, err)
		}
	}
	return &r, nil
}

// isOutside says whether git found no repository in the folder or above it. Its status is the same
// for everything that keeps it from opening one (another owner, a configuration that does not
// parse), so its sentence decides, which LC_ALL=C keeps in English. A `.git` file that leads
// nowhere has another one.
func isOutside(err error) bool {
	var exit *run.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	for line := range strings.Lines(exit.Stderr) {
		if strings.HasPrefix(line, "fatal: not a git repository (or any ") {
			return true
		}
	}
	return false
}

func ask(ctx context.Context, dir string, options ...string) (string, error) {
	return oneLine(ctx, run.Command{
		Path: "git", Dir: dir, Env: append(plainEnviron(), "LC_ALL=C"),
		Args:  append([]string{"rev-parse", "--path-format=absolute"}, options...),
		Limit: readLimit,
	})
}

// Program tells whether a git program of the needed version is installed, and names what it found.
func Program(ctx context.Context) (string, error) {
	out, err := oneLine(ctx, run.Command{Path: "git", Args: []string{"version"}, Limit: readLimit})
	if err != nil {
		return "", fmt.Errorf("run git: %w", err)
	}
	version := strings.TrimPrefix(out, "git version ")
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil {
		return version, fmt.Errorf("read git version %q: %w", version, err)
	}
	if major < 2 || major == 2 && minor < 38 {
		return version, fmt.Errorf("git %s is too old: 2.38 or newer is needed", version)
	}
	return version, nil
}

// Package gittest makes the repositories that tests work in: real ones, by the git program, in folders that are
// removed with the test. Only tests import it.
package gittest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/sys/run"
)

// date is when every commit is made, where the tests of a package ask for it with FixDates.
const date = "@1000000000 +0000"

// Isolate keeps the configuration of the person and of the machine, and their language, out of this process and all
// that it starts. A TestMain calls it.
func Isolate() {
	root, err := module()
	if err != nil {
		panic(err)
	}
	set(map[string]string{
		"GIT_CONFIG_GLOBAL": filepath.Join(root, "testdata", "git", "config"), "GIT_CONFIG_SYSTEM": os.DevNull,
		"LC_ALL": "C",
	})
}

// Name names an author and a committer, for tests that do not configure a person.
func Name() {
	set(map[string]string{
		"GIT_AUTHOR_NAME": "Ann Author", "GIT_AUTHOR_EMAIL": "ann@example.org",
		"GIT_COMMITTER_NAME": "Con Committer", "GIT_COMMITTER_EMAIL": "con@example.org",
	})
}

// FixDates gives all commits the same Date, so that the same content is the same commit.
func FixDates() { set(map[string]string{"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}) }

func set(all map[string]string) {
	for name, value := range all {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
}

// module is the folder of go.mod, in which a package's tests begin or above.
func module() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", errors.New("the tests run outside of the module")
		}
	}
}

// Repo is a checkout that a test works in. What fails in it fails the test.
type Repo struct {
	testing.TB
	Dir string
}

// New makes a repository with a blank in its path, with the files of a first commit on main. Options are those of
// git init.
func New(t testing.TB, files map[string]string, options ...string) *Repo {
	t.Helper()
	return At(t, filepath.Join(t.TempDir(), "re po"), files, options...)
}

// At is New in a folder of the caller's choice, which need not be there.
func At(t testing.TB, dir string, files map[string]string, options ...string) *Repo {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r := In(t, dir)
	r.Git(append([]string{"init", "-q", "-b", "main"}, options...)...)
	r.Write(files)
	r.Commit("first")
	return r
}

// In is a checkout that is there already, such as an agent's.
func In(t testing.TB, dir string) *Repo { return &Repo{TB: t, Dir: dir} }

// Git runs git in the checkout and answers with all that it printed, without the last line's end.
func (r *Repo) Git(args ...string) string {
	r.Helper()
	return r.Feed("", args...)
}

// Feed is Git with an input.
func (r *Repo) Feed(input string, args ...string) string {
	r.Helper()
	out, err := r.try(input, args)
	if err != nil {
		r.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

// Try is Git for what may go wrong.
func (r *Repo) Try(args ...string) (string, error) { return r.try("", args) }

func (r *Repo) try(input string, args []string) (string, error) {
	var out bytes.Buffer
	c := run.Command{Path: "git", Args: args, Dir: r.Dir, Stdin: strings.NewReader(input), Stdout: &out, Stderr: &out}
	err := run.Do(context.WithoutCancel(r.Context()), c)
	return out.String(), err
}

// Write makes files by their paths, and the folders that they need.
func (r *Repo) Write(files map[string]string) {
	r.Helper()
	for name, text := range files {
		path := filepath.Join(r.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			r.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			r.Fatal(err)
		}
	}
}

// Remove takes a file or a folder away, if it is there.
func (r *Repo) Remove(name string) {
	r.Helper()
	if err := os.RemoveAll(filepath.Join(r.Dir, name)); err != nil {
		r.Fatal(err)
	}
}

// Link makes a symbolic link.
func (r *Repo) Link(target, name string) {
	r.Helper()
	if err := os.Symlink(target, filepath.Join(r.Dir, name)); err != nil {
		r.Fatal(err)
	}
}

// Text is what a file holds.
func (r *Repo) Text(name string) string {
	r.Helper()
	data, err := os.ReadFile(filepath.Join(r.Dir, name))
	if err != nil {
		r.Fatal(err)
	}
	return string(data)
}

// Commit records everything that is not ignored, also when that is nothing, and answers with the commit.
func (r *Repo) Commit(message string) string {
	r.Helper()
	r.Git("add", "--all", ".")
	r.Git("commit", "-q", "--allow-empty", "-m", message)
	return r.Git("rev-parse", "HEAD")
}

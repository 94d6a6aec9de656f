package git_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/change"
	"delegate/internal/git"
)

// TestMain keeps the person's own configuration out of the tests and gives all commits the same date.
func TestMain(m *testing.M) {
	config, err := filepath.Abs("../../testdata/git/config")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": config, "GIT_CONFIG_SYSTEM": os.DevNull,
		"GIT_AUTHOR_NAME": "Ann Author", "GIT_AUTHOR_EMAIL": "ann@example.org", "GIT_AUTHOR_DATE": "@1000000000 +0000",
		"GIT_COMMITTER_NAME": "Con Committer", "GIT_COMMITTER_EMAIL": "con@example.org",
		"GIT_COMMITTER_DATE": "@1000000000 +0000",
	} {
		os.Setenv(name, value)
	}
	os.Exit(m.Run())
}

// box is a real repository in a temporary folder.
type box struct {
	testing.TB
	dir string
}

// newBox makes one with the files of a first commit on main.
func newBox(t testing.TB, files map[string]string, options ...string) *box {
	t.Helper()
	return newBoxAt(t, filepath.Join(t.TempDir(), "repo"), files, options...)
}

func newBoxAt(t testing.TB, dir string, files map[string]string, options ...string) *box {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	b := &box{TB: t, dir: dir}
	b.git(append([]string{"init", "-q", "-b", "main"}, options...)...)
	b.write(files)
	b.commit("first")
	return b
}

func (b *box) git(args ...string) string {
	b.Helper()
	out, err := b.try(args...)
	if err != nil {
		b.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

func (b *box) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = b.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (b *box) write(files map[string]string) {
	b.Helper()
	for name, text := range files {
		path := filepath.Join(b.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

func (b *box) remove(name string) {
	b.Helper()
	if err := os.RemoveAll(filepath.Join(b.dir, name)); err != nil {
		b.Fatal(err)
	}
}

func (b *box) link(target, name string) {
	b.Helper()
	if err := os.Symlink(target, filepath.Join(b.dir, name)); err != nil {
		b.Fatal(err)
	}
}

func (b *box) text(name string) string {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

// commit records everything and answers with the commit.
func (b *box) commit(message string) string {
	b.Helper()
	b.git("add", "--all", "--force", ".")
	b.git("commit", "-q", "--allow-empty", "-m", message)
	return b.git("rev-parse", "HEAD")
}

func (b *box) open() *git.Repo {
	b.Helper()
	r, err := git.Open(b.Context(), b.dir)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// snapshot takes one with a fresh private index.
func (b *box) snapshot(r *git.Repo, leave ...string) (string, error) {
	b.Helper()
	from, err := r.Resolve(b.Context(), "HEAD")
	if err != nil {
		b.Fatal(err)
	}
	return r.Snapshot(b.Context(), filepath.Join(b.TempDir(), "index"), from, leave)
}

func (b *box) whole(tree string, err error) string {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	return tree
}

// listing is a tree as `MODE PATH` lines.
func (b *box) listing(tree string) []string {
	b.Helper()
	var all []string
	for entry := range strings.SplitSeq(strings.TrimSuffix(b.git("ls-tree", "-r", "-z", "--full-tree", tree), "\x00"),
		"\x00") {
		meta, path, _ := strings.Cut(entry, "\t")
		all = append(all, meta[:6]+" "+path)
	}
	return all
}

func equal(t testing.TB, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func find(t *testing.T, files []change.File, path string) change.File {
	t.Helper()
	for _, f := range files {
		if f.Path == path {
			return f
		}
	}
	t.Fatalf("no change of %q among %+v", path, files)
	return change.File{}
}

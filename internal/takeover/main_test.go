package takeover_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/takeover"
)

// TestMain keeps the person's own configuration out of the tests.
func TestMain(m *testing.M) {
	config, err := filepath.Abs("../testdata/git/config")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": config, "GIT_CONFIG_SYSTEM": os.DevNull,
		"GIT_AUTHOR_NAME": "Ann Author", "GIT_AUTHOR_EMAIL": "ann@example.org",
		"GIT_COMMITTER_NAME": "Con Committer", "GIT_COMMITTER_EMAIL": "con@example.org",
	} {
		os.Setenv(name, value)
	}
	os.Exit(m.Run())
}

// box is a checkout that a test works in.
type box struct {
	testing.TB
	dir string
}

func newBox(t testing.TB, files map[string]string, options ...string) *box {
	t.Helper()
	b := &box{TB: t, dir: filepath.Join(t.TempDir(), "re po")}
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	b.git(append([]string{"init", "-q", "-b", "main"}, options...)...)
	b.write(files)
	b.commit("first")
	return b
}

func (b *box) git(args ...string) string {
	b.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = b.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
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

func (b *box) text(name string) string {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

func (b *box) link(target, name string) {
	b.Helper()
	if err := os.Symlink(target, filepath.Join(b.dir, name)); err != nil {
		b.Fatal(err)
	}
}

func (b *box) remove(name string) {
	b.Helper()
	if err := os.RemoveAll(filepath.Join(b.dir, name)); err != nil {
		b.Fatal(err)
	}
}

func (b *box) commit(message string) string {
	b.Helper()
	b.git("add", "--all", ".")
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

const branch = "delegate/DEL-1/AGT-001/work"

// agent makes a checkout for an agent, and the box in which the test plays it.
func (b *box) agent() (*takeover.Checkout, *box) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "agent one", "work")
	c, err := takeover.Create(b.Context(), b.open(),
		takeover.Request{Path: path, Branch: branch, Commit: b.git("rev-parse", "HEAD")})
	if err != nil {
		b.Fatal(err)
	}
	return c, &box{TB: b.TB, dir: path}
}

// try is git, for what may go wrong.
func (b *box) try(args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir = b.dir
	return cmd.Run()
}

package project_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/keeper"
	"delegate/internal/project"
	"delegate/internal/takeover"
	"delegate/registry"
)

// TestMain keeps the person's own configuration out of the tests.
func TestMain(m *testing.M) {
	if status, mine := keeper.Main(os.Args[1:]); mine {
		os.Exit(status)
	}
	if len(os.Args) == 3 && os.Args[1] == dialRole {
		os.Exit(dial(os.Args[2]))
	}
	config, err := filepath.Abs("../../testdata/git/config")
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
	*testing.T
	dir    string
	stored map[string]string // objects that a test made, by what they were made from
}

func newBox(t *testing.T, files map[string]string) *box {
	t.Helper()
	b := &box{T: t, dir: filepath.Join(t.TempDir(), "re po"), stored: map[string]string{}}
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	b.git("init", "-q", "-b", "main")
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

func (b *box) link(target, name string) {
	b.Helper()
	if err := os.Symlink(target, filepath.Join(b.dir, name)); err != nil {
		b.Fatal(err)
	}
}

func (b *box) commit(message string) string {
	b.Helper()
	b.git("add", "--all", ".")
	b.git("commit", "-q", "--allow-empty", "-m", message)
	return b.git("rev-parse", "HEAD")
}

func (b *box) project() *project.Project {
	b.Helper()
	p, err := project.Open(b.Context(), b.dir, project.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return p
}

const session = "DEL-20260102-150405"

// agent makes an agent with a checkout of the box's commit, and the box in which the test plays it.
func (b *box) agent(p *project.Project, allowed ...string) (registry.Agent, *box) {
	b.Helper()
	a := registry.Agent{
		ID: "AGT-001", Attempt: 1, Turns: 1, Allowed: allowed, Base: b.git("rev-parse", "HEAD"),
		Branch: project.Branch(session, "AGT-001", 1), Worktree: p.WorkPath(session, "AGT-001", 1), Subtask: "Do it",
	}
	if _, err := takeover.Create(b.Context(), p.Repo,
		takeover.Request{Path: a.Worktree, Branch: a.Branch, Commit: a.Base}); err != nil {
		b.Fatal(err)
	}
	return a, &box{T: b.T, dir: a.Worktree}
}

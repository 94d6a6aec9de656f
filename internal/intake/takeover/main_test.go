package takeover_test

import (
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/intake/takeover"
)

// TestMain keeps the person's own configuration out of the tests.
func TestMain(m *testing.M) {
	gittest.Isolate()
	gittest.Name()
	os.Exit(m.Run())
}

// box is a checkout that a test works in.
type box struct {
	*gittest.Repo
}

func newBox(t testing.TB, files map[string]string, options ...string) *box {
	t.Helper()
	return &box{gittest.New(t, files, options...)}
}

func (b *box) open() *git.Repo {
	b.Helper()
	r, err := git.Open(b.Context(), b.Dir)
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
		takeover.Request{Path: path, Branch: branch, Commit: b.Git("rev-parse", "HEAD")})
	if err != nil {
		b.Fatal(err)
	}
	return c, &box{gittest.In(b.TB, path)}
}

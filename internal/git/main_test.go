package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/git/gittest"
)

// TestMain keeps the person's own configuration out of the tests and gives all commits the same date.
func TestMain(m *testing.M) {
	if len(os.Args) > 4 && os.Args[1] == carryVerb {
		os.Exit(carry(os.Args[2], os.Args[4]))
	}
	gittest.Isolate()
	gittest.Name()
	gittest.FixDates()
	os.Exit(m.Run())
}

// box is a real repository in a temporary folder.
type box struct {
	*gittest.Repo
}

// newBox makes one with the files of a first commit on main.
func newBox(t testing.TB, files map[string]string, options ...string) *box {
	t.Helper()
	return newBoxAt(t, filepath.Join(t.TempDir(), "repo"), files, options...)
}

func newBoxAt(t testing.TB, dir string, files map[string]string, options ...string) *box {
	t.Helper()
	return &box{gittest.At(t, dir, files, options...)}
}

// Commit records everything and answers with the commit.
func (b *box) Commit(message string) string {
	b.Helper()
	b.Git("add", "--all", "--force", ".")
	b.Git("commit", "-q", "--allow-empty", "-m", message)
	return b.Git("rev-parse", "HEAD")
}

func (b *box) open() *git.Repo {
	b.Helper()
	r, err := git.Open(b.Context(), b.Dir)
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
	for entry := range strings.SplitSeq(strings.TrimSuffix(b.Git("ls-tree", "-r", "-z", "--full-tree", tree), "\x00"),
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

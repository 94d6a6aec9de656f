package git_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/git"
)

// mktree makes a tree of these lines.
func (b *box) mktree(lines ...string) string {
	b.Helper()
	return b.Feed(strings.Join(lines, "\n")+"\n", "mktree")
}

// TestImportRefusesAGitBomb holds that a few trees which stand for a milliard of files are counted
// and not listed, also in a commit that the next one takes back, and that folders which are there
// twice for good reason come in.
func TestImportRefusesAGitBomb(t *testing.T) {
	b := newBox(t, map[string]string{"a/x": "1\n", "b/x": "1\n", "f": "1\n"})
	head, base := b.Git("rev-parse", "HEAD"), b.Git("rev-parse", "HEAD^{tree}")
	r := b.open().Bounded(git.Bounds{File: 1000, Work: 1 << 20, Entries: 1000})
	held, err := b.open().Quarantine(filepath.Join(t.TempDir(), "held"))
	if err != nil {
		t.Fatal(err)
	}
	take := func(tree string) error {
		commit := b.Git("commit-tree", "-p", head, "-m", "x", tree)
		back := b.Git("commit-tree", "-p", commit, "-m", "back", base)
		return r.Import(t.Context(), held, git.ImportRequest{Tips: []string{back}, Unproven: "refs/heads/theirs/"})
	}
	bombs := func(at, mode string, levels int) string {
		for range levels {
			var lines []string
			for i := range 10 {
				lines = append(lines, fmt.Sprintf("%s %s\td%d", mode, at, i))
			}
			at, mode = b.mktree(lines...), "040000 tree"
		}
		return at
	}
	var unsound *git.TakeOverError
	for name, tree := range map[string]string{"of new trees": bombs(b.Git("rev-parse", "HEAD:f"), "100644 blob", 9),
		"of the repository's own": bombs(base, "040000 tree", 9)} {
		if err := take(tree); !errors.As(err, &unsound) || !strings.Contains(unsound.Detail, "files (limits.entries)") {
			t.Errorf("a bomb %s: %v", name, err)
		}
	}
	if err := take(bombs(base, "040000 tree", 2)); err != nil {
		t.Errorf("folders that are there twice: %v", err)
	}
	b.Write(map[string]string{"f": string(make([]byte, 2000))})
	b.Git("add", "f")
	if err := take(b.Git("write-tree")); !errors.As(err, &unsound) ||
		!strings.Contains(unsound.Detail, "limits.file_size") {
		t.Errorf("a large file: %v", err)
	}
}

package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/git"
)

// TestOpenTakesOneProcess: where a repository lies as git makes it, only its configuration is asked for.
func TestOpenTakesOneProcess(t *testing.T) {
	b := newBox(t, map[string]string{"sub/deep/f": "1"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(b.Dir, "sub"), link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{b.Dir, filepath.Join(b.Dir, "sub", "deep"), filepath.Join(link, "deep")} {
		log := watchGit(t, "")
		r, err := git.Open(t.Context(), dir)
		if err != nil || r.Worktree != b.Dir || r.GitDir != filepath.Join(b.Dir, ".git") || r.CommonDir != r.GitDir {
			t.Fatalf("%s: %+v, %v", dir, r, err)
		}
		equal(t, "processes for "+dir, log(), []string{"config"})
	}
}

// TestOpenAsksGitOfOddRepositories holds that an answer without a question is that of git.
func TestOpenAsksGitOfOddRepositories(t *testing.T) {
	for name, change := range map[string]func(b *box) (worktree string){
		"files elsewhere": func(b *box) string {
			other := b.TempDir()
			b.Git("config", "core.worktree", other)
			return ""
		},
		"bare": func(b *box) string { b.Git("config", "core.bare", "true"); return "" },
		"of a later form": func(b *box) string {
			b.Git("config", "core.repositoryformatversion", "99")
			return ""
		},
		"of another person": func(b *box) string {
			if os.Geteuid() != 0 {
				b.Skip("only root gives files away")
			}
			if err := os.Chown(filepath.Join(b.Dir, ".git"), 12345, -1); err != nil {
				b.Fatal(err)
			}
			return ""
		},
		"its folder of another person": func(b *box) string {
			if os.Geteuid() != 0 {
				b.Skip("only root gives files away")
			}
			if err := os.Chown(b.Dir, 12345, -1); err != nil {
				b.Fatal(err)
			}
			return ""
		},
		"a link": func(b *box) string {
			at := filepath.Join(b.Dir, ".git")
			to := filepath.Join(b.TempDir(), "moved.git")
			if err := os.Rename(at, to); err != nil {
				b.Fatal(err)
			}
			if err := os.Symlink(to, at); err != nil {
				b.Fatal(err)
			}
			return b.Dir
		},
		"no HEAD": func(b *box) string {
			if err := os.Remove(filepath.Join(b.Dir, ".git", "HEAD")); err != nil {
				b.Fatal(err)
			}
			return ""
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, map[string]string{"f": "1"})
			want := change(b)
			r, err := git.Open(t.Context(), b.Dir)
			switch {
			case want == "" && err == nil && r.Worktree == b.Dir:
				t.Errorf("opened as %+v", r)
			case want != "" && (err != nil || r.Worktree != want):
				t.Errorf("opened as %+v, %v; want %q", r, err, want)
			}
		})
	}
}

package checkout_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/land/checkout"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	gittest.Name()
	os.Exit(m.Run())
}

// planned is a move of a checkout to a commit that changes, adds and removes a file, and that Check found possible.
// again plans the same one, which nobody has checked.
func planned(t *testing.T) (b *gittest.Repo, m *checkout.Move, again func() *checkout.Move) {
	t.Helper()
	b = gittest.New(t, map[string]string{"sub/edit": "1\n", "gone": "1\n", "other": "1\n", ".gitignore": "*.o\n"})
	b.Git("config", "filter.lfs.required", "true") // and no attributes name it
	from := b.Git("rev-parse", "HEAD")
	b.Write(map[string]string{"sub/edit": "2\n", "new/file": "1\n"})
	b.Remove("gone")
	to := b.Commit("to")
	b.Git("reset", "-q", "--hard", from)
	time.Sleep(20 * time.Millisecond) // until then a file may change again without that its time tells
	b.Git("update-index", "-q", "--force-write-index")
	r, err := git.Open(t.Context(), b.Dir)
	if err != nil {
		t.Fatal(err)
	}
	place := checkout.Place{Repo: r, Index: r.IndexPath(), Copy: filepath.Join(r.GitDir, "index.copy"),
		Step: func(string) {}}
	m, err = place.Plan(t.Context(), from, to)
	if err == nil {
		err = m.Check(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	again = func() *checkout.Move {
		m, err := place.Plan(t.Context(), from, to)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	return b, m, again
}

// Whatever a person does to what the move touches stops the next look and the move itself.
func TestCheckSeesWhatCameSince(t *testing.T) {
	for name, touch := range map[string]func(b *gittest.Repo){
		"edit": func(b *gittest.Repo) { b.Write(map[string]string{"sub/edit": "mine\n"}) },
		"edit of the same size and time": func(b *gittest.Repo) {
			file := filepath.Join(b.Dir, "sub", "edit")
			info, err := os.Stat(file)
			if err != nil {
				b.Fatal(err)
			}
			b.Write(map[string]string{"sub/edit": "3\n"})
			if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
				b.Fatal(err)
			}
		},
		"new file in the way": func(b *gittest.Repo) { b.Write(map[string]string{"new/file": "mine\n"}) },
		"file for a folder":   func(b *gittest.Repo) { b.Write(map[string]string{"new": "mine\n"}) },
		"folder for a file": func(b *gittest.Repo) {
			b.Remove("gone")
			b.Write(map[string]string{"gone/mine": "1\n"})
		},
		"link for a folder": func(b *gittest.Repo) { b.Remove("sub"); b.Link("/tmp", "sub") },
		"deleted":           func(b *gittest.Repo) { b.Remove("sub/edit") },
		"staged": func(b *gittest.Repo) {
			b.Write(map[string]string{"gone": "2\n"})
			b.Git("add", "gone")
		},
		"staged where one is made": func(b *gittest.Repo) {
			b.Write(map[string]string{"new/file": "2\n"})
			b.Git("add", "new/file")
			b.Remove("new")
		},
		"staged for a folder": func(b *gittest.Repo) {
			b.Write(map[string]string{"new": "2\n"})
			b.Git("add", "new")
			b.Remove("new")
		},
		"staged below": func(b *gittest.Repo) {
			b.Write(map[string]string{"new/file/mine": "2\n"})
			b.Git("add", "new")
			b.Remove("new")
		},
		"made executable": func(b *gittest.Repo) {
			if err := os.Chmod(filepath.Join(b.Dir, "sub", "edit"), 0o755); err != nil {
				b.Fatal(err)
			}
		},
		"staged, and put back": func(b *gittest.Repo) { b.Git("rm", "-q", "--cached", "gone") },
	} {
		t.Run(name, func(t *testing.T) {
			b, m, again := planned(t)
			touch(b)
			for _, m := range []*checkout.Move{m, again()} {
				var refused *checkout.RefusedError
				if err := m.Check(t.Context()); !errors.As(err, &refused) {
					t.Errorf("check: %v", err)
				}
			}
			b, m, _ = planned(t)
			touch(b)
			onlyCheckKnows := []string{"deleted", "staged for a folder", "staged below"}
			if _, err := m.Run(t.Context(), checkout.Fresh); err == nil && !slices.Contains(onlyCheckKnows, name) {
				t.Error("the move was made over it")
			}
		})
	}
}

func TestAnEditThatGitDoesNotLookForIsReported(t *testing.T) {
	for _, how := range []string{"assume-unchanged", "skip-worktree"} {
		b, _, again := planned(t)
		b.Git("update-index", "--"+how, "sub/edit")
		b.Write(map[string]string{"sub/edit": "mine\n"})
		var hidden *git.HiddenEditError
		if err := again().Check(t.Context()); !errors.As(err, &hidden) {
			t.Errorf("%s: %v", how, err)
			continue
		}
		if out, err := exec.Command("sh", "-c", "cd '"+b.Dir+"' && "+hidden.Next()).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", hidden.Next(), err, out)
		}
		var blocked *git.BlockedError
		if err := again().Check(t.Context()); !errors.As(err, &blocked) {
			t.Errorf("%s: once git looks at it: %v", how, err)
		}
	}
}

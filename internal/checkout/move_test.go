package checkout_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"delegate/internal/checkout"
	"delegate/internal/git"
	"delegate/internal/gittest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	gittest.Name()
	os.Exit(m.Run())
}

// planned is a move of a checkout to a commit that changes, adds and removes a file, and that Check found possible.
func planned(t *testing.T) (*gittest.Repo, *checkout.Move) {
	t.Helper()
	b := gittest.New(t, map[string]string{"sub/edit": "1\n", "gone": "1\n", "other": "1\n", ".gitignore": "*.o\n"})
	from := b.Git("rev-parse", "HEAD")
	b.Write(map[string]string{"sub/edit": "2\n", "new/file": "1\n"})
	b.Remove("gone")
	to := b.Commit("to")
	b.Git("reset", "-q", "--hard", from)
	time.Sleep(20 * time.Millisecond) // until then a file may change again without that its time tells
	r, err := git.Open(t.Context(), b.Dir)
	if err != nil {
		t.Fatal(err)
	}
	place := checkout.Place{Repo: r, Index: r.IndexPath(), Copy: filepath.Join(r.GitDir, "index.copy"),
		Step: func(string) {}}
	m, err := place.Plan(t.Context(), from, to)
	if err == nil {
		err = m.Check(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return b, m
}

func TestCheckOfAnUntouchedCheckoutStartsNoProcess(t *testing.T) {
	b, m := planned(t)
	path := os.Getenv("PATH")
	t.Setenv("PATH", t.TempDir())
	if err := m.Check(t.Context()); err != nil {
		t.Error(err)
	}
	t.Setenv("PATH", path)
	b.Write(map[string]string{"other": "mine\n"}) // in nobody's way
	if left, err := m.Run(t.Context(), checkout.Fresh); err != nil || len(left) > 0 {
		t.Fatalf("left %q, %v", left, err)
	}
	b.Git("update-ref", "HEAD", m.To)
	if got := b.Git("status", "--porcelain"); got != " M other" {
		t.Errorf("status %q", got)
	}
	if _, err := os.Lstat(filepath.Join(b.Dir, ".git", "index.copy")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the copy of the index is left: %v", err)
	}
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
		"staged, and put back": func(b *gittest.Repo) { b.Git("rm", "-q", "--cached", "gone") },
	} {
		t.Run(name, func(t *testing.T) {
			b, m := planned(t)
			touch(b)
			var refused *checkout.RefusedError
			if err := m.Check(t.Context()); !errors.As(err, &refused) {
				t.Errorf("check: %v", err)
			}
			b, m = planned(t)
			touch(b)
			if _, err := m.Run(t.Context(), checkout.Fresh); err == nil && name != "deleted" &&
				name != "link for a folder" { // of which only Check knows
				t.Error("the move was made over it")
			}
		})
	}
}

package project_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/project"
)

func TestOwnFile(t *testing.T) {
	for path, want := range map[string]bool{
		"docs/logs/delegation_registry.md": true, "docs/logs/DEL-1/COMMANDS.md": true, "docs/01_progress.md": true,
		"docs/logs": false, "docs/logs2/x": false, "docs/01_progress.md.bak": false, "src/docs/logs/x": false,
		"docs/notes.md": false,
	} {
		if got := project.OwnFile(path); got != want {
			t.Errorf("OwnFile(%q) = %v", path, got)
		}
	}
}

func TestEditsLeaveOwnFilesOut(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	b.Write(map[string]string{"docs/logs/delegation_registry.md": "r", "docs/01_progress.md": "p", "mine": "m",
		"f": "2\n"})
	edits, err := b.project().Edits(t.Context())
	if err != nil || len(edits) != 2 || edits[0].Path != "f" || edits[1].Path != "mine" {
		t.Errorf("edits %+v, %v", edits, err)
	}
}

func TestOpenFindsTheMainCheckout(t *testing.T) {
	b := newBox(t, map[string]string{"sub/f": "1\n"})
	linked := filepath.Join(t.TempDir(), "linked")
	b.Git("worktree", "add", "-q", "-b", "side", linked)
	for _, dir := range []string{b.Dir, filepath.Join(b.Dir, "sub"), linked} {
		p, err := project.Open(t.Context(), dir, project.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Main != b.Dir || p.Private != filepath.Join(b.Dir, ".git", "delegate") ||
			p.WorktreeRoot() != b.Dir+".delegate" {
			t.Errorf("opened in %q: main %q, private %q, worktrees %q", dir, p.Main, p.Private, p.WorktreeRoot())
		}
	}
	outer := newBox(t, nil)
	outer.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", b.Dir, "sub")
	inside := &box{Repo: gittest.In(t, filepath.Join(outer.Dir, "sub"))}
	if p := inside.project(); p.Main != inside.Dir {
		t.Errorf("opened in a submodule: main %q, want %q", p.Main, inside.Dir)
	}
	if _, err := project.Open(t.Context(), t.TempDir(), project.Options{}); !errors.Is(err, git.ErrNotRepository) {
		t.Errorf("outside of a repository: %v", err)
	}
}

func TestBareRepositoryWithLinkedCheckouts(t *testing.T) {
	from := newBox(t, map[string]string{"f": "1\n"})
	bare := &box{Repo: gittest.In(t, filepath.Join(t.TempDir(), "bare.git"))}
	from.Git("clone", "-q", "--bare", from.Dir, bare.Dir)
	first, second := filepath.Join(t.TempDir(), "fi\nrst "), filepath.Join(t.TempDir(), "second")
	bare.Git("worktree", "add", "-q", first, "main")
	bare.Git("worktree", "add", "-q", "-b", "side", second)
	if _, err := project.Open(t.Context(), bare.Dir, project.Options{}); !errors.Is(err, git.ErrBare) {
		t.Errorf("opened in the bare repository: %v", err)
	}
	p := (&box{Repo: gittest.In(t, first)}).project()
	if p.Main != first {
		t.Fatalf("main %q, want %q", p.Main, first)
	}
	if err := p.RememberMain(); err != nil {
		t.Fatal(err)
	}
	if p := (&box{Repo: gittest.In(t, second)}).project(); p.Main != first {
		t.Errorf("opened in the second checkout: main %q, want where the session began", p.Main)
	}
	if err := os.RemoveAll(first); err != nil {
		t.Fatal(err)
	}
	if p := (&box{Repo: gittest.In(t, second)}).project(); p.Main != second {
		t.Errorf("with the first checkout gone: main %q", p.Main)
	}
}

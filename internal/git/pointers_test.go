package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/git"
)

// linked makes a checkout beside the main one, reached through a link to its folder.
func (b *box) linked() (*git.Repo, string) {
	b.Helper()
	real := filepath.Join(b.TempDir(), "real")
	if err := os.Mkdir(real, 0o700); err != nil {
		b.Fatal(err)
	}
	through := filepath.Join(b.TempDir(), "through")
	if err := os.Symlink(real, through); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(through, "wt")
	b.Git("worktree", "add", "-q", "--detach", path)
	r, err := b.open().OpenWorktree(path)
	if err != nil {
		b.Fatal(err)
	}
	return r, path
}

func TestCheckPointers(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	r, path := b.linked()
	other, _ := b.linked()
	if err := b.open().CheckPointers(); err != nil {
		t.Errorf("the main checkout: %v", err)
	}
	relative := func(from, to string) string {
		t.Helper()
		from, err := filepath.EvalSymlinks(from)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(from, to)
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	dotGit, common, back := filepath.Join(path, ".git"), filepath.Join(r.GitDir, "commondir"),
		filepath.Join(r.GitDir, "gitdir")
	inside := filepath.Join(path, "sub")
	if err := os.Symlink(r.GitDir, inside); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file, text string
		sound      bool
	}{
		"as git wrote it":     {back, real + "/.git\n", true},
		"by another way":      {back, path + "/.git\n", true},
		"relative":            {dotGit, "gitdir: " + relative(path, r.GitDir) + "\n", true},
		"relative back":       {back, relative(r.GitDir, real+"/.git") + "\n", true},
		"absolute":            {common, r.CommonDir + "\n", true},
		"another worktree's":  {dotGit, "gitdir: " + other.GitDir + "\n", false},
		"through the agent's": {dotGit, "gitdir: " + inside + "\n", false},
		"another repository":  {common, "../../../elsewhere\n", false},
		"no line":             {common, "", false},
		"two lines":           {common, "../..\n\n", false},
		"no such word":        {dotGit, r.GitDir + "\n", false},
		"another checkout":    {back, other.Worktree + "/.git\n", false},
		"huge":                {back, strings.Repeat("x", 100<<10), false},
	} {
		before, err := os.ReadFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(c.file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var fault *git.PointerError
		err = r.CheckPointers()
		if c.sound && err != nil || !c.sound &&
			(!errors.As(err, &fault) || fault.File != c.file || !strings.Contains(err.Error(), c.file)) {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.WriteFile(c.file, before, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{dotGit, common, back} {
		kept := file + ".kept"
		if err := errors.Join(os.Rename(file, kept), os.Symlink(kept, file)); err != nil {
			t.Fatal(err)
		}
		var fault *git.PointerError
		if err := r.CheckPointers(); !errors.As(err, &fault) || fault.File != file {
			t.Errorf("a link at %q: %v", file, err)
		}
		if err := errors.Join(os.Remove(file), os.Rename(kept, file)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.CheckPointers(); err != nil {
		t.Error(err)
	}
}

// A pointer that is mended as its fault says is sound.
func TestPointerErrorSaysHowToMendIt(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	r, path := b.linked()
	for _, file := range []string{filepath.Join(path, ".git"), filepath.Join(r.GitDir, "commondir"),
		filepath.Join(r.GitDir, "gitdir")} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		var fault *git.PointerError
		if err := r.CheckPointers(); !errors.As(err, &fault) || fault.File != file {
			t.Fatalf("%q is gone: %v", file, err)
		}
		if err := os.WriteFile(file, []byte(fault.Want+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.CheckPointers(); err != nil {
		t.Error(err)
	}
	b.Git("-C", path, "status")
}

// git finds a checkout by a relative pointer too, and is not held up by one that is no file.
func TestOpenWorktreeByItsPointer(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	other, _ := b.linked()
	r, path := b.linked()
	back := filepath.Join(r.GitDir, "gitdir")
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	name, err := filepath.Rel(r.GitDir, real)
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(other.GitDir, "gitdir")
	if err := errors.Join(os.WriteFile(back, []byte(name+"/.git\n"), 0o600), os.Remove(pipe),
		os.Mkdir(pipe, 0o700)); err != nil {
		t.Fatal(err)
	}
	if found, err := b.open().OpenWorktree(path); err != nil || found.GitDir != r.GitDir {
		t.Errorf("found %+v, %v", found, err)
	}
}

package takeover_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"testing"
	"testing/fstest"

	"delegate/internal/git/gittest"
	"delegate/internal/git/objects"
)

func TestTreeIsAFileSystem(t *testing.T) {
	files := map[string]string{"a.txt": "a\n", "a/b": "b\n", "a/c/d": "", "empty": "", "ünï code": "u\n", "-x": "dash"}
	alternates := newBox(t, nil)
	alternates.Write(files)
	shared := &box{gittest.In(t, filepath.Join(t.TempDir(), "shared"))}
	alternates.Commit("all")
	alternates.Git("clone", "-q", "--shared", alternates.Dir, shared.Dir)
	packed := newBox(t, files)
	packed.Git("gc", "-q")
	strange := newBox(t, files)
	strange.Git("config", "extensions.worktreeConfig", "true")
	for name, b := range map[string]*box{
		"SHA-1": newBox(t, files), "SHA-256": newBox(t, files, "--object-format=sha256"), "alternates": shared,
		"packed": packed, "worktree config": strange,
	} {
		reader := objects.New(b.open())
		tree := reader.Tree(t.Context(), "HEAD")
		if err := fstest.TestFS(tree, "a.txt", "a/b", "a/c/d", "empty", "ünï code", "-x"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for path, want := range files {
			if got, err := fs.ReadFile(tree, path); err != nil || string(got) != want {
				t.Errorf("%s: %q holds %q, %v", name, path, got, err)
			}
		}
		for _, path := range []string{"missing", "a.txt/below", "a/missing"} {
			if _, err := fs.Stat(tree, path); err == nil {
				t.Errorf("%s: %q is there", name, path)
			}
		}
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestTreeWithLinksAndSubmodules(t *testing.T) {
	inner, b := newBox(t, map[string]string{"f": "1"}), newBox(t, nil)
	b.Link("../target", "link")
	b.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.Dir, "sub")
	b.Commit("second")
	reader := objects.New(b.open())
	defer reader.Close()
	tree := reader.Tree(t.Context(), "HEAD")
	if data, err := fs.ReadFile(tree, "link"); err != nil || string(data) != "../target" {
		t.Errorf("the link holds %q, %v", data, err)
	}
	entries, err := fs.ReadDir(tree, "sub")
	if err != nil || len(entries) != 0 {
		t.Errorf("the submodule holds %v, %v", entries, err)
	}
	seen := map[string]fs.FileMode{}
	err = fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil {
			seen[p] = d.Type()
		}
		return err
	})
	if err != nil || seen["link"] != fs.ModeSymlink || seen["sub"] != fs.ModeDir {
		t.Errorf("walk saw %v, %v", seen, err)
	}
}

// Objects that were written after the first was read are found too, loose or packed, and also where the first was read
// for somebody who has ended.
func TestObjectsThatCameLater(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	b.Git("gc", "-q")
	reader := objects.New(b.open())
	defer reader.Close()
	ctx, end := context.WithCancel(t.Context())
	if _, err := reader.Blob(ctx, b.Git("rev-parse", "HEAD:f")); err != nil {
		t.Fatal(err)
	}
	end()
	b.Write(map[string]string{"f": "2\n"})
	b.Commit("second")
	b.Git("gc", "-q")
	sets, err := reader.Changes(t.Context(), []objects.Span{{Name: "x", Base: "HEAD~", Head: "HEAD"}})
	if err != nil || len(sets) != 1 || len(sets[0].Files) != 1 {
		t.Fatalf("changes %+v, %v", sets, err)
	}
	set := sets[0]
	for want, side := range map[string]fs.FS{"1\n": set.BaseFS, "2\n": set.HeadFS} {
		if got, err := fs.ReadFile(side, "f"); err != nil || string(got) != want {
			t.Errorf("f holds %q, %v; want %q", got, err, want)
		}
	}
}

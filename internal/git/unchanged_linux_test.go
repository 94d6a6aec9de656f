package git_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func newLookedAt(t *testing.T) (*box, func() string) {
	b := newBox(t, map[string]string{"kept": "1\n", "sub/edit": "1\n", ".gitignore": "*.o\n"})
	b.Write(map[string]string{"new": "$Id: x$\n", "x.o": "object"})
	index, from := filepath.Join(t.TempDir(), "index"), b.Git("rev-parse", "HEAD")
	r := b.open()
	return b, func() string {
		if tree, ok := r.Unchanged(t.Context(), index, from); ok {
			return tree
		}
		return b.whole(r.Snapshot(t.Context(), index, from, nil))
	}
}

func TestUnchangedOpensNoFile(t *testing.T) {
	b, snapshot := newLookedAt(t)
	first := snapshot()
	b.Write(map[string]string{"x.o": "another object"})
	time.Sleep(1100 * time.Millisecond) // until no file is as young as the index, by git's seconds
	snapshot()
	log := watchGit(t, "")
	if second := snapshot(); first != second || slices.Contains(log(), "add") {
		t.Errorf("%s becomes %s by %q", first, second, log())
	}
}

// What an index knows of the last snapshot hides no change.
func TestSnapshotSeesEveryChange(t *testing.T) {
	for name, touch := range map[string]func(b *box){
		"content of the same size and time": func(b *box) {
			path := filepath.Join(b.Dir, "sub", "edit")
			before, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			b.Write(map[string]string{"sub/edit": "2\n"})
			if err := os.Chtimes(path, before.ModTime(), before.ModTime()); err != nil {
				b.Fatal(err)
			}
		},
		"mode": func(b *box) {
			if err := os.Chmod(filepath.Join(b.Dir, "kept"), 0o755); err != nil {
				b.Fatal(err)
			}
		},
		"new file":   func(b *box) { b.Write(map[string]string{"sub/another": "a\n"}) },
		"gone":       func(b *box) { b.Remove("kept") },
		"link":       func(b *box) { b.Remove("kept"); b.Link("1\n", "kept") },
		"staged":     func(b *box) { b.Git("add", "-f", "x.o") },
		"not hidden": func(b *box) { b.Write(map[string]string{".gitignore": "*.a\n"}) },
		"hidden":     func(b *box) { b.Write(map[string]string{".git/info/exclude": "new\n"}) },
		"hidden by a setting": func(b *box) {
			b.Write(map[string]string{".git/other": "new\n"})
			b.Git("config", "core.excludesFile", filepath.Join(b.Dir, ".git", "other"))
		},
		"line ends": func(b *box) {
			b.Write(map[string]string{"sub/edit": "1\r\n"})
			b.Git("config", "core.autocrlf", "input")
		},
		"attributes": func(b *box) {
			b.Write(map[string]string{".git/info/attributes": "new ident\n"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, snapshot := newLookedAt(t)
			snapshot()
			touch(b)
			got := snapshot()
			if fresh := b.whole(b.snapshot(b.open())); got != fresh {
				t.Errorf("the snapshot has %q\nwant %q", b.listing(got), b.listing(fresh))
			}
		})
	}
}

// The commit that is checked out in a submodule is part of a snapshot, and stands in no file of the checkout.
func TestSnapshotOfASubmodule(t *testing.T) {
	inner, b := newBox(t, map[string]string{"f": "1\n"}), newBox(t, map[string]string{"f": "1\n"})
	b.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.Dir, "sub/inner")
	b.Commit("a submodule")
	index, from, r := filepath.Join(t.TempDir(), "index"), b.Git("rev-parse", "HEAD"), b.open()
	snapshot := func() string { return b.whole(r.Snapshot(t.Context(), index, from, nil)) }
	snapshot()
	b.Git("-C", "sub/inner", "commit", "--allow-empty", "-m", "next")
	if want := b.Git("-C", "sub/inner", "rev-parse", "HEAD"); b.Git("rev-parse", snapshot()+":sub/inner") != want {
		t.Error("the snapshot has the commit of before")
	}
}

// A file that is changed in the moment of the look may have the same time afterwards.
func TestSnapshotWhileFilesChange(t *testing.T) {
	b, snapshot := newLookedAt(t)
	for i := range 20 {
		want := string(rune('a' + i%26))
		b.Write(map[string]string{"new": want})
		if got := b.Git("cat-file", "blob", snapshot()+":new"); got != want {
			t.Fatalf("change %d: %q in the snapshot, want %q", i, got, want)
		}
	}
}

func TestSnapshotWhoseTreeIsGone(t *testing.T) {
	b, snapshot := newLookedAt(t)
	first := snapshot()
	b.Git("prune", "--expire=now")
	if again := snapshot(); again != first || len(b.listing(again)) != 4 {
		t.Errorf("%s becomes %s", first, again)
	}
}

// The gits of one command wait for its next question and not for much longer.
func TestReadersAreUsedAgain(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	b.Git("repack", "-adq") // else no git is asked
	log := watchGit(t, "")
	r := b.open()
	for range 5 {
		if _, err := r.Resolve(t.Context(), "refs/heads/main"); err != nil {
			t.Fatal(err)
		}
		blobs := r.OpenBlobs(t.Context())
		if _, _, err := blobs.Read(b.Git("rev-parse", "HEAD:f"), 10); err != nil {
			t.Error(err)
		}
		if err := blobs.Close(); err != nil {
			t.Error(err)
		}
		if _, _, err := blobs.Read(b.Git("rev-parse", "HEAD:f"), 10); err == nil {
			t.Error("a closed reader reads")
		}
	}
	readers := slices.DeleteFunc(log(), func(sub string) bool { return sub != "cat-file" })
	equal(t, "readers", readers, []string{"cat-file"})
	b.Git("commit", "--allow-empty", "-m", "next")
	if got, err := r.Resolve(t.Context(), "refs/heads/main"); err != nil || got != b.Git("rev-parse", "main") {
		t.Errorf("a reference that moved is at %q, %v", got, err)
	}
	for deadline := time.Now().Add(time.Minute); len(readersIn(t, b.Dir)) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a git waits for ever")
		}
	}
}

func TestConfigurationIsReadOnce(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	log := watchGit(t, "")
	r := b.open()
	has := func(want bool) {
		t.Helper()
		if got, err := r.HasConfig(t.Context(), "some.key"); err != nil || got != want {
			t.Errorf("some.key is set: %v, %v", got, err)
		}
	}
	has(false)
	has(false)
	if _, err := r.Filters(t.Context()); err != nil {
		t.Error(err)
	}
	equal(t, "processes", log(), []string{"config"})
	b.Git("config", "some.key", "")
	has(true)
	b.Write(map[string]string{".git/more": ""})
	b.Git("config", "--unset", "some.key")
	b.Git("config", "include.path", "more")
	has(false)
	b.Git("config", "--file", filepath.Join(b.Dir, ".git", "more"), "some.key", "x")
	has(true)
}

// readersIn are the processes that read objects in a folder.
func readersIn(t *testing.T, folder string) (pids []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		line, _ := os.ReadFile(file) // it may have ended
		at, _ := os.Readlink(filepath.Join(filepath.Dir(file), "cwd"))
		if at == folder && strings.Contains(string(line), "cat-file") {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}

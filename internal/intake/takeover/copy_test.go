package takeover_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"delegate/internal/intake/takeover"
)

func TestCopyInto(t *testing.T) {
	b := newBox(t, map[string]string{"tracked": "t\n", ".gitignore": "node_modules/\n"})
	b.Write(map[string]string{
		".env": "secret", "sub/.env": "deep", "node_modules/m/index.js": "js", "node_modules/m/.git/HEAD": "no",
		"a\nb.local": "odd", "notes": "n",
		"tracked": "edited\n", "tools/run": "#!\n", "other/x": "x",
	})
	if err := os.Chmod(filepath.Join(b.Dir, "tools/run"), 0o555); err != nil {
		t.Fatal(err)
	}
	b.Link("../m/index.js", "node_modules/m/link")
	b.Link("missing", "dangling.local")
	b.Link("tools", "folder.local")
	k, w := b.taker()
	base := w.Git("rev-parse", "HEAD")
	copied, err := k.c.CopyInto(t.Context(), b.Dir,
		[]string{"**/.env", "node_modules/", "*.local", "tools", "tracked", "never-there", "-x"})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range copied {
		paths = append(paths, f.Path)
	}
	slices.Sort(paths)
	if want := []string{".env", "a\nb.local", "dangling.local", "folder.local", "sub/.env",
		"tools/run"}; !slices.Equal(paths, want) {
		t.Errorf("copies that git sees:\n got %q\nwant %q", paths, want)
	}
	for name, want := range map[string]string{"tracked": "t\n", "sub/.env": "deep", "node_modules/m/index.js": "js"} {
		if got, err := os.ReadFile(filepath.Join(w.Dir, name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	if target, err := os.Readlink(filepath.Join(w.Dir, "node_modules/m/link")); err != nil ||
		target != "../m/index.js" {
		t.Errorf("link to %q, %v", target, err)
	}
	for _, name := range []string{"node_modules/m/.git", "notes", "other"} {
		if _, err := os.Lstat(filepath.Join(w.Dir, name)); err == nil {
			t.Errorf("%s was copied", name)
		}
	}
	here, errHere := os.Stat(filepath.Join(b.Dir, ".env"))
	there, errThere := os.Stat(filepath.Join(w.Dir, ".env"))
	if errHere != nil || errThere != nil || os.SameFile(here, there) {
		t.Error(".env is the same file on both sides")
	}
	k.request.Copied = copied
	if got := k.take(); got != base {
		t.Errorf("unchanged copies are work: %q", w.Git("diff", "--name-only", base, got))
	}
}

func TestChangedCopiesAreWork(t *testing.T) {
	b := newBox(t, nil)
	b.Write(map[string]string{"kept": "k", "edited": "e", "gone": "g", "turned": "t"})
	b.Link("missing", "link")
	k, w := b.taker()
	base := w.Git("rev-parse", "HEAD")
	var err error
	if k.request.Copied, err = k.c.CopyInto(t.Context(), b.Dir,
		[]string{"kept", "edited", "gone", "turned", "link"}); err != nil {
		t.Fatal(err)
	}
	w.Write(map[string]string{"edited": "E"})
	for _, name := range []string{"gone", "turned", "link"} {
		w.Remove(name)
	}
	w.Write(map[string]string{"turned/into/a folder": "x"})
	w.Link("elsewhere", "link")
	if got := w.Git("diff", "--name-only", base, k.take()); got != "edited\nlink\nturned/into/a folder" {
		t.Errorf("work:\n%s", got)
	}
}

// Where the checkouts lie inside the main one they are not copied into one another.
func TestCopyIntoPassesOtherCheckoutsBy(t *testing.T) {
	b := newBox(t, map[string]string{".gitignore": "/build/\n"})
	b.Write(map[string]string{"build/cache/x": "x", "build/.env": "e"})
	var last *takeover.Checkout
	for _, name := range []string{"one", "two"} {
		var err error
		path := filepath.Join(b.Dir, "build", "agents", name)
		request := takeover.Request{Path: path, Branch: "b-" + name, Commit: b.Git("rev-parse", "HEAD")}
		if last, err = takeover.Create(t.Context(), b.open(), request); err != nil {
			t.Fatal(err)
		}
		if _, err := last.CopyInto(t.Context(), b.Dir, []string{"build", "**/.env"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Lstat(filepath.Join(last.Path, "build/cache/x")); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"one", "two"} {
		if _, err := os.Lstat(filepath.Join(last.Path, "build/agents", name)); err == nil {
			t.Errorf("the checkout of %s was copied", name)
		}
	}
}

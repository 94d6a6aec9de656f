package takeover_test

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"delegate/internal/git"
	"delegate/internal/objects"
)

// side commits files on top of the base and answers with the commit; "" removes.
func (b *box) side(base string, files map[string]string) string {
	b.Helper()
	b.Git("checkout", "-q", "--detach", base)
	for name, content := range files {
		if content == "" {
			b.Remove(name)
			delete(files, name)
		}
	}
	b.Write(files)
	b.Commit("side")
	return b.Git("rev-parse", "HEAD")
}

func TestMergedTree(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		b := newBox(t, map[string]string{"kept": "k", "both/one": "1", "both/two": "2", "deep/er/one": "1",
			"deep/er/two": "2", "deep/x": "x", "ours/f": "f", "half/a": "a", "half/b": "b"}, "--object-format="+format)
		base := b.Git("rev-parse", "HEAD")
		ours := b.side(base, map[string]string{"both/one": "", "deep/er/one": "", "deep/x": "X", "new/ours": "o",
			"ours/f": "F", "half/a": ""})
		theirs := b.side(base, map[string]string{"both/two": "", "deep/er/two": "", "new/theirs": "t", "half/b": "B"})
		objects := objects.New(b.open())
		merged := objects.Merge(t.Context(), base, ours, theirs)
		want := map[string]string{"kept": "k", "deep/x": "X", "new/ours": "o", "new/theirs": "t", "ours/f": "F",
			"half/b": "B"}
		var names []string
		for name, content := range want {
			names = append(names, name)
			if got, err := fs.ReadFile(merged, name); err != nil || string(got) != content {
				t.Errorf("%s: %q holds %q, %v; want %q", format, name, got, err, content)
			}
		}
		if err := fstest.TestFS(merged, names...); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		for _, name := range []string{"both", "both/one", "both/two", "deep/er", "deep/er/one", "half/a", "kept/below",
			"nothing", "new/nothing"} {
			if _, err := fs.Stat(merged, name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %q: %v", format, name, err)
			}
		}
		if err := objects.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What cannot be joined is no file by the one side's taste.
func TestMergedTreeOfWhatBothChange(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1", "kept": "k"})
	base := b.Git("rev-parse", "HEAD")
	ours, theirs := b.side(base, map[string]string{"f": "2"}), b.side(base, map[string]string{"f": "3"})
	objects := objects.New(b.open())
	defer objects.Close()
	merged := objects.Merge(t.Context(), base, ours, theirs)
	if _, err := fs.Stat(merged, "f"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("f: %v", err)
	}
	if _, err := fs.ReadDir(merged, "."); err == nil {
		t.Error("the folder of f can be listed")
	}
	if got, err := fs.ReadFile(merged, "kept"); err != nil || string(got) != "k" {
		t.Errorf("kept holds %q, %v", got, err)
	}
	missing := objects.Merge(t.Context(), base, ours, "1234567890123456789012345678901234567890")
	if _, err := fs.Stat(missing, "kept"); !errors.Is(err, git.ErrNoObject) {
		t.Errorf("without a side: %v", err)
	}
}

package git_test

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestCommits asks for more revisions than go into one question, most of which name nothing.
func TestCommits(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	blobs, head := openBlobs(t, b.open()), b.Git("rev-parse", "HEAD")
	var names, want []string
	for range 80 {
		names = append(names, "HEAD", "gone", "-x", "a\nb", "", "HEAD:f")
		want = append(want, head, "", "", "", "", "")
	}
	ids, data, err := blobs.Commits(names)
	if err != nil || !slices.Equal(ids, want) || len(data[0]) == 0 || len(data[1]) > 0 {
		t.Errorf("%d ids, first %q, %v", len(ids), ids[:min(6, len(ids))], err)
	}
	if id, _, err := blobs.Commit("main"); err != nil || id != head {
		t.Errorf("main afterwards is %q, %v", id, err)
	}
}

// A quarantine inside of another reads what the other has, and the other nothing of it.
func TestQuarantineInAnother(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	outer := b.quarantine(b.open())
	inner, err := outer.Quarantine(filepath.Join(t.TempDir(), "co:lon"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := outer.WriteBlob(t.Context(), []byte("outer\n"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := inner.WriteBlob(t.Context(), []byte("inner\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{first, second, b.Git("rev-parse", "HEAD:f")} {
		if _, err := inner.Blob(t.Context(), id); err != nil {
			t.Errorf("inside: %v", err)
		}
	}
	if _, err := outer.Blob(t.Context(), second); err == nil {
		t.Error("an object of the inner quarantine is in the outer")
	}
}

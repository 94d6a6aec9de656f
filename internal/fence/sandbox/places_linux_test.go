package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRealPlaces holds that a place is followed as the system follows it, whatever was followed before.
func TestRealPlaces(t *testing.T) {
	at, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"a/b/c", "x/b"} {
		if err := os.MkdirAll(filepath.Join(at, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(at, "a", "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"folder": "a", "a/up": "../x", "a/whole": filepath.Join(at, "x"),
		"dangling": "nowhere", "link": "folder/file", "circle": "circle", "a/b/far": "../up/b"} {
		if err := os.Symlink(to, filepath.Join(at, name)); err != nil {
			t.Fatal(err)
		}
	}
	places := realPlaces{}
	defer places.close()
	for range 2 {
		for _, name := range []string{"a/b/c", "a/b", "folder", "folder/b/c", "folder/up/b", "a/whole/b", "a/b/far",
			"link", "link/below", "dangling", "dangling/below", "circle", "circle/below", "missing/a", "missing/b",
			"a/file", "a/file/below", "folder/missing", "", "folder/../a", "folder/up/../file", "a//b"} {
			path := at + "/" + name
			want, err := filepath.EvalSymlinks(path)
			if err != nil {
				want = path
			}
			if got := places.of(path); got != want {
				t.Errorf("%q is %q, want %q", path, got, want)
			}
		}
	}
	if got := places.of("/"); got != "/" {
		t.Errorf("the root is %q", got)
	}
}

package project_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// .worktreeinclude names files by the rules of .gitignore, and only those that git ignores count.
func TestCopyList(t *testing.T) {
	b := newBox(t, map[string]string{".delegate.yaml": "copy: [local]\n", ".gitignore": ".env*\n/cache/\n*.key\n",
		".env.shared": "tracked\n", "f": "f\n"})
	b.Git("add", "-f", ".env.shared")
	b.Git("commit", "-q", "-m", "tracked though ignored")
	b.Write(map[string]string{".env": "1\n", "app/[id]/.env": "2\n", "app/.env.old": "3\n",
		"cache/deep/kept.bin": "4\n", "cache/other.bin": "5\n",
		"new.env": "neither tracked nor ignored\n", "a.key": "not named\n"})
	list := func() []string {
		t.Helper()
		found, err := b.project().CopyList(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if got := list(); !slices.Equal(got, []string{"local"}) {
		t.Errorf("without the file %q", got)
	}
	b.Write(map[string]string{
		".worktreeinclude": "# what agents need\n.env*\n!.env.old\n*.env\n/cache/**/*.bin\n!other.bin\n"})
	want := []string{"local", ".env", `app/\[id\]/.env`, "cache/deep/kept.bin"}
	if got := list(); !slices.Equal(got, want) {
		t.Errorf("it names %q, want %q", got, want)
	}
	file := filepath.Join(b.Dir, ".worktreeinclude")
	if err := os.Rename(file, file+".there"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file+".there", file); err != nil {
		t.Fatal(err)
	}
	if got := list(); !slices.Equal(got, []string{"local"}) {
		t.Errorf("a link names %q", got)
	}
}

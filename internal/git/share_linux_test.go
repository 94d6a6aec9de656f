package git_test

import (
	"bytes"
	"crypto/rand"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// sharing is a folder on a file system whose files can share blocks.
func sharing(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	image, mounted := filepath.Join(folder, "image"), filepath.Join(folder, "mounted")
	if err := os.Mkdir(mounted, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"truncate -s 400M " + image, "mkfs.btrfs -q " + image,
		"mount -o loop " + image + " " + mounted} {
		if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
			t.Skipf("it takes root, btrfs-progs and a kernel with btrfs: %s: %v\n%s", line, err, out)
		}
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", mounted).CombinedOutput(); err != nil {
			t.Errorf("umount: %v\n%s", err, out)
		}
	})
	return mounted
}

func free(t *testing.T, folder string) uint64 {
	t.Helper()
	unix.Sync()
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		t.Fatal(err)
	}
	return s.Bfree * uint64(s.Bsize)
}

// TestAddWorktreeSharesLargeFiles holds what a new checkout has against its commit, whatever lies in the checkout that
// files are taken from, and the room that it takes.
func TestAddWorktreeSharesLargeFiles(t *testing.T) {
	root := sharing(t)
	b := newBoxAt(t, filepath.Join(root, "repo"), map[string]string{"small": "1\n"})
	const size = 8 << 20
	content := map[string][]byte{}
	put := func(name string) {
		content[name] = make([]byte, size)
		_, _ = rand.Read(content[name]) // it never fails
		if err := os.WriteFile(filepath.Join(b.Dir, name), content[name], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(b.Dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"as-it-is", "sub/run", "edited", "restored", "gone", "other", "replaced"} {
		put(name)
	}
	if err := os.Chmod(filepath.Join(b.Dir, "sub/run"), 0o755); err != nil {
		t.Fatal(err)
	}
	commit := b.Commit("large ones")
	wanted := map[string][]byte{}
	maps.Copy(wanted, content)
	put("other")
	put("added")
	b.Commit("the person is further")
	put("edited")
	restored := filepath.Join(b.Dir, "restored")
	was, err := os.Stat(restored)
	if err != nil {
		t.Fatal(err)
	}
	put("restored")
	if err := os.Chtimes(restored, was.ModTime(), was.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(b.Dir, "gone")); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(b.Dir, "replaced")
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("as-it-is", link); err != nil {
		t.Fatal(err)
	}

	before, made := free(t, root), filepath.Join(root, "made")
	if err := b.open().AddWorktree(t.Context(), made, "delegate/made", commit); err != nil {
		t.Fatal(err)
	}
	// Five of seven are git's to write: what was edited, restored, taken away or replaced, and one of another commit.
	if took := before - free(t, root); took > 6*size {
		t.Errorf("the checkout takes %d bytes of room; files of %d should be shared", took, 2*size)
	}
	for name, data := range wanted {
		got, err := os.ReadFile(filepath.Join(made, name))
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s is not what the commit has: %v", name, err)
		}
	}
	if status := b.Git("-C", made, "status", "--porcelain", "--ignored"); status != "" {
		t.Errorf("the new checkout: %q", status)
	}
	if info, err := os.Stat(filepath.Join(made, "sub/run")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("sub/run: %v, %v", info.Mode(), err)
	}
	staged := b.Git("-C", made, "ls-files", "--stage")
	if want := b.Git("ls-tree", "-r", "--format=%(objectmode) %(objectname) 0%x09%(path)", commit); staged != want {
		t.Errorf("index:\n%s\ncommit:\n%s", staged, want)
	}
	writeInto(t, filepath.Join(made, "as-it-is"))
	if got, err := os.ReadFile(filepath.Join(b.Dir, "as-it-is")); err != nil || !bytes.Equal(got, content["as-it-is"]) {
		t.Errorf("a write in the new checkout shows in the person's: %v", err)
	}
	if status := b.Git("-C", made, "status", "--porcelain"); strings.TrimSpace(status) != "M as-it-is" {
		t.Errorf("a write into a shared file is no change: %q", status)
	}
}

func writeInto(t *testing.T, name string) {
	t.Helper()
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte("agent"), 4096); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

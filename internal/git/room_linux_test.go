package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"delegate/internal/git"
	"delegate/internal/sys/atomicfile"
)

// TestFullDiskIsReported: git says of a reference that finds no room only that it could not be written.
func TestFullDiskIsReported(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Skip("no small disk can be made here: ", err)
	}
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	b := newBoxAt(t, filepath.Join(disk, "repo"), map[string]string{"a": "a\n"})
	r, head := b.open(), b.Git("rev-parse", "HEAD")
	create := git.RefUpdate{Ref: "refs/heads/other", New: head}
	left, err := atomicfile.Free(disk)
	if err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(disk, "filler")
	if err := os.WriteFile(filler, make([]byte, left), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.UpdateRefs(b.Context(), "test", create); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("without room: %v", err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := r.UpdateRefs(b.Context(), "test", create); err != nil {
		t.Errorf("with room: %v", err)
	}
	if err := r.UpdateRefs(b.Context(), "test", create); err == nil || errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a reference that exists, with room: %v", err)
	}
}

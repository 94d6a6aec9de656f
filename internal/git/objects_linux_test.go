package git_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// obeyModes makes the file modes count for the programs that this test starts, also when root runs it.
// The thread is never given back, so that no other test gets it.
func obeyModes(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	runtime.LockOSThread()
	for _, capability := range []uintptr{unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH} {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil {
			t.Skipf("root reads every file and may not give that up here: %v", err)
		}
	}
}

func TestSnapshotWithUnreadableFiles(t *testing.T) {
	for _, shut := range [][]string{{"secret", "old", "folder"}, {"secret"}, {"old"}, {"folder"}} {
		b := newBox(t, map[string]string{"f": "1\n", "old": "1\n", "gone": "g\n", "folder/kept": "1\n"})
		b.Write(map[string]string{"f": "2\n", "old": "22\n", "z": "z\n", "secret": "s\n", "folder/new": "n\n"})
		b.Remove("gone")
		want := []string{"100644 f", "100644 folder/kept", "100644 folder/new", "100644 old", "100644 secret",
			"100644 z"}
		for _, name := range shut {
			path := filepath.Join(b.Dir, name)
			if err := os.Chmod(path, 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(path, 0o700) })
			want = slices.DeleteFunc(want, func(s string) bool {
				return s == "100644 "+name || s == "100644 folder/new" && name == "folder"
			})
			if name == "old" { // what the commit has of it stays
				want = append(want, "100644 old")
				slices.Sort(want)
			}
		}
		r := b.open()
		obeyModes(t)
		tree, err := b.snapshot(r)
		equal(t, "tree", b.listing(incomplete(t, tree, err, shut...)), want)
	}
}

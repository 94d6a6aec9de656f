package git_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"delegate/internal/git"

	"golang.org/x/sys/unix"
)

// left is what a snapshot leaves out, as lines.
func left(t *testing.T, err error) (lines []string) {
	t.Helper()
	var incomplete *git.IncompleteError
	if !errors.As(err, &incomplete) {
		t.Fatalf("snapshot: %v", err)
	}
	for _, l := range incomplete.Left {
		lines = append(lines, fmt.Sprint(l.Path, " ", l.Size, " ", l.Why))
	}
	return lines
}

// sparse makes a file of that size in which nothing is.
func (b *box) sparse(name string, size int64) {
	b.Helper()
	b.Write(map[string]string{name: ""})
	if err := os.Truncate(filepath.Join(b.Dir, name), size); err != nil {
		b.Fatal(err)
	}
}

// TestSnapshotReadsNothingBeyondItsBounds holds that a tebibyte costs nothing, and that what the
// commit has in that size stays in.
func TestSnapshotReadsNothingBeyondItsBounds(t *testing.T) {
	const most = 1000
	large := string(make([]byte, 2*most))
	b := newBox(t, map[string]string{"asset": large, "grown": "small\n", "empty": "", "f": "1\n", ".gitignore": "*.o\n",
		"film": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5000\n"})
	b.Git("update-index", "--add", "--cacheinfo", "100644,"+b.Git("rev-parse", "HEAD:f")+",x.o")
	b.sparse("dir/[tera]", 1<<40)
	b.sparse("grown", 1<<40)
	b.sparse("empty", 1<<40)
	b.sparse("film", 5000)
	b.sparse("x.o", 1<<40)
	b.Write(map[string]string{"f": "2\n", "dir/new": "n\n"})
	begun := time.Now()
	tree, err := b.snapshot(b.open().Bounded(git.Bounds{File: most, Work: 1 << 40, Entries: 100}))
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
	equal(t, "left out", left(t, err), []string{"empty 1099511627776 file", "grown 1099511627776 file",
		"dir/[tera] 1099511627776 file", "x.o 1099511627776 file"})
	equal(t, "tree", b.listing(tree), []string{"100644 .gitignore", "100644 asset", "100644 dir/new", "100644 empty",
		"100644 f", "100644 film", "100644 grown"})
	if got := b.Git("cat-file", "blob", tree+":grown") + b.Git("cat-file", "blob", tree+":f"); got != "small2" {
		t.Errorf("the tree has %q", got)
	}
}

func TestSnapshotOfTooMuch(t *testing.T) {
	b := newBox(t, map[string]string{"asset": string(make([]byte, 5000)), "f": "1\n"})
	for i := range 20 {
		b.sparse(fmt.Sprintf("new/%02d", i), 900)
	}
	_, err := b.snapshot(b.open().Bounded(git.Bounds{File: 1000, Work: 17 * 1000}))
	equal(t, "left out for the sum", left(t, err), []string{"new/18 900 work", "new/19 900 work"})
	b.Write(map[string]string{"f": "2\n"})
	tree, err := b.snapshot(b.open().Bounded(git.Bounds{Entries: 10}))
	equal(t, "left out for the number", left(t, err), []string{". 10 entries"})
	equal(t, "tree", b.listing(tree), []string{"100644 asset", "100644 f"})
}

// TestSnapshotWaitsForNoLease holds that a lease on a file, which stops everybody who opens it, does not stop a look.
func TestSnapshotWaitsForNoLease(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	b.Write(map[string]string{"new": "n\n", "held": "h\n"})
	file, err := os.OpenFile(filepath.Join(b.Dir, "held"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		t.Skip("no leases here: ", err)
	}
	tree, err := b.snapshot(b.open().Bounded(git.Bounds{File: 1000}))
	equal(t, "left out", left(t, err), []string{"held 2 lease"})
	equal(t, "tree", b.listing(tree), []string{"100644 f", "100644 new"})
}

package git_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/git"
)

// plainIndex puts the box's index into the plain form.
func (b *box) plainIndex() (before string, err error) {
	b.Helper()
	file := filepath.Join(b.Dir, ".git", "index")
	data, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	plain, err := git.PlainIndex(data, len(b.Git("rev-parse", "HEAD"))/2, 1<<20)
	if err == nil {
		before = b.Git("ls-files", "--stage")
		err = os.WriteFile(file, plain, 0o600)
	}
	return before, err
}

// TestPlainIndexHasTheSameFiles holds that git finds the same files, ids and stages in the plain form of each index
// that it writes itself.
func TestPlainIndexHasTheSameFiles(t *testing.T) {
	for name, c := range map[string]struct {
		options []string
		make    func(*box)
	}{
		"version 2": {nil, func(*box) {}},
		"version 3": {nil, func(b *box) {
			b.Write(map[string]string{"meant": "m\n"})
			b.Git("add", "--intent-to-add", "meant")
			b.Git("update-index", "--skip-worktree", "f")
		}},
		"version 4": {nil, func(b *box) {
			b.Git("update-index", "--index-version", "4")
			b.Git("update-index", "--skip-worktree", "f")
		}},
		"SHA-256": {[]string{"--object-format=sha256"}, func(b *box) { b.Git("update-index", "--chmod=+x", "f") }},
		"long names": {nil, func(b *box) {
			for _, n := range []int{4090, 4094, 4095, 4096, 5000} {
				b.Git("update-index", "--add", "--cacheinfo", "100644,"+b.Git("rev-parse", "HEAD:f")+","+
					strings.Repeat("n/", n/2)+strings.Repeat("x", n%2+1))
			}
		}},
		"a conflict": {nil, func(b *box) {
			ours, theirs := b.fork(func() { b.Write(map[string]string{"f": "2\n"}) },
				func() { b.Write(map[string]string{"f": "3\n"}) })
			b.Git("checkout", "-q", "-f", ours)
			_, _ = b.Try("merge", "-q", theirs)
		}},
	} {
		b := newBox(t, map[string]string{"f": "1\n", "dir/one": "o\n", "dir/two": "t\n", oddFile: "q\n"}, c.options...)
		c.make(b)
		before, err := b.plainIndex()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		equal(t, name, strings.Split(b.Git("ls-files", "--stage"), "\n"), strings.Split(before, "\n"))
	}
}

// TestPlainIndexHasNoFolders holds that git has no tree to read for what an index says of a folder.
func TestPlainIndexHasNoFolders(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n", "dir/one": "o\n", "far/two": "t\n"})
	b.Git("sparse-checkout", "set", "--cone", "--sparse-index", "dir")
	if got := b.Git("ls-files", "--sparse"); strings.Contains(got, "far/two") {
		t.Fatalf("the index has %q, and no folder in place of its files", got)
	}
	if _, err := b.plainIndex(); err != nil {
		t.Fatal(err)
	}
	equal(t, "files", strings.Split(b.Git("ls-files"), "\n"), []string{"dir/one", "f"})
}

// TestPlainIndexRefuses what is none, and what a few bytes make large.
func TestPlainIndexRefuses(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	file := filepath.Join(b.Dir, ".git", "index")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"is none":           "DIRC garbage",
		"the version 5":     "DIRC\x00\x00\x00\x05" + string(whole[8:]),
		"ends too early":    string(whole[:8]) + "\x7f" + string(whole[9:]),
		"more than 1048576": manyNames(100, 1<<15),
	} {
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := b.plainIndex(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b.Remove(".git/index")
	b.Git("reset", "-q", "--hard")
	b.Git("update-index", "--split-index")
	if _, err := b.plainIndex(); err == nil || !strings.Contains(err.Error(), "split") {
		t.Errorf("a split index: %v", err)
	}
}

// manyNames is an index of version 4 of so many files whose names begin with the same bytes.
func manyNames(files, same int) string {
	entry := string(make([]byte, 24)) + "\x00\x00\x81\xa4" + string(make([]byte, 32)) + "\x0f\xff"
	index := "DIRC\x00\x00\x00\x04" + string(binary.BigEndian.AppendUint32(nil, uint32(files)))
	index += entry + "\x00" + strings.Repeat("n", same) + "0000\x00"
	for i := 1; i < files; i++ {
		index += entry + "\x04" + string(rune('0'+i/1000%10)) + string(rune('0'+i/100%10)) + string(rune('0'+i/10%10)) +
			string(rune('0'+i%10)) + "\x00"
	}
	return index + string(make([]byte, 20))
}

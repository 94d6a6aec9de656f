//go:build linux || darwin

package git_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git"
)

// TestFilesAreThoseOfGit holds what is read of a commit without git against git's own list, and sees when git is asked.
func TestFilesAreThoseOfGit(t *testing.T) {
	many := map[string]string{}
	for i := range 120 {
		many[fmt.Sprintf("d%d/f", i)] = ""
	}
	for name, c := range map[string]struct {
		files     map[string]string
		change    func(b *box)
		processes []string
	}{
		"usual": {map[string]string{"a": "1\n", "b/c": "2\n", "b/d/e": "3\n", "b.c": "4\n", "empty": ""},
			func(b *box) {
				b.Git("update-index", "--chmod=+x", "a")
				b.Git("update-index", "--add", "--cacheinfo", "160000,"+b.Git("rev-parse", "HEAD")+",sub")
				b.Git("commit", "-qm", "modes")
			}, nil},
		"packed":       {map[string]string{"a": "1\n"}, func(b *box) { b.Git("repack", "-adq") }, []string{"ls-tree"}},
		"many folders": {many, func(*box) {}, []string{"ls-tree"}},
		"a damaged folder": {map[string]string{"a/b": "1\n", "c": "2\n"}, func(b *box) {
			b.damage(b.Git("rev-parse", "HEAD:a"), func([]byte) []byte { return nil })
		}, []string{"ls-tree"}},
		"an odd mode": {map[string]string{"a": "1\n"}, func(b *box) {
			b.commitTreeOf("100664 a\x00")
		}, []string{"ls-tree"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, c.files)
			c.change(b)
			head := b.Git("rev-parse", "HEAD")
			r, log := b.open(), watchGit(t, "")
			got, err := r.Entries(t.Context(), head)
			processes := slices.DeleteFunc(log(), func(sub string) bool { return sub == "config" })
			var want []git.Entry
			out, wantErr := r.Files(t.Context(), head)
			for _, path := range out {
				line := b.Git("ls-tree", head, "--", path)
				e := git.Entry{Path: path}
				if _, err := fmt.Sscanf(line, "%o %s", &e.Mode, new(string)); err != nil {
					t.Fatal(err)
				}
				e.ID = strings.Fields(line)[2]
				want = append(want, e)
			}
			if (err == nil) != (wantErr == nil) || err == nil && !slices.Equal(got, want) {
				t.Errorf("entries %v, %v; git lists %v, %v", got, err, want, wantErr)
			}
			equal(t, "processes", processes, c.processes)
		})
	}
}

// commitTreeOf commits a tree with one entry, whose name and mode git itself would not write, for the file of HEAD.
func (b *box) commitTreeOf(entry string) {
	b.Helper()
	id, err := hex.DecodeString(b.Git("rev-parse", "HEAD:a"))
	if err != nil {
		b.Fatal(err)
	}
	b.Write(map[string]string{"../tree": entry + string(id)})
	tree := b.Git("hash-object", "-t", "tree", "-w", "--literally", "../tree")
	b.Git("update-ref", "HEAD", b.Git("commit-tree", tree, "-m", "odd"))
}

// A file of HEAD, references that are not there and objects in files of their own take no git; what lies in packs does.
func TestWhatTakesNoGit(t *testing.T) {
	b := newBox(t, map[string]string{"docs/a": "1\n", "empty": ""})
	blob := b.Git("rev-parse", "HEAD:docs/a")
	b.Git("branch", "delegate/x")
	for _, packed := range []bool{false, true} {
		want := []string{"config"}
		if packed {
			b.Git("repack", "-adq")
			want = append(want, "cat-file")
		}
		log := watchGit(t, "")
		r := b.open()
		for ref, there := range map[string]bool{"refs/heads/delegate": false, "refs/heads/none": false,
			"refs/heads/delegate/x": true} {
			if _, found, err := r.Ref(t.Context(), ref); err != nil || found != there {
				t.Errorf("%s is there: %v, %v", ref, found, err)
			}
		}
		contents := map[string][]byte{"docs/a": []byte("1\n"), "empty": {}, "docs/b": nil, "none/at/all": nil}
		for path, content := range contents {
			f := git.TrackedFile{Path: path, Open: func() (*git.Repo, error) { return r, nil }}
			got, err := f.InHead(t.Context())
			if err != nil || !bytes.Equal(got, content) || (got == nil) != (content == nil) {
				t.Errorf("%s is %q, %v", path, got, err)
			}
		}
		blobs := openBlobs(t, r)
		if data, kind, err := blobs.Read(blob, 10); err != nil || string(data) != "1\n" || kind != "blob" {
			t.Errorf("%q, %s, %v", data, kind, err)
		}
		if err := blobs.Close(); err != nil {
			t.Error(err)
		}
		seen := map[string]bool{}
		for _, sub := range log() {
			seen[sub] = true
		}
		equal(t, "processes", slices.Sorted(maps.Keys(seen)), slices.Sorted(slices.Values(want)))
	}
}

//go:build linux || darwin

package git_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"delegate/internal/git"
)

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

package takeover_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/git/gittest"
)

// FuzzTakeOver spoils one thing that an agent made, or gives its branch an object of any content, and takes over. The
// repository stays sound, and none of its references but the agent's own moves.
func FuzzTakeOver(f *testing.F) {
	const (
		replaceFile = iota
		spoilByte
		cutFile
		pointAtObject
		commitTree
		actions
	)
	tree := "100644 f\x00" + strings.Repeat("\x01", 20)
	for _, seed := range []struct {
		action, file byte
		at           uint16
		data         string
	}{
		{replaceFile, 0, 0, ""},
		{replaceFile, 3, 0, "ref: refs/heads/main\n"}, {spoilByte, 1, 7, "\xff"}, {cutFile, 2, 5, ""},
		{pointAtObject, 0, 0, "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\n"},
		{commitTree, 0, 0, tree}, {commitTree, 0, 0, "40000 .git\x00" + strings.Repeat("\x02", 20)},
		{commitTree, 0, 0, "100644 ../x\x00" + strings.Repeat("\x00", 20) + "cut"},
	} {
		f.Add(seed.action, seed.file, seed.at, seed.data)
	}
	f.Fuzz(func(t *testing.T, action, file byte, at uint16, data string) {
		i := newBox(t, map[string]string{"f": "1\n"}).fenced()
		i.Commit(map[string]string{"dir/new": "new\n"})
		name := i.files()[int(file)%len(i.files())]
		was := (&box{gittest.In(t, i.q.Folder)}).Text(name)
		where := min(int(at), len(was))
		switch action % actions {
		case replaceFile:
			i.put(name, data)
		case spoilByte:
			i.put(name, was[:where]+data+was[min(len(was), where+len(data)):])
		case cutFile:
			i.put(name, was[:where])
		case pointAtObject:
			i.putRef(i.feed(data, "hash-object", "-w", "--literally", "-t", "commit", "--stdin"))
		case commitTree:
			id := i.feed(data, "hash-object", "-w", "--literally", "-t", "tree", "--stdin")
			i.putRef(i.feed("tree "+id+"\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nit\n",
				"hash-object", "-w", "-t", "commit", "--stdin"))
		}
		others := func() string {
			var kept []string
			for line := range strings.Lines(i.b.Git("for-each-ref")) {
				if !strings.Contains(line, branch) {
					kept = append(kept, line)
				}
			}
			return strings.Join(kept, "")
		}
		before := others()
		_, err := i.c.TakeOver(withTimeLimit(t), i.q)
		if after := others(); after != before {
			t.Errorf("taking over (%v) made the references\n%s\nof\n%s", err, after, before)
		}
		i.sound()
	})
}

// files are those that the agent's git made, by their names below the quarantine.
func (i *inside) files() (names []string) {
	i.Helper()
	err := filepath.WalkDir(i.q.Folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(i.q.Folder, path)
		names = append(names, name)
		return err
	})
	if err != nil || len(names) == 0 {
		i.Fatalf("the agent's git made no files: %v", err)
	}
	return names
}

// putRef makes the agent's branch a commit, as its git would not.
func (i *inside) putRef(id string) {
	i.Helper()
	i.put(filepath.Join("refs", filepath.Base(branch)), id+"\n")
}

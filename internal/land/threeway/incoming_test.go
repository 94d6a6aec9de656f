//go:build linux

package threeway

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
)

// side is what one side makes of the files: "" deletes, "-> x" links, "name/" makes a folder's file.
type side map[string]string

// meet merges what two sides made of the same base.
func meet(t *testing.T, base, ours, theirs side) (Incoming, *git.Repo, string) {
	t.Helper()
	dir := t.TempDir()
	run := gittest.In(t, dir).Git
	commit := func(files side) string {
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			target, isLink := strings.CutPrefix(text, "-> ")
			var err error
			switch {
			case text == "":
				continue
			case isLink:
				err = os.Symlink(target, path)
			default:
				if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
					err = os.WriteFile(path, []byte(text), 0o644)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		run("add", "--all")
		run("commit", "-q", "--allow-empty", "-m", "c")
		return run("rev-parse", "HEAD")
	}
	run("init", "-q", "-b", "main")
	run("config", "user.name", "Ada")
	run("config", "user.email", "ada@example.com")
	run("config", "merge.own.driver", "true")
	from := commit(base)
	we := commit(ours)
	run("checkout", "-q", "-B", "theirs", from)
	they := commit(theirs)
	repo, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	in, err := MergeForAgent(t.Context(), repo, [2]string{we, they}, [2]string{"AGT-002", "main"})
	if err != nil {
		t.Fatal(err)
	}
	return in, repo, run("ls-tree", "-r", "--name-only", in.Tree)
}

func TestMergeForAgent(t *testing.T) {
	for name, c := range map[string]struct {
		base, ours, theirs side
		want               map[string]string // content in the tree
		marked, odd        string            // what is said, "" for nothing
		files              string
	}{
		"clean": {side{"a": "1\n", "b": "1\n"}, side{"a": "2\n"}, side{"b": "2\n"},
			map[string]string{"a": "2\n", "b": "2\n"}, "", "", "a\nb"},
		"same lines": {side{"a": "top\n1\nend\n"}, side{"a": "top\n2\nend\n"}, side{"a": "top\n3\nend\n"},
			map[string]string{"a": "top\n<<<<<<< AGT-002\n2\n||||||| before\n1\n=======\n3\n>>>>>>> main\nend\n"},
			"a (lines 2-8)", "", "a"},
		"both added": {side{"x": "x\n"}, side{"a": "2\n"}, side{"a": "3\n"},
			map[string]string{"a": "<<<<<<< AGT-002\n2\n||||||| before\n=======\n3\n>>>>>>> main\n"}, "a (lines 1-6)",
			"", "a\nx"},
		"they deleted": {side{"a": "1\n", "x": "x\n"}, side{"a": "2\n"}, side{"a": ""}, map[string]string{"a": "2\n"},
			"", "a: main deleted it, you changed it", "a\nx"},
		"you deleted": {side{"a": "1\n", "x": "x\n"}, side{"a": ""}, side{"a": "3\n"}, map[string]string{"a": "3\n"},
			"", "a: you deleted it, main changed it", "a\nx"},
		"binary": {side{"a": "1\x00"}, side{"a": "2\x00"}, side{"a": "3\x00"}, map[string]string{"a": "2\x00"},
			"", "a: you and main changed it, and it is no text", "a"},
		"links": {side{"a": "-> 1"}, side{"a": "-> 2"}, side{"a": "-> 3"}, map[string]string{"a": "2"}, "",
			"a: you and main changed it", "a"},
		"your link": {side{"x": "x\n"}, side{"a": "-> 2"}, side{"a": "3\n"}, map[string]string{"a": "2"}, "",
			"a: you and main have things of different kinds", "a\nx"},
		"their link": {side{"x": "x\n"}, side{"a": "2\n"}, side{"a": "-> 3"}, map[string]string{"a": "2\n"}, "",
			"a: you and main have things of different kinds", "a\nx"},
		"your folder": {side{"x": "x\n"}, side{"a/f": "2\n"}, side{"a": "3\n"}, map[string]string{"a/f": "2\n"}, "",
			"a: you and main have things of different kinds", "a/f\nx"},
		"their folder": {side{"x": "x\n"}, side{"a": "2\n"}, side{"a/f": "3\n"}, map[string]string{"a/f": "3\n"}, "",
			"yours: git show", "a/f\nx"},
		"driver": {side{"a": "1\n\n\n\nx\n", ".gitattributes": "a merge=own\n"}, side{"a": "2\n\n\n\nx\n"},
			side{"a": "1\n\n\n\ny\n"}, map[string]string{"a": "2\n\n\n\ny\n"}, "", "line by line", ".gitattributes\na"},
		"renamed by you": {side{"a": "top\n1\nmiddle\nend\n"}, side{"a": "", "b": "top\n2\nmiddle\nend\n"},
			side{"a": "top\n3\nmiddle\nend\n"},
			map[string]string{"b": "top\n<<<<<<< AGT-002\n2\n||||||| before\n1\n=======\n3\n>>>>>>> main\n" +
				"middle\nend\n"}, "b (lines 2-8)", "", "b"},
		"renamed twice": {side{"a": "top\n1\nmiddle\nend\n"}, side{"a": "", "b": "top\n1\nmiddle\nend\n"},
			side{"a": "", "c": "top\n1\nmiddle\nend\n"}, map[string]string{}, "", "AGT-002", "b\nc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, repo, files := meet(t, c.base, c.ours, c.theirs)
			if files != c.files {
				t.Errorf("files %q, want %q", files, c.files)
			}
			blobs := repo.OpenBlobs(t.Context())
			defer blobs.Close()
			for path, want := range c.want {
				if got, _, err := blobs.Read(in.Tree+":"+path, 1<<20); string(got) != want {
					t.Errorf("%s is %q, %v; want %q", path, got, err, want)
				}
			}
			said := ""
			for _, m := range in.Marked {
				said += m.String()
			}
			if said != c.marked {
				t.Errorf("marked %q, want %q", said, c.marked)
			}
			odd := strings.Join(in.Odd, "\n")
			if (odd == "") != (c.odd == "") || !strings.Contains(odd, c.odd) {
				t.Errorf("said %q, want something of %q", odd, c.odd)
			}
		})
	}
}

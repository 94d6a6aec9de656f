package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/git"
)

func TestEditTree(t *testing.T) {
	b := newBox(t, map[string]string{"a": "a\n", "d/x": "x\n", "d/y": "y\n", "f": "f\n", oddFile: "odd\n"})
	r, ctx := b.open(), t.Context()
	tree := b.Git("rev-parse", "HEAD^{tree}")
	id := b.whole(r.WriteBlob(ctx, []byte("new\r\n")))
	if got := b.Git("cat-file", "blob", id); got != "new\r" {
		t.Errorf("blob %q", got)
	}
	for name, c := range map[string]struct {
		edits []git.Entry
		want  []string
	}{
		"nothing": {nil, []string{"100644 a", "100644 d/x", "100644 d/y", "100644 f",
			"100644 " + oddFile}},
		"other content, mode": {[]git.Entry{{Mode: 0o100755, ID: id, Path: "a"}},
			[]string{"100755 a", "100644 d/x", "100644 d/y", "100644 f", "100644 " + oddFile}},
		"a link in a folder": {[]git.Entry{{Mode: 0o120000, ID: id, Path: "n/l"}},
			[]string{"100644 a", "100644 d/x", "100644 d/y", "100644 f", "120000 n/l", "100644 " + oddFile}},
		"gone": {[]git.Entry{{Path: "a"}, {Path: oddFile}, {Path: "never"}},
			[]string{"100644 d/x", "100644 d/y", "100644 f"}},
		"a file for a folder": {[]git.Entry{{Mode: 0o100644, ID: id, Path: "d"}},
			[]string{"100644 a", "100644 d", "100644 f", "100644 " + oddFile}},
		"a folder for a file": {[]git.Entry{{Mode: 0o100644, ID: id, Path: "f/in/side"}},
			[]string{"100644 a", "100644 d/x", "100644 d/y", "100644 f/in/side", "100644 " + oddFile}},
		"all of a folder gone": {[]git.Entry{{Path: "d/x"}, {Path: "d/y"}},
			[]string{"100644 a", "100644 f", "100644 " + oddFile}},
	} {
		t.Run(name, func(t *testing.T) {
			got := b.whole(r.EditTree(ctx, tree, c.edits))
			equal(t, "entries", b.listing(got), c.want)
			entries, err := r.Entries(ctx, got)
			if err != nil || len(entries) != len(c.want) || entries[0].Path != c.want[0][7:] {
				t.Errorf("Entries: %+v, %v", entries, err)
			}
		})
	}
	if got := b.Git("status", "--porcelain"); got != "" {
		t.Errorf("the checkout or its index changed: %s", got)
	}
	if _, err := r.EditTree(ctx, tree, []git.Entry{{Mode: 0o100644, ID: id, Path: "../x"}}); err == nil {
		t.Error("a path that leaves the tree is taken")
	}
	empty := b.whole(r.EmptyTree(ctx))
	equal(t, "from nothing", b.listing(b.whole(r.EditTree(ctx, empty,
		[]git.Entry{{Mode: 0o100644, ID: id, Path: "k/v"}}))), []string{"100644 k/v"})
}

func TestMergeFile(t *testing.T) {
	b := newBox(t, map[string]string{".gitattributes": "* -merge\n"})
	b.Git("config", "merge.conflictStyle", "merge")
	r, ctx := b.open(), t.Context()
	for name, c := range map[string]struct {
		base, ours, theirs string
		marker             int
		want               string
		conflicts          int
	}{
		"clean": {"1\n2\n3\n4\n", "one\n2\n3\n4\n", "1\n2\n3\nfour\n", 0, "one\n2\n3\nfour\n", 0},
		"same":  {"1\n", "2\n", "2\n", 0, "2\n", 0},
		"clash": {"1\n2\n", "1\nA\n", "1\nB\n", 0,
			"1\n<<<<<<< ours\nA\n||||||| base\n2\n=======\nB\n>>>>>>> theirs\n", 1},
		"long marker": {"2\n", "A\n", "B\n", 9,
			"<<<<<<<<< ours\nA\n||||||||| base\n2\n=========\nB\n>>>>>>>>> theirs\n", 1},
		"no base":     {"", "A\n", "B\n", 0, "<<<<<<< ours\nA\n||||||| base\n=======\nB\n>>>>>>> theirs\n", 1},
		"no line end": {"2", "A", "B", 0, "<<<<<<< ours\nA\n||||||| base\n2\n=======\nB\n>>>>>>> theirs\n", 1},
		"CRLF": {"2\r\n", "A\r\n", "B\r\n", 0,
			"<<<<<<< ours\r\nA\r\n||||||| base\r\n2\r\n=======\r\nB\r\n>>>>>>> theirs\r\n", 1},
		"two": {"1\n2\n3\n4\n5\n", "a\n2\n3\n4\nb\n", "x\n2\n3\n4\ny\n", 0, "<<<<<<< ours\na\n||||||| base\n1\n" +
			"=======\nx\n>>>>>>> theirs\n2\n3\n4\n<<<<<<< ours\nb\n||||||| base\n5\n=======\ny\n>>>>>>> theirs\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			got, n, err := r.MergeFile(ctx,
				git.FileMerge{Sides: [3][]byte{[]byte(c.base), []byte(c.ours), []byte(c.theirs)}, Marker: c.marker})
			if err != nil || string(got) != c.want || n != c.conflicts {
				t.Errorf("%q, %d, %v; want %q, %d", got, n, err, c.want, c.conflicts)
			}
		})
	}
	if _, _, err := r.MergeFile(ctx, git.FileMerge{
		Sides: [3][]byte{[]byte("\x00"), []byte("\x00a"), []byte("\x00b")}}); err == nil {
		t.Error("binary content is merged")
	}
	many := func(s string) []byte { return []byte(strings.Repeat(s+"\n-\n-\n-\n-\n-\n", 200)) }
	if _, n, err := r.MergeFile(ctx, git.FileMerge{Sides: [3][]byte{many("a"), many("b"), many("c")}}); err != nil ||
		n == 0 {
		t.Errorf("200 places: %d, %v", n, err)
	}
}

func TestEditor(t *testing.T) {
	b := newBox(t, nil)
	r := b.open()
	t.Setenv("GIT_EDITOR", "")
	os.Unsetenv("GIT_EDITOR")
	t.Setenv("VISUAL", "visual --wait")
	t.Setenv("EDITOR", "editor")
	for _, step := range []struct{ do, want string }{{"", "visual --wait"}, {"core.editor", "configured -f"}} {
		if step.do != "" {
			b.Git("config", step.do, step.want)
		}
		if got, err := r.Editor(t.Context()); got != step.want || err != nil {
			t.Errorf("editor %q, %v; want %q", got, err, step.want)
		}
	}
}

func TestRunTool(t *testing.T) {
	b := newBox(t, nil)
	r, ctx := b.open(), t.Context()
	if name, err := r.Tool(ctx); name != "" || err != nil {
		t.Errorf("tool %q, %v where none is configured", name, err)
	}
	b.Git("config", "merge.tool", "mine")
	b.Git("config", "mergetool.mine.trustExitCode", "true")
	name, err := r.Tool(ctx)
	if name != "mine" || err != nil {
		t.Errorf("tool %q, %v", name, err)
	}
	m := git.ToolMerge{Tool: name, Name: "+a b'.go", Marked: []byte("marked\n"),
		Sides: [3][]byte{[]byte("b\n"), []byte("o\r\n"), []byte("t\n")}}
	seen := filepath.Join(t.TempDir(), "seen")
	t.Setenv("SEEN", seen)
	b.Git("config", "mergetool.mine.cmd",
		`cat "$MERGED" "$BASE" "$LOCAL" "$REMOTE" >"$SEEN"; echo "$MERGED" >>"$SEEN"; echo done >"$MERGED"`)
	data, err := r.RunTool(ctx, m)
	if string(data) != "done\n" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if got, _ := os.ReadFile(seen); !strings.HasPrefix(string(got), "marked\nb\no\r\nt\n") ||
		!strings.HasSuffix(string(got), "\nmerge/+a b'.go\n") {
		t.Errorf("the tool saw %q", got)
	}
	b.Git("config", "mergetool.mine.cmd", "exit 3")
	if data, err := r.RunTool(ctx, m); data != nil {
		t.Errorf("a tool that fails gives %q", data)
	} else {
		wantErr(t, err, git.ErrToolLeft)
	}
	m.Tool = "there is no such tool"
	_, err = r.RunTool(ctx, m)
	wantErr(t, err, git.ErrToolLeft)
	if got := b.Git("status", "--porcelain"); got != "" {
		t.Errorf("the checkout changed: %s", got)
	}
}

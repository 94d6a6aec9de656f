package change_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"delegate/change"
)

func diff(t *testing.T, f change.File, old, new string, o change.DiffOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := change.Diff(&b, f, []byte(old), []byte(new), o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDiffText(t *testing.T) {
	const file, script, link, module = change.ModeFile, change.ModeExecutable, change.ModeSymlink, change.ModeSubmodule
	idA, idB := strings.Repeat("a", 40), strings.Repeat("b", 40)
	for name, c := range map[string]struct {
		file     change.File
		old, new string
		want     string
	}{
		"modified": {change.File{Path: "f", Kind: change.Modified, OldMode: file, NewMode: file, OldID: idA,
			NewID: idB},
			"1\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n",
			"diff --git a/f b/f\nindex aaaaaaa..bbbbbbb 100644\n--- a/f\n+++ b/f\n@@ -2,4 +2,4 @@\n" +
				" 2\n 3\n 4\n-5\n+five\n"},
		"added": {change.File{Path: "f", Kind: change.Added, NewMode: script, NewID: idB}, "", "x\n",
			"diff --git a/f b/f\nnew file mode 100755\nindex 0000000..bbbbbbb\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 " +
				"@@\n+x\n"},
		"added empty": {change.File{Path: "f", Kind: change.Added, NewMode: file, NewID: idB}, "", "",
			"diff --git a/f b/f\nnew file mode 100644\nindex 0000000..bbbbbbb\n"},
		"deleted without newline": {change.File{Path: "f", Kind: change.Deleted, OldMode: file}, "x", "",
			"diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline " +
				"at end of file\n"},
		"mode only": {change.File{Path: "f", Kind: change.ModeChanged, OldMode: file, NewMode: script, OldID: idA,
			NewID: idA}, "x\n", "x\n",
			"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"},
		"renamed": {change.File{Path: "new name", OldPath: "old\tname", Kind: change.Renamed, OldMode: file,
			NewMode: file}, "x\n", "x\n",
			"diff --git \"a/old\\tname\" b/new name\nsimilarity index 100%\nrename from \"old\\tname\"\nrename to " +
				"new name\n"},
		"blank in the name": {change.File{Path: "a b", Kind: change.Modified, OldMode: file, NewMode: file}, "x\n",
			"y\n",
			"diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n@@ -1 +1 @@\n-x\n+y\n"},
		"odd name": {change.File{Path: "ü\"\\\x01\xff\u202e", Kind: change.ModeChanged, OldMode: file, NewMode: script},
			"", "",
			"diff --git \"a/ü\\\"\\\\\\001\\377\\342\\200\\256\" \"b/ü\\\"\\\\\\001\\377\\342\\200\\256\"\nold mode " +
				"100644\nnew mode 100755\n"},
		"binary": {change.File{Path: "f", Kind: change.Added, NewMode: file, NewID: idB}, "", "\x00",
			"diff --git a/f b/f\nnew file mode 100644\nindex 0000000..bbbbbbb\n" +
				"Binary files /dev/null and b/f differ\n"},
		"submodule": {change.File{Path: "m", Kind: change.Modified, OldMode: module, NewMode: module, OldID: idA,
			NewID: idB}, "", "",
			"diff --git a/m b/m\nindex aaaaaaa..bbbbbbb 160000\n--- a/m\n+++ b/m\n@@ -1 +1 @@\n-Subproject commit " +
				idA + "\n+Subproject commit " + idB + "\n"},
		"file to link": {change.File{Path: "f", Kind: change.TypeChanged, OldMode: file, NewMode: link}, "x\n", "to",
			"diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n" +
				"diff --git a/f b/f\nnew file mode 120000\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+to\n\\ No newline " +
				"at end of file\n"},
	} {
		if got := diff(t, c.file, c.old, c.new, change.DiffOptions{}); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, c.want)
		}
	}
}

func TestDiffContext(t *testing.T) {
	old, new := strings.Repeat("x\n", 20)+"a\n", "b\n"+strings.Repeat("x\n", 20)
	f := change.File{Path: "f", Kind: change.Modified}
	for context, want := range map[int]int{-1: 2, 0: 8, 3: 8, 10: 22, 99: 22} {
		got := diff(t, f, old, new, change.DiffOptions{Context: context})
		if lines := strings.Count(got, "\n x") + strings.Count(got, "\n-a") +
			strings.Count(got, "\n+b"); lines != want {
			t.Errorf("context %d: %d lines of body, want %d:\n%s", context, lines, want, got)
		}
	}
}

// TestDiffSharesHeaders holds that changes share a header as long as their contexts touch, as in git.
func TestDiffSharesHeaders(t *testing.T) {
	for apart, want := range map[int]int{1: 1, 5: 1, 6: 1, 7: 2} {
		between := strings.Repeat("x\n", apart)
		got := diff(t, change.File{Path: "f", Kind: change.Modified}, "a\n"+between+"b\n", "A\n"+between+"B\n",
			change.DiffOptions{})
		if headers := strings.Count(got, "\n@@ "); headers != want {
			t.Errorf("%d lines apart: %d headers, want %d", apart, headers, want)
		}
	}
}

func TestDiffForTerminals(t *testing.T) {
	f := change.File{Path: "f", Kind: change.Modified}
	old, new := "keep\tthis\nplain\n", "keep\tthis\n\x1b[2J\u202eevil\u009b\r\n"
	shown := diff(t, f, old, new, change.DiffOptions{Color: change.Visible})
	if want := "+^[[2J<U+202E>evil<U+009B>^M\n"; !strings.Contains(shown, want) || strings.Contains(shown, "\x1b") {
		t.Errorf("visible diff %q lacks %q", shown, want)
	}
	colored := diff(t, f, old, new, change.DiffOptions{Color: change.Colored})
	for _, want := range []string{"\x1b[31m-plain\x1b[m\n", "\x1b[36m@@ -1,2 +1,2 @@\x1b[m\n", "\n keep\tthis\n",
		"\x1b[1m--- a/f\x1b[m\n"} {
		if !strings.Contains(colored, want) {
			t.Errorf("coloured diff %q lacks %q", colored, want)
		}
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestDiffErrors(t *testing.T) {
	if err := change.Diff(brokenWriter{}, change.File{Path: "f", Kind: change.Modified}, nil, []byte("x\n"),
		change.DiffOptions{}); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want that of the writer", err)
	}
	if err := change.Diff(&bytes.Buffer{}, change.File{}, nil, nil, change.DiffOptions{}); err == nil {
		t.Error("a file without a path was accepted")
	}
}

// side is a file on disk; an empty mode means that it is absent.
type side struct {
	path string
	mode uint32
	text string
}

// TestGitApplies gives patches to git and looks at what it makes of them.
func TestGitApplies(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs git and a file system with links and odd names")
	}
	const file, script, link = change.ModeFile, change.ModeExecutable, change.ModeSymlink
	text := strings.Join(numbered(60), "")
	edited := strings.Replace(strings.Replace(text, "line 3\n", "", 1), "line 50\n", "fifty\nfifty one\n", 1)
	cases := map[string][2]side{
		"modified":           {{"f", file, text}, {"f", file, edited}},
		"added":              {{}, {"dir/f", file, text}},
		"added empty":        {{}, {"f", file, ""}},
		"deleted":            {{"f", file, text}, {}},
		"deleted empty":      {{"f", file, ""}, {}},
		"made executable":    {{"f", file, text}, {"f", script, text}},
		"both":               {{"f", file, text}, {"f", script, edited}},
		"renamed":            {{"f", file, text}, {"g", file, text}},
		"renamed and edited": {{"f", file, text}, {"dir/g h", script, edited}},
		"no final newline":   {{"f", file, text + "end"}, {"f", file, text + "END"}},
		"newline added":      {{"f", file, text + "end"}, {"f", file, text + "end\n"}},
		"carriage returns":   {{"f", file, "a\r\nb\r\n"}, {"f", file, "a\r\nB\r\n"}},
		"odd bytes":          {{"f", file, "a\xff\x1b[m\n"}, {"f", file, "a\xfe\x1b[m\n"}},
		"odd name":           {{"ü \"\\\x01\n", file, text}, {"ü \"\\\x01\n", file, edited}},
		"odd rename":         {{"a b", file, text}, {"t\tab", file, edited}},
		"name with blank":    {{"a b ", file, text}, {"a b ", file, edited}},
		"link retargeted":    {{"l", link, "old"}, {"l", link, "new"}},
		"file to link":       {{"f", file, text}, {"f", link, "new"}},
		"link to file":       {{"f", link, "new"}, {"f", script, text}},
		"link added":         {{}, {"l", link, "target"}},
	}
	random := rand.New(rand.NewPCG(5, 6))
	for n := range 20 {
		var old, new strings.Builder
		for range 40 {
			fmt.Fprintf(&old, "%d\n", random.IntN(9))
			fmt.Fprintf(&new, "%d\n", random.IntN(9))
		}
		cases[fmt.Sprint("random ", n)] = [2]side{{"f", file, old.String()}, {"f", file, new.String()[1:]}}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { applyWithGit(t, c[0], c[1]) })
	}
}

func applyWithGit(t *testing.T, old, new side) {
	f := change.File{Path: new.path, OldMode: old.mode, NewMode: new.mode, Kind: change.Modified}
	switch {
	case old.mode == 0:
		f.Kind = change.Added
	case new.mode == 0:
		f.Kind, f.Path = change.Deleted, old.path
	case old.path != new.path:
		f.Kind, f.OldPath = change.Renamed, old.path
	}
	text := diff(t, f, old.text, new.text, change.DiffOptions{})
	dir := t.TempDir()
	git(t, dir, "", "init", "-q")
	git(t, dir, "", "config", "core.autocrlf", "false")
	if old.mode != 0 {
		write(t, filepath.Join(dir, old.path), old)
	}
	git(t, dir, text, "apply", "--whitespace=nowarn", "-")
	if old.path != new.path && old.mode != 0 {
		if _, err := os.Lstat(filepath.Join(dir, old.path)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%q is still there", old.path)
		}
	}
	if new.mode != 0 {
		expect(t, filepath.Join(dir, new.path), new)
	}
}

func git(t *testing.T, dir, input string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(input)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s\n%s", args, err, out, input)
	}
}

func write(t *testing.T, path string, s side) {
	t.Helper()
	var err error
	if s.mode == change.ModeSymlink {
		err = os.Symlink(s.text, path)
	} else {
		err = os.WriteFile(path, []byte(s.text), os.FileMode(s.mode&0o777))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, path string, want side) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if info.Mode()&os.ModeSymlink != 0 {
		got, err = os.Readlink(path)
	} else {
		var data []byte
		data, err = os.ReadFile(path)
		got = string(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	if isLink := info.Mode()&os.ModeSymlink != 0; isLink != (want.mode == change.ModeSymlink) {
		t.Errorf("mode %v, want %o", info.Mode(), want.mode)
	}
	if !info.IsDir() && want.mode&0o777 != 0 && info.Mode().Perm()&0o100 != os.FileMode(want.mode)&0o100 {
		t.Errorf("permissions %v, want %o", info.Mode(), want.mode)
	}
	if got != want.text {
		t.Errorf("content %q, want %q", got, want.text)
	}
}

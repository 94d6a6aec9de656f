package git_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"delegate/change"
	"delegate/internal/git"
)

func TestChangesOfEveryKind(t *testing.T) {
	inner := newBox(t, map[string]string{"f": "1"})
	long := "1\n2\n3\n4\n5\n6\n7\n8\n"
	b := newBox(t, map[string]string{
		"edit": "a\nb\n", "gone": "x\n", "from": long, "mode": "m\n", "type": "t\n", "folder": "was a file\n",
		"bin": "\x00\x01", "image": "no binary\n",
		".gitattributes": "image -diff\n",
	})
	from := b.Git("rev-parse", "HEAD")
	b.Write(map[string]string{"edit": "a\nc\nd\n", "new": "n\n", "bin": "\x00\x02", "image": "really\n"})
	for _, name := range []string{"gone", "type", "folder"} {
		b.Remove(name)
	}
	b.Write(map[string]string{"folder/inside": "f\n", "to": long + "9\n"})
	b.Remove("from")
	b.Link("edit", "type")
	if err := os.Chmod(filepath.Join(b.Dir, "mode"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.Dir, "sub")
	to := b.Commit("second")

	files, err := b.open().Changes(t.Context(), from, to, git.DetectRenames)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []change.File{
		{Path: "edit", Kind: change.Modified, OldMode: 0o100644, NewMode: 0o100644, Insertions: 2, Deletions: 1},
		{Path: "gone", Kind: change.Deleted, OldMode: 0o100644, Deletions: 1},
		{Path: "new", Kind: change.Added, NewMode: 0o100644, Insertions: 1},
		{Path: "to", OldPath: "from", Kind: change.Renamed, OldMode: 0o100644, NewMode: 0o100644, Insertions: 1},
		{Path: "mode", Kind: change.ModeChanged, OldMode: 0o100644, NewMode: 0o100755},
		{Path: "type", Kind: change.TypeChanged, OldMode: 0o100644, NewMode: 0o120000, Insertions: 1, Deletions: 1},
		{Path: "folder", Kind: change.Deleted, OldMode: 0o100644, Deletions: 1},
		{Path: "folder/inside", Kind: change.Added, NewMode: 0o100644, Insertions: 1},
		{Path: "bin", Kind: change.Modified, OldMode: 0o100644, NewMode: 0o100644, Binary: true},
		{Path: "image", Kind: change.Modified, OldMode: 0o100644, NewMode: 0o100644, Binary: true},
		{Path: "sub", Kind: change.Added, NewMode: 0o160000, Insertions: 1},
	} {
		got := find(t, files, want.Path)
		got.OldID, got.NewID = "", ""
		if got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", want.Path, got, want)
		}
	}
	if len(files) != 12 { // .gitmodules is the twelfth
		t.Errorf("%d changes: %+v", len(files), files)
	}
	raw, err := b.open().Changes(t.Context(), from, to, git.RawEntries)
	if err != nil {
		t.Fatal(err)
	}
	if find(t, raw, "from").Kind != change.Deleted || find(t, raw, "to").Kind != change.Added || len(raw) != 13 {
		t.Errorf("without renames: %+v", raw)
	}
}

func TestChangesWithOddPaths(t *testing.T) {
	odd := []string{"-x", ":(top)y", "a\nb", "quo\"te", "back\\slash", "sp ace", "tab\tbed", "trail ", "\xff\xfe",
		"ünï", "*", ":colon"}
	b := newBox(t, nil)
	from, files := b.Git("rev-parse", "HEAD"), map[string]string{}
	for _, name := range odd {
		files[name] = name
	}
	b.Write(files)
	to := b.Commit("odd")
	r := b.open()
	for _, mode := range []git.Renames{git.RawEntries, git.DetectRenames} {
		got, err := r.Changes(t.Context(), from, to, mode)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(odd)
		slices.Sort(want)
		equal(t, "added", change.Set{Files: got}.Paths(), want)
	}
	for _, name := range odd {
		b.Git("mv", "--", "./"+name, "moved "+name)
	}
	moved, err := r.Changes(t.Context(), to, b.Commit("moved"), git.DetectRenames)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range odd {
		if f := find(t, moved, "moved "+name); f.OldPath != name || f.Kind != change.Renamed {
			t.Errorf("move of %q: %+v", name, f)
		}
	}
	listed, err := r.Files(t.Context(), to)
	want := slices.Clone(odd)
	slices.Sort(want)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "files", listed, want)
}

func TestChangesIgnoreTheConfigurationOfDiffs(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	from := b.Git("rev-parse", "HEAD")
	b.Write(map[string]string{"f": "1 \n", "-dash/z": "1\n", "a/b": "2\n", ".gitattributes": "* diff=evil\n"})
	to := b.Commit("second")
	ran := filepath.Join(t.TempDir(), "ran")
	for key, value := range map[string]string{
		"diff.external": "touch " + ran, "diff.evil.command": "touch " + ran, "diff.evil.textconv": "touch " + ran,
		"diff.renames":  "copies",
		"diff.noprefix": "true", "diff.relative": "true", "diff.ignoreSubmodules": "all", "color.ui": "always",
		"diff.orderFile": ran, "core.quotePath": "true",
	} {
		b.Git("config", key, value)
	}
	files, err := b.open().Changes(t.Context(), from, to, git.DetectRenames)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "changes", change.Set{Files: files}.Paths(), []string{"-dash/z", ".gitattributes", "a/b", "f"})
	if _, err := os.Lstat(ran); err == nil {
		t.Error("a program of the configuration was run")
	}
}

func TestStatusWithOddPaths(t *testing.T) {
	b := newBox(t, map[string]string{"tracked": "1", "moved": "a\nb\nc\n", ".gitignore": "ignored\n"})
	b.Write(map[string]string{"tracked": "2", "a\nb": "", "ignored": "", "folder/x\ty": ""})
	b.Git("mv", "moved", "to")
	b.Git("config", "status.showUntrackedFiles", "no")
	all, err := b.open().Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range all {
		got = append(got, e.Code+" "+e.Path)
	}
	slices.Sort(got)
	equal(t, "status", got, []string{" M tracked", "?? a\nb", "?? folder/x\ty", "A  to", "D  moved"})
}

//go:build !windows

package takeover_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/intake/takeover"
)

// What an agent writes in the place of references is named and not taken over; its branch is, where it is one.
func TestForgedReferences(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	base := i.b.Git("rev-parse", "main")
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(base+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refs := i.q.Refs()
	i.put("refs/garbage", "garbage\n")
	i.put("refs/short", base[:39]+"\n")
	i.put("refs/upper", strings.ToUpper(base)+"\n")
	i.put("refs/zeros", strings.Repeat("0", 40)+"\n")
	i.put("refs/symbolic", "ref: refs/heads/main\n")
	i.put("refs/bad~name", base+"\n")
	i.put("refs/line\nbreak", base+"\n")
	i.put("refs/latin\xe9", base+"\n")
	i.put("refs/huge", base+"\n"+strings.Repeat("x", 1<<20))
	i.put("refs/"+strings.Repeat("d/", 20)+"deep", base+"\n")
	if err := errors.Join(os.Symlink(secret, filepath.Join(refs, "outside")),
		os.Symlink("work", filepath.Join(refs, "link")),
		os.Symlink(filepath.Dir(secret), filepath.Join(refs, "folder")),
		mkfifo(filepath.Join(refs, "pipe"))); err != nil {
		t.Fatal(err)
	}
	tip := i.Commit(map[string]string{"f": "2\n"})
	taken := i.takeOver()
	i.at(tip, onBranch)
	for _, name := range []string{"garbage", "short", "upper", "zeros", "symbolic", "bad~name", `latin\xe9`,
		`line\nbreak`, "huge", "too many folders", "outside", "link", "folder", "pipe"} {
		contains(t, taken.Faults, name)
	}
	if got := i.b.Git("for-each-ref", "--format=%(refname)", "refs/heads/delegate"); got != "refs/heads/"+branch {
		t.Errorf("branches %q", got)
	}
	again := i.takeOver()
	if fmt.Sprint(again) != fmt.Sprint(taken) {
		t.Errorf("the next look finds %+v, want %+v", again, taken)
	}
}

func mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }

// The branch itself is forged: the real one stays.
func TestForgedBranch(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	base := i.b.Git("rev-parse", "main")
	for _, forge := range []func() error{
		func() error { i.put("refs/work", "ref: refs/heads/main\n"); return nil },
		func() error { return os.Symlink("/etc/passwd", filepath.Join(i.q.Refs(), "work")) },
		func() error { return mkfifo(filepath.Join(i.q.Refs(), "work")) },
		func() error { i.put("refs/work/inside", base+"\n"); return nil },
	} {
		if err := errors.Join(os.RemoveAll(filepath.Join(i.q.Refs(), "work")), forge()); err != nil {
			t.Fatal(err)
		}
		taken, err := i.c.TakeOver(withTimeLimit(t), i.q)
		if err != nil {
			t.Fatal(err)
		}
		contains(t, taken.Faults, `"work"`)
		i.at(base, onBranch)
	}
}

func TestForgedHead(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	base := i.b.Git("rev-parse", "main")
	other := i.b.Git("commit-tree", "-m", "other", "HEAD^{tree}")
	i.b.Git("update-ref", "refs/heads/other", other)
	for _, text := range []string{"garbage", "ref: refs/heads/../../config", "ref: /etc/passwd",
		"ref: refs/heads/other\nx", "ref: HEAD", base[:30], ""} {
		i.put("gitdir/HEAD", text+"\n")
		if taken := i.takeOver(); text != "" && len(taken.Faults) != 1 || len(taken.Divergent) != 0 {
			t.Errorf("HEAD %q: %+v", text, taken)
		}
		i.at(base, onBranch)
	}
	i.put("gitdir/HEAD", "ref: refs/heads/other\n")
	taken := i.takeOver()
	contains(t, taken.Faults, "refs/heads/other")
	if len(taken.Divergent) != 1 || taken.Divergent[0] != other {
		t.Errorf("beside %q, want what the reference is at in the repository", taken.Divergent)
	}
	i.at(base, onBranch)
	for name, forge := range map[string]func(string) error{
		"pipe": mkfifo, "link": func(p string) error {
			return os.Symlink("/etc/passwd", p)
		}, "folder": func(p string) error { return os.Mkdir(p, 0o700) },
	} {
		file := filepath.Join(i.q.GitDir(), "HEAD")
		if err := errors.Join(os.RemoveAll(file), forge(file)); err != nil {
			t.Fatal(err)
		}
		taken, err := i.c.TakeOver(withTimeLimit(t), i.q)
		if err != nil || len(taken.Faults) != 1 {
			t.Errorf("HEAD is a %s: %+v, %v", name, taken, err)
		}
		i.at(base, onBranch)
	}
}

func TestTooManyReferences(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	tip := i.Commit(map[string]string{"f": "2\n"})
	for n := range 300 {
		if err := os.WriteFile(filepath.Join(i.q.Refs(), fmt.Sprint("a", n)), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	taken := i.takeOver()
	contains(t, taken.Faults, "more than 100 references")
	if len(taken.Faults) > 101 {
		t.Errorf("%d faults", len(taken.Faults))
	}
	i.at(tip, onBranch)
}

// loose is an object as git stores it.
func loose(kind, content string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	fmt.Fprintf(w, "%s %d\x00%s", kind, len(content), content)
	w.Close()
	return b.String()
}

// Objects that are not what they should be keep the whole commit out, and the files are saved all the same.
func TestForgedObjects(t *testing.T) {
	cases := map[string]struct {
		forge func(i *inside, blob, tree string)
		word  string
	}{
		"corrupt": {func(i *inside, blob, _ string) { i.put(i.object(blob), "no zlib") }, ""},
		"cut off": {func(i *inside, blob, _ string) { i.put(i.object(blob), loose("blob", "new\n")[:12]) }, ""},
		"missing": {func(i *inside, blob, _ string) {
			_ = os.Remove(filepath.Join(i.q.Folder, i.object(blob)))
		}, blobWord},
		"other text": {func(i *inside, blob, _ string) { i.put(i.object(blob), loose("blob", "other\n")) }, ""},
		"other kind": {func(i *inside, blob, _ string) { i.put(i.object(blob), loose("commit", "new\n")) }, ""},
		"other tree": {func(i *inside, _, tree string) { i.put(i.object(tree), loose("tree", "")) }, ""},
		"pipe":       {func(i *inside, blob, _ string) { i.replace(blob, mkfifo) }, blobWord},
		"link outside": {func(i *inside, blob, _ string) {
			i.replace(blob, func(p string) error { return os.Symlink("/etc/passwd", p) })
		}, blobWord},
		"huge":     {func(i *inside, blob, _ string) { i.put(i.object(blob), bomb()) }, "GiB"},
		"bad pack": {func(i *inside, blob, _ string) { i.put("objects/pack/pack-"+blob+".pack", "PACK") }, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			i := newBox(t, map[string]string{"f": "1\n"}).fenced()
			tip := i.Commit(map[string]string{"dir/new": "new\n"})
			blob, tree := i.Git("rev-parse", tip+":dir/new"), i.Git("rev-parse", tip+":dir")
			whole := map[string]string{i.object(blob): "", i.object(tree): "", i.object(tip): ""}
			for name := range whole {
				whole[name] = (&box{gittest.In(t, i.q.Folder)}).Text(name)
			}
			c.forge(i, blob, tree)
			word := c.word
			if word == blobWord {
				word = blob
			}
			i.refused(word)
			snap, err := i.c.Snapshot(withTimeLimit(t), i.k.request)
			if err != nil || !strings.Contains(snap.Incomplete, "not sound") {
				t.Fatalf("snapshot %+v, %v", snap, err)
			}
			if got := i.b.Git("show", snap.Head+":dir/new"); got != "new" {
				t.Errorf("the file is saved as %q", got)
			}
			i.sound()
			if err := os.RemoveAll(filepath.Join(i.q.Objects(), "pack")); err != nil {
				t.Fatal(err)
			}
			for name, data := range whole {
				i.put(name, data)
			}
			i.takeOver()
			i.at(tip, onBranch)
		})
	}
}

const blobWord = "the blob's id"

// bomb is a small file that says it is an object of a terabyte.
func bomb() string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	fmt.Fprintf(w, "blob %d\x00", 1<<40)
	w.Close()
	return b.String()
}

// TestPackOfMuch holds that git makes no room for an object of 300 MiB that a pack of a few kilobytes says to copy
// together, where files of a mebibyte are the most.
func TestPackOfMuch(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	i.c.Repo = i.c.Repo.Bounded(git.Bounds{File: 1 << 20})
	i.Commit(map[string]string{"f": "2\n"})
	i.put("objects/pack/pack-"+strings.Repeat("a", 40)+".pack", muchPack(300))
	i.refused("over limit")
}

// TestPipeThatGitOpens holds that a pipe in the place of a file that git reads by its name keeps no look waiting, and
// no work out of the head.
func TestPipeThatGitOpens(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".gitignore", "dir/.gitattributes"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newBox(t, map[string]string{"f": "1\n", "dir/g": "1\n"}).fenced()
			i.Commit(map[string]string{"f": "2\n"})
			i.Write(map[string]string{"dir/g": "2\n"})
			if err := mkfifo(filepath.Join(i.w.Dir, name)); err != nil {
				t.Fatal(err)
			}
			snap, err := i.c.Snapshot(withTimeLimit(t), i.k.request)
			if err != nil || snap.Incomplete != "" {
				t.Fatalf("%+v, %v", snap, err)
			}
			contains(t, snap.Faults, name)
			if got := i.b.Git("show", snap.Head+":dir/g"); got != "2" {
				t.Errorf("the head has %q", got)
			}
		})
	}
}

// muchPack is a pack of a file of a mebibyte, and of one that is so many copies of it.
func muchPack(copies int) string {
	packed := func(text string) string {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		_, _ = io.WriteString(w, text)
		w.Close()
		return b.String()
	}
	base := "\xb0\x80\x80\x04" + packed(string(make([]byte, 1<<20))) // its kind is 3, its size 1 << 20
	delta := "\x80\x80\x40" + string(binary.AppendUvarint(nil, uint64(copies)<<20)) +
		strings.Repeat("\xc0\x10", copies) // all of the base
	back, size := len(base), len(delta) // kind 6: so far back lies what it is made of
	pack := "PACK\x00\x00\x00\x02\x00\x00\x00\x02" + base + string([]byte{0xe0 | byte(size&15), byte(size>>4) & 0x7f,
		0x80 | byte(back>>7-1), byte(back & 0x7f)}) + packed(delta)
	sum := sha1.Sum([]byte(pack))
	return pack + string(sum[:])
}

func (i *inside) replace(id string, with func(string) error) {
	i.Helper()
	file := filepath.Join(i.q.Folder, i.object(id))
	if err := errors.Join(os.Remove(file), with(file)); err != nil {
		i.Fatal(err)
	}
}

// A partial clone lacks objects for good reason, so git does not mind one that is missing; what the
// agent made must be there all the same.
func TestForgedObjectsInAPartialClone(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	i.b.Git("config", "remote.origin.promisor", "true")
	i.b.Git("config", "remote.origin.url", t.TempDir())
	tip := i.Commit(map[string]string{"dir/new": "new\n"})
	tree := i.Git("rev-parse", tip+":dir")
	whole := (&box{gittest.In(t, i.q.Folder)}).Text(i.object(tree))
	i.put(i.object(tree), loose("tree", ""))
	i.refused(tree)
	i.put(i.object(tree), whole)
	i.takeOver()
	i.at(tip, onBranch)
}

// What is not sound is not copied again and again.
func TestUnsoundObjectsAreRefusedWithoutAnotherLook(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	i.put("refs/work", strings.Repeat("1", 40)+"\n")
	for range 3 {
		i.refused("11111")
	}
	disarm := wrapGit(t, "exit 9")
	var unsound *git.TakeOverError
	if _, err := i.c.TakeOver(t.Context(), i.q); !errors.As(err, &unsound) ||
		!strings.Contains(unsound.Detail, "11111") {
		t.Error(err)
	}
	disarm()
	i.put("refs/work", i.b.Git("rev-parse", "main")+"\n")
	tip := i.Commit(map[string]string{"f": "2\n"})
	i.takeOver()
	i.at(tip, onBranch)
}

// What git could not write, as on a full disk, is taken over later, though the agent's git is as it was.
func TestRefusedObjectsAreLookedAtLater(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	tip := i.Commit(map[string]string{"f": "2\n"})
	disarm := wrapGit(t, `test "$sub" = unpack-objects && exit 128`)
	for range 4 {
		i.refused("")
	}
	disarm()
	notes := filepath.Join(i.q.Folder, "taken.json")
	data, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	data = regexp.MustCompile(`"At":"[^"]*"`).ReplaceAll(data, []byte(`"At":"2020-01-01T00:00:00Z"`))
	if err := os.WriteFile(notes, data, 0o600); err != nil {
		t.Fatal(err)
	}
	i.takeOver()
	i.at(tip, onBranch)
}

// An object of the repository has a second content in the quarantine: the repository's own counts.
func TestPoisonedObjects(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n", "dir/kept": "kept\n"}).fenced()
	blob, tree := i.b.Git("rev-parse", "main:f"), i.b.Git("rev-parse", "main:dir")
	tip := i.Commit(map[string]string{"g": "g\n"})
	i.put(i.object(blob), loose("blob", "poison\n"))
	i.put(i.object(tree), loose("tree", ""))
	i.put("objects/info/alternates", "/\n")
	i.takeOver()
	i.at(tip, onBranch)
	i.sound()
	if got := i.b.Git("show", tip+":f"); got != "1" {
		t.Errorf("f is %q", got)
	}
}

// A commit that came in without all it needs makes no later one whole, whatever reference the agent gives it.
func TestImportedHalfProvesNothing(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	k, w := b.taker()
	i := &inside{box: w, c: k.c, w: w, k: k, b: b}
	k.request.Quarantine = filepath.Join(t.TempDir(), "quarantine")
	i.enter(takeover.ObjectsOnly)
	half := i.Commit(map[string]string{"f": "2\n"})
	blob := i.Git("rev-parse", "HEAD:f")
	// as an import that was refused may leave them
	for _, id := range []string{half, i.Git("rev-parse", half+"^{tree}")} {
		data, err := os.ReadFile(filepath.Join(i.q.Folder, i.object(id)))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(i.c.Repo.CommonDir, i.object(id))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	i.Git("commit", "-q", "--allow-empty", "-m", "upon it")
	if err := os.Remove(filepath.Join(i.q.Folder, i.object(blob))); err != nil {
		t.Fatal(err)
	}
	var unsound *git.TakeOverError
	if taken, err := i.c.TakeOver(t.Context(), i.q); !errors.As(err, &unsound) ||
		!strings.Contains(unsound.Detail, blob) {
		t.Errorf("took over %+v, %v", taken, err)
	}
	k.request.Previous = b.Git("rev-parse", "main")
	snap, err := i.c.Snapshot(t.Context(), k.request)
	if err != nil || !strings.Contains(snap.Incomplete, blob) {
		t.Fatalf("snapshot %+v, %v", snap, err)
	}
	if got := k.parents(snap.Head); len(got) != 1 || got[0] != k.request.Previous {
		t.Errorf("parents %q, want the head known before", got)
	}
	if got := b.Git("show", snap.Head+":f"); got != "2" {
		t.Errorf("the file is saved as %q", got)
	}
}

package remote

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"delegate/internal/turn/agentdir"
)

// What the other side says is bounded, whatever it claims.
func TestReadIsBounded(t *testing.T) {
	for name, said := range map[string]string{
		"more than it may": `{"kind":"output","size":1000000000}` + "\n",
		"less than none":   `{"kind":"output","size":-1}` + "\n",
		"a long line":      `{"kind":"` + strings.Repeat("x", mostLine) + `","size":0}` + "\n",
		"no frame":         "hello\n",
		"cut off":          `{"kind":"output","size":5}` + "\nabc",
	} {
		if f, err := read(bufio.NewReaderSize(strings.NewReader(said), 1<<20)); err == nil {
			t.Errorf("%s is read: %+v", name, f)
		}
	}
	var stream bytes.Buffer
	if err := (&writer{to: &stream}).send(frame{Kind: frameOutput, Data: []byte("a\nb")}); err != nil {
		t.Fatal(err)
	}
	if f, err := read(bufio.NewReader(&stream)); err != nil || string(f.Data) != "a\nb" || f.Kind != frameOutput {
		t.Errorf("%+v, %v", f, err)
	}
}

// Both sides come to the same files, nothing is sent back, and no name leads out of the folder.
func TestAgentFiles(t *testing.T) {
	here, there := newAgentFiles(nil, nil), newAgentFiles(nil, nil)
	here.dir, there.dir = agentdir.Dir(t.TempDir()), agentdir.Dir(t.TempDir())
	if err := there.dir.Folder("inbox"); err != nil {
		t.Fatal(err)
	}
	if err := there.dir.Append("inbox/note.md", "found\n"); err != nil {
		t.Fatal(err)
	}
	files, gone := there.changed()
	if len(files) != 1 || len(gone) != 0 {
		t.Fatalf("%+v and %q are new", files, gone)
	}
	for range 2 { // as on a stream that was begun anew
		if err := here.take(files[0]); err != nil {
			t.Fatal(err)
		}
	}
	if back, _ := here.changed(); len(back) != 0 {
		t.Errorf("%+v is sent back", back)
	}
	if err := here.dir.Remove("inbox/note.md"); err != nil {
		t.Fatal(err)
	}
	if err := here.take(files[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := here.dir.Read("inbox/note.md", 100); err == nil {
		t.Error("what was recorded here comes again")
	}
	_, gone = here.changed()
	if len(gone) != 1 {
		t.Fatalf("%q is gone", gone)
	}
	there.drop(gone[0])
	if _, err := there.dir.Read("inbox/note.md", 100); err == nil {
		t.Error("what was taken away here is left there")
	}
	for _, name := range []string{"../out", "/etc/out", "inbox/../../out", "inbox/deep/out", ".hidden", "other/out"} {
		if err := here.take(frame{Kind: frameFile, Name: name, Data: []byte("x")}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if isAgentFile(name) {
			t.Errorf("%q is taken", name)
		}
	}
}

// A turn's folder there belongs to the first start of its job.
func TestClaim(t *testing.T) {
	f := folder(filepath.Join(t.TempDir(), "turns", "one"))
	if err := f.claim(); err != nil {
		t.Fatal(err)
	}
	if err := f.claim(); err == nil || !f.has(againFile) {
		t.Errorf("a second start: %v", err)
	}
	if info, err := os.Stat(string(f)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
}

// A job's name is a label of every engine, whatever its agent is called.
func TestNameOf(t *testing.T) {
	for _, agent := range []string{"first", "Fix_the.API", strings.Repeat("long", 20), "straße"} {
		name := nameOf(agent, ownerOf("/repo"))
		if len(name) > 63 || !regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?$`).MatchString(name) ||
			name == nameOf(agent, ownerOf("/repo")) || !isOf("/repo", name) || isOf("/other", name) {
			t.Errorf("%q is the name of a job of %q", name, agent)
		}
	}
}

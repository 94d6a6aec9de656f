package notes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"delegate/internal/sys/atomicfile"
)

func newNotes(t testing.TB) Notes {
	path, lock := paths(t)
	return Notes{Path: path, Lock: lock}
}

func add(t testing.TB, n Notes, from, title, text string) bool {
	t.Helper()
	added, err := n.Add(t.Context(), Entry{Time: clock(), From: from, Title: title, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func TestAddNotes(t *testing.T) {
	n := newNotes(t)
	for _, step := range []struct {
		from, title, text string
		want              bool
	}{
		{"DEL-1/AGT-001/turn 1", "The parser", "It is\r\nslow.\n\n", true},
		{"DEL-1/AGT-001/turn 1", " The\nparser ", "Once more.", false},
		{"DEL-1/AGT-001/turn 2", "The parser", "", true},
		{"DEL-1/AGT-001/turn 1", "The parser · slow", "# Why\n", true},
		{"", "", "nobody", true},
		{"", "", "nobody", false},
		{"a · b", "c", "", true},
		{"a", "b · c", "", true},
	} {
		if got := add(t, n, step.from, step.title, step.text); got != step.want {
			t.Errorf("%q from %q is added: %v", step.title, step.from, got)
		}
	}
	want := "# Delegation Notes\n\n" +
		"## 2026-01-02T15:04:05Z · DEL-1/AGT-001/turn 1 · The parser\n\nIt is\nslow.\n\n" +
		"## 2026-01-02T15:04:05Z · DEL-1/AGT-001/turn 2 · The parser\n\n" +
		"## 2026-01-02T15:04:05Z · DEL-1/AGT-001/turn 1 · The parser · slow\n\n\\# Why\n\n" +
		"## 2026-01-02T15:04:05Z ·  · \n\nnobody\n\n" +
		"## 2026-01-02T15:04:05Z · a - b · c\n\n## 2026-01-02T15:04:05Z · a · b · c\n\n"
	if got := content(t, n.Path); got != want {
		t.Errorf("file\n%q\nwant\n%q", got, want)
	}
}

func TestPeoplesEditsStay(t *testing.T) {
	for _, text := range []string{
		"", "no newline", "# My title\r\n\r\ntext\r\n", "## mine\n\n```\nopen", "\ufeff# Notes\n\n\n\n",
		"\x00\xff\n## 2026 · x · y",
		"## 2026-01-02T15:04:05Z · me · edited by hand\n- [ ] and so on\n",
	} {
		n := newNotes(t)
		put(t, n.Path, text)
		if !add(t, n, "me", "t", "body") ||
			add(t, n, "me", "edited by hand", "") != !strings.Contains(text, "edited by hand") {
			t.Errorf("%q: wrong about what is there", text)
		}
		if got := content(t, n.Path); !strings.HasPrefix(got, text) {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// A note that is there already leaves the file alone, so that an editor sees no change.
func TestNothingToAddWritesNothing(t *testing.T) {
	n := newNotes(t)
	add(t, n, "me", "t", "x")
	before, err := os.Stat(n.Path)
	if err != nil {
		t.Fatal(err)
	}
	add(t, n, "me", "t", "x")
	if after, err := os.Stat(n.Path); err != nil || !os.SameFile(before, after) ||
		!before.ModTime().Equal(after.ModTime()) {
		t.Errorf("the file was written again: %v", err)
	}
}

func TestManyWriters(t *testing.T) {
	n := newNotes(t)
	var all sync.WaitGroup
	for writer := range 8 {
		all.Go(func() {
			for i := range 10 {
				if _, err := n.Add(context.Background(), Entry{From: "all", Title: fmt.Sprint(i)}); err != nil {
					t.Error(err)
				}
				if _, err := n.Add(context.Background(),
					Entry{From: fmt.Sprint(writer), Title: fmt.Sprint(i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	_, found := sections([]byte(content(t, n.Path)))
	names := map[string]bool{}
	for _, s := range found {
		names[heading(s)] = true
	}
	if len(found) != 90 || len(names) != 90 {
		t.Errorf("%d notes with %d names, want 90", len(found), len(names))
	}
}

func TestAddWaitsForTheLock(t *testing.T) {
	n := newNotes(t)
	guard, err := atomicfile.Lock(t.Context(), n.Lock)
	if err != nil {
		t.Fatal(err)
	}
	defer guard.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.Add(ctx, Entry{Title: "title"}); !errors.Is(err, context.Canceled) ||
		!strings.Contains(err.Error(), `"title"`) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(n.Path); err == nil {
		t.Error("written without the lock")
	}
}

func TestRecent(t *testing.T) {
	n := newNotes(t)
	if text, err := n.Recent(1000); err != nil || text != "" {
		t.Errorf("no file gives %q, %v", text, err)
	}
	put(t, n.Path, "# Delegation Notes\n\nWritten by a person.\n\n")
	for i := range 5 {
		add(t, n, "me", fmt.Sprint("note ", i), strings.Repeat("x", 100))
	}
	for most, want := range map[int][]string{
		0:   nil,
		20:  nil,
		50:  {"(older notes that are left out: 5)"},
		150: {"(older notes that are left out: 4)", "note 4", "[cut here"},
		250: {"(older notes that are left out: 4)", "note 4"},
		400: {"(older notes that are left out: 3)", "note 3", "note 4"},
		999: {"note 0", "note 1", "note 2", "note 3", "note 4"},
	} {
		text, err := n.Recent(most)
		if err != nil || len(text) > most {
			t.Errorf("%d bytes of at most %d, %v", len(text), most, err)
		}
		var got []string
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(line, mark):
				got = append(got, line[strings.LastIndex(line, dot)+len(dot):])
			case strings.HasPrefix(line, "[cut here"):
				got = append(got, "[cut here")
			case strings.HasPrefix(line, "("):
				got = append(got, line)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("at most %d gives %q, want %q", most, got, want)
		}
	}
}

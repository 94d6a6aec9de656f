package notes

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An editor saves while a note is added, at every moment: both are there in the end, and nothing else is.
func TestSavedMeanwhile(t *testing.T) {
	const before, saved = "# N\n\n## a\n\nold\n", "# N, edited\n\n## a\n\nnew\n"
	for _, moment := range []string{"before", "written", "named"} {
		path, lock := paths(t)
		put(t, path, before)
		save := func(at string) {
			if at == moment {
				moment = ""
				put(t, path, saved)
			}
		}
		f := file{path: path, lock: lock, step: save}
		err := f.update(t.Context(), func(text []byte) []byte {
			save("before")
			return slices.Concat(text, []byte("## b\n"))
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); got != saved+"## b\n" {
			t.Errorf("file %q", got)
		}
		if left, err := filepath.Glob(path + "*"); err != nil || len(left) != 1 {
			t.Errorf("left behind: %q, %v", left, err)
		}
	}
}

// Whoever saves again and again wins each time, until they stop.
func TestSavedAgainAndAgain(t *testing.T) {
	for _, moments := range [][]string{{"named", "named", "named"}, {"named", "kept"},
		{"written", "named", "kept", "named"}} {
		path, lock := paths(t)
		put(t, path, "## a\n")
		left, last := moments, ""
		f := file{path: path, lock: lock, step: func(at string) {
			if len(left) > 0 && at == left[0] {
				left, last = left[1:], fmt.Sprintf("## saved %d\n\ntext\n", len(left))
				put(t, path, last)
			}
		}}
		if err := f.update(t.Context(), func(text []byte) []byte {
			return slices.Concat(apart(text), []byte("## b\n"))
		}); err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); len(left) > 0 || !strings.Contains(got, last) || !strings.HasSuffix(got, "## b\n") {
			t.Errorf("%q: file %q, saves that never came: %q", moments, got, left)
		}
		if rest, err := filepath.Glob(path + "*"); err != nil || len(rest) != 1 {
			t.Errorf("%q: left behind %q, %v", moments, rest, err)
		}
	}
}

// A writer that was killed left somebody's version beside the file; it is taken in and no section of either is lost.
func TestDisplacedVersionIsTakenIn(t *testing.T) {
	path, lock := paths(t)
	put(t, path, "# N\n\n## a\n\nas it was\n\n## b\n\nadded\n")
	kept := path + ".displaced-1"
	put(t, kept, "# N\n\nA word from me.\n\n## a\n\nas it was\n\n## mine\n\nmore")
	if _, err := (Notes{Path: path, Lock: lock}).Add(t.Context(),
		Entry{Time: clock(), From: "c", Title: "d"}); err != nil {
		t.Fatal(err)
	}
	want := "# N\n\nA word from me.\n\n## a\n\nas it was\n\n## mine\n\nmore\n\n## b\n\nadded\n\n## " +
		"2026-01-02T15:04:05Z · c · d\n\n"
	if got := content(t, path); got != want {
		t.Errorf("file\n%s\nwant\n%s", got, want)
	}
	if _, err := os.Stat(kept); err == nil {
		t.Error("the version is still there, and would be taken in again")
	}
}

func TestJoin(t *testing.T) {
	tests := []struct{ saved, ours, want string }{
		{"", "", ""},
		{"", "# N\n\n## a\n", "# N\n\n## a\n"},
		{"# N\n## a\n", "# N\n\n## a\n\n\n## b\n", "# N\n## a\n\n## b\n"},
		{"# N\nmine\n", "# N\n", "# N\nmine\n"},
		{"# Mine\n## a\n", "# N\n\n## a\n", "# Mine\n\n# N\n\n## a\n"},
		{"## a\nedited", "## a\n", "## a\nedited\n\n## a\n"},
	}
	for _, test := range tests {
		if got := join([]byte(test.saved), []byte(test.ours)); string(got) != test.want {
			t.Errorf("%q with %q gives %q, want %q", test.saved, test.ours, got, test.want)
		}
	}
}

func TestUnreadableFile(t *testing.T) {
	path, lock := paths(t)
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	_, addErr := Notes{Path: path, Lock: lock}.Add(t.Context(), Entry{Title: "t"})
	_, recentErr := Notes{Path: path, Lock: lock}.Recent(100)
	_, findErr := Learnings{Path: path, Lock: lock}.ForTask(Task{}, 1)
	for _, err := range []error{addErr, recentErr, findErr,
		Learnings{Path: path, Lock: lock}.Add(t.Context(), Failure{})} {
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("a folder in the file's place gives %v", err)
		}
	}
}

package compare

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/conflict"
	"delegate/internal/analyze"
)

// crowd is a repository with branches that all change one file, each half of them the same line.
func crowd(t *testing.T) (dir string, names []string) {
	t.Helper()
	const branches = 12
	dir = t.TempDir()
	runGit(t, dir, "", "init", "-q", "-b", "main")
	var script strings.Builder
	commit := func(branch string, lines []string) {
		content := strings.Join(lines, "\n\n\n") + "\n"
		fmt.Fprintf(&script, "commit refs/heads/%s\ncommitter C <c@example.org> 0 +0000\ndata 0\n", branch)
		if branch != "main" {
			script.WriteString("from refs/heads/main\n")
		}
		fmt.Fprintf(&script, "M 100644 inline t.txt\ndata %d\n%s\n", len(content), content)
	}
	base := strings.Split("a b c d", " ")
	commit("main", base)
	for i := range branches {
		lines := strings.Split("a b c d", " ")
		lines[i*2/branches] = fmt.Sprint("changed by ", i)
		names = append(names, fmt.Sprint("b", i))
		commit(names[i], lines)
	}
	runGit(t, dir, script.String(), "fast-import", "--quiet")
	runGit(t, dir, "", "reset", "-q", "--hard", "main")
	return dir, names
}

// TestMergesInMemory holds that merges whose objects go to memory are those of the disk, that nothing of them is left,
// and that what an ended process left there goes.
func TestMergesInMemory(t *testing.T) {
	dir, names := crowd(t)
	place, r := inMemory(), opened(t, dir)
	if place == "" || !r.p.Inspects() {
		t.Skip("there is no memory that agents cannot reach")
	}
	left, err := os.MkdirTemp(place, memoryName)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(left); os.Remove(left + lockEnding) })
	if err := os.WriteFile(left+lockEnding, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tips := tipsOf(t, r, names...)
	found, err := r.Compare(t.Context(), tips, analyze.Text)
	if err != nil {
		t.Fatal(err)
	}
	if r.memory == nil {
		t.Fatal("nothing went to memory")
	}
	used := r.memory.folder
	if files, err := filepath.Glob(filepath.Join(used, "objects", "??", "*")); err != nil || len(files) == 0 {
		t.Errorf("objects there: %d, %v", len(files), err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what was left is still there: %v", err)
	}
	clashes := 0
	for _, f := range found {
		if f.Type == conflict.FileConflict && f.Blocking {
			clashes++
		}
	}
	if half := len(names) / 2; clashes != half*(half-1) {
		t.Errorf("%d clashes in %d findings", clashes, len(found))
	}
	if err := r.leaveMemory(); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{used, used + lockEnding} {
		if _, err := os.Stat(gone); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", gone, err)
		}
	}
	// what went to memory is found on the disk as well
	if again, err := opened(t, dir).Compare(t.Context(), tips[:2], analyze.Text); err != nil || len(again) != 1 {
		t.Errorf("on the disk: %+v, %v", again, err)
	}
}

// TestUnreadIsNotKept holds that "it is not known" is forgotten once the object that was missing is back.
func TestUnreadIsNotKept(t *testing.T) {
	dir, names := crowd(t)
	tips := tipsOf(t, opened(t, dir), names[0], names[len(names)-1])
	tree := runGit(t, dir, "", "rev-parse", names[0]+"^{tree}")
	loose := filepath.Join(dir, ".git", "objects", tree[:2], tree[2:])
	if err := os.Rename(loose, loose+".away"); err != nil {
		t.Fatal(err)
	}
	found, err := opened(t, dir).Compare(t.Context(), tips, analyze.Text)
	if err != nil || len(found) != 1 || found[0].Certainty != conflict.Unknown || !found[0].Blocking {
		t.Fatalf("with a tree missing: %+v, %v", found, err)
	}
	if err := os.Rename(loose+".away", loose); err != nil {
		t.Fatal(err)
	}
	if found, err = opened(t, dir).Compare(t.Context(), tips, analyze.Text); err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if f.Certainty == conflict.Unknown {
			t.Errorf("with every object there: %s", f.Message)
		}
	}
}

package compare

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/conflict"
	"delegate/internal/land/analyze"
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

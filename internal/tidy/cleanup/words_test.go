package cleanup

import (
	"strings"
	"testing"
)

// TestCommitsWithoutFiles holds that commits that took one another back are named without a list of files.
func TestCommitsWithoutFiles(t *testing.T) {
	it := Item{Kind: Branch, Target: "main", Commits: 2}
	if got := it.String(); !strings.Contains(got, "has 2 commits that main has not") || strings.Contains(got, "()") {
		t.Error(got)
	}
	it.Files = []string{"f"}
	if got := it.String(); !strings.Contains(got, "has 2 commits that main has not (f)") {
		t.Error(got)
	}
}

package git_test

import (
	"reflect"
	"testing"

	"delegate/internal/git"
)

func TestHistoryBounds(t *testing.T) {
	b := newBox(t, map[string]string{"a": "1\n", "b": "1\n"})
	first := b.Git("rev-parse", "HEAD")
	b.Write(map[string]string{"w1": "1\n", "w2": "1\n", "w3": "1\n", "w4": "1\n", "w5": "1\n"})
	wide := b.Commit("too many")
	b.Git("checkout", "-q", "-b", "side")
	b.Write(map[string]string{"b": "2\n", oddFile: "x\n"})
	side := b.Commit("side")
	b.Git("checkout", "-q", "main")
	b.Git("mv", "a", "c")
	moved := b.Commit("moves")
	b.Git("merge", "-q", "--no-ff", "-m", "merge", "side")
	got, err := b.open().History(t.Context(), "HEAD", git.HistoryBounds{Commits: 10, Paths: 2})
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string][]string{}
	for _, r := range got {
		paths[r.Commit] = r.Paths
	}
	want := map[string][]string{first: {"a", "b"}, wide: nil, side: {"b", oddFile}, moved: {"a", "c"}}
	if !reflect.DeepEqual(paths, want) || got[len(got)-1].Commit != first {
		t.Errorf("history %v, want %v, the oldest last", got, want)
	}
	if got, err = b.open().History(t.Context(), "HEAD", git.HistoryBounds{Commits: 2, Paths: 2}); err != nil ||
		len(got) != 2 {
		t.Errorf("%d commits of 2, %v", len(got), err)
	}
	if _, err = b.open().History(t.Context(), "no-such", git.HistoryBounds{Commits: 2, Paths: 2}); err == nil {
		t.Error("a commit that is not there has a history")
	}
}

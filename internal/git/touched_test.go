package git_test

import (
	"maps"
	"testing"
)

func TestTouched(t *testing.T) {
	b := newBox(t, map[string]string{"a": "1\n", "b": "1\n"})
	base := b.Git("rev-parse", "HEAD")
	b.Write(map[string]string{"c": "1\n"})
	b.Commit("hides c")
	b.Remove("c")
	back := b.Commit("takes c back")
	b.Git("checkout", "-q", "-b", "side", base)
	b.Write(map[string]string{"b": "2\n"})
	side := b.Commit("side")
	b.Git("checkout", "-q", "main")
	b.Write(map[string]string{"a": "2\n"})
	newest := b.Commit("a")
	b.Git("merge", "-q", "--no-ff", "-m", "merge", "side")
	head := b.Git("rev-parse", "HEAD")
	got, err := b.open().Touched(t.Context(), side, head)
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"a": newest, "c": back}; !maps.Equal(got, want) {
		t.Errorf("touched %v, want %v", got, want)
	}
	if got, err := b.open().Touched(t.Context(), head, head); err != nil || len(got) > 0 {
		t.Errorf("no commit touches %v, %v", got, err)
	}
}

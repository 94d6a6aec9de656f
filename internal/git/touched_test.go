package git_test

import (
	"maps"
	"testing"
)

func TestTouched(t *testing.T) {
	b := newBox(t, map[string]string{"a": "1\n", "b": "1\n"})
	base := b.git("rev-parse", "HEAD")
	b.write(map[string]string{"c": "1\n"})
	b.commit("hides c")
	b.remove("c")
	back := b.commit("takes c back")
	b.git("checkout", "-q", "-b", "side", base)
	b.write(map[string]string{"b": "2\n"})
	side := b.commit("side")
	b.git("checkout", "-q", "main")
	b.write(map[string]string{"a": "2\n"})
	newest := b.commit("a")
	b.git("merge", "-q", "--no-ff", "-m", "merge", "side")
	head := b.git("rev-parse", "HEAD")
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

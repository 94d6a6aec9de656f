package takeover_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"delegate/internal/intake/takeover"
)

// A look at an agent that did nothing since the last one starts no program.
func TestTakeOverOfNothingStartsNothing(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	i.Commit(map[string]string{"f": "2\n"})
	i.takeOver()
	wrapGit(t, "exit 9")
	i.takeOver()
}

func BenchmarkTakeOver(b *testing.B) {
	b.Run("nothing", func(b *testing.B) {
		i := newBox(b, map[string]string{"f": "1\n"}).fenced()
		i.Commit(map[string]string{"f": "2\n"})
		i.takeOver()
		for b.Loop() {
			i.takeOver()
		}
	})
	b.Run("a commit of ten files", func(b *testing.B) {
		i := newBox(b, map[string]string{"f": "1\n"}).fenced()
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			files := map[string]string{}
			for f := range 10 {
				files[fmt.Sprintf("dir/%d", f)] = fmt.Sprint(n)
			}
			i.Commit(files)
			b.StartTimer()
			i.takeOver()
		}
	})
}

func BenchmarkEnter(b *testing.B) {
	i := newBox(b, map[string]string{"f": "1\n"}).fenced()
	for n := 0; b.Loop(); n++ {
		if _, err := i.c.Enter(b.Context(), filepath.Join(i.q.Folder, fmt.Sprint(n)), takeover.Whole); err != nil {
			b.Fatal(err)
		}
	}
}

package git_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/sys/run"
)

// history makes commits, each with some earlier ones as parents, and answers with their ids.
// Dates are taken from the same source, in any order: they must not matter.
func (b *box) history(random *rand.Rand, count int) []string {
	b.Helper()
	var script strings.Builder
	for i := range count {
		fmt.Fprintf(&script, "commit refs/heads/c%d\nmark :%d\ncommitter C <c@example.org> %d +0000\ndata 0\n", i, i+1,
			1_000_000_000+random.IntN(20)*random.IntN(1_000_000))
		if i > 0 && random.IntN(25) > 0 {
			parents := map[int]bool{}
			for len(parents) < min(i, 1+random.IntN(2)*random.IntN(3)) {
				parents[max(0, i-1-random.IntN(8))] = true
			}
			word := "from"
			for p := range parents {
				fmt.Fprintf(&script, "%s :%d\n", word, p+1)
				word = "merge"
			}
		}
		fmt.Fprintln(&script)
	}
	b.Feed(script.String(), "fast-import", "--quiet")
	names := []string{"rev-parse"}
	for i := range count {
		names = append(names, fmt.Sprintf("refs/heads/c%d", i))
	}
	return strings.Fields(b.Git(names...))
}

func TestMergeBasesAreThoseOfGit(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 1))
		b := newBox(t, nil)
		ids := b.history(random, 40)
		tips := make([]string, 5)
		for i := range tips {
			tips[i] = ids[len(ids)-1-random.IntN(20)]
		}
		bases, err := b.open().MergeBases(t.Context(), tips)
		if err != nil {
			t.Fatal(err)
		}
		for i := range tips {
			for j := range i + 1 {
				out, _ := b.Try("merge-base", "--all", tips[i], tips[j])
				want := strings.Fields(out)
				seen[fmt.Sprint(min(2, len(want)))]++
				got, sole, err := bases.Of(tips[i], tips[j])
				if len(want) == 0 {
					wantErr(t, err, git.ErrNoMergeBase)
				} else if err != nil || !slices.Contains(want, got) || sole && len(want) > 1 {
					t.Errorf("seed %d: base of %s and %s is %q (sole: %t), %v; want one of %q", seed, tips[i], tips[j],
						got, sole, err, want)
				}
				if len(want) == 1 && !sole {
					seen["doubted"]++
				}
			}
		}
	}
	for _, count := range []string{"0", "1", "2"} {
		if seen[count] == 0 {
			t.Errorf("no pair has %s bases (or more): %v", count, seen)
		}
	}
	if 10*seen["doubted"] > seen["1"] { // wrong dates make some of them doubtful
		t.Errorf("most sole bases are not known as such: %v", seen)
	}
}

// More tips than fit into one word, from one history and from two.
func TestMergeBasesOfManyTips(t *testing.T) {
	b := newBox(t, nil)
	random := rand.New(rand.NewPCG(3, 3))
	var script strings.Builder
	const count = 150
	fmt.Fprint(&script, "commit refs/heads/root\nmark :1\ncommitter C <c@example.org> 0 +0000\ndata 0\n\n")
	fork := make([]int, count+2)
	for i := 2; i < count+2; i++ {
		fork[i] = 1 + random.IntN(i-1)
		fmt.Fprintf(&script, "commit refs/heads/t%d\nmark :%d\ncommitter C <c@example.org> 0 +0000\ndata %d\n%d\n"+
			"from :%d\n\n", i, i, len(fmt.Sprint(i)), i, fork[i])
	}
	b.Feed(script.String(), "fast-import", "--quiet")
	tips := []string{"root"}
	for i := 2; i < count+2; i++ {
		tips = append(tips, fmt.Sprintf("t%d", i))
	}
	for _, names := range [][]string{tips, append(slices.Clone(tips), "main")} {
		ids := strings.Fields(b.Git(append([]string{"rev-parse"}, names...)...))
		bases, err := b.open().MergeBases(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		for i := range count {
			for j := range count {
				a, c := i+1, j+1 // each has one parent with a lower number
				for a != c {
					if a > c {
						a = fork[a]
					} else {
						c = fork[c]
					}
				}
				if got, sole, err := bases.Of(ids[i], ids[j]); err != nil || !sole || got != ids[a-1] {
					t.Fatalf("base of %s and %s is %q (sole: %t), %v; want %s", names[i], names[j], got, sole, err,
						names[a-1])
				}
			}
		}
		if len(names) > len(tips) {
			_, _, err := bases.Of(ids[3], ids[len(tips)])
			wantErr(t, err, git.ErrNoMergeBase)
		}
	}
}

// An old commit that is dated into the future, both sides' own ancestor, is no base as long as a younger one is shared.
func TestMergeBasesWithWrongDates(t *testing.T) {
	b := newBox(t, nil)
	var script strings.Builder
	commit := func(mark, date int, parents ...int) {
		fmt.Fprintf(&script, "commit refs/heads/c%d\nmark :%d\ncommitter C <c@example.org> %d +0000\ndata 0\n", mark,
			mark, date)
		for i, p := range parents {
			fmt.Fprintf(&script, "%s :%d\n", []string{"from", "merge"}[i], p)
		}
		fmt.Fprintln(&script)
	}
	const late = 2_000_000_000
	commit(1, late-1)
	commit(2, late, 1)
	commit(3, late+1, 2)
	for i := 4; i < 30; i++ {
		commit(i, 1000+i, i-1)
	}
	for i := range 4 {
		commit(50+i, late+10+i, 2+i%2)
		commit(60+i, late+20+i, 50+i, 29)
	}
	b.Feed(script.String(), "fast-import", "--quiet")
	tips := strings.Fields(b.Git("rev-parse", "c60", "c61", "c62", "c63", "c29"))
	bases, err := b.open().MergeBases(t.Context(), tips)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tips {
		for j := range i {
			if got, sole, err := bases.Of(tips[i], tips[j]); err != nil || !sole || got != tips[4] {
				t.Errorf("base of %s and %s is %q (sole: %t), %v", tips[i], tips[j], got, sole, err)
			}
		}
	}
}

func TestMergeBasesRefuses(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	_, err := b.open().MergeBases(t.Context(), []string{b.Git("rev-parse", "main"), strings.Repeat("12", 20)})
	var exit *run.ExitError
	if !errors.As(err, &exit) {
		t.Errorf("a commit that is not here: %v", err)
	}
	if _, err := b.open().MergeBases(t.Context(), nil); err != nil {
		t.Errorf("no tips: %v", err)
	}
}

func TestMergeBasesOfAShallowClone(t *testing.T) {
	from := newBox(t, map[string]string{"f": "1\n"})
	for i := range 4 {
		from.branch(fmt.Sprintf("b%d", i), "main", map[string]string{"f": fmt.Sprint(i)})
		from.Commit("more")
	}
	for depth, connected := range map[string]bool{"1": false, "2": false, "3": true} {
		b := &box{gittest.In(t, filepath.Join(t.TempDir(), "copy"))}
		from.Git("clone", "-q", "--no-single-branch", "--depth="+depth, "file://"+from.Dir, b.Dir)
		left, right := b.Git("rev-parse", "origin/b0"), b.Git("rev-parse", "origin/b1")
		bases, err := b.open().MergeBases(t.Context(), []string{left, right, right})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := bases.Of(left, right); (err == nil) != connected {
			t.Errorf("depth %s: %v", depth, err)
		}
		if base, sole, err := bases.Of(right, right); err != nil || !sole || base != right {
			t.Errorf("depth %s: base of a commit and itself is %q (sole: %t), %v", depth, base, sole, err)
		}
	}
}

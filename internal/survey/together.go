package survey

import (
	"cmp"
	"context"
	"slices"

	"delegate/internal/git"
	"delegate/internal/plan"
	"delegate/internal/ui"
)

// pair is two files by their places in the list, the smaller first.
type pair struct{ a, b int }

// meeting is how often a pair was changed by one commit, and by which of them last.
type meeting struct{ count, newest int }

// readHistory counts which of the files that are there today changed together.
func readHistory(ctx context.Context, repo *git.Repo, f *plan.Facts, r Request) error {
	place := map[string]int{}
	for i, name := range f.Files {
		if r.Within(name) && !isOthersCode(name) {
			place[name] = i
		}
	}
	if len(place) < 2 { // no pair, as with a plan whose files are all to be made
		return nil
	}
	history, err := repo.History(ctx, r.Base, git.HistoryBounds{Commits: mostCommits, Paths: mostTogether})
	if err != nil {
		return err
	}
	changes, met := map[int]int{}, map[pair]meeting{}
	for n, one := range history {
		var here []int
		for _, name := range one.Paths {
			if i, today := place[name]; today {
				here = append(here, i)
				changes[i]++
			}
		}
		for i, a := range here {
			for _, b := range here[i+1:] {
				p := pair{min(a, b), max(a, b)}
				m, seen := met[p]
				if !seen {
					m.newest = n
				}
				m.count++
				met[p] = m
			}
		}
	}
	for p, m := range met {
		of := min(changes[p.a], changes[p.b])
		if m.count < leastSeen || 3*m.count < of {
			continue
		}
		f.Together = append(f.Together, plan.Together{A: f.Files[p.a], B: f.Files[p.b], Count: m.count, Of: of,
			Commit: history[m.newest].Commit})
	}
	slices.SortFunc(f.Together, func(x, y plan.Together) int {
		return cmp.Or(-cmp.Compare(x.Count, y.Count), cmp.Compare(x.Of, y.Of), cmp.Compare(x.A, y.A),
			cmp.Compare(x.B, y.B))
	})
	if over := len(f.Together) - mostPairs; over > 0 {
		f.Together = slices.Clip(f.Together[:mostPairs])
		f.Gaps = append(f.Gaps, "left out: "+ui.Plural(over, "pair")+" of files that rarely change together")
	}
	return nil
}

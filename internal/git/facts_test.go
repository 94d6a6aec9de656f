package git_test

import (
	"testing"

	"delegate/change"
	"delegate/internal/git"
)

// An answer that is known is git's, and nobody who changes theirs changes it.
func TestFactsAreWhatGitSays(t *testing.T) {
	b := newBox(t, map[string]string{"a": "1\n"})
	base := b.Git("rev-parse", "HEAD")
	ours := b.branch("ours", base, map[string]string{"b": "2\n"})
	theirs := b.branch("theirs", base, map[string]string{"c": "3\n"})
	known, ctx := b.open(), t.Context()
	for range 2 {
		for _, r := range []*git.Repo{known, b.open()} {
			inside, err := r.IsAncestor(ctx, base, ours)
			outside, err2 := r.IsAncestor(ctx, theirs, ours)
			if err != nil || err2 != nil || !inside || outside {
				t.Fatalf("%v %v, %v %v", inside, outside, err, err2)
			}
			if id, err := r.MergeBase(ctx, ours, theirs); err != nil || id != base {
				t.Fatalf("base %s, %v", id, err)
			}
			files, err := r.Changes(ctx, base, ours, git.DetectRenames)
			each, err2 := r.ChangesEach(ctx, []git.Span{{Base: base, Head: theirs}, {Base: base, Head: ours}})
			if err != nil || err2 != nil || len(files) != 1 || files[0].Path != "b" || each[0][0].Path != "c" ||
				each[1][0].Path != "b" {
				t.Fatalf("%v %v, %v %v", files, each, err, err2)
			}
			files[0], each[0][0], each[1][0] = change.File{}, change.File{}, change.File{}
			m, err := r.Merge(ctx, ours, theirs)
			if err != nil || !m.Clean || m.Tree != b.Git("merge-tree", "--write-tree", ours, theirs) {
				t.Fatalf("%v, %v", m, err)
			}
			if id, err := r.CommitTreeLike(ctx, m.Tree, "m\n", ours, theirs); err != nil ||
				b.Git("log", "-1", "--format=%T %P", id) != m.Tree+" "+ours+" "+theirs {
				t.Fatalf("%s, %v", id, err)
			}
		}
	}
}

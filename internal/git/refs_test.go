package git_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
)

func TestHead(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1"})
	r, first := b.open(), b.Git("rev-parse", "HEAD")
	if branch, commit, err := r.Head(t.Context()); branch != "main" || commit != first || err != nil {
		t.Errorf("on a branch: %q %q %v", branch, commit, err)
	}
	b.Git("checkout", "-q", "--detach")
	branch, commit, err := r.Head(t.Context())
	wantErr(t, err, git.ErrDetached)
	if branch != "" || commit != first {
		t.Errorf("detached: %q %q", branch, commit)
	}
	b.Git("checkout", "-q", "--orphan", "new/ünborn")
	branch, commit, err = r.Head(t.Context())
	wantErr(t, err, git.ErrUnborn)
	if branch != "new/ünborn" || commit != "" {
		t.Errorf("unborn: %q %q", branch, commit)
	}
}

func TestUpdateRefsCompares(t *testing.T) {
	b := newBox(t, nil)
	r, one := b.open(), b.Git("rev-parse", "HEAD")
	two := b.Commit("second")
	set := func(updates ...git.RefUpdate) error { return r.UpdateRefs(t.Context(), "test", updates...) }
	value := func(ref string) string {
		id, _, err := r.Ref(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	moved := func(err error, want git.MovedError) {
		t.Helper()
		var m *git.MovedError
		if !errors.As(err, &m) || *m != want {
			t.Errorf("error %v, want %+v", err, want)
		}
	}
	const ref, other = "refs/heads/a/ünï", "refs/delegate/x"
	if err := set(git.RefUpdate{Ref: ref, New: one}); err != nil {
		t.Fatal(err)
	}
	moved(set(git.RefUpdate{Ref: ref, New: two}), git.MovedError{Ref: ref, Found: one})
	moved(set(git.RefUpdate{Ref: ref, Old: two, New: one}), git.MovedError{Ref: ref, Want: two, Found: one})
	moved(set(git.RefUpdate{Ref: ref, Old: two}), git.MovedError{Ref: ref, Want: two, Found: one})
	moved(set(git.RefUpdate{Ref: ref}), git.MovedError{Ref: ref, Found: one})
	// One that does not fit keeps all of them from moving.
	moved(set(git.RefUpdate{Ref: other, New: one}, git.RefUpdate{Ref: ref, Old: two, New: one}),
		git.MovedError{Ref: ref, Want: two, Found: one})
	if value(ref) != one || value(other) != "" {
		t.Errorf("after refusals %s is at %q and %s at %q", ref, value(ref), other, value(other))
	}
	if err := set(git.RefUpdate{Ref: ref, Old: one, New: two}, git.RefUpdate{Ref: other, New: one}); err != nil {
		t.Fatal(err)
	}
	if value(ref) != two || value(other) != one {
		t.Errorf("%s is at %q, %s at %q", ref, value(ref), other, value(other))
	}
	if err := set(git.RefUpdate{Ref: ref, Old: two}); err != nil || value(ref) != "" {
		t.Errorf("deletion: %v, still at %q", err, value(ref))
	}
	moved(set(git.RefUpdate{Ref: ref, Old: two}), git.MovedError{Ref: ref, Want: two})
	if err := set(git.RefUpdate{Ref: ref}); err != nil {
		t.Errorf("a reference that is to be absent and is: %v", err)
	}
}

func TestRefsUnder(t *testing.T) {
	b := newBox(t, nil)
	one := b.Git("rev-parse", "HEAD")
	b.Git("update-ref", "refs/delegate/s/a/turn-1", one)
	b.Git("update-ref", "refs/delegate/s/ab/turn-1", one)
	refs, err := b.open().RefsUnder(t.Context(), "refs/delegate/s/a/")
	if err != nil || len(refs) != 1 || refs["refs/delegate/s/a/turn-1"] != one {
		t.Errorf("refs %v, %v", refs, err)
	}
}

func TestHistory(t *testing.T) {
	b := newBox(t, nil)
	r, one := b.open(), b.Git("rev-parse", "HEAD")
	two := b.Commit("second")
	b.Git("checkout", "-q", "--orphan", "alone")
	lone := b.Commit("alone")
	for _, c := range []struct {
		a, b string
		want bool
	}{{one, two, true}, {two, one, false}, {one, lone, false}, {two, two, true}} {
		if got, err := r.IsAncestor(t.Context(), c.a, c.b); got != c.want || err != nil {
			t.Errorf("IsAncestor(%s, %s) = %v, %v", c.a, c.b, got, err)
		}
	}
	if _, err := r.IsAncestor(t.Context(), one, "missing"); err == nil {
		t.Error("a commit that is not there has a history")
	}
	_, err := r.MergeBase(t.Context(), one, lone)
	wantErr(t, err, git.ErrNoMergeBase)
	for _, revision := range []string{"missing", "-x", "--all", one + "^", ""} {
		_, err := r.Resolve(t.Context(), revision)
		wantErr(t, err, git.ErrNoCommit)
	}
	_, err = r.TreeOf(t.Context(), "0123456789012345678901234567890123456789")
	wantErr(t, err, git.ErrNoCommit)
	b.Git("merge", "-q", "--no-ff", "--allow-unrelated-histories", "-m", "m", two)
	parents, err := r.Parents(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "parents of a merge", parents, []string{lone, two})
	parents, err = r.Parents(t.Context(), one)
	if err != nil || len(parents) != 0 {
		t.Errorf("parents of the first commit: %v, %v", parents, err)
	}
}

// What a commit's id stands for is its own content, not what a replacement reference says.
func TestReplacementsAreNotFollowed(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	one := b.Git("rev-parse", "HEAD")
	b.Write(map[string]string{"f": "2\n"})
	two := b.Commit("second")
	b.Git("replace", two, one)
	files, err := b.open().Changes(t.Context(), one, two, git.RawEntries)
	if err != nil || len(files) != 1 || files[0].Path != "f" {
		t.Errorf("changes %+v, %v; want those of f", files, err)
	}
}

func TestTip(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	b.Git("branch", "side/deep")
	b.Write(map[string]string{"f": "2\n"})
	head := b.Commit("second")
	first := b.Git("rev-parse", "HEAD~1")
	check := func(what, branch, want string, wantHere bool) {
		t.Helper()
		if got, here, err := b.open().Tip(t.Context(), branch); err != nil || got != want || here != wantHere {
			t.Errorf("%s: %q, %v, %v; want %q, %v", what, got, here, err, want, wantHere)
		}
	}
	check("on it", "main", head, true)
	check("on another", "side/deep", first, false)
	check("none", "nowhere", "", false)
	check("none, but others below its name", "side", "", false)
	b.Git("checkout", "-q", "--detach")
	check("on none", "main", head, false)
	linked := &box{gittest.In(t, filepath.Join(t.TempDir(), "linked"))}
	b.Git("worktree", "add", "-q", linked.Dir, "side/deep")
	b = linked
	check("on it in a linked checkout", "side/deep", first, true)
}

func TestTreeAndParents(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	first, tree := b.Git("rev-parse", "HEAD"), b.Git("rev-parse", "HEAD^{tree}")
	second := b.Commit("second")
	for _, c := range []struct {
		commit  string
		parents []string
	}{{first, nil}, {second, []string{first}}, {"HEAD", []string{first}}} {
		got, parents, err := b.open().TreeAndParents(t.Context(), c.commit)
		if err != nil || got != tree || !slices.Equal(parents, c.parents) {
			t.Errorf("%s: %q, %q, %v", c.commit, got, parents, err)
		}
	}
	for _, missing := range []string{tree, strings.Repeat("1", 40), "nowhere", "--all"} {
		_, _, err := b.open().TreeAndParents(t.Context(), missing)
		wantErr(t, err, git.ErrNoCommit)
	}
}

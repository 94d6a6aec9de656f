package git_test

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git/gittest"
	"delegate/internal/sys/run"
)

func TestReferences(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1"})
	first := b.Git("rev-parse", "HEAD")
	b.Git("tag", "-m", "t", "v1")
	b.Git("symbolic-ref", "refs/remotes/o/HEAD", "refs/remotes/o/main")
	b.Git("update-ref", "refs/remotes/o/main", "HEAD")
	b.Git("update-ref", "refs/heads/ünï", "HEAD")
	linked := filepath.Join(t.TempDir(), "linked")
	b.Git("worktree", "add", "-q", "--detach", linked)
	want := map[string]string{
		"HEAD": "ref: refs/heads/main", "refs/heads/main": first, "refs/heads/ünï": first,
		"refs/tags/v1":        b.Git("rev-parse", "v1"),
		"refs/remotes/o/HEAD": "ref: refs/remotes/o/main", "refs/remotes/o/main": first,
	}
	for _, dir := range []string{b.Dir, linked} {
		got, err := (&box{gittest.In(b.TB, dir)}).open().References(t.Context())
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("in %q: %v, %v; want %v", dir, got, err, want)
		}
	}
	b.Git("checkout", "-q", "--orphan", "unborn")
	if got, err := b.open().References(t.Context()); err != nil || got["HEAD"] != "ref: refs/heads/unborn" {
		t.Errorf("HEAD unborn: %q, %v", got["HEAD"], err)
	}
	b.Git("checkout", "-q", "--detach", "main")
	if got, err := b.open().References(t.Context()); err != nil || got["HEAD"] != first {
		t.Errorf("HEAD detached: %q, %v", got["HEAD"], err)
	}
}

func TestBeyond(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1"})
	first := b.Git("rev-parse", "HEAD")
	second, third := b.Commit("second"), b.Commit("third")
	b.Git("tag", "-m", "t", "v1")
	b.Git("tag", "-m", "of a file", "file", "HEAD:f")
	tag, blob, fileTag := b.Git("rev-parse", "v1"), b.Git("rev-parse", "HEAD:f"), b.Git("rev-parse", "file")
	lost := strings.Repeat("1", 40)
	for _, test := range []struct{ from, known, want []string }{
		{[]string{third}, []string{first}, []string{third, second}},
		{[]string{tag}, []string{second, blob, fileTag, lost}, []string{third}},
		{[]string{second}, []string{tag}, nil},
		{[]string{blob, fileTag, lost}, []string{first}, nil},
		{[]string{third}, nil, []string{third, second, first}},
		{nil, []string{first}, nil},
	} {
		var got []string
		if err := b.open().Beyond(t.Context(), test.from, test.known, func(id string) {
			got = append(got, id)
		}); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("beyond %q from %q: %q, %v; want %q", test.known, test.from, got, err, test.want)
		}
	}
}

func TestMadeHere(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1"})
	b.Git("branch", "side")
	linked := &box{gittest.In(b.TB, filepath.Join(t.TempDir(), "linked"))}
	b.Git("worktree", "add", "-q", "-b", "work", linked.Dir)
	head := func() string { return linked.Git("rev-parse", "HEAD") }
	var made []string
	for _, step := range []struct {
		args  []string
		makes bool
	}{
		{[]string{"commit", "-q", "--allow-empty", "-m", "one"}, true},
		{[]string{"commit", "-q", "--allow-empty", "--amend", "-m", "better: fast-forward"}, true},
		{[]string{"merge", "-q", "--ff-only", "main"}, false},
		{[]string{"merge", "-q", "--no-ff", "-m", "m", "main"}, true},
		{[]string{"reset", "-q", "--hard", "main~1"}, false},
		{[]string{"cherry-pick", "--ff", "main"}, false},
		{[]string{"revert", "--no-edit", "HEAD"}, true},
		{[]string{"cherry-pick", "-x", "HEAD~1"}, true},
		{[]string{"checkout", "-q", "--detach", "side"}, false},
		{[]string{"commit", "-q", "--allow-empty", "-m", "detached"}, true},
		{[]string{"rebase", "-q", "main"}, true},
		{[]string{"switch", "-q", "work"}, false},
		{[]string{"pull", "-q", "--ff-only", ".", "side"}, false},
	} {
		switch step.args[0] {
		case "merge", "rebase": // each with something new to take in
			b.Write(map[string]string{"main" + head(): "x"})
			b.Commit("the person's")
		}
		if step.args[0] == "merge" && !step.makes {
			linked.Git("reset", "-q", "--hard", "main~1")
		}
		linked.Git(step.args...)
		if id := head(); step.makes {
			made = append(made, id)
		} else if slices.Contains(made, id) && step.args[0] != "switch" && step.args[0] != "pull" {
			t.Fatalf("%q tells nothing: it set HEAD to a commit that was made here", step.args)
		}
	}
	repo, err := b.open().OpenWorktree(linked.Dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := repo.MadeHere(t.Context())
	slices.Reverse(got)
	if err != nil || !slices.Equal(got, made) {
		t.Errorf("made %q, %v; want %q\n%s", got, err, made, linked.Git("log", "-g", "--format=%h %gs"))
	}
	linked.Git("reflog", "expire", "--expire=all", "--all")
	if got, err := repo.MadeHere(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("without the record: %q, %v", got, err)
	}
	linked.Git("checkout", "-q", "--orphan", "unborn")
	if got, err := repo.MadeHere(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("unborn: %q, %v", got, err)
	}
}

func TestConfigFile(t *testing.T) {
	b := newBox(t, map[string]string{"c": "[core]\n\tbare\n[Filter \"A b\"]\n\tClean = x\n\tclean = \"y\\nz\"\n" +
		"[include]\n\tpath = c2\n", "c2": "[a]\n\tb = c\n", "bad": "["})
	got, err := b.open().ConfigFile(t.Context(), filepath.Join(b.Dir, "c"))
	want := map[string][]string{"core.bare": {""}, "filter.A b.clean": {"x", "y\nz"}, "include.path": {"c2"}}
	if err != nil || !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("read %q, %v; want %q", got, err, want)
	}
	var exit *run.ExitError
	if got, err := b.open().ConfigFile(t.Context(), filepath.Join(b.Dir, "bad")); !errors.As(err, &exit) {
		t.Errorf("a file that is none: %q, %v", got, err)
	}
}

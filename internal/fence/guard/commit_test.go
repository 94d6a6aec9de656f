package guard

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// decideCommit is what the hook would learn with the worktree's own index.
func (b *bench) decideCommit(p Policy) []Verdict {
	b.t.Helper()
	refused, err := DecideCommit(context.Background(), p, b.work())
	if err != nil {
		b.t.Fatal(err)
	}
	return refused
}

func pathsOf(refused []Verdict) (paths []string) {
	for _, v := range refused {
		paths = append(paths, v.Path)
	}
	slices.Sort(paths)
	return paths
}

func TestCommitIsHeldAgainstTheScope(t *testing.T) {
	b := newBench(t)
	p := b.ground.policy
	if refused := b.decideCommit(p); len(refused) > 0 {
		t.Errorf("nothing is staged: %+v", refused)
	}
	for path, content := range map[string]string{"src/a.go": "x", "src/new ü\n.go": "x", "lib/a.go": "x",
		"src/legacy/a.go": "x", "a b'c": "x", ":odd": "x", "[l]ib/*": "x"} {
		b.write(b.work(), path, content)
	}
	b.do(b.work(), "git", "mv", "lib/a.go", "src/moved.go")
	b.do(b.work(), "git", "add", "-A")
	b.write(b.work(), "lib/not staged", "x")
	b.write(b.work(), "lib/only intended", "x")
	b.do(b.work(), "git", "add", "-N", "lib/only intended")
	refused := b.decideCommit(p)
	if got := pathsOf(refused); !slices.Equal(got,
		[]string{":odd", "[l]ib/*", "a b'c", "lib/a.go", "src/legacy/a.go"}) {
		t.Errorf("refused are %q", got)
	}
	for _, v := range refused {
		if wanted := map[string]string{"src/legacy/a.go": "src/legacy/**"}[v.Path]; v.Pattern != wanted || v.Allowed ||
			!strings.Contains(v.Reason, fmt.Sprintf("%q is ", v.Path)) {
			t.Errorf("%+v", v)
		}
		_, advice, found := strings.Cut(v.Reason, "Take it out of the commit: ")
		if !found {
			t.Fatalf("%q says no way out", v.Reason)
		}
		b.do(filepath.Join(b.work(), "src"), "sh", "-c", advice) // from a folder below
	}
	if got := pathsOf(b.decideCommit(p)); len(got) > 0 {
		t.Errorf("after the advice, refused are %q", got)
	}
	if _, err := DecideCommit(context.Background(), Policy{Allowed: []string{"a", "**"}}, b.work()); err == nil {
		t.Error("a scope of everything decides")
	}
	if _, err := DecideCommit(context.Background(), p, b.ground.root); err == nil {
		t.Error("a folder without git decides")
	}
}

// TestSettingsHideNothing has a configuration that makes other lists of differences shorter.
func TestSettingsHideNothing(t *testing.T) {
	b := newBench(t)
	b.do(b.work(), "git", "config", "diff.relative", "true")
	b.do(b.work(), "git", "config", "diff.ignoreSubmodules", "all")
	b.do(b.work(), "git", "config", "diff.renames", "copies")
	b.do(b.work(), "git", "config", "color.ui", "always")
	head := b.do(b.work(), "git", "rev-parse", "HEAD")
	b.do(b.work(), "git", "update-index", "--add", "--cacheinfo", "160000,"+head+",lib/sub")
	b.do(b.work(), "git", "mv", "lib/a.go", "src/moved.go")
	if got := pathsOf(b.decideCommit(b.ground.policy)); !slices.Equal(got, []string{"lib/a.go", "lib/sub"}) {
		t.Errorf("refused are %q", got)
	}
}

func TestCommitBeforeAnyOther(t *testing.T) {
	b := newBench(t)
	b.do(b.work(), "git", "switch", "-q", "--orphan", "new")
	b.write(b.work(), "src/a.go", "x")
	b.write(b.work(), "lib/a.go", "x")
	b.do(b.work(), "git", "add", ".")
	if got := pathsOf(b.decideCommit(b.ground.policy)); !slices.Equal(got, []string{"lib/a.go"}) {
		t.Errorf("refused are %q", got)
	}
}

// TestWayBack holds that what is in a commit already can be taken out by another one, and nothing else.
func TestWayBack(t *testing.T) {
	b := newBench(t)
	p := b.ground.policy
	p.Base = b.do(b.work(), "git", "rev-parse", "HEAD")
	b.write(b.work(), "lib/a.go", "mine")
	b.write(b.work(), "lib/new", "mine")
	b.do(b.work(), "git", "add", ".")
	if got := pathsOf(b.decideCommit(p)); !slices.Equal(got, []string{"lib/a.go", "lib/new"}) {
		t.Errorf("refused are %q", got)
	}
	b.do(b.work(), "git", "commit", "-q", "-m", "slipped through")
	b.do(b.work(), "git", "restore", "--staged", "--worktree", "--source", p.Base, "lib/a.go")
	b.do(b.work(), "git", "rm", "-q", "lib/new")
	if got := pathsOf(b.decideCommit(p)); len(got) > 0 {
		t.Errorf("the way back is refused for %q", got)
	}
	b.write(b.work(), "lib/a.go", "something else")
	b.do(b.work(), "git", "add", ".")
	if got := pathsOf(b.decideCommit(p)); !slices.Equal(got, []string{"lib/a.go"}) {
		t.Errorf("refused are %q", got)
	}
	p.Base = strings.Repeat("1", len(p.Base))
	if v, err := DecideCommit(context.Background(), p, b.work()); err == nil {
		t.Errorf("without its base: %+v", v)
	}
}

// TestJoining holds that work of others passes while it is brought along.
func TestJoining(t *testing.T) {
	for name, words := range map[string][]string{
		"a merge": {"merge", "main"}, "a rebase": {"rebase", "main"},
		"a rebase by patches": {"rebase", "--apply", "main"}, "a cherry-pick": {"cherry-pick", "main"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			for dir, content := range map[string]string{b.main: "theirs\n", b.work(): "ours\n"} {
				b.write(dir, "src/a.go", content)
				b.do(dir, "git", "commit", "-q", "-a", "-m", content)
			}
			if out, ok := b.try(b.work(), append([]string{"git"}, words...)...); ok {
				t.Fatalf("no conflict: %s", out)
			}
			b.write(b.work(), "lib/a.go", "theirs")
			b.do(b.work(), "git", "add", ".")
			if got := pathsOf(b.decideCommit(b.ground.policy)); len(got) > 0 {
				t.Errorf("refused are %q", got)
			}
			b.do(b.work(), "git", words[0], "--abort")
			b.write(b.work(), "lib/a.go", "mine")
			b.do(b.work(), "git", "add", ".")
			if got := pathsOf(b.decideCommit(b.ground.policy)); !slices.Equal(got, []string{"lib/a.go"}) {
				t.Errorf("afterwards, refused are %q", got)
			}
		})
	}
}

func TestRefusePush(t *testing.T) {
	for _, c := range []struct{ remote, address, where string }{
		{"origin", PushScheme + "://https://user:secret@example.com/a.git?t=secret#secret",
			"origin https://example.com/a.git"},
		{"https://secret@example.com/a@b", PushScheme + "://https://secret@example.com/a@b", "https://example.com/a@b"},
		{"up", "git@example.com:a/b@c.git", "up example.com:a/b@c.git"},
		{"up", "user:secret@example.com:a.git", "up example.com:a.git"},
		{"up", "ssh://git@example.com:22/a%zz", "up ssh://example.com:22/a%zz"},
		{"up", "https://user:sec/ret@example.com/a", "up https://example.com/a"},
		{"up", "/srv/a@b/c.git", "up /srv/a@b/c.git"},
		{"../x@y.git", "../x@y.git", "../x@y.git"},
	} {
		v := RefusePush(c.remote, c.address)
		if v.Allowed || v.Path != c.where || v.Pattern != "git push" || !strings.Contains(v.Reason, c.where) ||
			!strings.Contains(v.Reason, "agents reach no remote") {
			t.Errorf("%q: %+v", c, v)
		}
	}
}

func TestRefuseStart(t *testing.T) {
	if v := RefuseStart("/usr/bin/codex"); v.Allowed || v.Path != "/usr/bin/codex" || v.Pattern != "codex" ||
		!strings.Contains(v.Reason, `"/usr/bin/codex" is not started: an agent does not start agents`) {
		t.Errorf("%+v", v)
	}
}

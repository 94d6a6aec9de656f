package project_test

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"delegate/change"
	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/registry"
)

func work(t *testing.T, p *project.Project, a registry.Agent) project.Work {
	t.Helper()
	target, err := p.Repo.Resolve(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Work(t.Context(), session, a, target)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func breached(w project.Work) []string {
	var all []string
	for _, b := range w.Breaches {
		all = append(all, b.Path)
	}
	slices.Sort(all)
	return all
}

func TestBreaches(t *testing.T) {
	b := newBox(t, map[string]string{"src/in": "a\nb\nc\nd\n", "lib/out": "1\n2\n3\n4\n", "lib/gone": "g",
		"src/kept": "k", "src/deep/er/x": "x"})
	inner := newBox(t, map[string]string{"f": "1"})
	p := b.project()
	a, w := b.agent(p, "src/**")
	w.Git("mv", "src/in", "lib/in")
	w.Git("mv", "lib/out", "src/out")
	w.Git("rm", "-q", "lib/gone")
	w.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.Dir, "src/sub")
	w.Write(map[string]string{"SRC/x": "x", "-x": "x", "src/a\nb": "fine"})
	links := map[string]bool{ // whether it leads where the agent may not write
		"deep": false, "kept": false, ".": false, "..hidden": false, "out": false,
		"../lib/out": true, "../README": true, "../../out": true, "/etc/passwd": true, "..//..//x": true,
		"deep/../../../x": true, "deep/../kept": true, "../.git/config": true, "../.GIT": true,
	}
	want := []string{".gitmodules", "-x", "SRC/x", "lib/gone", "lib/in", "lib/out", "src/sub"}
	for target, out := range links {
		name := "src/link to " + strings.ReplaceAll(target, "/", "|")
		w.Link(target, name)
		if out {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	got := work(t, p, a)
	if all := breached(got); !slices.Equal(all, want) {
		t.Errorf("breaches:\n got %q\nwant %q", all, want)
	}
	for _, f := range got.Files {
		if f.Path == "src/out" && f.OldPath != "lib/out" {
			t.Errorf("people do not see the move: %+v", f)
		}
	}
	for _, breach := range got.Breaches {
		if breach.Path == "lib/in" && !strings.Contains(breach.String(), "src/**") {
			t.Errorf("%q does not name the pattern", breach)
		}
	}
}

func TestBreachesByConfiguration(t *testing.T) {
	b := newBox(t, map[string]string{".delegate.yaml": "forbidden: [src/secret/**]\nallowed_roots: [src]\n"})
	p := b.project()
	a, w := b.agent(p, "src/**", "docs/**")
	a.Forbidden = make([]string, 1, 8) // scratch behind it belongs to somebody else
	a.Forbidden[0] = "src/mine/**"
	w.Write(map[string]string{"src/ok": "", "src/secret/x": "", "src/mine/x": "", "docs/x": "", "docs/logs/x": ""})
	if all := breached(work(t, p, a)); !slices.Equal(all,
		[]string{"docs/logs/x", "docs/x", "src/mine/x", "src/secret/x"}) {
		t.Errorf("breaches %q", all)
	}
	if extra := a.Forbidden[:2][1]; extra != "" {
		t.Errorf("the scope wrote %q into the agent's own list", extra)
	}
}

func TestWork(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	early := b.Git("rev-parse", "HEAD")
	b.Write(map[string]string{"g": "1\n"})
	b.Commit("base")
	p := b.project()
	a, w := b.agent(p, "src/**")
	w.Write(map[string]string{"f": "2\n3\n", "new": "n\n"})
	got := work(t, p, a)
	if added, removed := got.Lines(); got.Rewritten || got.Fork != a.Base || added != 3 || removed != 1 ||
		got.Incomplete != "" {
		t.Errorf("uncommitted work: %+v", got)
	}
	mine := w.Commit("mine")
	b.Write(map[string]string{"theirs": "t\n"})
	moved := b.Commit("target moved")
	w.Git("rebase", "-q", moved)
	if got = work(t, p, a); got.Rewritten || got.Fork != moved || len(got.Files) != 2 {
		t.Errorf("rebased onto the target: %+v", got)
	}
	w.Git("reset", "-q", "--hard", mine)
	w.Git("rebase", "-q", "--onto", early, a.Base)
	if got = work(t, p, a); !got.Rewritten || got.Fork != a.Base {
		t.Errorf("rebased behind the base: %+v", got)
	}
	if !slices.Contains(change.Set{Files: got.Files}.Paths(), "g") {
		t.Error("what the rewritten branch takes away is not shown")
	}
	w.Git("replace", "--graft", got.Head, a.Base)
	if w.Git("merge-base", "--is-ancestor", a.Base, got.Head); !work(t, p, a).Rewritten {
		t.Error("a replaced commit hides that history was rewritten")
	}
	w.Git("checkout", "-q", "--orphan", "alone")
	w.Git("commit", "-q", "-m", "alone")
	w.Git("update-ref", "refs/heads/"+a.Branch, "HEAD")
	if got = work(t, p, a); !got.Rewritten || got.Unrelated || got.Fork != a.Base {
		t.Errorf("without common history: %+v", got)
	}
	w.Git("update-ref", "refs/heads/"+a.Branch, mine)
	w.Git("checkout", "-q", strings.TrimPrefix(a.Branch, "refs/heads/"))
	b.Git("checkout", "-q", "--orphan", "anew")
	b.Git("commit", "-q", "-m", "The first commit, amended")
	b.Git("update-ref", "refs/heads/main", "HEAD")
	b.Git("symbolic-ref", "HEAD", "refs/heads/main")
	if got = work(t, p, a); got.Rewritten || !got.Unrelated || got.Fork != a.Base {
		t.Errorf("the target's history was rewritten: %+v", got)
	}
}

func TestHeadOutlivesItsCheckout(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	p := b.project()
	a, w := b.agent(p, "src/**")
	w.Write(map[string]string{"src/x": "x"})
	snap, err := p.TakeHead(t.Context(), session, a, takeover.ForGood)
	if err != nil || snap.Head == a.Base {
		t.Fatalf("head %+v, %v", snap, err)
	}
	if got := b.Git("rev-parse", project.HeadRef(session, a.ID, 1)); got != snap.Head {
		t.Errorf("kept under its reference: %q", got)
	}
	if got := b.Git("log", "-1", "--format=%an|%B", snap.Head); got != "Ann Author|Do it\n" {
		t.Errorf("author and message: %q", got)
	}
	if err := os.RemoveAll(a.Worktree); err != nil {
		t.Fatal(err)
	}
	if _, err := p.TakeHead(t.Context(), session, a, takeover.ForGood); err == nil {
		t.Error("a head out of nothing")
	}
	a.Head = snap.Head
	if again, err := p.TakeHead(t.Context(), session, a, takeover.ForGood); err != nil ||
		!reflect.DeepEqual(again, snap) {
		t.Errorf("head %+v, %v; want the known one", again, err)
	}
}

func TestCopiedFilesAreRemembered(t *testing.T) {
	b := newBox(t, nil)
	b.Write(map[string]string{".env": "e"})
	p := b.project()
	a, w := b.agent(p, "src/**")
	checkout, err := takeover.Open(p.Repo, a.Worktree, a.Branch)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := checkout.CopyInto(t.Context(), p.Main, []string{".env"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.AgentState(session, a.ID), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := p.RememberCopied(session, a, copied); err != nil {
		t.Fatal(err)
	}
	if got := work(t, p, a); len(got.Files) != 0 {
		t.Errorf("a copy is work: %+v", got.Files)
	}
	w.Write(map[string]string{".env": "changed"})
	if all := breached(work(t, p, a)); !slices.Equal(all, []string{".env"}) {
		t.Errorf("breaches %q", all)
	}
}

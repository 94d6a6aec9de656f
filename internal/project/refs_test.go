package project_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/project"
	"delegate/registry"
)

func (b *box) refs(p *project.Project) project.Refs {
	b.Helper()
	refs, err := p.SnapshotRefs(b.Context(), recorded())
	if err != nil {
		b.Fatal(err)
	}
	return refs
}

func TestSnapshotRefs(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	p := b.project()
	_, w := b.agent(p, "src/**")
	w.Commit("mine")
	b.Git("tag", "-m", "annotated", "v1")
	b.Git("update-ref", "refs/delegate/"+session+"/AGT-001/turn-1", "HEAD")
	for _, own := range []string{session + "/AGT-002/work", session + "/integration", "limiter.2", "limiter.beside/x"} {
		b.Git("branch", "delegate/"+own)
	}
	b.Git("branch", "delegate/DEL-20200101-000000/AGT-001/work")
	b.Git("branch", "delegate/limiter-2")
	b.Git("update-ref", "refs/remotes/origin/main", "HEAD")
	b.Git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	head := b.Git("rev-parse", "HEAD")
	want := project.Refs{
		"HEAD": "ref: refs/heads/main", "refs/heads/main": head,
		"refs/heads/delegate/DEL-20200101-000000/AGT-001/work": head, "refs/heads/delegate/limiter-2": head,
		"refs/tags/v1": b.Git("rev-parse", "v1"), "refs/remotes/origin/main": head,
		"refs/remotes/origin/HEAD": "ref: refs/remotes/origin/main",
	}
	for _, dir := range []*box{b, w} { // the main checkout's HEAD is meant wherever the command was typed
		if moved := want.Moved(dir.refs(dir.project())); len(moved) != 0 {
			t.Errorf("in %q: other than wanted: %+v", dir.Dir, moved)
		}
	}
	b.Git("checkout", "-q", "--detach")
	b.Git("branch", "-q", "-D", "main")
	b.Git("branch", "-q", "new")
	got := want.Moved(b.refs(p))
	if len(got) != 3 || got[0] != (project.MovedRef{Ref: "HEAD", From: "ref: refs/heads/main", To: head}) ||
		got[1] != (project.MovedRef{Ref: "refs/heads/main", From: head}) ||
		got[2] != (project.MovedRef{Ref: "refs/heads/new", To: head}) {
		t.Errorf("moved: %+v", got)
	}
}

const agents = "AGT-001"

// mischief is what a person and an agent do during a turn.
type mischief struct {
	act  func(person, agent *box)
	want map[string]string // reference to words of the finding; "AGT-001: " before them where the agent is sure
}

// takings are about commits that references take in.
func takings() map[string]mischief {
	return map[string]mischief{
		"nothing": {func(_, _ *box) {}, nil},
		"a person's day": {func(person, _ *box) {
			person.Commit("mine")
			person.Git("branch", "topic")
			person.Git("tag", "v2")
			person.Git("update-ref", "refs/remotes/origin/main", "HEAD~1")
			person.Git("update-ref", "-d", "refs/remotes/origin/old")
			person.Git("notes", "add", "-m", "note")
			person.Write(map[string]string{"f": "edited\n"})
			person.Git("stash", "-q")
		}, nil},
		"the agent's day": {func(_, agent *box) {
			agent.Commit("one")
			agent.Git("branch", "-q", "-M", "delegate/"+session+"/AGT-001/renamed")
		}, nil},
		"a branch pushed": {func(_, agent *box) {
			agent.Commit("one")
			agent.Git("push", "-q", ".", "HEAD:refs/heads/other")
		}, map[string]string{"refs/heads/other": agents + ": took in"}},
		"a branch moved and work undone": {func(_, agent *box) {
			agent.Commit("one")
			agent.Git("update-ref", "refs/heads/other", "HEAD")
			agent.Commit("two")
			agent.Git("reset", "-q", "--hard", "HEAD~2")
		}, map[string]string{"refs/heads/other": agents + ": took in"}},
		"merged in the main checkout": {func(person, agent *box) {
			person.Git("merge", "-q", "--no-ff", "-m", "by hand", agent.Commit("one"))
		}, map[string]string{"refs/heads/main": agents + ": took in"}},
		"made a branch and a tag": {func(_, agent *box) {
			agent.Commit("one")
			agent.Git("branch", "-q", "spare")
			agent.Git("tag", "-m", "t", "spare-tag")
		}, map[string]string{"refs/heads/spare": agents + ": took in", "refs/tags/spare-tag": agents + ": took in"}},
		"amended, picked, rebased": {func(person, agent *box) {
			moved := person.Commit("moved")
			agent.Commit("one")
			agent.Git("commit", "-q", "--amend", "--allow-empty", "-m", "better")
			agent.Git("rebase", "-q", "--keep-empty", moved)
			agent.Git("update-ref", "refs/heads/other", "HEAD")
		}, map[string]string{"refs/heads/other": agents + ": took in"}},
		"the agent took in the moved target": {func(person, agent *box) {
			person.Commit("moved")
			agent.Git("merge", "-q", "--ff-only", "main")
			person.Commit("moved again")
			agent.Commit("one")
			agent.Git("merge", "-q", "-m", "take in", "main")
			person.Commit("and again")
			agent.Git("reset", "-q", "--hard", "main~1")
			agent.Git("cherry-pick", "--ff", "main")
		}, nil},
		"the agent rebased onto the moved target": {func(person, agent *box) {
			agent.Commit("one")
			person.Commit("moved")
			agent.Git("rebase", "-q", "--keep-empty", "main")
		}, nil},
	}
}

// oddities are about everything else.
func oddities() map[string]mischief {
	return map[string]mischief{
		"a look at the agent's work": {func(person, agent *box) {
			person.Git("checkout", "-q", "--detach", agent.Commit("one"))
		}, map[string]string{"HEAD": "switched"}},
		"taken back": {func(_, agent *box) {
			agent.Git("update-ref", "refs/heads/other", "refs/heads/other~1")
		}, map[string]string{"refs/heads/other": "does not hold 1 "}},
		"deleted": {func(_, agent *box) {
			agent.Git("branch", "-q", "-D", "other")
		}, map[string]string{"refs/heads/other": "was deleted"}},
		"tag moved": {func(person, agent *box) {
			person.Commit("x")
			agent.Git("tag", "-f", "v1", "main")
		}, map[string]string{"refs/tags/v1": "another object"}},
		"tag of a file": {func(_, agent *box) {
			agent.Commit("one")
			agent.Git("tag", "blob", "HEAD:f")
		}, nil},
		"an object replaced": {func(_, agent *box) {
			agent.Git("replace", "HEAD", "HEAD~1")
		}, map[string]string{"refs": "replaces"}},
		"the agent's stash": {func(_, agent *box) {
			agent.Write(map[string]string{"f": "x"})
			agent.Git("stash", "-q")
		}, map[string]string{"refs/stash": agents + ": holds a stash"}},
		"the agent's named stash": {func(_, agent *box) {
			agent.Write(map[string]string{"f": "x"})
			agent.Git("stash", "push", "-q", "-m", "later")
		}, map[string]string{"refs/stash": agents + ": holds a stash"}},
		"stash dropped": {func(_, agent *box) {
			agent.Git("stash", "drop", "-q")
		}, map[string]string{"refs/stash": "was deleted"}},
		"switched": {func(person, _ *box) {
			person.Git("checkout", "-q", "other")
		}, map[string]string{"HEAD": `switched from "refs/heads/main" to "refs/heads/other"`}},
	}
}

func TestIntruded(t *testing.T) {
	t.Parallel()
	all := takings()
	maps.Copy(all, oddities())
	for name, test := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t, map[string]string{"f": "1\n"})
			b.Commit("second")
			b.Git("branch", "other")
			b.Git("tag", "v1")
			b.Git("update-ref", "refs/remotes/origin/main", "HEAD")
			b.Git("update-ref", "refs/remotes/origin/old", "HEAD")
			b.Write(map[string]string{"f": "the person's\n"})
			b.Git("stash", "-q")
			p := b.project()
			a, w := b.agent(p, "src/**")
			before := b.refs(p)
			test.act(b, w)
			found, err := p.Intruded(t.Context(), before, b.refs(p), []registry.Agent{{ID: "AGT-002"}, a})
			if err != nil {
				t.Fatal(err)
			}
			ok := len(found) == len(test.want)
			for _, f := range found {
				ref, _, _ := strings.Cut(f.Ref, "/replace/")
				want, sure := strings.CutPrefix(test.want[ref], agents+": ")
				ok = ok && want != "" && sure == (f.Agent == agents) && strings.Contains(f.Why, want)
			}
			if !ok {
				t.Errorf("found %q, want %q", found, test.want)
			}
			a.Status = registry.Merged
			found, err = p.Intruded(t.Context(), before, b.refs(p), []registry.Agent{a})
			for _, f := range found {
				if err != nil || strings.HasPrefix(f.Why, "took in") {
					t.Errorf("landed work is accused: %v, %v", f, err)
				}
			}
		})
	}
}

func TestIntrudedCountsWhatIsNew(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	p := b.project()
	a, w := b.agent(p, "src/**")
	b.Git("branch", "kept", w.Commit("one"))
	before := b.refs(p)
	b.Git("branch", "again", "kept")
	b.Git("merge", "-q", "--ff-only", "kept")
	if found, err := p.Intruded(t.Context(), before, b.refs(p), []registry.Agent{a}); err != nil || len(found) != 0 {
		t.Errorf("what a reference held before the turn is told again: %v, %v", found, err)
	}
}

func TestIntrudedByAnAgentWhoseCheckoutIsGone(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	p := b.project()
	a, w := b.agent(p, "src/**")
	before := b.refs(p)
	b.Git("branch", "kept", w.Commit("one"))
	for _, dir := range []string{a.Worktree, filepath.Join(b.Dir, ".git", "worktrees")} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if found, err := p.Intruded(t.Context(), before, b.refs(p), []registry.Agent{a}); err != nil || len(found) > 1 {
			t.Errorf("without %q: %v, %v", dir, found, err)
		}
	}
}

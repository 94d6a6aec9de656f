package pullrequest_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/intake/takeover"
	"delegate/internal/land/analyze"
	"delegate/internal/land/candidate"
	"delegate/internal/land/pullrequest"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

func TestMain(m *testing.M) {
	if status, mine := keeper.Main(os.Args[1:]); mine {
		os.Exit(status)
	}
	if status, mine := analyze.Live(os.Args[1:]); mine {
		os.Exit(status)
	}
	gittest.Isolate()
	gittest.Name()
	gittest.Main(m.Run, killedPublication)
}

// killedPublication opens stacked requests for both agents.
func killedPublication(dir string, step func(string)) error {
	ctx := context.Background()
	p, err := project.Open(ctx, dir, project.Options{Now: now, Step: step})
	if err != nil {
		return err
	}
	b := candidate.New(p)
	ok, err := approved(ctx, b, pullrequest.Stacked, "AGT-001", "AGT-002")
	if err != nil {
		return err
	}
	_, err = pullrequest.Publish(ctx, b, ok, git.NeverPrompt)
	return err
}

// approved is the candidate of the agents, with a yes.
func approved(ctx context.Context, b *candidate.Builder, shape pullrequest.Shape, ids ...string) (candidate.Approved,
	error) {
	state, err := b.Project.Active(ctx)
	if err != nil {
		return candidate.Approved{}, err
	}
	to, err := pullrequest.Prepare(ctx, b.Project, state, ids, shape)
	if err != nil {
		return candidate.Approved{}, err
	}
	c, err := b.BuildFor(ctx, state, to, ids...)
	if err != nil {
		return candidate.Approved{}, err
	}
	who := git.Person{Name: "Pat", Email: "pat@example.org"}
	return candidate.Approve(c, candidate.Consent{Digest: c.Digest, Who: who})
}

func now() time.Time { return time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC) }

// rig is a repository with a bare remote, and a session with two agents.
type rig struct {
	*gittest.Repo
	bare string
	p    *project.Project
	b    *candidate.Builder
	step func(string)
}

func begin(t *testing.T) *rig {
	t.Helper()
	r := &rig{Repo: gittest.At(t, filepath.Join(t.TempDir(), "repo"), map[string]string{"src/a.txt": "a\n",
		".github/pull_request_template.md": "- [ ] I have read it\n"}), bare: filepath.Join(t.TempDir(), "origin.git")}
	r.Git("clone", "-q", "--bare", ".", r.bare)
	r.Git("remote", "add", "origin", r.bare)
	r.open()
	whole := &plan.Plan{Title: "Task"}
	for i, name := range []string{"Count words", "Count lines"} {
		whole.Subtasks = append(whole.Subtasks, plan.Subtask{Number: i + 1, Name: name, Description: "do it",
			Allowed: []string{"src/**"}, Type: plan.Standard, Complexity: plan.Low})
	}
	_, err := control.Start(t.Context(), r.p, control.StartRequest{Plan: whole, Target: "main",
		Base: r.Git("rev-parse", "main"), Approved: "Pat"})
	r.ok(err)
	return r
}

// open opens the project anew, as another process would.
func (r *rig) open() {
	r.Helper()
	p, err := project.Open(r.Context(), r.Dir, project.Options{Now: now, Step: func(name string) {
		if r.step != nil {
			r.step(name)
		}
	}})
	r.ok(err)
	r.p, r.b = p, candidate.New(p)
	b := r.b
	r.Cleanup(func() { b.Close() })
}

func (r *rig) ok(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) state() registry.State {
	r.Helper()
	state, err := r.p.Active(r.Context())
	r.ok(err)
	return state
}

func (r *rig) agent(id string) registry.Agent {
	r.Helper()
	a, err := r.state().Agent(id)
	r.ok(err)
	return a
}

func (r *rig) transition(id string, kind registry.Kind, who registry.Decider, edit func(*registry.Agent)) {
	r.Helper()
	_, err := r.p.Store.Update(r.Context(), func(tx *registry.Tx) error {
		return tx.Transition(id, registry.Event{Kind: kind}, who, edit)
	})
	r.ok(err)
}

// works takes an agent from PENDING to COMPLETE with a commit of one file.
func (r *rig) works(id, path, text string) {
	r.Helper()
	tip := r.Git("rev-parse", "main")
	r.transition(id, registry.EventSpawning, registry.Supervisor, func(a *registry.Agent) {
		session.Place(r.p, a, 1)
		a.Base, a.Head = tip, tip
	})
	a := r.agent(id)
	_, err := takeover.Create(r.Context(), r.p.Repo, takeover.Request{Path: a.Worktree, Branch: a.Branch, Commit: tip})
	r.ok(err)
	r.transition(id, registry.EventSpawned, registry.Supervisor, func(a *registry.Agent) { a.Turns = 1 })
	r.completes(id, path, text)
}

// completes ends a turn of an agent that is RUNNING with a commit of one file.
func (r *rig) completes(id, path, text string) {
	r.Helper()
	tree := gittest.In(r.TB, r.agent(id).Worktree)
	tree.Write(map[string]string{path: text})
	tree.Git("add", "-A")
	tree.Git("commit", "-q", "-m", "work of "+id)
	work, err := r.p.Work(r.Context(), r.state().Session.ID, r.agent(id), r.Git("rev-parse", "main"))
	r.ok(err)
	r.transition(id, registry.EventComplete, registry.Supervisor, func(a *registry.Agent) {
		a.Head, a.Summary = work.Head, "I counted; closes #1, thanks @all"
	})
}

func (r *rig) approve(shape pullrequest.Shape, ids ...string) candidate.Approved {
	r.Helper()
	ok, err := approved(r.Context(), r.b, shape, ids...)
	r.ok(err)
	return ok
}

func (r *rig) publish(shape pullrequest.Shape, ids ...string) []pullrequest.Published {
	r.Helper()
	done, err := pullrequest.Publish(r.Context(), r.b, r.approve(shape, ids...), git.NeverPrompt)
	r.ok(err)
	return done
}

// there is what the remote has of a branch.
func (r *rig) there(branch string) string {
	r.Helper()
	return gittest.In(r.TB, r.bare).Git("for-each-ref", "--format=%(objectname)", "refs/heads/"+branch)
}

func (r *rig) count(id string, kind registry.Kind) int {
	r.Helper()
	n := 0
	for _, e := range r.state().Events {
		if e.Agent == id && e.Kind == kind {
			n++
		}
	}
	return n
}

package project_test

import (
	"os"
	"testing"

	"delegate/internal/git/gittest"
	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/internal/record"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// TestMain keeps the person's own configuration out of the tests.
func TestMain(m *testing.M) {
	if status, mine := keeper.Main(os.Args[1:]); mine {
		os.Exit(status)
	}
	if len(os.Args) == 3 && os.Args[1] == dialRole {
		os.Exit(dial(os.Args[2]))
	}
	if len(os.Args) == 5 && os.Args[1] == mergeRole {
		if err := record.MergeFiles(os.Args[2], os.Args[3], os.Args[4]); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	gittest.Isolate()
	gittest.Name()
	os.Exit(m.Run())
}

// box is a checkout that a test works in.
type box struct {
	*gittest.Repo
	stored map[string]string // objects that a test made, by what they were made from
}

func newBox(t *testing.T, files map[string]string) *box {
	t.Helper()
	return &box{Repo: gittest.New(t, files), stored: map[string]string{}}
}

func (b *box) project() *project.Project {
	b.Helper()
	p, err := project.Open(b.Context(), b.Dir, project.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return p
}

const session = "DEL-20260102-150405"

// recorded is the state of a session with the agent.
func recorded() registry.State {
	return registry.State{Session: &registry.Session{ID: session},
		Agents: []registry.Agent{{ID: "AGT-001", Name: "limiter"}}}
}

// agent makes an agent with a checkout of the box's commit, and the box in which the test plays it.
func (b *box) agent(p *project.Project, allowed ...string) (registry.Agent, *box) {
	b.Helper()
	a := registry.Agent{
		ID: "AGT-001", Name: "limiter", Attempt: 1, Turns: 1, Allowed: allowed, Base: b.Git("rev-parse", "HEAD"),
		Branch: project.Branch("limiter", 1), Worktree: p.WorkPath("limiter", 1), Subtask: "Do it",
	}
	if _, err := takeover.Create(b.Context(), p.Repo,
		takeover.Request{Path: a.Worktree, Branch: a.Branch, Commit: a.Base}); err != nil {
		b.Fatal(err)
	}
	return a, &box{Repo: gittest.In(b.TB, a.Worktree)}
}

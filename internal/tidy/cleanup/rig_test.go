package cleanup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/control/session"
	"delegate/internal/git/gittest"
	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

func TestMain(m *testing.M) {
	if status, mine := keeper.Main(os.Args[1:]); mine {
		os.Exit(status)
	}
	gittest.Isolate()
	gittest.Name()
	os.Exit(m.Run())
}

// rig is a repository with one commit on main, in a folder of its own, and what is recorded in it.
type rig struct {
	*gittest.Repo
	p    *project.Project
	step func(string)
}

func newRig(t *testing.T) *rig {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Repo: gittest.At(t, filepath.Join(root, "repo"), map[string]string{"tracked": "1\n",
		".gitignore": "ignored\ndocs/logs\n"})}
	r.p, err = project.Open(t.Context(), r.Dir, project.Options{Step: func(name string) {
		if r.step != nil {
			r.step(name)
		}
	}})
	r.ok(err)
	return r
}

func (r *rig) ok(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) do(fn func(*registry.Tx) error) registry.State {
	r.Helper()
	state, err := r.p.Store.Update(r.Context(), fn)
	r.ok(err)
	return state
}

// begin starts a session with agents of these names.
func (r *rig) begin(names ...string) {
	r.Helper()
	var agents []registry.Agent
	for _, name := range names {
		agents = append(agents, registry.Agent{Subtask: name, Name: name, Allowed: []string{"**"}})
	}
	r.do(func(tx *registry.Tx) error {
		return tx.StartSession(registry.Session{ParentTask: "Task", Target: "main", Base: r.Git("rev-parse", "HEAD")},
			agents)
	})
}

func (r *rig) end() {
	r.Helper()
	r.do(func(tx *registry.Tx) error { return tx.EndSession(registry.SessionAborted, registry.Event{}) })
}

func (r *rig) agent(name string) (string, registry.Agent) {
	r.Helper()
	state, err := r.p.Active(r.Context())
	r.ok(err)
	a, err := state.Find(name)
	r.ok(err)
	return state.Session.ID, a
}

// move records a transition of an agent.
func (r *rig) move(id string, kind registry.Kind, by registry.Decider, edit func(*registry.Agent)) {
	r.Helper()
	r.do(func(tx *registry.Tx) error { return tx.Transition(id, registry.Event{Kind: kind}, by, edit) })
}

// works has an agent make a commit and leave a file, and takes its head.
func (r *rig) works(name string) *gittest.Repo {
	r.Helper()
	_, a := r.agent(name)
	base := r.Git("rev-parse", "main")
	r.move(a.ID, registry.EventSpawning, registry.Supervisor, func(a *registry.Agent) {
		session.Place(r.p, a, 1)
		a.Base, a.Head = base, base
	})
	id, a := r.agent(name)
	_, err := takeover.Create(r.Context(), r.p.Repo,
		takeover.Request{Path: a.Worktree, Branch: a.Branch, Commit: base})
	r.ok(err)
	r.move(a.ID, registry.EventSpawned, registry.Supervisor, func(a *registry.Agent) { a.Turns = 1 })
	tree := gittest.In(r.TB, a.Worktree)
	tree.Write(map[string]string{name + "/committed": "x\n"})
	tree.Commit("work of " + name)
	tree.Write(map[string]string{name + "/left": "y\n"})
	_, a = r.agent(name)
	snap, err := r.p.TakeHead(r.Context(), id, a, takeover.ForGood)
	r.ok(err)
	r.move(a.ID, registry.EventComplete, registry.Supervisor, func(a *registry.Agent) { a.Head = snap.Head })
	return tree
}

// lands brings an agent's work to main, as one commit for "squash".
func (r *rig) lands(name, how string) {
	r.Helper()
	_, a := r.agent(name)
	if how == "squash" {
		r.Git("merge", "-q", "--squash", a.Head)
		r.Git("commit", "-q", "-m", "Land")
	} else {
		r.Git("merge", "-q", "--no-ff", "-m", "Land", a.Head)
	}
	commit := r.Git("rev-parse", "HEAD")
	r.move(a.ID, registry.EventMerged, registry.Person, func(a *registry.Agent) { a.MergeCommit = commit })
}

func (r *rig) rejects(name string) {
	r.Helper()
	_, a := r.agent(name)
	r.move(a.ID, registry.EventRejected, registry.Person, nil)
}

func (r *rig) find() []Item {
	r.Helper()
	all, err := Find(r.Context(), r.p)
	r.ok(err)
	return all
}

// work is what is found of an agent's branch or worktree.
func (r *rig) work(name string) Item {
	r.Helper()
	all := r.find()
	i := slices.IndexFunc(all, func(it Item) bool {
		return (it.Kind == Worktree || it.Kind == Branch) && (it.Name == name || it.Agent == name)
	})
	if i < 0 {
		return Item{}
	}
	return all[i]
}

// clean removes what a selection takes, and answers with the outcomes.
func (r *rig) clean(s Selection) map[Outcome]int {
	r.Helper()
	var goes []Item
	for _, it := range s.Plan(r.find(), r.p.Now()) {
		if it.Decision == ToRemove {
			goes = append(goes, it.Item)
		}
	}
	results, err := Remove(r.Context(), r.p, goes)
	r.ok(err)
	outcomes := map[Outcome]int{}
	for _, result := range results {
		outcomes[result.Outcome]++
		if result.Error != "" {
			r.Errorf("%s: %s", result.Item, result.Error)
		}
	}
	return outcomes
}

func (r *rig) refs(under string) []string {
	r.Helper()
	return strings.Fields(r.Git("for-each-ref", "--format=%(refname)", under))
}

func (r *rig) has(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

const sessionID = "DEL-20260102-150405"

// branch makes a worktree with one commit on a branch of an agent's, as before agents had names.
func (r *rig) branch(session, agent string) (name, path string) {
	r.Helper()
	name, path = "delegate/"+session+"/"+agent+"/work", filepath.Join(r.p.SessionDir(session), agent, "work")
	r.Git("worktree", "add", "-q", "-b", name, path)
	tree := gittest.In(r.TB, path)
	tree.Write(map[string]string{agent: "x"})
	tree.Commit("Work")
	return name, path
}

//go:build bench

package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"delegate/conflict"
	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/git/objects"
	"delegate/internal/intake/takeover"
	"delegate/internal/land"
	"delegate/internal/land/analyze"
	"delegate/internal/land/candidate"
	"delegate/internal/land/compare"
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
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"LC_ALL": "C"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// Both repositories have this many files, in folders of ten.
const fileCount = 300

func repository(b *testing.B) string {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "repo")
	for i := range fileCount {
		write(b, filepath.Join(dir, name(i)), strings.Repeat(fmt.Sprintf("line of file %d\n", i), 40))
	}
	runGit(b, dir, "init", "-q", "-b", "main")
	runGit(b, dir, "config", "user.name", "Pat")
	runGit(b, dir, "config", "user.email", "pat@example.org")
	runGit(b, dir, "add", "-A")
	runGit(b, dir, "commit", "-q", "-m", "base")
	return dir
}

func name(i int) string { return fmt.Sprintf("src/d%02d/f%03d.txt", i/10, i) }

func write(b *testing.B, path, text string) {
	b.Helper()
	check(b, os.MkdirAll(filepath.Dir(path), 0o755))
	check(b, os.WriteFile(path, []byte(text), 0o644))
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func runGit(b *testing.B, dir string, args ...string) string {
	b.Helper()
	return gittest.In(b, dir).Git(args...)
}

// edit makes the change that is landed: three files changed and one new.
func edit(b *testing.B, dir string, round int) {
	b.Helper()
	for _, i := range []int{round % fileCount, (round + 97) % fileCount, (round + 201) % fileCount} {
		write(b, filepath.Join(dir, name(i)),
			strings.Repeat(fmt.Sprintf("line of file %d in round %d\n", i, round), 40))
	}
	write(b, filepath.Join(dir, fmt.Sprintf("src/new/n%d.txt", round)), "new\n")
	runGit(b, dir, "add", "-A")
	runGit(b, dir, "commit", "-q", "-m", fmt.Sprintf("round %d", round))
}

// BenchmarkBareGit is what remains of a landing without journal, approval, checks, locks and record.
func BenchmarkBareGit(b *testing.B) {
	dir := repository(b)
	other := filepath.Join(filepath.Dir(dir), "work")
	for round := 0; b.Loop(); round++ {
		b.StopTimer()
		runGit(b, dir, "worktree", "add", "-q", "-B", "work", other, "main")
		edit(b, other, round)
		head := runGit(b, other, "rev-parse", "HEAD")
		b.StartTimer()
		tip := runGit(b, dir, "rev-parse", "main")
		tree := runGit(b, dir, "merge-tree", "--write-tree", tip, head)
		commit := runGit(b, dir, "commit-tree", tree, "-p", tip, "-p", head, "-m", "landing")
		runGit(b, dir, "update-ref", "refs/heads/main", commit, tip)
		runGit(b, dir, "read-tree", "-m", "-u", tip, commit)
		b.StopTimer()
		runGit(b, dir, "worktree", "remove", "--force", other)
		b.StartTimer()
	}
	clean(b, dir)
}

func clean(b *testing.B, dir string) {
	b.Helper()
	if got := runGit(b, dir, "status", "--porcelain", "--", "src"); got != "" {
		b.Fatalf("status after the landings:\n%s", got)
	}
}

// field is a repository with a session in it.
type field struct {
	*testing.B
	ctx      context.Context
	dir      string
	p        *project.Project
	b        *candidate.Builder
	comparer *compare.Comparer
}

func begin(b *testing.B) *field {
	b.Helper()
	f := &field{B: b, ctx: context.Background(), dir: repository(b)}
	var err error
	f.p, err = project.Open(f.ctx, f.dir, project.Options{Now: func() time.Time {
		return time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	}})
	check(b, err)
	f.b, f.comparer = candidate.New(f.p), compare.New(f.p)
	b.Cleanup(func() { f.b.Close(); f.comparer.Close() })
	whole := &plan.Plan{Title: "Bench", Subtasks: []plan.Subtask{{Number: 1, Name: "First", Description: "x",
		Allowed: []string{"src/**"}, Type: plan.Quick}}}
	_, err = control.Start(f.ctx, f.p, control.StartRequest{Plan: whole, Target: "main",
		Base: runGit(b, f.dir, "rev-parse", "main"), Approved: "Pat"})
	check(b, err)
	return f
}

// work adds an agent that has completed one round.
func (f *field) work(round int) registry.Agent {
	f.Helper()
	tip := runGit(f.B, f.dir, "rev-parse", "main")
	id := ""
	f.update(func(tx *registry.Tx) error {
		var err error
		if id, err = tx.AddAgent(registry.Agent{Subtask: "Round", Allowed: []string{"src/**"}}); err != nil {
			return err
		}
		return tx.Transition(id, registry.Event{Kind: registry.EventSpawning}, registry.Supervisor,
			func(a *registry.Agent) {
				session.Place(f.p, a, 1)
				a.Base, a.Head = tip, tip
			})
	})
	a := f.agent(id)
	_, err := takeover.Create(f.ctx, f.p.Repo, takeover.Request{Path: a.Worktree, Branch: a.Branch, Commit: tip})
	check(f.B, err)
	edit(f.B, a.Worktree, round)
	head := runGit(f.B, a.Worktree, "rev-parse", "HEAD")
	f.update(func(tx *registry.Tx) error {
		if err := tx.Transition(id, registry.Event{Kind: registry.EventSpawned}, registry.Supervisor,
			func(a *registry.Agent) {
				a.Turns = 1
			}); err != nil {
			return err
		}
		return tx.Transition(id, registry.Event{Kind: registry.EventComplete}, registry.Supervisor,
			func(a *registry.Agent) {
				a.Head = head
			})
	})
	return f.agent(id)
}

func (f *field) update(fn func(*registry.Tx) error) {
	f.Helper()
	_, err := f.p.Store.Update(f.ctx, fn)
	check(f.B, err)
}

func (f *field) agent(id string) registry.Agent {
	f.Helper()
	state, err := f.p.Active(f.ctx)
	check(f.B, err)
	a, err := state.Agent(id)
	check(f.B, err)
	return a
}

func (f *field) build(id string) candidate.Candidate {
	f.Helper()
	state, err := f.p.Active(f.ctx)
	check(f.B, err)
	c, err := f.b.Build(f.ctx, state, id)
	check(f.B, err)
	return c
}

func (f *field) land(c candidate.Candidate) {
	f.Helper()
	ok, err := candidate.Approve(
		c,
		candidate.Consent{Digest: c.Digest, Who: git.Person{Name: "Pat", Email: "pat@example.org"}},
	)
	check(f.B, err)
	_, err = land.Land(f.ctx, f.b, ok)
	check(f.B, err)
}

// BenchmarkLandAgent is what a person waits for after their yes: the candidate built once more and
// compared, then the landing.
func BenchmarkLandAgent(b *testing.B) {
	f := begin(b)
	for round := 0; b.Loop(); round++ {
		b.StopTimer()
		a := f.work(round)
		c := f.build(a.ID)
		b.StartTimer()
		f.land(c)
		b.StopTimer()
		runGit(b, f.dir, "worktree", "remove", "--force", a.Worktree)
		b.StartTimer()
	}
	clean(b, f.dir)
}

// BenchmarkBuildCandidate is what a person waits for before the question, without verify commands.
func BenchmarkBuildCandidate(b *testing.B) {
	f := begin(b)
	a := f.work(1)
	for b.Loop() {
		f.build(a.ID)
	}
}

// BenchmarkConflictPairs compares eight agents, each with each and with the target, at each depth,
// and once more when nothing moved. It reads no registry.
func BenchmarkConflictPairs(b *testing.B) {
	f, tips := eightAgents(b)
	for _, depth := range analyze.Depths() {
		b.Run(string(depth), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				check(b, os.RemoveAll(filepath.Join(f.dir, ".git", "delegate", "conflicts-"+string(depth)+".gob")))
				b.StartTimer()
				f.compare(tips, depth)
			}
		})
	}
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			f.compare(tips, analyze.Checked)
		}
	})
}

func (f *field) compare(tips []objects.Span, depth analyze.Depth) {
	findings, err := f.comparer.Compare(f.ctx, tips, depth)
	check(f.B, err)
	if !conflict.Blocking(findings) {
		f.Fatal("no conflict found")
	}
}

func eightAgents(b *testing.B) (*field, []objects.Span) {
	f := begin(b)
	base := runGit(b, f.dir, "rev-parse", "main")
	tips := []objects.Span{{Name: project.TargetName, Base: base, Head: base}}
	for i := range 8 {
		dir := filepath.Join(filepath.Dir(f.dir), fmt.Sprintf("agent-%d", i))
		runGit(b, f.dir, "worktree", "add", "-q", "-b", fmt.Sprintf("agent-%d", i), dir, base)
		edit(b, dir, i/2) // so every two of them change the same files
		write(b, filepath.Join(dir, name(0)), fmt.Sprintf("agent %d\n", i))
		runGit(b, dir, "commit", "-q", "-a", "-m", "shared")
		tips = append(tips, objects.Span{Name: fmt.Sprintf("AGT-%03d", i+1), Base: base,
			Head: runGit(b, dir, "rev-parse", "HEAD")})
	}
	return f, tips
}

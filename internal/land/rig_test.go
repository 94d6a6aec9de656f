package land_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/intake/takeover"
	"delegate/internal/land"
	"delegate/internal/land/analyze"
	"delegate/internal/land/candidate"
	"delegate/internal/land/journal"
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
	gittest.Main(m.Run, killedLanding)
}

// killedLanding lands AGT-001.
func killedLanding(dir string, step func(string)) error {
	p, err := project.Open(context.Background(), dir, project.Options{Now: now, Step: step})
	if err != nil {
		return err
	}
	b := candidate.New(p)
	state, err := p.Active(context.Background())
	if err != nil {
		return err
	}
	c, err := b.Build(context.Background(), state, "AGT-001")
	if err != nil {
		return err
	}
	ok, err := candidate.Approve(c, candidate.Consent{Digest: c.Digest, Who: person()})
	if err != nil {
		return err
	}
	_, err = land.Land(context.Background(), b, ok)
	return err
}

func now() time.Time { return time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC) }

func person() git.Person { return git.Person{Name: "Pat", Email: "pat@example.org"} }

// rig is a repository with a session in it, and a person's checkout on main.
type rig struct {
	*testing.T
	ctx  context.Context
	dir  string
	p    *project.Project
	b    *candidate.Builder
	step func(string)
}

type files map[string]string // path to content; "-" deletes, "@target" links, "+x" in front makes a program

// begin makes the repository with the files committed, and starts a session with one agent for each
// list of dependencies, all with scope src/**.
func begin(t *testing.T, base files, dependencies ...[]int) *rig {
	t.Helper()
	sample(t)
	r := &rig{T: t, ctx: context.Background(), dir: filepath.Join(t.TempDir(), "repo")}
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q", "-b", "main")
	r.ok(appendTo(filepath.Join(r.dir, ".git", "config"), "[user]\n\tname = Pat\n\temail = pat@example.org\n"))
	r.put(r.dir, base)
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "base")
	r.open()
	whole := &plan.Plan{Title: "Task"}
	if len(dependencies) == 0 {
		dependencies = [][]int{nil}
	}
	for i, d := range dependencies {
		whole.Subtasks = append(whole.Subtasks, plan.Subtask{
			Number: i + 1, Name: fmt.Sprintf("Part %d", i+1), Description: "do it", Allowed: []string{"src/**"},
			Type: plan.Standard, Complexity: plan.Low, Dependencies: d,
		})
	}
	_, err := control.Start(r.ctx, r.p, control.StartRequest{Plan: whole, Target: "main", Base: r.main(),
		Approved: "Pat"})
	r.ok(err)
	return r
}

func appendTo(path, text string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// open opens the project anew, as another process would.
func (r *rig) open() {
	r.Helper()
	p, err := project.Open(r.ctx, r.dir, project.Options{Now: now, Step: func(name string) {
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

func (r *rig) git(args ...string) string {
	r.Helper()
	return r.gitIn(r.dir, args...)
}

// main is where the target is; nothing packs references here.
func (r *rig) main() string {
	r.Helper()
	id, err := os.ReadFile(filepath.Join(r.dir, ".git", "refs", "heads", "main"))
	r.ok(err)
	return strings.TrimSpace(string(id))
}

func (r *rig) gitIn(dir string, args ...string) string {
	r.Helper()
	return strings.TrimRight(gittest.In(r.T, dir).Git(args...), "\n")
}

func (r *rig) put(root string, all files) {
	r.Helper()
	for path, content := range all {
		if content == "-" {
			r.ok(os.RemoveAll(filepath.Join(root, path)))
		}
	}
	for path, content := range all {
		full := filepath.Join(root, path)
		if content == "-" {
			continue
		}
		r.ok(os.MkdirAll(filepath.Dir(full), 0o755))
		if target, link := strings.CutPrefix(content, "@"); link {
			_ = os.Remove(full)
			r.ok(os.Symlink(target, full))
			continue
		}
		text, program := strings.CutPrefix(content, "+x")
		if info, err := os.Lstat(full); err == nil && !info.Mode().IsRegular() {
			r.ok(os.Remove(full))
		}
		r.ok(os.WriteFile(full, []byte(text), 0o644))
		if program {
			r.ok(os.Chmod(full, 0o755))
		}
	}
}

func (r *rig) read(path string) string {
	r.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir, path))
	r.ok(err)
	return string(data)
}

func (r *rig) update(fn func(*registry.Tx) error) {
	r.Helper()
	_, err := r.p.Store.Update(r.ctx, fn)
	r.ok(err)
}

func (r *rig) state() registry.State {
	r.Helper()
	state, err := r.p.Active(r.ctx)
	r.ok(err)
	return state
}

func (r *rig) agent(id string) registry.Agent {
	r.Helper()
	a, err := r.state().Agent(id)
	r.ok(err)
	return a
}

// spawn gives the agent a worktree at the target's tip, as the supervisor does, and makes it RUNNING in its first turn.
func (r *rig) spawn(id string) registry.Agent {
	r.Helper()
	tip := r.main()
	r.update(func(tx *registry.Tx) error {
		return tx.Transition(id, registry.Event{Kind: registry.EventSpawning}, registry.Supervisor,
			func(a *registry.Agent) {
				session.Place(r.p, a, 1)
				a.Base, a.Head = tip, tip
			})
	})
	a := r.agent(id)
	_, err := takeover.Create(r.ctx, r.p.Repo, takeover.Request{Path: a.Worktree, Branch: a.Branch, Commit: tip})
	r.ok(err)
	r.update(func(tx *registry.Tx) error {
		return tx.Transition(id, registry.Event{Kind: registry.EventSpawned}, registry.Supervisor,
			func(a *registry.Agent) {
				a.Turns = 1
			})
	})
	return r.agent(id)
}

// complete ends the agent's turn with what lies in its worktree.
func (r *rig) complete(id string) registry.Agent {
	r.Helper()
	state := r.state()
	work, err := r.p.Work(r.ctx, state.Session.ID, r.agent(id), r.main())
	r.ok(err)
	r.update(func(tx *registry.Tx) error {
		return tx.Transition(id, registry.Event{Kind: registry.EventComplete}, registry.Supervisor,
			func(a *registry.Agent) {
				a.Head = work.Head
				for _, f := range work.Files {
					a.FilesModified = append(a.FilesModified, f.Path)
				}
			})
	})
	return r.agent(id)
}

// works takes an agent from PENDING to COMPLETE with a commit of the files, and one file left uncommitted.
func (r *rig) works(id string, all files) registry.Agent {
	r.Helper()
	a := r.spawn(id)
	r.put(a.Worktree, all)
	r.gitIn(a.Worktree, "add", "-A")
	r.gitIn(a.Worktree, "commit", "-q", "-m", "work of "+id)
	return r.complete(id)
}

func (r *rig) build(id string) candidate.Candidate {
	r.Helper()
	c, err := r.b.Build(r.ctx, r.state(), id)
	r.ok(err)
	return c
}

func (r *rig) approve(c candidate.Candidate) candidate.Approved {
	r.Helper()
	ok, err := candidate.Approve(c, candidate.Consent{Digest: c.Digest, Who: person()})
	r.ok(err)
	return ok
}

func (r *rig) land(id string) string {
	r.Helper()
	done, err := land.Land(r.ctx, r.b, r.approve(r.build(id)))
	r.ok(err)
	return done.Commit
}

func (r *rig) rollBack(id string) candidate.Candidate {
	r.Helper()
	c, err := r.b.BuildRollback(r.ctx, r.state(), id)
	r.ok(err)
	_, err = land.Land(r.ctx, r.b, r.approve(c))
	r.ok(err)
	return c
}

// commit puts files on main by a person's commit in their checkout.
func (r *rig) commit(all files) {
	r.Helper()
	r.put(r.dir, all)
	for path := range all {
		r.git("add", "-A", "--", path)
	}
	r.git("commit", "-q", "-m", "person")
}

// everything is all that a person could lose outside of src: index entries with their flags, diffs,
// status, and every file's bytes and mode.
func (r *rig) everything(dir string) string {
	r.Helper()
	var b strings.Builder
	outside := []string{"--", ".", ":!src", ":!docs/logs"}
	for _, args := range [][]string{
		{"ls-files", "-s", "-v"}, {"diff"}, {"diff", "--cached"}, {"status", "--porcelain=v2", "--ignored"},
	} {
		fmt.Fprintf(&b, "== %s\n%s\n", args,
			r.gitIn(dir, slices.Concat([]string{"--no-optional-locks"}, args, outside)...))
	}
	fmt.Fprintf(&b, "== stash\n%s\n", r.gitIn(dir, "stash", "list"))
	b.WriteString(r.tree(dir, func(path string) bool { return path == "src" || path == "docs/logs" || path == ".git" }))
	return b.String()
}

func (r *rig) tree(root string, skip func(string) bool) string {
	r.Helper()
	var b strings.Builder
	r.ok(filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		if skip(filepath.ToSlash(relative)) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil || d.IsDir() {
			return err
		}
		content := ""
		if info.Mode()&fs.ModeSymlink != 0 {
			content, err = os.Readlink(p)
		} else {
			var data []byte
			data, err = os.ReadFile(p)
			content = string(data)
		}
		fmt.Fprintf(&b, "%s %s %q\n", relative, info.Mode(), content)
		return err
	}))
	return b.String()
}

// clean checks that checkout and index show exactly the target in src and that nothing of a landing is left.
func (r *rig) clean(dir string) {
	r.Helper()
	if got := r.gitIn(dir, "status", "--porcelain", "--untracked-files=all", "--", "src"); got != "" {
		r.Errorf("status of src:\n%s", got)
	}
	if got := r.gitIn(dir, "diff", "HEAD", "--", "src"); got != "" {
		r.Errorf("src differs from HEAD:\n%s", got)
	}
	gitDir := r.gitIn(dir, "rev-parse", "--absolute-git-dir")
	for _, name := range []string{"index.lock", "index.delegate-landing", "index.delegate-landing.lock"} {
		if _, err := os.Lstat(filepath.Join(gitDir, name)); err == nil {
			r.Errorf("%s is left", name)
		}
	}
	if journal.Unfinished(r.p) {
		r.Error("the journal is left")
	}
	if got := r.state().Session.Status; got != registry.SessionActive {
		r.Errorf("session is %s", got)
	}
}

func (r *rig) status(id string, want registry.Status) {
	r.Helper()
	if got := r.agent(id).Status; got != want {
		r.Errorf("%s is %s, want %s", id, got, want)
	}
}

func (r *rig) same(what, got, want string) {
	r.Helper()
	if got == want {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		x, y := "", ""
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			r.Errorf("%s changed at line %d:\n got %s\nwant %s", what, i+1, x, y)
			return
		}
	}
}

func as[T error](t testing.TB, err error) T {
	t.Helper()
	var target T
	if !errors.As(err, &target) {
		t.Fatalf("error %v is no %T", err, target)
	}
	return target
}

// base is a tree with everything in src that the work below changes, and a person's files beside it.
func base() files {
	return files{
		".gitignore": "*.o\nignored/\n", "README.md": "read me\n",
		"src/a.txt": strings.Repeat("old line\n", 400), "src/keep.txt": "keep\n", "src/old.txt": "old\n",
		"src/run.sh": "#!/bin/sh\n",
		"src/f":      "a file\n", "src/d/x": "in a folder\n", "src/l": "@keep.txt", "src/p": "keep.txt",
		"mine/staged.txt": "1\n", "mine/unstaged.txt": "1\n", "mine/both.txt": "1\n", "mine/gone.txt": "1\n",
		"mine/assumed.txt": "1\n", "mine/skipped.txt": "1\n", "mine/mode.txt": "1\n", "mine/removed.txt": "1\n",
	}
}

// work is a change of every kind.
func work() files {
	return files{
		"src/a.txt": strings.Repeat("new line\n", 500), "src/new/n.txt": "new\n", "src/old.txt": "-",
		"src/run.sh": "+x#!/bin/sh\n",
		"src/f":      "-", "src/f/x": "now a folder\n", "src/d/x": "-", "src/d": "now a file\n", "src/p": "@keep.txt",
		"src/l": "-", "src/e": "",
	}
}

// mess leaves a person's work of every kind in the checkout.
func (r *rig) mess(dir string) {
	r.Helper()
	r.put(dir, files{
		"mine/staged.txt": "2\n", "mine/unstaged.txt": "2\n", "mine/both.txt": "2\n", "mine/new.txt": "new\n",
		"mine/intent.txt":    "intent\n",
		"mine/untracked.txt": "u\n", "mine/x.o": "ignored\n", "ignored/deep/file": "ignored\n",
		"mine/assumed.txt": "2\n", "mine/skipped.txt": "2\n",
		"src/mine.o": "ignored, in the folder of the landing\n", "mine/removed.txt": "-",
	})
	r.gitIn(dir, "add", "mine/staged.txt", "mine/both.txt", "mine/new.txt")
	r.gitIn(dir, "add", "-N", "mine/intent.txt")
	r.gitIn(dir, "rm", "-q", "--cached", "mine/gone.txt")
	r.gitIn(dir, "update-index", "--assume-unchanged", "mine/assumed.txt")
	r.gitIn(dir, "update-index", "--skip-worktree", "mine/skipped.txt")
	r.put(dir, files{"mine/both.txt": "3\n", "mine/mode.txt": "+x1\n"})
}

func (r *rig) place(s registry.Session, a *registry.Agent, tip string) {
	session.Place(r.p, a, a.Attempt+1)
	a.Base, a.Head = tip, tip
}

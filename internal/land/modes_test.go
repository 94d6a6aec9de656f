package land_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"delegate/conflict"
	"delegate/internal/control"
	"delegate/internal/land"
	"delegate/internal/land/bisect"
	"delegate/internal/land/journal"
	"delegate/internal/land/threeway"
	"delegate/internal/project"
	"delegate/internal/sys/long"
	"delegate/internal/tidy/completion"
	"delegate/registry"
)

// together lands the agents as one candidate.
func (r *rig) together(ids ...string) land.Landed {
	r.Helper()
	c, err := r.b.Build(r.ctx, r.state(), ids...)
	r.ok(err)
	done, err := land.Land(r.ctx, r.b, r.approve(c))
	r.ok(err)
	return done
}

func (r *rig) subjects(from string) []string {
	r.Helper()
	return strings.Split(r.git("log", "--first-parent", "--reverse", "--format=%s", from+"..main"), "\n")
}

func TestLandTogether(t *testing.T) {
	t.Parallel()
	r := begin(t, base(), nil, nil, []int{1})
	tip := r.main()
	r.works("AGT-001", files{"src/one.txt": "1\n"})
	r.works("AGT-002", files{"src/two.txt": "2\n"})
	done := r.together("AGT-002", "AGT-001")
	if got := r.subjects(tip); !slices.Equal(got, []string{"Part 2", "Part 1"}) {
		t.Errorf("history %q", got)
	}
	if r.main() != done.Commit || r.read("src/one.txt")+r.read("src/two.txt") != "1\n2\n" {
		t.Error("main or its checkout do not have the work")
	}
	for i, id := range []string{"AGT-002", "AGT-001"} {
		a := r.agent(id)
		if a.Status != registry.Merged || a.MergeCommit != r.git("rev-parse", "main~"+string(rune('1'-i))) ||
			len(a.FilesModified) != 1 {
			t.Errorf("%s: %s as %s with %q", id, a.Status, a.MergeCommit, a.FilesModified)
		}
	}
	var approved []string
	for _, e := range r.state().Events {
		if e.Kind == registry.EventApproved && strings.Contains(e.Details, "landing") {
			approved = append(approved, e.Agent+" "+e.Details)
		}
	}
	if len(approved) != 1 || !strings.HasPrefix(approved[0], " landing of AGT-002, AGT-001 on main, digest ") {
		t.Errorf("approvals %q", approved)
	}
	r.rollBack("AGT-002") // one of them can still be taken back alone
	if _, err := os.Stat(filepath.Join(r.dir, "src/two.txt")); err == nil || r.read("src/one.txt") != "1\n" {
		t.Error("the rollback of one took the other back, or nothing")
	}
	if r.status("AGT-001", registry.Merged); r.agent("AGT-002").Status != registry.Complete {
		t.Error("states after the rollback")
	}
}

func TestTogetherIsAllOrNone(t *testing.T) {
	t.Parallel()
	r := begin(t, base(), nil, nil)
	r.works("AGT-001", files{"src/keep.txt": "one\n"})
	r.works("AGT-002", files{"src/keep.txt": "two\n"})
	c, err := r.b.Build(r.ctx, r.state(), "AGT-001", "AGT-002")
	r.ok(err)
	r.blocked(c, "AGT-002: ")
	if c.Tree != "" || len(c.Open()) != 1 {
		t.Errorf("tree %q, open %+v", c.Tree, c.Open())
	}
	if places := c.Members[1].Findings[0].Places; !slices.ContainsFunc(places, func(p conflict.Place) bool {
		return p.Agent == "AGT-001"
	}) {
		t.Errorf("the places do not name the other agent: %+v", places)
	}
	if _, err := r.b.Build(r.ctx, r.state(), "AGT-001", "1"); err == nil {
		t.Error("one agent twice is no fault")
	}
}

// A member that lands nothing, or that cannot be brought back, blocks in the words that it would
// have alone, and only where it takes part.
func TestTogetherWithoutWork(t *testing.T) {
	t.Parallel()
	r := begin(t, base(), nil, nil)
	r.works("AGT-001", files{"src/one.txt": "1\n"})
	a := r.spawn("AGT-002")
	r.gitIn(a.Worktree, "commit", "-q", "--allow-empty", "-m", "nothing")
	r.complete("AGT-002")
	c, err := r.b.Build(r.ctx, r.state(), "AGT-001", "AGT-002")
	r.ok(err)
	r.blocked(c, "AGT-002: there is nothing to merge")
}

func TestNotReinstated(t *testing.T) {
	long.Only(t)
	t.Parallel()
	r := begin(t, base(), nil, nil)
	r.works("AGT-001", files{"src/keep.txt": "agent\n"})
	r.works("AGT-002", files{"src/two.txt": "2\n"})
	r.land("AGT-001")
	r.rollBack("AGT-001")
	r.commit(files{"src/keep.txt": "person\n"})
	if c := r.build("AGT-001"); len(c.Open()) != 1 || c.Tree != "" {
		t.Errorf("open %+v, tree %q", c.Open(), c.Tree)
	}
	order, err := r.b.Ready(r.ctx, r.state())
	r.ok(err)
	together, err := bisect.Combine(r.ctx, r.p, threeway.NewResolutions(r.p.Repo), r.state(), order.Agents,
		order.Findings)
	if err != nil || !slices.Equal(together.Left, []string{"AGT-001"}) {
		t.Errorf("combination %+v, %v", together, err)
	}
	r.land("AGT-002")
	t.Log("and there is a way out")
	_, err = control.Control{P: r.p, Who: "Pat"}.Adapt(r.ctx, "AGT-001", "both")
	r.ok(err)
	work := r.agent("AGT-001").Worktree
	if data, err := os.ReadFile(filepath.Join(work, "src/keep.txt")); err != nil ||
		!strings.Contains(string(data), "<<<<<<< AGT-001\nagent\n") {
		t.Fatalf("the worktree has %q, %v", data, err)
	}
	r.put(work, files{"src/keep.txt": "both\n"})
	r.complete("AGT-001")
	r.land("AGT-001")
	if r.read("src/keep.txt") != "both\n" {
		t.Error("it did not land")
	}
}

func TestTogetherDependencies(t *testing.T) {
	t.Parallel()
	r := begin(t, base(), nil, []int{1})
	r.works("AGT-001", files{"src/one.txt": "1\n"})
	r.works("AGT-002", files{"src/two.txt": "2\n"})
	c, err := r.b.Build(r.ctx, r.state(), "AGT-002", "AGT-001")
	r.ok(err)
	r.blocked(c, "it builds on AGT-001")
	r.together("AGT-001", "AGT-002")
}

func TestTogetherKilled(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for _, step := range []string{"landing:journal", "landing:move", "landing:record"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			r := begin(t, base(), nil, nil)
			tip := r.main()
			r.works("AGT-001", files{"src/one.txt": "1\n"})
			r.works("AGT-002", files{"src/two.txt": "2\n"})
			c, err := r.b.Build(r.ctx, r.state(), "AGT-001", "AGT-002")
			r.ok(err)
			ok := r.approve(c)
			r.cut(step, func() error { _, err := land.Land(r.ctx, r.b, ok); return err })
			r.open()
			done, err := land.Continue(r.ctx, r.b)
			if err != nil || !done.Landed || !slices.Equal(done.Agents, []string{"AGT-001", "AGT-002"}) {
				t.Fatalf("continue: %+v, %v", done, err)
			}
			r.clean(r.dir)
			if got := r.subjects(tip); len(got) != 2 {
				t.Errorf("history %q", got)
			}
			r.status("AGT-001", registry.Merged)
			r.status("AGT-002", registry.Merged)
		})
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	for mode, test := range map[string]struct {
		subjects []string
		parents  int
	}{
		"merge":  {[]string{"Merge part-1: Part 1"}, 2},
		"squash": {[]string{"Part 1"}, 1},
		"rebase": {[]string{"first", "second", "Part 1"}, 1},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := begin(t, base())
			r.configure("landing:\n  mode: " + mode + "\n")
			a := r.spawn("AGT-001")
			for _, name := range []string{"first", "second"} {
				r.put(a.Worktree, files{"src/" + name: name + "\n"})
				r.gitIn(a.Worktree, "add", "-A")
				r.gitIn(a.Worktree, "-c", "user.name=Agent", "commit", "-q", "-m",
					name+"\n\nFixes o/r#2, @all \x1b]0;owned\a\u202e")
			}
			r.put(a.Worktree, files{"src/left": "left\n"})
			r.complete("AGT-001")
			r.commit(files{"README.md": "moved\n"})
			tip := r.main()
			r.land("AGT-001")
			if got := r.subjects(tip); !slices.Equal(got, test.subjects) {
				t.Errorf("history %q", got)
			}
			if got := len(strings.Fields(r.git("log", "-1", "--format=%P", "main"))); got != test.parents {
				t.Errorf("%d parents", got)
			}
			body := r.git("log", "-1", "--format=%(trailers:only)", "main")
			landing := regexp.MustCompile(`^Delegate-Agent: part-1 \(DEL-\d{8}-\d{6}/AGT-001, digest [0-9a-f]{7}\)\n` +
				`Approved-by: Pat <pat@example.org>$`)
			if !landing.MatchString(body) {
				t.Errorf("trailers %q", body)
			}
			if all := r.git("log", "--format=%B", tip+"..main"); strings.Contains(all, "uncommitted") {
				t.Errorf("messages %q", all)
			}
			if mode == "rebase" {
				got := r.git("log", "-1", "--format=%b", "main~2")
				if !strings.HasPrefix(got, "Fixes `o/r#2`, `@all`\n\nD") {
					t.Errorf("the agent's words became %q", got)
				}
				if got := r.git("log", "-1", "--format=%an %cn", "main~2"); got != "Agent Pat" {
					t.Errorf("author and committer %q", got)
				}
			}
			head := r.agent("AGT-001").Head
			ending, err := completion.Complete(r.ctx, r.p, r.closing())
			if err != nil || len(ending.Removed) != 1 {
				t.Fatalf("%+v, %v", ending, err)
			}
			if r.git("for-each-ref", "refs/heads/delegate") != "" {
				t.Error("the branch of landed work is left")
			}
			if reachable := r.git("for-each-ref", "--contains", head, "--format=%(refname)"); reachable == "" {
				t.Error("no reference keeps the agent's own commits")
			}
		})
	}
}

func TestModesRollBack(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for _, mode := range []string{"squash", "rebase"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := begin(t, base())
			r.configure("landing:\n  mode: " + mode + "\n")
			before := r.git("rev-parse", "main^{tree}")
			r.works("AGT-001", files{"src/one.txt": "1\n"}) // one commit, and one of what was left
			r.land("AGT-001")
			after := r.git("rev-parse", "main^{tree}")
			r.rollBack("AGT-001")
			if got := r.git("rev-parse", "main^{tree}"); got != before {
				t.Error("the rollback did not take all of it back")
			}
			r.land("AGT-001")
			if got := r.git("rev-parse", "main^{tree}"); got != after {
				t.Error("landing again did not bring it back")
			}
		})
	}
}

// An author whom git would not write again cannot be kept.
func TestRebaseWithoutAuthor(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.configure("landing:\n  mode: rebase\n")
	a := r.works("AGT-001", files{"src/one.txt": "1\n"})
	raw := strings.Replace(r.git("cat-file", "commit", a.Branch), "author Pat <pat@example.org>", "author  <>", 1)
	r.put(r.dir, files{".git/odd": raw + "\n"})
	r.gitIn(a.Worktree, "reset", "-q", "--soft", r.git("hash-object", "-t", "commit", "-w", "--literally", ".git/odd"))
	r.land("AGT-001")
	if r.read("src/one.txt") != "1\n" {
		t.Error("it did not land")
	}
}

// Commits that cannot be put on the target one by one land as one, and the question says so.
func TestRebaseFallsBackToOneCommit(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.configure("landing:\n  mode: rebase\n")
	a := r.spawn("AGT-001")
	for _, content := range []string{"agent\n", "target\n"} {
		r.put(a.Worktree, files{"src/keep.txt": content})
		r.gitIn(a.Worktree, "commit", "-q", "-a", "-m", "write "+content)
	}
	r.put(a.Worktree, files{"src/more.txt": "more\n"})
	r.complete("AGT-001")
	r.commit(files{"src/keep.txt": "target\n"})
	c := r.build("AGT-001")
	if !slices.ContainsFunc(c.Notes, func(n string) bool { return strings.Contains(n, "cannot be replayed") }) {
		t.Errorf("notes %q", c.Notes)
	}
	tip := r.main()
	_, err := land.Land(r.ctx, r.b, r.approve(c))
	r.ok(err)
	if got := r.subjects(tip); !slices.Equal(got, []string{"Part 1"}) {
		t.Errorf("history %q", got)
	}
}

func (r *rig) hook(name, script string) {
	r.Helper()
	r.put(r.dir, files{".git/hooks/" + name: "+x#!/bin/sh\n" + script})
}

func TestHooks(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T, config string) *rig {
		t.Parallel()
		r := begin(t, base())
		r.configure(config)
		r.works("AGT-001", work())
		return r
	}
	t.Run("skipped", func(t *testing.T) {
		r := start(t, "")
		r.hook("commit-msg", "exit 1\n")
		if notes := r.build("AGT-001").Notes; len(notes) != 1 || !strings.Contains(notes[0], "skipped: commit-msg") {
			t.Errorf("notes %q", notes)
		}
		r.land("AGT-001")
	})
	const run = "landing:\n  hooks: run\n"
	t.Run("run", func(t *testing.T) {
		r := start(t, run)
		r.hook("pre-merge-commit", "test -f src/a.txt\n")
		r.hook("commit-msg", "sleep 5 & printf '\\nChange-Id: I1\\n' >>\"$1\"\n") // what it leaves behind is no fault
		r.hook("post-merge", "pwd >"+filepath.Join(r.dir, ".git", "after")+"\nexit 3\n")
		done, err := land.Land(r.ctx, r.b, r.approve(r.build("AGT-001")))
		if err != nil || !strings.Contains(done.Said, "post-merge") {
			t.Fatalf("%+v, %v", done, err)
		}
		if body := r.git("log", "-1", "--format=%B"); !strings.HasSuffix(body, "Change-Id: I1") {
			t.Errorf("message %q", body)
		}
		if got := strings.TrimSpace(r.read(".git/after")); filepath.Base(got) != filepath.Base(r.dir) {
			t.Errorf("post-merge ran in %q", got)
		}
	})
	t.Run("one that the landing brings", func(t *testing.T) {
		t.Parallel()
		r := begin(t, files{"src/hooks/post-merge": "+x#!/bin/sh\nsh src/hooks/called\n",
			"src/hooks/called": "echo ours >>.git/after\n"})
		r.configure(run)
		r.git("config", "core.hooksPath", "src/hooks")
		r.works("AGT-001", files{"src/hooks/called": "echo theirs >>.git/after\n"})
		c := r.build("AGT-001")
		if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "but not post-merge, which this landing changes") {
			t.Errorf("notes %q", c.Notes)
		}
		done, err := land.Land(r.ctx, r.b, r.approve(c))
		if err != nil || !strings.Contains(done.Said, "not run") ||
			!strings.Contains(done.Said, "src/hooks/post-merge' 0)") {
			t.Errorf("%+v, %v", done, err)
		}
		if _, err := os.Stat(filepath.Join(r.dir, ".git", "after")); err == nil {
			t.Error("the hook that the landing brought ran")
		}
	})
	t.Run("the message is refused", func(t *testing.T) {
		r := start(t, run)
		r.hook("commit-msg", "echo no ticket >&2; exit 1\n")
		tip := r.main()
		_, err := land.Land(r.ctx, r.b, r.approve(r.build("AGT-001")))
		if !errors.Is(err, land.ErrRefused) || !strings.Contains(err.Error(), "no ticket") {
			t.Errorf("error %v", err)
		}
		if r.main() != tip || journal.Unfinished(r.p) {
			t.Error("something was begun")
		}
	})
	t.Run("an empty message", func(t *testing.T) {
		r := start(t, run)
		r.hook("commit-msg", ": >\"$1\"\n")
		if _, err := land.Land(r.ctx, r.b, r.approve(r.build("AGT-001"))); !errors.Is(err, land.ErrRefused) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a message without trailers", func(t *testing.T) {
		r := start(t, run)
		r.hook("commit-msg", "echo short >\"$1\"\n")
		r.land("AGT-001")
		if body := r.git("log", "-1", "--format=%B"); !strings.HasPrefix(body, "short\n\nDelegate-Agent: part-1 (") {
			t.Errorf("message %q", body)
		}
	})
	t.Run("the merge is refused", func(t *testing.T) {
		r := start(t, run)
		r.hook("pre-merge-commit", "exit 1\n")
		r.blocked(r.build("AGT-001"), "pre-merge-commit says no")
	})
}

// A message that the hook refuses is replaced by another one, of a landing as of a rollback.
func TestHookRefusesMessage(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.configure("landing: {hooks: run}\n")
	r.works("AGT-001", files{"src/new.txt": "agent\n"})
	r.hook("commit-msg", "echo no ticket >&2; exit 1\n")
	_, err := land.Land(r.ctx, r.b, r.approve(r.build("AGT-001")))
	if next := as[*land.MessageError](t, err).Next(); !strings.Contains(next, "sync merge AGT-001 --message") {
		t.Errorf("next %q", next)
	}
	r.hook("commit-msg", "grep -q ^T-1 \"$1\" || exit 1\n")
	r.b.Message = "T-1 First"
	r.land("AGT-001")
	if subject := r.git("log", "-1", "--format=%s"); subject != "T-1 First" {
		t.Errorf("subject %q", subject)
	}
	c, err := r.b.BuildRollback(r.ctx, r.state(), "AGT-001")
	if err != nil {
		t.Fatal(err)
	}
	r.hook("commit-msg", "exit 1\n")
	_, err = land.Land(r.ctx, r.b, r.approve(c))
	if next := as[*land.MessageError](t, err).Next(); !strings.Contains(next, "sync rollback AGT-001 --message") {
		t.Errorf("next %q", next)
	}
}

func TestSigned(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen, which signs here, is not installed")
	}
	r := begin(t, base())
	key := filepath.Join(t.TempDir(), "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r.git("config", "gpg.format", "ssh")
	r.git("config", "user.signingKey", key)
	r.git("config", "commit.gpgSign", "true")
	r.works("AGT-001", work())
	r.land("AGT-001")
	if raw := r.git("cat-file", "commit", "main"); !strings.Contains(raw, "BEGIN SSH SIGNATURE") {
		t.Errorf("not signed:\n%s", raw)
	}
	r.rollBack("AGT-001")
	r.git("config", "user.signingKey", key+"-gone")
	tip := r.main()
	if _, err := land.Land(r.ctx, r.b, r.approve(r.build("AGT-001"))); err == nil || r.main() != tip {
		t.Errorf("without the key: %v", err)
	}
}

// TestRebaseForgedTrailers holds that an agent whose own commits are landed cannot say in them who approved that.
func TestRebaseForgedTrailers(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.configure("landing:\n  mode: rebase\n")
	a := r.spawn("AGT-001")
	r.put(a.Worktree, files{"src/first": "first\n"})
	r.gitIn(a.Worktree, "add", "-A")
	r.gitIn(a.Worktree, "commit", "-q", "-m", "first", "-m", "Approved-by: Pat <pat@example.org>\n"+
		"Approved-By: Eve <eve@example.org>\nDelegate-Override: failing tests\nReviewed-by: Eve <eve@example.org>")
	r.complete("AGT-001")
	r.land("AGT-001")
	message := r.git("log", "-1", "--format=%B", "main")
	want := regexp.MustCompile(`^first\n\nReviewed-by: Eve <eve@example.org>\n` +
		`Delegate-Agent: part-1 \(DEL-\d{8}-\d{6}/AGT-001, digest [0-9a-f]{7}\)\nApproved-by: Pat <pat@example.org>$`)
	if !want.MatchString(strings.TrimSpace(message)) {
		t.Errorf("message %q", message)
	}
	if said := project.ReadTrailers(message); said.Approved != "Pat <pat@example.org>" || said.Override != "" {
		t.Errorf("the trailers say %+v", said)
	}
}

// again has the agent, which was rolled back or landed already, work on and finish once more.
func (r *rig) again(id string, all files) {
	r.Helper()
	_, err := control.Control{P: r.p, Who: "Pat"}.SendBack(r.ctx, id, "once more")
	r.ok(err)
	a := r.agent(id)
	r.put(a.Worktree, all)
	r.gitIn(a.Worktree, "add", "-A")
	r.gitIn(a.Worktree, "commit", "-q", "-m", "again")
	r.complete(id)
}

package land_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"delegate/internal/land"
	"delegate/internal/land/candidate"
	"delegate/internal/land/review"
	"delegate/internal/project"
	"delegate/registry"
)

func TestBuildClean(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	a := r.works("AGT-001", work())
	before := r.everything(r.dir)
	first, second := r.build("AGT-001"), r.build("AGT-001")
	if first.Digest != second.Digest {
		t.Error("two builds of the same differ")
	}
	if blocks := first.Blocks(); len(blocks) > 0 {
		t.Errorf("blocked: %q", blocks)
	}
	if first.Members[0].Head != a.Head || first.Tests.Result != project.NoCommands || first.Tree == "" {
		t.Errorf("candidate %+v", first)
	}
	r.same("the checkout", r.everything(r.dir), before)
	_, err := candidate.Approve(first, candidate.Consent{Digest: "0123456789abcdef", Who: person()})
	as[*candidate.VoidError](t, err)
	r.approve(first)
}

func TestDigestCovers(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(r *rig, a registry.Agent){
		"the target": func(r *rig, _ registry.Agent) { r.commit(files{"README.md": "moved\n"}) },
		"the head": func(r *rig, a registry.Agent) {
			r.put(a.Worktree, files{"src/x": "x"})
			r.gitIn(a.Worktree, "add", "-A")
			r.gitIn(a.Worktree, "commit", "-qm", "x")
		},
		"uncommitted work": func(r *rig, a registry.Agent) { r.put(a.Worktree, files{"src/x": "x"}) },
		"the tests":        func(r *rig, _ registry.Agent) { r.put(r.dir, files{".git/verdict": "fail"}) },
		"the status": func(r *rig, a registry.Agent) {
			r.update(func(tx *registry.Tx) error {
				return tx.Transition(a.ID, registry.Event{Kind: registry.EventSentBack}, registry.Person, nil)
			})
		},
		"a flag": func(r *rig, a registry.Agent) {
			r.update(func(tx *registry.Tx) error {
				return tx.Edit(a.ID, func(a *registry.Agent) {
					a.Flags = append(a.Flags, registry.ParseFlag("irreversible violation"))
				})
			})
		},
		"a violation": func(r *rig, a registry.Agent) {
			r.update(func(tx *registry.Tx) error { return tx.Edit(a.ID, func(a *registry.Agent) { a.Violations++ }) })
		},
		"the scope": func(r *rig, a registry.Agent) {
			r.update(func(tx *registry.Tx) error {
				return tx.Edit(a.ID, func(a *registry.Agent) { a.Allowed = []string{"src/a.txt"} })
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := base()
			r := begin(t, all)
			r.verify("! test -e " + r.dir + "/.git/verdict")
			a := r.works("AGT-001", work())
			before := r.build("AGT-001")
			if before.Tests.Result != project.Pass {
				t.Fatalf("tests %+v", before.Tests)
			}
			change(r, a)
			if name == "the tests" { // what passed is not run again for the same tree
				r.verify("! test -e " + r.dir + "/.git/verdict && true")
			}
			if after := r.build("AGT-001"); after.Digest == before.Digest {
				t.Error("the digest is the same")
			}
		})
	}
}

// verify sets the commands in the configuration file, which is kept out of the person's way.
func (r *rig) verify(lines ...string) {
	r.Helper()
	// the fence of verify commands is shown in internal/project
	r.configure("sandbox: {verify: false}\nverify:\n  - \"" + strings.Join(lines, "\"\n  - \"") + "\"\n")
}

func (r *rig) configure(text string) {
	r.Helper()
	r.put(r.dir, files{".git/info/exclude": ".delegate.yaml\n", ".delegate.yaml": text})
	r.open()
}

func TestBuildBreaches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		work files
		path string
	}{
		{"outside", files{"README.md": "mine now\n"}, "README.md"},
		{"new file outside", files{"lib/x.txt": "x\n"}, "lib/x.txt"},
		{"moved in", files{"mine/staged.txt": "-", "src/staged.txt": "1\n"}, "mine/staged.txt"},
		{"moved out", files{"src/keep.txt": "-", "lib/keep.txt": "keep\n"}, "lib/keep.txt"},
		{"link out", files{"src/link": "@/etc/passwd"}, "src/link"},
		{"link up", files{"src/link": "@../../x"}, "src/link"},
		{"the registry", files{"docs/logs/delegation_registry.md": "mine\n"}, "docs/logs/delegation_registry.md"},
	} {
		for _, how := range []string{"committed", "left"} {
			t.Run(test.name+" "+how, func(t *testing.T) {
				t.Parallel()
				r := begin(t, base())
				a := r.spawn("AGT-001")
				r.put(a.Worktree, files{"src/fine.txt": "fine\n"})
				r.put(a.Worktree, test.work)
				if how == "committed" {
					r.gitIn(a.Worktree, "add", "-A")
					r.gitIn(a.Worktree, "commit", "-q", "-m", "work")
				}
				r.complete("AGT-001")
				c := r.build("AGT-001")
				if len(c.Members[0].Breaches) != 1 || c.Members[0].Breaches[0].Path != test.path {
					t.Errorf("breaches %v", c.Members[0].Breaches)
				}
				r.blocked(c, test.path)
			})
		}
	}
}

// blocked checks that the candidate may not land, for a reason with these words, and that no answer changes that.
func (r *rig) blocked(c candidate.Candidate, words string) {
	r.Helper()
	_, err := candidate.Approve(c, candidate.Consent{Digest: c.Digest, Who: person(), Override: true})
	if err == nil {
		r.Fatalf("approved although it should be blocked for %q", words)
	}
	for _, reason := range as[*candidate.BlockedError](r, err).Reasons {
		if strings.Contains(reason, words) {
			return
		}
	}
	r.Errorf("no reason with %q in: %v", words, err)
}

func TestBuildBlocks(t *testing.T) {
	t.Parallel()
	t.Run("conflict with a moved target", func(t *testing.T) {
		t.Parallel()
		r := begin(t, base())
		r.works("AGT-001", files{"src/keep.txt": "agent\n"})
		r.commit(files{"src/keep.txt": "person\n"})
		c := r.build("AGT-001")
		if len(c.Members[0].Findings) == 0 || c.Tree != "" {
			t.Errorf("findings %v, tree %q", c.Members[0].Findings, c.Tree)
		}
		r.blocked(c, "src/keep.txt")
	})
	t.Run("nothing to merge", func(t *testing.T) {
		t.Parallel()
		r := begin(t, base())
		r.spawn("AGT-001")
		r.complete("AGT-001")
		r.blocked(r.build("AGT-001"), "nothing to merge")
	})
	t.Run("failed before it began", func(t *testing.T) {
		t.Parallel()
		r := begin(t, base())
		r.update(func(tx *registry.Tx) error {
			if err := tx.Transition("AGT-001", registry.Event{Kind: registry.EventSpawning}, registry.Supervisor,
				nil); err != nil {
				return err
			}
			return tx.Transition("AGT-001", registry.Event{Kind: registry.EventFailed}, registry.Supervisor, nil)
		})
		r.blocked(r.build("AGT-001"), "no merged tree")
	})
	t.Run("running", func(t *testing.T) {
		t.Parallel()
		r := begin(t, base())
		a := r.spawn("AGT-001")
		r.put(a.Worktree, files{"src/keep.txt": "agent\n"})
		r.blocked(r.build("AGT-001"), "working")
	})
	t.Run("dependency", func(t *testing.T) {
		t.Parallel()
		r := begin(t, base(), nil, []int{1})
		r.works("AGT-001", files{"src/keep.txt": "one\n"})
		r.works("AGT-002", files{"src/a.txt": "two\n"})
		r.blocked(r.build("AGT-002"), "AGT-001")
		r.land("AGT-001")
		r.land("AGT-002")
		r.clean(r.dir)
	})
}

func TestBuildBlocksByContent(t *testing.T) {
	t.Parallel()
	t.Run("rewritten history", func(t *testing.T) {
		t.Parallel()
		r := begin(t, base())
		r.commit(files{"src/keep.txt": "second\n"})
		a := r.spawn("AGT-001")
		r.gitIn(a.Worktree, "reset", "-q", "--hard", "HEAD^")
		r.put(a.Worktree, files{"src/a.txt": "agent\n"})
		r.complete("AGT-001")
		r.blocked(r.build("AGT-001"), "rewrote")
	})
	t.Run("secret", func(t *testing.T) {
		t.Parallel()
		r := begin(t, base())
		r.works("AGT-001", files{"src/key.pem": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE\n"})
		c := r.build("AGT-001")
		r.blocked(c, "a private key")
		r.configure("review:\n  secrets: false\n")
		if blocks := r.build("AGT-001").Blocks(); len(blocks) > 0 {
			t.Errorf("switched off: %q", blocks)
		}
	})
}

func TestBuildVerify(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.verify("true", "grep -q keep src/keep.txt")
	r.works("AGT-001", files{"src/keep.txt": "broken\n"})
	c := r.build("AGT-001")
	if !c.Failing() || len(c.Blocks()) > 0 {
		t.Fatalf("tests %+v, blocks %q", c.Tests, c.Blocks())
	}
	r.blockedWithoutOverride(c)
	ok, err := candidate.Approve(c, candidate.Consent{Digest: c.Digest, Who: person(), Override: true})
	r.ok(err)
	done, err := land.Land(r.ctx, r.b, ok)
	r.ok(err)
	said := project.ReadTrailers(r.git("log", "-1", "--format=%B", done.Commit))
	if said != (project.Said{Digest: c.Short(), Approved: person().String(), Override: "failing tests accepted"}) {
		t.Errorf("the commit tells %+v", said)
	}
	if got := count(r.state(), registry.EventOverridden); got != 1 {
		t.Errorf("%d OVERRIDDEN events", got)
	}
	if got := r.agent("AGT-001").Tests; got != "fail" {
		t.Errorf("tests %q in the registry", got)
	}
	r.clean(r.dir)
}

func (r *rig) blockedWithoutOverride(c candidate.Candidate) {
	r.Helper()
	_, err := candidate.Approve(c, candidate.Consent{Digest: c.Digest, Who: person()})
	if blocked := (*candidate.BlockedError)(nil); !errors.As(err, &blocked) {
		r.Errorf("approved with failing tests: %v", err)
	}
}

func TestBuildArchitecture(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.configure("review:\n  architecture: [\"src/core/**\"]\n  standards: [\"test ! -e src/odd.txt\"]\n")
	r.works("AGT-001", files{"src/core/fine.txt": "1\n", "src/odd.txt": "2\n", "src/keep.txt": "changed only\n"})
	c := r.build("AGT-001")
	if len(c.Review) != 2 || c.Review[0].Path != "src/odd.txt" || c.Review[0].Severity != review.Warning ||
		c.Review[1].Severity != review.Warning {
		t.Errorf("remarks %+v", c.Review)
	}
	if blocks := c.Blocks(); len(blocks) > 0 {
		t.Errorf("blocked: %q", blocks)
	}
}

// A salvaged agent is FAILED and lands like a complete one.
func TestLandFailedAgent(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	a := r.spawn("AGT-001")
	r.put(a.Worktree, files{"src/keep.txt": "partial\n"})
	r.update(func(tx *registry.Tx) error {
		return tx.Transition("AGT-001", registry.Event{Kind: registry.EventFailed}, registry.Supervisor, nil)
	})
	r.land("AGT-001")
	r.clean(r.dir)
	r.status("AGT-001", registry.Merged)
	if got := count(r.state(), registry.EventSalvaged); got != 1 {
		t.Errorf("%d SALVAGED events", got)
	}
}

func TestRollback(t *testing.T) {
	t.Parallel()
	r := begin(t, base(), nil, nil)
	a := r.works("AGT-001", files{"src/keep.txt": "agent\n", "src/new.txt": "new\n"})
	r.works("AGT-002", files{"src/a.txt": "other\n"})
	r.land("AGT-001")
	r.land("AGT-002")
	r.commit(files{"README.md": "person\n"})
	r.put(r.dir, files{"mine/unstaged.txt": "2\n"})
	before := r.everything(r.dir)
	r.rollBack("AGT-001")
	r.clean(r.dir)
	r.same("the person's work", r.everything(r.dir), before)
	r.same("keep.txt", r.read("src/keep.txt"), "keep\n")
	r.same("later work of another agent", r.read("src/a.txt"), "other\n")
	r.status("AGT-001", registry.Complete)
	r.status("AGT-002", registry.Merged)

	r.land("AGT-001") // as it was
	r.clean(r.dir)
	r.same("keep.txt again", r.read("src/keep.txt"), "agent\n")
	r.same("new.txt again", r.read("src/new.txt"), "new\n")

	r.rollBack("AGT-001")
	r.put(a.Worktree, files{"src/new.txt": "newer\n"})
	r.gitIn(a.Worktree, "add", "-A")
	r.gitIn(a.Worktree, "commit", "-q", "-m", "more")
	r.land("AGT-001") // with one commit more
	r.clean(r.dir)
	r.same("keep.txt with more", r.read("src/keep.txt"), "agent\n")
	r.same("new.txt with more", r.read("src/new.txt"), "newer\n")
	r.same("later work of another agent", r.read("src/a.txt"), "other\n")
	r.rollBack("AGT-001")
	r.clean(r.dir)
	r.same("keep.txt", r.read("src/keep.txt"), "keep\n")
	r.gone("src/new.txt")
}

func TestRollbackConflict(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.works("AGT-001", files{"src/keep.txt": "agent\n"})
	r.land("AGT-001")
	r.commit(files{"src/keep.txt": "person builds on it\n"})
	tip := r.main()
	_, err := r.b.BuildRollback(r.ctx, r.state(), "AGT-001")
	if err == nil || !strings.Contains(err.Error(), "git revert") ||
		!strings.Contains(err.Error(), fmt.Sprintf("roll back AGT-001: %.12s changed src/keep.txt after it", tip)) {
		t.Errorf("error %v", err)
	}
	if got := r.main(); got != tip {
		t.Error("main moved")
	}
	r.clean(r.dir)
}

func TestRollbackNeedsMerged(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.works("AGT-001", files{"src/keep.txt": "agent\n"})
	_, err := r.b.BuildRollback(r.ctx, r.state(), "AGT-001")
	as[*candidate.NotMergedError](t, err)
}

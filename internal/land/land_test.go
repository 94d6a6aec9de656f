package land_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/land"
	"delegate/internal/land/candidate"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/sys/long"
	"delegate/registry"
)

func TestLandLeavesThePersonsWork(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		prepare func(r *rig) string // answers the checkout that shows main, "" for none
	}{
		{"here", func(r *rig) string { return r.dir }},
		{"in another worktree", func(r *rig) string {
			other := filepath.Join(filepath.Dir(r.dir), "linked tree")
			r.git("switch", "-q", "-c", "elsewhere")
			r.git("worktree", "add", "-q", other, "main")
			return other
		}},
		{"nowhere", func(r *rig) string { r.git("switch", "-q", "-c", "elsewhere"); return "" }},
		{"split index", func(r *rig) string { r.git("update-index", "--split-index"); return r.dir }},
		{"private index", func(r *rig) string { return r.dir }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := begin(t, base())
			r.configure("landing: {mode: merge}\n")
			r.works("AGT-001", work())
			at := test.prepare(r)
			shown := at
			if shown == "" {
				shown = r.dir
			}
			r.mess(shown)
			if test.name == "private index" {
				r.ok(os.Chmod(filepath.Join(r.dir, ".git/index"), 0o600))
			}
			before, here := r.everything(shown), r.everything(r.dir)
			commit := r.land("AGT-001")
			if info, err := os.Stat(filepath.Join(r.dir, ".git/index")); test.name == "private index" &&
				(err != nil || info.Mode().Perm() != 0o600) {
				t.Errorf("index is %v, %v", info.Mode(), err)
			}
			r.same("the person's work", r.everything(shown), before)
			r.same("the person's work in the main checkout", r.everything(r.dir), here)
			if got := r.main(); got != commit {
				t.Errorf("main is at %s, want %s", got, commit)
			}
			if at != "" {
				r.clean(at)
				r.gitIn(at, "fsck", "--no-dangling")
			}
			r.status("AGT-001", registry.Merged)
			if a := r.agent("AGT-001"); a.MergeCommit != commit {
				t.Errorf("merge commit %q", a.MergeCommit)
			}
			if r.git("rev-parse", commit+"^2") != r.agent("AGT-001").Head {
				t.Error("the agent's head is no parent of the landing")
			}
			if message := r.git("log", "-1", "--format=%B", commit); !strings.Contains(message,
				"Approved-by: Pat <pat@example.org>") {
				t.Errorf("message:\n%s", message)
			}
		})
	}
}

// Only the mode of a file changes: the index names the same object before and after.
func TestLandModeChange(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.works("AGT-001", files{"src/run.sh": "+x#!/bin/sh\n"})
	r.land("AGT-001")
	r.clean(r.dir)
	if info, err := os.Stat(filepath.Join(r.dir, "src/run.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestLandRefusesWhatIsInTheWay(t *testing.T) {
	t.Parallel()
	stage := func(paths ...string) func(*rig) {
		return func(r *rig) { r.git(append([]string{"add", "-f", "--"}, paths...)...) }
	}
	for _, test := range []struct {
		name  string
		edits files
		then  func(*rig)
		want  []string
	}{
		{"unstaged edit", files{"src/a.txt": "mine\n"}, nil, []string{"src/a.txt"}},
		{"unstaged edit of a file that goes", files{"src/old.txt": "mine\n"}, nil, []string{"src/old.txt"}},
		{"staged edit", files{"src/a.txt": "mine\n"}, stage("src/a.txt"), []string{"src/a.txt"}},
		{"staged, and the file is as before", files{"src/a.txt": "mine\n"}, func(r *rig) {
			stage("src/a.txt")(r)
			r.put(r.dir, files{"src/a.txt": base()["src/a.txt"]})
		}, []string{"src/a.txt"}},
		{"staged as it would land", files{"src/a.txt": work()["src/a.txt"]}, stage("src/a.txt"), []string{"src/a.txt"}},
		{"staged deletion", nil, func(r *rig) { r.git("rm", "-q", "src/old.txt") }, []string{"src/old.txt"}},
		{"mode", files{"src/run.sh": "+x#!/bin/sh\n"}, nil, []string{"src/run.sh"}},
		{"untracked file", files{"src/new/n.txt": "mine\n"}, nil, []string{"src/new/n.txt"}},
		{"untracked file with the same content", files{"src/new/n.txt": "new\n"}, nil, []string{"src/new/n.txt"}},
		{"ignored file", files{".git/info/exclude": "n.txt\n", "src/new/n.txt": "mine\n"}, nil,
			[]string{"src/new/n.txt"}},
		{"intent to add", files{"src/new/n.txt": "mine\n"}, func(r *rig) {
			r.git("add", "-N", "src/new/n.txt")
		}, []string{"src/new/n.txt"}},
		{"folder with an ignored file", files{"src/new/n.txt/deep/x.o": "mine\n"}, nil,
			[]string{"src/new/n.txt/deep/x.o"}},
		{"file in place of a folder", files{"src/new": "mine\n"}, nil, []string{"src/new"}},
		{"ignored file in place of a folder", files{".git/info/exclude": "new\n", "src/new": "mine\n"}, nil,
			[]string{"src/new"}},
		{"file replaced by a folder", files{"src/a.txt": "-", "src/a.txt/mine": "mine\n"}, nil,
			[]string{"src/a.txt", "src/a.txt/mine"}},
		{"ignored file in a folder that becomes a file", files{"src/d/mine.o": "mine\n"}, nil,
			[]string{"src/d/mine.o"}},
		{"folder replaced by a link", files{"src/d": "-", "elsewhere/x": "in a folder\n"}, func(r *rig) {
			r.ok(os.Symlink("../elsewhere", filepath.Join(r.dir, "src/d")))
		}, []string{"src/d", "src/d/x"}},
		{"assumed unchanged", files{"src/a.txt": "mine\n"}, func(r *rig) {
			r.git("update-index", "--assume-unchanged", "src/a.txt")
		}, []string{"src/a.txt"}},
		{"skipped", files{"src/a.txt": "mine\n"}, func(r *rig) {
			r.git("update-index", "--skip-worktree", "src/a.txt")
		}, []string{"src/a.txt"}},
		{"edit in the second of the index, same size", nil, racyEdit, []string{"src/old.txt"}},
		{"edit of the same size and time, in which settings let git see none", nil, hiddenEdit,
			[]string{"src/old.txt"}},
		{"unmerged entries of a stash", files{"mine/both.txt": "stashed\n"}, func(r *rig) {
			r.git("stash", "-q")
			r.commit(files{"mine/both.txt": "other\n"})
			if out, err := gittest.In(r.T, r.dir).Try("stash", "pop"); err == nil {
				r.Fatalf("the stash applied: %s", out)
			}
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			long.Except(t, test.name, "unstaged edit", "staged edit", "staged deletion", "untracked file",
				"ignored file",
				"edit of the same size and time, in which settings let git see none",
				"folder replaced by a link", "assumed unchanged", "unmerged entries of a stash")
			r := begin(t, base())
			r.works("AGT-001", work())
			r.put(r.dir, test.edits)
			if test.then != nil {
				test.then(r)
			}
			ok := r.approve(r.build("AGT-001"))
			r.refused(ok, test.want)
		})
	}
}

// refused checks that a landing is refused with the list and that nothing at all changed.
func (r *rig) refused(ok candidate.Approved, want []string) {
	r.Helper()
	outside := func(path string) bool { return path == ".git" || path == "docs/logs" }
	look := func() string {
		return r.tree(r.dir, outside) + r.git("--no-optional-locks", "status", "--porcelain=v2", "--ignored") +
			r.git("ls-files", "-s", "-v") + r.git("for-each-ref")
	}
	before, record := look(), r.read("docs/logs/delegation_registry.md")
	_, err := land.Land(r.ctx, r.b, ok)
	if !errors.Is(err, land.ErrRefused) {
		r.Fatalf("landing: %v", err)
	}
	if want != nil {
		var got []string
		if hidden, is := errors.AsType[*git.HiddenEditError](err); is {
			got = slices.Concat(hidden.Assumed, hidden.Skipped)
		} else {
			got = as[*git.BlockedError](r, err).Paths
		}
		if !slices.Equal(got, want) {
			r.Errorf("in the way: %q, want %q", got, want)
		}
	}
	r.same("the checkout", look(), before)
	r.same("the registry", r.read("docs/logs/delegation_registry.md"), record)
	if journal.Unfinished(r.p) {
		r.Error("a journal is left")
	}
}

func TestLandRefusesOperationsUnderWay(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*rig){
		"merge": func(r *rig) {
			r.git("switch", "-q", "-c", "side", "HEAD^")
			r.commit(files{"README.md": "side\n"})
			r.git("switch", "-q", "main")
			if out, err := gittest.In(r.T, r.dir).Try("merge", "side"); err == nil {
				r.Fatal(out)
			}
		},
		"rebase": func(r *rig) {
			r.git("switch", "-q", "-c", "side", "HEAD^")
			r.commit(files{"README.md": "side\n"})
			r.git("switch", "-q", "main")
			if out, err := gittest.In(r.T, r.dir).Try("rebase", "side"); err == nil {
				r.Fatal(out)
			}
		},
		"lock of another git": func(r *rig) { r.put(r.dir, files{".git/index.lock": ""}) },
		"no index":            func(r *rig) { r.put(r.dir, files{".git/index": "-"}) },
		"replaced commit": func(r *rig) {
			other := r.git("commit-tree", "-m", "other", "HEAD^^{tree}")
			r.git("replace", "HEAD", other)
		},
		"two checkouts on the target": func(r *rig) {
			r.git("worktree", "add", "-q", "-f", filepath.Join(filepath.Dir(r.dir), "second"), "main")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := begin(t, base())
			r.commit(files{"README.md": "person\n"})
			r.works("AGT-001", work())
			prepare(r)
			ok := r.approve(r.build("AGT-001"))
			if name != "lock of another git" {
				r.refused(ok, nil)
				return
			}
			before := r.tree(r.dir, func(p string) bool {
				return p == ".git" || p == "docs/logs"
			}) + r.git("for-each-ref") + r.git("ls-files", "-s")
			_, err := land.Land(r.ctx, r.b, ok)
			if as[*git.LockedError](t, err); !errors.Is(err, land.ErrRefused) {
				t.Error(err)
			}
			r.same("the repository", r.tree(r.dir, func(p string) bool {
				return p == ".git" || p == "docs/logs"
			})+r.git("for-each-ref")+r.git("ls-files", "-s"), before)
			r.put(r.dir, files{".git/index.lock": "-"})
			r.clean(r.dir)
			// nor does an empty folder stand for another name of a packed branch
			r.git("pack-refs", "--all")
			r.ok(os.Mkdir(filepath.Join(r.dir, ".git/refs/heads/main"), 0o755))
			r.land("AGT-001")
			r.clean(r.dir)
		})
	}
}

func TestLandVoid(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	a := r.works("AGT-001", work())
	ok := r.approve(r.build("AGT-001"))
	r.commit(files{"README.md": "moved\n"})
	tip := r.main()
	_, err := land.Land(r.ctx, r.b, ok)
	as[*candidate.VoidError](t, err)
	ok = r.approve(r.build("AGT-001"))
	r.put(a.Worktree, files{"src/late.txt": "after the yes\n"})
	_, err = land.Land(r.ctx, r.b, ok)
	as[*candidate.VoidError](t, err)
	if got := r.main(); got != tip {
		t.Errorf("main moved to %s", got)
	}
	r.clean(r.dir)
	r.status("AGT-001", registry.Complete)
}

// What a person does between the first look and the lock, or between the lock and the files, is never overwritten.
func TestLandAgainstAPersonInBetween(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for _, test := range []struct {
		name, at string
		act      func(*rig)
		check    func(*rig)
	}{
		{"edit before the lock", "landing:journal", func(r *rig) { r.put(r.dir, files{"src/a.txt": "mine\n"}) },
			func(r *rig) { r.same("the edit", r.read("src/a.txt"), "mine\n") }},
		{"edit after the move", "landing:move", func(r *rig) { r.put(r.dir, files{"src/a.txt": "mine\n"}) },
			func(r *rig) { r.same("the edit", r.read("src/a.txt"), "mine\n") }},
		{"emptied after the move", "landing:move", func(r *rig) { r.put(r.dir, files{"src/a.txt": ""}) },
			func(r *rig) { r.same("the edit", r.git("status", "--porcelain", "src/old.txt"), "") }},
		{"new file after the move", "landing:move", func(r *rig) { r.put(r.dir, files{"src/new/n.txt": "mine\n"}) },
			func(r *rig) { r.same("the file", r.read("src/new/n.txt"), "mine\n") }},
		{"ignored file after the move", "landing:move", func(r *rig) {
			r.put(r.dir, files{".git/info/exclude": "n.txt\n", "src/new/n.txt": "mine\n"})
		}, func(r *rig) { r.same("the file", r.read("src/new/n.txt"), "mine\n") }},
		{"empty ignored file after the move", "landing:move", func(r *rig) {
			r.put(r.dir, files{".git/info/exclude": "n.txt\n", "src/new/n.txt": ""})
		}, func(r *rig) { r.same("the file", r.read("src/new/n.txt"), "") }},
		{"ignored file for a folder after the move", "landing:move", func(r *rig) {
			r.put(r.dir, files{".git/info/exclude": "new\n", "src/new": "mine\n"})
		}, func(r *rig) { r.same("the file", r.read("src/new"), "mine\n") }},
		{"link for a folder after the move", "landing:move", func(r *rig) {
			r.put(r.dir, files{"src/d": "-"})
			r.put(r.dir, files{"src/d": "@elsewhere"})
		}, func(r *rig) {
			to, err := os.Readlink(filepath.Join(r.dir, "src/d"))
			r.ok(err)
			r.same("the link", to, "elsewhere")
		}},
		{"branch switched before the lock", "landing:journal", func(r *rig) { r.git("switch", "-q", "-c", "away") },
			func(r *rig) { r.same("status", r.git("status", "--porcelain", "src"), "") }},
		{"staged before the lock", "landing:journal", func(r *rig) {
			r.put(r.dir, files{"src/a.txt": "mine\n"})
			r.git("add", "src/a.txt")
		}, func(r *rig) { r.same("status", r.git("status", "--porcelain", "src"), "M  src/a.txt") }},
		{"target moved before the lock", "landing:journal", func(r *rig) {
			r.commit(files{"README.md": "moved\n"})
		}, nil},
		{"target made a name of another branch before the lock", "landing:journal", func(r *rig) {
			r.git("branch", "real")
			r.git("symbolic-ref", "refs/heads/main", "refs/heads/real")
		}, func(r *rig) { r.same("status", r.git("status", "--porcelain", "src/new"), "") }},
		{"objects taken before the move", "landing:lock", func(r *rig) {
			made := r.git("rev-parse", project.LandingRef(r.state().Session.ID)+"^{tree}")
			r.ok(os.Remove(filepath.Join(r.dir, ".git/objects", made[:2], made[2:])))
		}, func(r *rig) { r.same("status", r.git("status", "--porcelain", "src/new"), "") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := begin(t, base())
			r.works("AGT-001", work())
			r.mess(r.dir)
			if test.check == nil {
				r.git("reset", "-q") // a commit is made, which takes what is staged
			}
			r.landingDisturbed(test.at, test.act)
			if test.check != nil {
				test.check(r)
			}
		})
	}
}

// Until the target moves nothing of the person's names the commit that it will move to, and until the yes nothing names
// the candidate.
func TestLandThroughACollection(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.works("AGT-001", work())
	r.step = func(name string) {
		if name == "landing:approve" {
			r.git("gc", "--quiet", "--prune=now")
		}
	}
	r.commit(files{"README.md": "moved\n"}) // so that the merged tree is nobody's
	ok := r.approve(r.build("AGT-001"))
	r.git("gc", "--quiet", "--prune=now") // while the question is open
	done, err := land.Land(r.ctx, r.b, ok)
	r.ok(err)
	commit := done.Commit
	r.step = nil
	r.git("fsck", "--no-dangling")
	r.clean(r.dir)
	if got := r.main(); got != commit {
		t.Errorf("main is at %s, want %s", got, commit)
	}
	if left := r.git("for-each-ref", project.LandingRef(r.state().Session.ID)); left != "" {
		t.Errorf("left: %s", left)
	}
}

// landingDisturbed lets a person act right after a step, and checks that the landing is refused and taken back.
func (r *rig) landingDisturbed(at string, act func(*rig)) {
	r.Helper()
	ok := r.approve(r.build("AGT-001"))
	want, acted := r.main(), false
	r.step = func(name string) {
		if name == at && !acted {
			acted = true
			act(r)
			if name != "landing:move" { // before it the person's own commit stays, after it the target goes back
				want = r.main()
			}
		}
	}
	if _, err := land.Land(r.ctx, r.b, ok); err == nil || !acted {
		r.Fatalf("landed, the person acted: %t", acted)
	}
	r.step = nil
	if got := r.main(); got != want {
		r.Errorf("main is at %s, want %s", got, want)
	}
	if journal.Unfinished(r.p) {
		r.Error("the journal is left")
	}
	if got := r.state().Session.Status; got != registry.SessionActive {
		r.Errorf("session is %s", got)
	}
	r.status("AGT-001", registry.Complete)
}

// Git's own checkout fails in the middle: a required filter ends with an error for one file.
func TestLandWithFailingCheckout(t *testing.T) {
	t.Parallel()
	all := base()
	all["src/.gitattributes"] = "new/n.txt filter=broken\n"
	r := begin(t, all)
	r.works("AGT-001", work())
	r.git("config", "filter.broken.smudge", "false")
	r.git("config", "filter.broken.clean", "cat")
	r.git("config", "filter.broken.required", "true")
	r.mess(r.dir)
	before, src, tip := r.everything(r.dir), r.tree(filepath.Join(r.dir, "src"), func(string) bool {
		return false
	}), r.main()
	_, err := land.Land(r.ctx, r.b, r.approve(r.build("AGT-001")))
	if err == nil {
		t.Fatal("landed")
	}
	if half := journal.Unfinished(r.p); half != errors.Is(err, journal.ErrUnfinished) ||
		half == errors.Is(err, land.ErrRefused) {
		t.Errorf("half done: %t, and said: %v", half, err)
	}
	if journal.Unfinished(r.p) { // the way back needs no filter: it must be possible once the person has mended it
		r.git("config", "filter.broken.smudge", "cat")
		r.open()
		_, err := land.Undo(r.ctx, r.b)
		r.ok(err)
	}
	r.clean(r.dir)
	r.same("the person's work", r.everything(r.dir), before)
	r.same("src", r.tree(filepath.Join(r.dir, "src"), func(string) bool { return false }), src)
	if got := r.main(); got != tip {
		t.Errorf("main is at %s", got)
	}
}

func TestLandSparse(t *testing.T) {
	t.Parallel()
	all := base()
	all["src/far/away.txt"] = "1\n"
	r := begin(t, all)
	r.works("AGT-001", files{"src/far/away.txt": "2\n", "src/far/more.txt": "2\n", "src/a.txt": "2\n"})
	r.git("sparse-checkout", "set", "--no-cone", "/*", "!/src/far/")
	r.land("AGT-001")
	r.clean(r.dir)
	r.gone("src/far")
}

// A landing that puts a file in place of a submodule must not take the submodule's folder with it.
func TestLandFileForSubmodule(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	inner := filepath.Join(r.dir, "src/sub")
	r.put(inner, files{"inner.txt": "inner\n"})
	r.gitIn(inner, "init", "-q")
	r.gitIn(inner, "add", "-A")
	r.gitIn(inner, "-c", "user.name=P", "-c", "user.email=p@example.org", "commit", "-q", "-m", "inner")
	r.commit(files{"README.md": "with a submodule\n"})
	r.git("add", "src/sub")
	r.git("commit", "-q", "-m", "submodule")
	a := r.spawn("AGT-001")
	r.gitIn(a.Worktree, "rm", "-q", "--cached", "src/sub")
	r.put(a.Worktree, files{"src/sub": "-"})
	r.put(a.Worktree, files{"src/sub": "a file now\n"})
	r.gitIn(a.Worktree, "add", "-A")
	r.gitIn(a.Worktree, "commit", "-q", "-m", "file")
	r.complete("AGT-001")
	r.put(inner, files{"inner.txt": "edited\n"})
	c := r.build("AGT-001")
	if len(c.Blocks()) == 0 {
		if _, err := land.Land(r.ctx, r.b, r.approve(c)); !errors.Is(err, land.ErrRefused) {
			t.Errorf("landing: %v", err)
		}
	}
	r.same("the submodule's file", r.read("src/sub/inner.txt"), "edited\n")
}

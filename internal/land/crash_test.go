package land_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/land"
	"delegate/internal/land/journal"
	"delegate/internal/sys/long"
	"delegate/registry"
)

// killedAfter lands AGT-001 in another process, as gittest.Repo.KilledAfter.
func (r *rig) killedAfter(n int) string {
	r.Helper()
	return gittest.In(r.T, r.dir).KilledAfter(n)
}

func (r *rig) src(dir string) string {
	r.Helper()
	return r.tree(filepath.Join(dir, "src"), func(string) bool { return false })
}

func count(state registry.State, kind registry.Kind) int {
	n := 0
	for _, e := range state.Events {
		if e.Kind == kind && e.Agent == "AGT-001" {
			n++
		}
	}
	return n
}

// Whatever the step after which a landing is killed, it can be undone, and begun again, killed again and finished.
func TestKilledAfterEveryStep(t *testing.T) {
	t.Parallel()
	var steps []string
	r := begin(t, base())
	r.works("AGT-001", work())
	ok := r.approve(r.build("AGT-001"))
	r.step = func(name string) { steps = append(steps, name) }
	_, err := land.Land(r.ctx, r.b, ok)
	r.ok(err)
	for _, step := range []string{"journal", "lock", "approve", "move", "restored", "files", "index", "checkout",
		"record", "finish"} {
		if !slices.Contains(steps, "landing:"+step) {
			t.Errorf("no step %s", step)
		}
	}
	for i, step := range steps {
		if (Raced || !long.Set) && i%4 != 0 {
			continue // the landing is another process
		}
		t.Run(fmt.Sprintf("%02d %s", i+1, step), func(t *testing.T) {
			t.Parallel()
			killedAt(t, i+1, step)
		})
	}
}

func killedAt(t *testing.T, n int, step string) {
	r := begin(t, base())
	r.works("AGT-001", work())
	r.mess(r.dir)
	before, src, tip := r.everything(r.dir), r.src(r.dir), r.main()
	if got := r.killedAfter(n); got != step {
		t.Fatalf("killed after %q", got)
	}
	r.open()
	if journal.Unfinished(r.p) {
		done, err := land.Undo(r.ctx, r.b)
		if err != nil || done.Landed != (count(r.state(), registry.EventMerged) == 1) {
			t.Fatalf("undo: %+v, %v", done, err)
		}
	}
	r.same("the person's work after undo", r.everything(r.dir), before)
	r.clean(r.dir)
	if a := r.agent("AGT-001"); a.Status == registry.Merged {
		if r.main() != a.MergeCommit {
			t.Error("main is not where it was recorded")
		}
		return
	}
	r.same("src after undo", r.src(r.dir), src)
	if got := r.main(); got != tip {
		t.Errorf("main is at %s after undo", got)
	}
	r.status("AGT-001", registry.Complete)
	r.killedAndContinued(n)
	r.same("the person's work after continue", r.everything(r.dir), before)
}

func (r *rig) killedAndContinued(n int) {
	r.Helper()
	r.killedAfter(n)
	r.open()
	if journal.Unfinished(r.p) {
		done, err := land.Continue(r.ctx, r.b)
		if err != nil || !done.Landed {
			r.Fatalf("continue: %+v, %v", done, err)
		}
	} else if r.agent("AGT-001").Status != registry.Merged {
		r.land("AGT-001") // it had not begun
	}
	r.clean(r.dir)
	a := r.agent("AGT-001")
	if got := r.main(); got != a.MergeCommit || a.Status != registry.Merged {
		r.Errorf("main is at %s, %s is %s as %s", got, a.ID, a.Status, a.MergeCommit)
	}
	if got := count(r.state(), registry.EventMerged); got != 1 {
		r.Errorf("%d MERGED events", got)
	}
}

// half makes a landing that was killed in the middle of git's own checkout: index old and locked,
// the files as they are given.
func (r *rig) half(all files) {
	r.Helper()
	ok := r.approve(r.build("AGT-001"))
	r.cut("landing:restored", func() error { _, err := land.Land(r.ctx, r.b, ok); return err })
	r.put(r.dir, all)
	r.put(r.dir, files{".git/index.delegate-landing": "torn", ".git/index.delegate-landing.lock": "torn"})
	if !journal.Unfinished(r.p) {
		r.Fatal("no journal")
	}
}

// cut ends what run does at the first step with the name, as a crash would, and opens the project anew.
func (r *rig) cut(step string, run func() error) {
	r.Helper()
	gittest.Stopped(r, &r.step, step, run)
	r.open()
}

func TestKilledInGitsCheckout(t *testing.T) {
	t.Parallel()
	text := work()["src/a.txt"]
	for name, half := range map[string]files{
		"nothing yet":     {},
		"deleted only":    {"src/old.txt": "-", "src/f": "-", "src/d/x": "-", "src/l": "-"},
		"cut off":         {"src/a.txt": text[:1000], "src/old.txt": "-"},
		"empty":           {"src/a.txt": "", "src/new/n.txt": ""},
		"added":           {"src/new/n.txt": "new\n", "src/e": ""},
		"mode":            {"src/run.sh": "+x#!/bin/sh\n"},
		"link":            {"src/p": "@keep.txt", "src/l": "-"},
		"folder for file": {"src/f": "-", "src/f/x": "now a folder\n"},
		"file for folder": {"src/d/x": "-", "src/d": "now a"},
		"everything":      work(),
		"all but the last": {"src/a.txt": text, "src/old.txt": "-", "src/f": "-", "src/f/x": "now", "src/d/x": "-",
			"src/d": "now a file\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			long.Except(t, name, "cut off", "file for folder", "everything")
			r := begin(t, base())
			r.works("AGT-001", work())
			r.mess(r.dir)
			before, src, tip := r.everything(r.dir), r.src(r.dir), r.main()
			r.half(half)
			_, err := land.Undo(r.ctx, r.b)
			r.ok(err)
			r.clean(r.dir)
			r.same("the person's work after undo", r.everything(r.dir), before)
			r.same("src after undo", r.src(r.dir), src)
			if got := r.main(); got != tip {
				t.Errorf("main is at %s", got)
			}
			r.half(half)
			_, err = land.Continue(r.ctx, r.b)
			r.ok(err)
			r.clean(r.dir)
			r.same("the person's work after continue", r.everything(r.dir), before)
			r.status("AGT-001", registry.Merged)
			if got := r.src(r.dir); !strings.Contains(got, `mine.o -rw-r--r-- "ignored`) {
				t.Errorf("ignored file gone:\n%s", got)
			}
		})
	}
}

// What a person did after the crash, on a file that git had written or would write, is kept and
// named; then both ways work once it is out of the way.
func TestEditAfterTheCrash(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for _, test := range []struct {
		name  string
		half  files
		edit  files
		stays string // path of what must not be lost
		names string
	}{
		{"edited new version", files{"src/a.txt": work()["src/a.txt"], "src/old.txt": "-"},
			files{"src/a.txt": "mine\n"}, "src/a.txt", "src/a.txt"},
		{"untracked file", files{"src/old.txt": "-"}, files{"src/new/n.txt": "mine\n"}, "src/new/n.txt",
			"src/new/n.txt"},
		{"ignored in a new folder's place", files{"src/old.txt": "-"}, files{"src/new/n.txt/deep.o": "mine\n"},
			"src/new/n.txt/deep.o", "src/new/n.txt/deep.o"},
		{"in a folder that was a file", files{"src/f": "-", "src/f/x": "now a folder\n"},
			files{"src/f/mine.o": "mine\n"}, "src/f/mine.o", "src/f/mine.o"},
		{"in a folder that becomes a file", files{"src/d/x": "-"}, files{"src/d/mine.o": "mine\n"}, "src/d/mine.o",
			"src/d/mine.o"},
		{"file for a folder", files{"src/old.txt": "-"}, files{"src/new": "mine\n"}, "src/new", "src/new"},
		{"link to a folder elsewhere", files{"src/old.txt": "-", "mine2/n.txt": "new\n"}, files{"src/new": "@../mine2"},
			"mine2/n.txt", "src/new"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := begin(t, base())
			r.works("AGT-001", work())
			tip := r.main()
			src := r.src(r.dir)
			r.half(test.half)
			r.put(r.dir, test.edit)
			kept := r.read(test.stays)
			for way, run := range map[string]func() error{
				"continue": func() error { _, err := land.Continue(r.ctx, r.b); return err },
				"undo":     func() error { _, err := land.Undo(r.ctx, r.b); return err },
			} {
				err := run()
				r.same(way+": what the person wrote", r.read(test.stays), kept)
				if !errors.Is(err, land.ErrRefused) {
					t.Fatalf("%s: %v", way, err)
				}
				if got := as[*git.BlockedError](t, err).Paths; !slices.Contains(got, test.names) {
					t.Errorf("%s: in the way %q", way, got)
				}
			}
			for path := range test.edit {
				r.put(r.dir, files{path: "-"})
			}
			_, err := land.Undo(r.ctx, r.b)
			r.ok(err)
			r.clean(r.dir)
			if got := r.main(); got != tip {
				t.Errorf("main is at %s", got)
			}
			r.same("src after undo", r.src(r.dir), src)
		})
	}
}

// An edit of a file that git never reached is no obstacle to undoing: it stays as it is.
func TestEditBeforeGitBegan(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.works("AGT-001", work())
	r.half(files{"src/a.txt": "mine\n"})
	if _, err := land.Continue(r.ctx, r.b); !errors.Is(err, land.ErrRefused) {
		t.Errorf("continue: %v", err)
	}
	_, err := land.Undo(r.ctx, r.b)
	r.ok(err)
	r.same("the edit", r.read("src/a.txt"), "mine\n")
	r.same("status", r.git("status", "--porcelain", "src"), " M src/a.txt")
}

// finishedCheckout is a landing that was cut short after the checkout was done and before it was recorded.
func finishedCheckout(t *testing.T) *rig {
	t.Helper()
	r := begin(t, base())
	r.works("AGT-001", work())
	ok := r.approve(r.build("AGT-001"))
	r.cut("landing:checkout", func() error { _, err := land.Land(r.ctx, r.b, ok); return err })
	return r
}

// After a kill between the index and the record the person goes on working in the checkout.
func TestWorkAfterTheCheckout(t *testing.T) {
	long.Only(t)
	t.Parallel()
	t.Run("staged edit", func(t *testing.T) {
		t.Parallel()
		r := finishedCheckout(t)
		r.put(r.dir, files{"src/a.txt": "mine\n"})
		r.git("add", "src/a.txt")
		_, err := land.Undo(r.ctx, r.b)
		if got := as[*git.BlockedError](t, err).Paths; !slices.Equal(got, []string{"src/a.txt"}) {
			t.Errorf("in the way: %q", got)
		}
		_, err = land.Continue(r.ctx, r.b)
		r.ok(err)
		r.same("status", r.git("status", "--porcelain", "src"), "M  src/a.txt")
		r.status("AGT-001", registry.Merged)
	})
	t.Run("commit on top", func(t *testing.T) {
		t.Parallel()
		r := finishedCheckout(t)
		r.commit(files{"src/a.txt": "mine\n"})
		tip := r.main()
		if _, err := land.Undo(r.ctx, r.b); err == nil {
			t.Error("undone below a person's commit")
		}
		_, err := land.Continue(r.ctx, r.b)
		r.ok(err)
		r.clean(r.dir)
		if got := r.main(); got != tip {
			t.Errorf("main is at %s", got)
		}
	})
	t.Run("switched to another branch", func(t *testing.T) {
		t.Parallel()
		r := finishedCheckout(t)
		r.git("switch", "-q", "-c", "away", "main^")
		src := r.src(r.dir)
		_, err := land.Undo(r.ctx, r.b)
		r.ok(err)
		r.clean(r.dir)
		r.same("src of the other branch", r.src(r.dir), src)
		r.git("switch", "-q", "main")
		r.clean(r.dir)
	})
	t.Run("switched after the record", func(t *testing.T) {
		t.Parallel()
		r := begin(t, base())
		r.works("AGT-001", work())
		ok := r.approve(r.build("AGT-001"))
		r.cut("landing:record", func() error { _, err := land.Land(r.ctx, r.b, ok); return err })
		r.git("switch", "-q", "-c", "away", "main^")
		src := r.src(r.dir)
		done, err := land.Undo(r.ctx, r.b)
		if err != nil || !done.Landed {
			t.Errorf("undo: %+v, %v", done, err)
		}
		r.clean(r.dir)
		r.same("src of the other branch", r.src(r.dir), src)
	})
	t.Run("undo killed in the middle", func(t *testing.T) {
		t.Parallel()
		r := finishedCheckout(t)
		r.cut("landing:back-files", func() error { _, err := land.Undo(r.ctx, r.b); return err })
		r.put(r.dir, files{"src/a.txt": base()["src/a.txt"][:100]})
		if _, err := land.Continue(r.ctx, r.b); err == nil {
			t.Error("continued although its undo had begun")
		}
		_, err := land.Undo(r.ctx, r.b)
		r.ok(err)
		r.clean(r.dir)
		r.same("a.txt", r.read("src/a.txt"), base()["src/a.txt"])
		r.status("AGT-001", registry.Complete)
	})
}

// The person switches branches after a crash before the target moved: the checkout of the other branch stays as it is.
func TestSwitchedAfterCrashBeforeTheMove(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.works("AGT-001", work())
	ok := r.approve(r.build("AGT-001"))
	r.cut("landing:journal", func() error { _, err := land.Land(r.ctx, r.b, ok); return err })
	r.git("switch", "-q", "-c", "away")
	src := r.src(r.dir)
	_, err := land.Continue(r.ctx, r.b)
	r.ok(err)
	r.clean(r.dir)
	r.same("src of the other branch", r.src(r.dir), src)
	r.status("AGT-001", registry.Merged)
}

// Files outside of a sparse checkout are missing there by right.
func TestKilledInSparseCheckout(t *testing.T) {
	t.Parallel()
	all := base()
	all["src/far/away.txt"] = "1\n"
	r := begin(t, all)
	r.works("AGT-001", files{"src/far/away.txt": "2\n", "src/far/more.txt": "2\n", "src/a.txt": "2\n"})
	r.git("sparse-checkout", "set", "--no-cone", "/*", "!/src/far/")
	src := r.src(r.dir)
	r.half(files{"src/a.txt": "2"})
	_, err := land.Undo(r.ctx, r.b)
	r.ok(err)
	r.clean(r.dir)
	r.same("src after undo", r.src(r.dir), src)
	r.half(files{"src/a.txt": "2"})
	_, err = land.Continue(r.ctx, r.b)
	r.ok(err)
	r.clean(r.dir)
	r.gone("src/far")
}

// What is recorded as landed is never taken back, whatever fails afterwards, and the same command ends it.
func TestRecordedStays(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.works("AGT-001", work())
	r.mess(r.dir)
	before := r.everything(r.dir)
	ok := r.approve(r.build("AGT-001"))
	note := filepath.Join(r.p.Private, "landing.json")
	r.step = func(name string) {
		// its end cannot be written: a folder with something in it is where the note was
		if name == "landing:record" {
			r.ok(os.Rename(note, note+".kept"))
			r.ok(os.MkdirAll(filepath.Join(note, "in the way"), 0o700))
		}
	}
	_, err := land.Land(r.ctx, r.b, ok)
	r.step = nil
	if !errors.Is(err, journal.ErrUnfinished) || !strings.Contains(err.Error(), "it is recorded") {
		t.Fatalf("land: %v", err)
	}
	r.status("AGT-001", registry.Merged)
	if a := r.agent("AGT-001"); r.main() != a.MergeCommit {
		t.Errorf("main is at %s, recorded as %s", r.main(), a.MergeCommit)
	}
	r.ok(os.RemoveAll(note))
	r.ok(os.Rename(note+".kept", note))
	done, err := land.Continue(r.ctx, r.b)
	if err != nil || !done.Landed || journal.Unfinished(r.p) {
		t.Errorf("continue: %+v, %v", done, err)
	}
	r.status("AGT-001", registry.Merged)
	r.clean(r.dir)
	r.same("the person's work", r.everything(r.dir), before)
	if got := count(r.state(), registry.EventApproved); got != 1 {
		t.Errorf("%d APPROVED events", got)
	}
}

// A landing with a message of the person's that was cut off is finished with that message.
func TestMessageKilled(t *testing.T) {
	t.Parallel()
	r := begin(t, base(), nil)
	tip := r.main()
	r.works("AGT-001", files{"src/one.txt": "1\n"})
	r.b.Message = "Mine"
	c, err := r.b.Build(r.ctx, r.state(), "AGT-001")
	r.ok(err)
	ok := r.approve(c)
	r.cut("landing:journal", func() error { _, err := land.Land(r.ctx, r.b, ok); return err })
	r.open()
	if done, err := land.Continue(r.ctx, r.b); err != nil || !done.Landed {
		t.Fatalf("continue: %+v, %v", done, err)
	}
	if got := r.subjects(tip); !slices.Equal(got, []string{"Mine"}) {
		t.Errorf("history %q", got)
	}
}

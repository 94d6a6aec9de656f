package project_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"delegate/internal/fence/sandbox"
	"delegate/internal/project"
)

// verifying is a repository whose verify command notes each run in the file ran and then does line.
func verifying(t *testing.T, line string, more ...string) (b *box, p *project.Project, runs func() int) {
	t.Helper()
	ran := filepath.Join(t.TempDir(), "ran")
	lines := append([]string{"sandbox: {writable: ['" + filepath.Dir(ran) + "']}", "verify:",
		"  - echo >>'" + ran + "'; " + line}, more...)
	b = newBox(t, map[string]string{".delegate.yaml": strings.Join(lines, "\n") + "\n", "f": "1\n",
		".gitignore": "cache\nmodules/\n"})
	return b, b.project(), func() int {
		data, err := os.ReadFile(ran)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return len(data)
	}
}

func verify(t *testing.T, p *project.Project, commit string) project.Outcome {
	t.Helper()
	o, err := p.Verify(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestVerifyRemembersATreeThatPassed(t *testing.T) {
	b, p, runs := verifying(t, "cat f; touch left; echo noise >&2")
	one := b.Git("rev-parse", "HEAD")
	first := verify(t, p, one)
	if first.Result != project.Pass || first.Cached || runs() != 1 {
		t.Fatalf("first: %+v after %d runs", first, runs())
	}
	if tail := project.Tail(first.Output, 2); tail != "1\nnoise" {
		t.Errorf("kept output ends in %q", tail)
	}
	same := b.Commit("another commit of the same tree")
	if again := verify(t, p, same); again.Result != project.Pass || !again.Cached || runs() != 1 ||
		again.Output != first.Output {
		t.Errorf("again: %+v after %d runs", again, runs())
	}
	b.Write(map[string]string{"f": "2\n"})
	if other := verify(t, p, b.Commit("other")); other.Result != project.Pass || other.Cached || runs() != 2 ||
		project.Tail(other.Output, 2) != "2\nnoise" {
		t.Errorf("another tree: %+v after %d runs", other, runs())
	}
	p.Config.Verify = append(p.Config.Verify, "true")
	if more := verify(t, p, one); more.Result != project.Pass || more.Cached || more.Runs != 1 || runs() != 2 {
		t.Errorf("with one command more: %+v after %d runs", more, runs())
	}
	if again := verify(t, b.project(), one); !again.Cached || runs() != 2 {
		t.Errorf("for another command line: %+v after %d runs", again, runs())
	}
	if got := b.Git("status", "--porcelain"); got != "" {
		t.Errorf("the person's checkout: %q", got)
	}
	p.Config.Verify = nil
	if none := verify(t, p, one); none.Result != project.NoCommands {
		t.Errorf("without commands: %+v", none)
	}
}

func TestVerifyRunsWhatDidNotPassAgain(t *testing.T) {
	killed := "ended by signal: killed"
	if sandbox.Detect(t.Context()).Namespaces {
		killed = "exit status 137" // as shells tell it
	}
	for line, reason := range map[string]string{"exit 3": "exit status 3", "kill -9 $$": killed} {
		b, p, runs := verifying(t, line, "  - echo never")
		for n := 1; n <= 2; n++ { // each failure is looked at twice, and each command line looks anew
			o := verify(t, p, b.Git("rev-parse", "HEAD"))
			if o.Result != project.Fail || o.Cached || o.Runs != 2 || o.Reason != reason ||
				o.Command != p.Config.Verify[0] || runs() != 2*n || len(o.Flaky) > 0 {
				t.Errorf("%q: %+v after %d runs", line, o, runs())
			}
			if strings.Contains(project.Tail(o.Output, 10), "never") {
				t.Error("went on after a failure")
			}
			if again := verify(t, p, b.Git("rev-parse", "HEAD")); again.Result != project.Fail || !again.Cached ||
				again.Runs != 0 || again.Reason != reason || runs() != 2*n {
				t.Errorf("%q in the same command line: %+v after %d runs", line, again, runs())
			}
			p = b.project()
		}
	}
}

func TestVerifySaysWhatIsFlaky(t *testing.T) {
	fails := filepath.Join(t.TempDir(), "fails")
	if err := os.WriteFile(fails, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b, p, runs := verifying(t, "test ! -e made && touch made",
		"  - \"echo told; if test -s '"+fails+"'; then exit 0; fi; echo x >'"+fails+"'; exit 5\"", "  - test -e made")
	writable := append(p.Config.Sandbox.Writable, filepath.Dir(fails))
	p.Config.Sandbox.Writable = writable
	commit := b.Git("rev-parse", "HEAD")
	o := verify(t, p, commit)
	if o.Result != project.Pass || o.Runs != 2 || runs() != 2 || len(o.Flaky) != 1 {
		t.Fatalf("%+v after %d runs\n%s", o, runs(), project.Tail(o.Output, 20))
	}
	flake := o.Flaky[0]
	if flake.Command != p.Config.Verify[1] || flake.Reason != "exit status 5" ||
		!strings.HasSuffix(project.Tail(flake.Output, 1), "told") || flake.Output == o.Output {
		t.Errorf("%+v", flake)
	}
	// It is a part of what is remembered, for the same sandbox.
	p = b.project()
	p.Config.Sandbox.Writable = writable
	if again := verify(t, p, commit); !again.Cached || len(again.Flaky) != 1 || again.Flaky[0] != flake {
		t.Errorf("remembered: %+v", again)
	}
}

// TestVerifyRunsWhatACommandNeeds holds that a remembered pass is no reason to believe a failure of
// a command that needs what the other made.
func TestVerifyRunsWhatACommandNeeds(t *testing.T) {
	b, p, runs := verifying(t, "touch cache")
	commit := b.Git("rev-parse", "HEAD")
	verify(t, p, commit)
	p.Config.Verify = append(p.Config.Verify, "test -e cache")
	if o := verify(t, p, commit); o.Result != project.Pass || o.Runs != 2 || len(o.Flaky) > 0 || runs() != 2 {
		t.Errorf("%+v after %d runs", o, runs())
	}
}

func TestVerifyTimeLimit(t *testing.T) {
	b, p, _ := verifying(t, "sleep 300 & sleep 300", "verify_timeout: 500ms")
	commit := b.Git("rev-parse", "HEAD")
	if o := verify(t, p, commit); o.Result != project.Fail || o.Reason != "over the time limit of 500ms" ||
		!o.TimedOut || o.Runs != 1 {
		t.Errorf("over the limit: %+v", o)
	}
	// The caller's own limit says nothing of the commit.
	b, p, _ = verifying(t, "sleep 300")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if o, err := p.Verify(ctx, b.Git("rev-parse", "HEAD")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with the caller's time over: %+v, %v", o, err)
	}
}

func TestScratchIsUsedAgain(t *testing.T) {
	b, p, runs := verifying(t, "test ! -e left && test ! -e .git/x && touch left cache; test -f f; echo spoiled >f")
	count := func() int { return strings.Count(b.Git("worktree", "list", "--porcelain"), "worktree ") }
	for n := 1; n <= 4; n++ {
		switch n {
		case 3: // deleted by hand; git still lists it
			if err := os.RemoveAll(p.Scratch()); err != nil {
				t.Fatal(err)
			}
		case 4: // a git was killed in it
			if err := os.WriteFile(filepath.Join(b.Dir, ".git", "worktrees", "scratch", "index.lock"), nil,
				0o600); err != nil {
				t.Fatal(err)
			}
		}
		b.Write(map[string]string{"f": strings.Repeat("x\n", n)})
		if o := verify(t, p, b.Commit("next")); o.Result != project.Pass || runs() != n {
			t.Errorf("run %d: %+v after %d runs\n%s", n, o, runs(), project.Tail(o.Output, 20))
		}
		if count() != 2 {
			t.Errorf("run %d: %s", n, b.Git("worktree", "list"))
		}
		if _, err := os.Lstat(filepath.Join(p.Scratch(), "cache")); err != nil {
			t.Errorf("run %d: what git ignores did not stay: %v", n, err)
		}
	}
}

// A scratch checkout that git does not know any more is made anew; anything else in its place is left alone.
func TestScratchForgotten(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(t *testing.T, b *box) string // where the repository is then
		ours bool
	}{
		{"git's folder for it was deleted", func(t *testing.T, b *box) string {
			if err := os.RemoveAll(filepath.Join(b.Dir, ".git", "worktrees")); err != nil {
				t.Fatal(err)
			}
			return b.Dir
		}, true},
		{"moved with the repository", func(t *testing.T, b *box) string {
			to := b.Dir + "-moved"
			if err := errors.Join(os.Rename(b.Dir, to), os.Rename(b.Dir+".delegate", to+".delegate")); err != nil {
				t.Fatal(err)
			}
			return to
		}, true},
		{"a folder of somebody", func(t *testing.T, b *box) string {
			b.Git("worktree", "remove", "--force", b.Dir+".delegate/scratch")
			if err := os.MkdirAll(b.Dir+".delegate/scratch", 0o755); err != nil {
				t.Fatal(err)
			}
			return b.Dir
		}, false},
		{"a worktree of another repository", func(t *testing.T, b *box) string {
			b.Git("worktree", "remove", "--force", b.Dir+".delegate/scratch")
			newBox(t, map[string]string{"f": "x\n"}).Git("worktree", "add", "-q", "--detach", b.Dir+".delegate/scratch")
			return b.Dir
		}, false},
		{"a link to the repository in place of its .git", func(t *testing.T, b *box) string {
			b.Git("worktree", "remove", "--force", b.Dir+".delegate/scratch")
			if err := errors.Join(os.MkdirAll(b.Dir+".delegate/scratch", 0o755),
				os.Symlink(filepath.Join(b.Dir, ".git"), b.Dir+".delegate/scratch/.git")); err != nil {
				t.Fatal(err)
			}
			return b.Dir
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, p, _ := verifying(t, "test -f f")
			b.Write(map[string]string{"f": "x\n"})
			commit := b.Commit("next")
			verify(t, p, commit)
			if _, err := os.Stat(filepath.Join(p.Private, "verify-fence.json")); err != nil {
				t.Skip("no layer of the kernel holds commands in here, so nothing says that a folder is this program's")
			}
			b.Dir = test.do(t, b)
			p = b.project()
			mine := filepath.Join(p.Scratch(), "mine")
			if err := os.WriteFile(mine, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			p.Config.Verify = []string{"test -f f", "true"}
			o, err := p.Verify(t.Context(), commit)
			var taken *project.ScratchTakenError
			_, kept := os.Stat(mine)
			if test.ours && (err != nil || o.Result != project.Pass || kept == nil) {
				t.Errorf("%+v, %v; what lay there: %v", o, err, kept)
			}
			if !test.ours && (!errors.As(err, &taken) || kept != nil) {
				t.Errorf("%v; what lay there: %v", err, kept)
			}
		})
	}
}

func TestScratchGetsTheCopyList(t *testing.T) {
	b, p, _ := verifying(t, "cat .env modules/m", "copy: [.env, modules]")
	b.Write(map[string]string{".env": "env\n", "modules/m": "module\n"})
	for range 2 {
		b.Git("commit", "-q", "--allow-empty", "-m", "next")
		if o := verify(t, p, b.Git("rev-parse", "HEAD")); o.Result != project.Pass ||
			project.Tail(o.Output, 2) != "env\nmodule" {
			t.Errorf("%+v\n%s", o, project.Tail(o.Output, 5))
		}
	}
}

func TestVerifyKeepsGitsVariablesAway(t *testing.T) {
	b, p, _ := verifying(t, "git status --short; env")
	t.Setenv("GIT_DIR", "/nowhere")
	t.Setenv("DELEGATE_AGENT", "AGT-001")
	o := verify(t, p, b.Git("--git-dir=.git", "rev-parse", "HEAD"))
	text := project.Tail(o.Output, 1000)
	if o.Result != project.Pass || strings.Contains(text, "GIT_DIR") || strings.Contains(text, "DELEGATE_AGENT") {
		t.Errorf("%+v\n%s", o, text)
	}
}

func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if got := project.Tail(path, 3); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	text := strings.Repeat("a long line of output\n", 5000) + "one\ntwo\nthree\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := project.Tail(path, 2); got != "two\nthree" {
		t.Errorf("two lines: %q", got)
	}
	if got := project.Tail(path, 100000); len(got) > 16<<10 || !strings.HasSuffix(got, "two\nthree") {
		t.Errorf("%d bytes", len(got))
	}
}

// TestVerifyIsHeldIn holds that what agents wrote runs without the person's rights when it is verified.
func TestVerifyIsHeldIn(t *testing.T) {
	if s := sandbox.Detect(t.Context()); !s.Fenced() {
		t.Skip("no layer of the kernel here: ", s.Fault)
	}
	t.Setenv("SOME_TOKEN", "secret")
	b, p, _ := verifying(t, "touch left; test -z \"$SOME_TOKEN\" || exit 4; for f in '"+t.TempDir()+
		"/x' ../../repo/f .git; do if echo x > $f; then exit 5; fi; done")
	if o := verify(t, p, b.Git("rev-parse", "HEAD")); o.Result != project.Pass {
		t.Errorf("%+v\n%s", o, project.Tail(o.Output, 20))
	}
}

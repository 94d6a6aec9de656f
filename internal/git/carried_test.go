package git_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
)

// carryVerb has the test binary join git's streams with the repository that is named behind it, as ssh would.
const carryVerb = "carry"

// brokenVariable has it end in the middle of what comes from there.
const brokenVariable = "GIT_TEST_BROKEN"

func carry(dir, command string) int {
	service, _, _ := strings.Cut(command, " ")
	var out io.Writer = os.Stdout
	if os.Getenv(brokenVariable) != "" {
		out = breaking{}
	}
	if err := git.Serve(context.Background(), dir, service, os.Stdin, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// breaking is a stream that ends in the middle of a pack.
type breaking struct{}

func (breaking) Write(data []byte) (int, error) {
	if at := bytes.Index(data, []byte("PACK")); at >= 0 {
		_, err := os.Stdout.Write(data[:at+20])
		return 0, errors.Join(err, errors.New("the stream broke"))
	}
	return os.Stdout.Write(data)
}

const farBase, farHead = "refs/delegate/base", "refs/delegate/head"

// carried is r, whose git reaches the repository of other.
func carried(r *git.Repo, other *gittest.Repo) *git.Repo {
	return r.Carried(os.Args[0], carryVerb, other.Dir)
}

// send pushes a commit there, cut off where it leaves the history of base.
func (b *box) send(far *gittest.Repo, base, commit string) {
	b.Helper()
	cut, err := b.open().Cut(b.Context(), filepath.Join(b.TempDir(), "list"), base, commit)
	if err != nil {
		b.Fatal(err)
	}
	if err := carried(cut, far).Push(b.Context(), git.Push{Remote: "ssh://there/turn", Ref: farBase, Unleased: true,
		Commit: commit}); err != nil {
		b.Fatal(err)
	}
}

// What goes there begins where the work began, is whole from there on, and its continuation comes home into a history
// that is complete.
func TestCut(t *testing.T) {
	b := newBox(t, map[string]string{"old": long, "f": "1\n"})
	old := b.Git("rev-parse", "HEAD:old")
	b.Remove("old")
	b.Write(map[string]string{"f": "2\n"})
	base := b.Commit("base")
	work := b.branch("work", base, map[string]string{"w": "1\n"})
	side := b.branch("side", "main~1", map[string]string{"s": "1\n"})
	b.Git("checkout", "-q", "work")
	b.Git("merge", "-q", "--no-edit", side)
	merged := b.Git("rev-parse", "HEAD")
	alone := b.Git("commit-tree", "-m", "of nobody", base+"^{tree}")
	b.Git("checkout", "-q", "main")
	b.Git("branch", "alone", alone)
	for name, c := range map[string]struct {
		from    string
		commits string // there
		cut     bool
	}{
		"at the base":   {base, "1", true},
		"later":         {work, "2", true},
		"with a merge":  {merged, "5", false}, // the side begins before the base
		"of no history": {alone, "1", true},
	} {
		t.Run(name, func(t *testing.T) {
			here := &box{gittest.In(t, b.Dir)}
			far := gittest.New(t, map[string]string{"config": "c\n"})
			here.send(far, base, c.from)
			if got := far.Git("rev-list", "--count", farBase); got != c.commits {
				t.Errorf("%s commits are there, want %s", got, c.commits)
			}
			if _, err := far.Try("cat-file", "-e", old); c.cut != (err != nil) {
				t.Errorf("what was before: %v", err)
			}
			far.Git("fsck", "--strict", "--no-dangling")
			here.comesHome(far, c.from)
		})
	}
}

// comesHome has a commit made there on the one that was sent, and brings it here.
func (b *box) comesHome(far *gittest.Repo, from string) {
	b.Helper()
	far.Git("checkout", "-q", farBase)
	far.Write(map[string]string{"made": from + "\n"})
	head := far.Commit("made there")
	far.Git("update-ref", farHead, head)
	r := b.open()
	held, err := r.Quarantine(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	in := git.ImportRequest{Tips: []string{head}, Unproven: "refs/none/"}
	for _, do := range []func() error{
		func() error { return carried(held, far).FetchObjects(b.Context(), "ssh://there/turn", farHead, from) },
		func() error { return r.Import(b.Context(), held, in) },
		func() error { return r.Connected(b.Context(), in) },
	} {
		if err := do(); err != nil {
			b.Fatal(err)
		}
	}
	if base, err := r.MergeBase(b.Context(), head, from); err != nil || base != from {
		b.Errorf("the merge base is %s, %v", base, err)
	}
	b.Git("fsck", "--strict", "--no-dangling")
	if got := b.Git("rev-list", "--count", head, "^"+from); got != "1" {
		b.Errorf("%s commits came", got)
	}
	if b.Git("rev-parse", "--is-shallow-repository") != "false" {
		b.Error("history ends here as it does there")
	}
}

// A repository whose own history is cut off sends what it has.
func TestCutOfAShallowRepository(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	b.Write(map[string]string{"f": "2\n"})
	b.Commit("second")
	dir := filepath.Join(t.TempDir(), "shallow")
	b.Git("clone", "-q", "--depth=1", "file://"+b.Dir, dir)
	here := &box{gittest.In(t, dir)}
	base := here.Git("rev-parse", "HEAD")
	here.Write(map[string]string{"f": "3\n"})
	head := here.Commit("third")
	far := gittest.New(t, map[string]string{"config": "c\n"})
	here.send(far, base, head)
	if got := far.Git("rev-list", "--count", farBase); got != "2" {
		t.Errorf("%s commits are there", got)
	}
}

// A stream that breaks says nothing of the objects: they can be fetched again.
func TestABrokenStreamFindsNothingUnsound(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	base := b.Git("rev-parse", "HEAD")
	far := gittest.New(t, map[string]string{"config": "c\n"})
	b.send(far, base, base)
	far.Git("checkout", "-q", farBase)
	far.Write(map[string]string{"f": strings.Repeat("made there\n", 100)})
	far.Git("update-ref", farHead, far.Commit("made there"))
	held, err := b.open().Quarantine(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(brokenVariable, "1")
	err = carried(held, far).FetchObjects(t.Context(), "ssh://there/turn", farHead, base)
	var unsound *git.TakeOverError
	if err == nil || errors.As(err, &unsound) {
		t.Errorf("error %v, want that of a stream", err)
	}
	t.Setenv(brokenVariable, "")
	if err := carried(held, far).FetchObjects(t.Context(), "ssh://there/turn", farHead, base); err != nil {
		t.Error(err)
	}
}

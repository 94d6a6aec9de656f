package pullrequest_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/land/candidate"
	"delegate/internal/land/journal"
	"delegate/internal/land/pullrequest"
	"delegate/internal/sys/long"
	"delegate/registry"
)

func TestPublish(t *testing.T) {
	t.Parallel()
	r := begin(t)
	r.works("AGT-001", "src/b.txt", "b\n")
	main := r.there("main")
	done := r.publish(pullrequest.Together, "AGT-001")
	a := r.agent("AGT-001")
	pr := a.PullRequest
	if len(done) != 1 || pr.State != registry.PullRequestOpen || pr.Branch != "delegate/count-words" ||
		pr.Of != a.Head || pr.Base != "main" || pr.Remote != "origin" || !a.InReview() {
		t.Errorf("recorded %+v", pr)
	}
	if got := r.there(pr.Branch); got != pr.Head {
		t.Errorf("the remote has %s", got)
	}
	if parent := r.Git("rev-parse", pr.Head+"^"); parent != main || r.there("main") != main {
		t.Errorf("it is on %s, main at %s", parent, r.there("main"))
	}
	if r.count(a.ID, registry.EventApproved) != 1 || r.count(a.ID, registry.EventPullRequest) != 1 {
		t.Errorf("rows %v", r.state().Events)
	}
	again, err := registryRoundTrip(r)
	if err != nil || again.PullRequest != pr {
		t.Errorf("the record has %+v, %v", again.PullRequest, err)
	}
	r.transition(a.ID, registry.EventSentBack, registry.Person, nil)
	r.completes(a.ID, "src/b.txt", "better\n")
	if r.agent(a.ID).InReview() {
		t.Error("newer work counts as in review")
	}
	done = r.publish(pullrequest.Together, a.ID)
	if now := r.agent(a.ID).PullRequest; !done[0].Updated || now.Head == pr.Head || now.Branch != pr.Branch ||
		r.there(pr.Branch) != now.Head {
		t.Errorf("updated to %+v", now)
	}
	edited := filepath.Join(r.agent(a.ID).Worktree, "src", "b.txt") // by a person, after the turn
	if err := os.WriteFile(edited, []byte("best\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.publish(pullrequest.Together, a.ID)
	if a := r.agent(a.ID); !a.InReview() || r.Git("show", a.PullRequest.Of+":src/b.txt") != "best" {
		t.Errorf("an edit went out, and is not in review: head %s, %+v", a.Head, a.PullRequest)
	}
}

// registryRoundTrip reads the record as another process does.
func registryRoundTrip(r *rig) (registry.Agent, error) {
	r.Helper()
	r.open()
	return r.state().Agent("AGT-001")
}

func TestTextOfARequest(t *testing.T) {
	t.Parallel()
	r := begin(t)
	r.works("AGT-001", "src/b\n\nCloses #2, @all", "b\n")
	ok := r.approve(pullrequest.Together, "AGT-001")
	r.cut("publish:journal", func() error {
		_, err := pullrequest.Publish(r.Context(), r.b, ok, git.NeverPrompt)
		return err
	})
	j, err := journal.ReadPublication(r.p)
	r.ok(err)
	body := j.Requests[0].Body
	for _, want := range []string{"do it", "    I counted; closes #1, thanks @all\n",
		"- `src/b\\n\\nCloses #2, @all` (+1 −0)",
		"Approved by Pat, digest " + ok.Candidate().Short(), "No tests were run.", "---\n\n- [ ] I have read it"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not in\n%s", want, body)
		}
	}
	if strings.ContainsAny(j.Requests[0].Title, "\n\r") || j.Requests[0].Title == "" {
		t.Errorf("title %q", j.Requests[0].Title)
	}
}

// cut ends what run does at the first step with the name, as a crash would, and opens the project anew.
func (r *rig) cut(step string, run func() error) {
	r.Helper()
	gittest.Stopped(r, &r.step, step, run)
	r.open()
}

func TestTargetAheadOfItsRemote(t *testing.T) {
	t.Parallel()
	r := begin(t)
	r.works("AGT-001", "src/b.txt", "b\n")
	r.Write(map[string]string{"mine.txt": "mine\n"})
	r.Git("add", "mine.txt")
	r.Git("commit", "-q", "-m", "mine")
	_, err := approved(t.Context(), r.b, pullrequest.Together, "AGT-001")
	var ahead *candidate.AheadError
	if !errors.As(err, &ahead) || ahead.Commits != 1 || ahead.Upstream.String() != "origin/main" {
		t.Errorf("approved: %v", err)
	}
}

// Where the remote says no, nothing is half done; what it has is built on.
func TestRefusedByTheRemote(t *testing.T) {
	t.Parallel()
	r := begin(t)
	r.works("AGT-001", "src/b.txt", "b\n")
	hooks := filepath.Join(r.bare, "hooks")
	r.ok(os.MkdirAll(hooks, 0o755))
	r.ok(os.WriteFile(filepath.Join(hooks, "pre-receive"), []byte("#!/bin/sh\necho 'no entry'; exit 1\n"), 0o755))
	_, err := pullrequest.Publish(t.Context(), r.b, r.approve(pullrequest.Together, "AGT-001"), git.NeverPrompt)
	if err == nil || !strings.Contains(err.Error(), "no entry") || journal.Unpublished(r.p) {
		t.Errorf("published: %v", err)
	}
	r.ok(os.Remove(filepath.Join(hooks, "pre-receive")))
	other := gittest.In(t, filepath.Join(t.TempDir()))
	other.Git("clone", "-q", r.bare, ".")
	other.Git("commit", "-q", "--allow-empty", "-m", "theirs")
	other.Git("push", "-q", "origin", "main", "main:delegate/count-words")
	r.publish(pullrequest.Together, "AGT-001")
	pr := r.agent("AGT-001").PullRequest
	if pr.Branch != "delegate/count-words-2" || r.Git("rev-parse", pr.Head+"^") != r.there("main") {
		t.Errorf("published %+v", pr)
	}
}

// Whatever the step after which it is killed: the next one finishes exactly what was approved, once, also where an
// agent went on meanwhile.
func TestKilledAfterEveryStep(t *testing.T) {
	t.Parallel()
	var steps []string
	r := begin(t)
	r.works("AGT-001", "src/b.txt", "b\n")
	r.works("AGT-002", "src/c.txt", "c\n")
	ok := r.approve(pullrequest.Stacked, "AGT-001", "AGT-002")
	r.step = func(name string) { steps = append(steps, name) }
	_, err := pullrequest.Publish(t.Context(), r.b, ok, git.NeverPrompt)
	r.ok(err)
	for _, step := range []string{"journal", "approve", "push", "open", "record", "finish"} {
		if !slices.Contains(steps, "publish:"+step) {
			t.Errorf("no step %s", step)
		}
	}
	for i, step := range steps {
		if !long.Set && i%5 != 1 {
			continue // the publication is another process
		}
		t.Run(strconv.Itoa(i+1)+" "+step, func(t *testing.T) {
			t.Parallel()
			killedAt(t, i+1, step)
		})
	}
}

func killedAt(t *testing.T, n int, step string) {
	r := begin(t)
	r.works("AGT-001", "src/b.txt", "b\n")
	r.works("AGT-002", "src/c.txt", "c\n")
	if got := r.KilledAfter(n); got != step {
		t.Fatalf("killed after %q", got)
	}
	r.open()
	unpublished := journal.Unpublished(r.p)
	if unpublished != (step != "publish:finish") {
		t.Fatalf("journal after %s: %v", step, unpublished)
	}
	if unpublished {
		j, err := journal.ReadPublication(r.p)
		r.ok(err)
		tree := gittest.In(t, r.agent("AGT-001").Worktree)
		tree.Write(map[string]string{"src/b.txt": "nobody said yes to this\n"})
		tree.Git("commit", "-q", "-a", "-m", "later")
		done, err := pullrequest.Continue(t.Context(), r.p, git.NeverPrompt)
		r.ok(err)
		for i, one := range done {
			if one.Request.Head != j.Requests[i].Commit {
				t.Errorf("finished as %s, approved was %s", one.Request.Head, j.Requests[i].Commit)
			}
		}
	}
	first, second := r.agent("AGT-001").PullRequest, r.agent("AGT-002").PullRequest
	if second.Base != first.Branch || r.Git("rev-parse", second.Head+"^") != first.Head {
		t.Errorf("%+v is not on %+v", second, first)
	}
	branches := strings.Fields(gittest.In(t, r.bare).Git("for-each-ref", "--format=%(refname:short)", "refs/heads"))
	if !slices.Equal(branches, []string{"delegate/count-lines", "delegate/count-words", "main"}) ||
		r.there(first.Branch) != first.Head || r.there(second.Branch) != second.Head {
		t.Errorf("the remote has %v", branches)
	}
	for _, id := range []string{"AGT-001", "AGT-002"} {
		if r.count(id, registry.EventPullRequest) != 1 || r.count(id, registry.EventApproved) != 1 {
			t.Errorf("rows of %s: %v", id, r.state().Events)
		}
	}
	if journal.Unpublished(r.p) {
		t.Error("the journal is left")
	}
}

// A yes is for the place as well.
func TestRemoteMovedMeanwhile(t *testing.T) {
	t.Parallel()
	r := begin(t)
	r.works("AGT-001", "src/b.txt", "b\n")
	ok := r.approve(pullrequest.Together, "AGT-001")
	r.cut("publish:approve", func() error {
		_, err := pullrequest.Publish(t.Context(), r.b, ok, git.NeverPrompt)
		return err
	})
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.git")
	r.Git("clone", "-q", "--bare", r.bare, elsewhere)
	r.Git("remote", "set-url", "origin", elsewhere)
	_, err := pullrequest.Continue(t.Context(), r.p, git.NeverPrompt)
	var other *pullrequest.OtherPlaceError
	if !errors.As(err, &other) || !journal.Unpublished(r.p) {
		t.Errorf("finished elsewhere: %v", err)
	}
	if _, err := pullrequest.Abandon(t.Context(), r.p); err != nil || journal.Unpublished(r.p) {
		t.Errorf("given up: %v", err)
	}
	r.Git("remote", "set-url", "--push", "origin", r.bare)
	var two *git.TwoAddressesError
	if _, err := approved(t.Context(), r.b, pullrequest.Together, "AGT-001"); !errors.As(err, &two) {
		t.Errorf("a remote with two addresses: %v", err)
	}
}

func TestAbandon(t *testing.T) {
	t.Parallel()
	r := begin(t)
	r.works("AGT-001", "src/b.txt", "b\n")
	r.works("AGT-002", "src/c.txt", "c\n")
	ok := r.approve(pullrequest.Stacked, "AGT-001", "AGT-002")
	r.cut("publish:push", func() error {
		_, err := pullrequest.Publish(t.Context(), r.b, ok, git.NeverPrompt)
		return err
	})
	done, err := pullrequest.Abandon(t.Context(), r.p)
	if err != nil || len(done) != 1 || !r.agent("AGT-001").InReview() || r.agent("AGT-002").PullRequest.State != "" ||
		journal.Unpublished(r.p) || r.there("delegate/count-lines") != "" {
		t.Errorf("given up: %+v, %v", done, err)
	}
}

package pullrequest_test

import (
	"path/filepath"
	"testing"

	"delegate/internal/control/session"
	"delegate/internal/git/gittest"
	"delegate/internal/land/pullrequest"
	"delegate/internal/record/audit"
	"delegate/internal/tidy/cleanup"
	"delegate/registry"
)

// reviewer is somebody else's clone of the remote.
func (r *rig) reviewer() *gittest.Repo {
	r.Helper()
	other := gittest.In(r.TB, filepath.Join(r.TB.TempDir()))
	other.Git("clone", "-q", r.bare, ".")
	return other
}

func (r *rig) follow() []pullrequest.Outcome {
	r.Helper()
	all, err := pullrequest.Follow(r.Context(), r.p, r.state())
	r.ok(err)
	return all
}

// However the reviewers merge it, the agent is MERGED at the next look, and nothing says that its work is lost.
func TestMergedThere(t *testing.T) {
	t.Parallel()
	for name, merge := range map[string]func(*gittest.Repo, registry.PullRequest){
		"merge": func(o *gittest.Repo, pr registry.PullRequest) {
			o.Git("merge", "-q", "--no-ff", "-m", "Merge it", "origin/"+pr.Branch)
		},
		"fast-forward": func(o *gittest.Repo, pr registry.PullRequest) { o.Git("merge", "-q", "origin/"+pr.Branch) },
		"squash": func(o *gittest.Repo, pr registry.PullRequest) {
			o.Git("merge", "-q", "--squash", "origin/"+pr.Branch)
			o.Git("commit", "-q", "-m", "squashed")
			o.Git("commit", "-q", "--allow-empty", "-m", "and on")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := begin(t)
			r.works("AGT-001", "src/b.txt", "b\n")
			r.works("AGT-002", "src/c.txt", "c\n")
			r.publish(pullrequest.Together, "AGT-001")
			pr := r.agent("AGT-001").PullRequest
			if got := r.follow(); len(got) != 0 {
				t.Errorf("before anything happened: %+v", got)
			}
			other := r.reviewer()
			other.Git("commit", "-q", "--allow-empty", "-m", "meanwhile")
			merge(other, pr)
			other.Git("push", "-q", "origin", "main", ":"+pr.Branch)
			got := r.follow()
			a := r.agent("AGT-001")
			if len(got) != 1 || !got[0].Merged || a.Status != registry.Merged ||
				a.PullRequest.State != registry.PullRequestMerged || r.agent("AGT-002").Status != registry.Complete {
				t.Fatalf("followed %+v: %s, %+v", got, a.Status, a.PullRequest)
			}
			if out := r.Git("show", "--stat", "--format=", "-m", "--first-parent", a.MergeCommit); out == "" {
				t.Errorf("%s changes nothing", a.MergeCommit)
			}
			if found := audit.Disagreements(t.Context(), r.p, r.state()); len(found) != 0 {
				t.Errorf("disagreements %+v", found)
			}
			base, err := session.NewBase(t.Context(), r.p, r.state(), r.agent("AGT-002"))
			if err != nil || base != r.there("main") {
				t.Errorf("an agent starts from %s, %v; the remote has %s", base, err, r.there("main"))
			}
			if _, err := r.b.BuildRollback(t.Context(), r.state(), "AGT-001"); err == nil {
				t.Error("it could be rolled back here")
			}
			gone, err := cleanup.RemoveEnded(t.Context(), r.p, *r.state().Session, []registry.Agent{a}, cleanup.Nothing)
			if err != nil || len(gone) != 1 || gone[0].Outcome != cleanup.Removed {
				t.Errorf("removed: %+v, %v", gone, err)
			}
		})
	}
}

// Work that went on since is not MERGED with what the reviewers have merged of it.
func TestMergedThereAndGoneOn(t *testing.T) {
	t.Parallel()
	r := begin(t)
	r.works("AGT-001", "src/b.txt", "b\n")
	r.publish(pullrequest.Together, "AGT-001")
	r.transition("AGT-001", registry.EventSentBack, registry.Person, nil)
	r.completes("AGT-001", "src/b.txt", "better\n")
	pr := r.agent("AGT-001").PullRequest
	other := r.reviewer()
	other.Git("merge", "-q", "origin/"+pr.Branch)
	other.Git("push", "-q", "origin", "main")
	got := r.follow()
	a := r.agent("AGT-001")
	if len(got) != 1 || got[0].Merged || a.Status != registry.Complete || a.InReview() ||
		a.PullRequest.State != registry.PullRequestMerged {
		t.Fatalf("followed %+v: %s, %+v", got, a.Status, a.PullRequest)
	}
	done := r.publish(pullrequest.Together, "AGT-001")
	if now := r.agent("AGT-001").PullRequest; now.State != registry.PullRequestOpen || now.Head == pr.Head ||
		r.Git("rev-parse", now.Head+"^") != r.there("main") {
		t.Errorf("published %+v, %+v", done, now)
	}
}

func TestLinked(t *testing.T) {
	t.Parallel()
	r := begin(t)
	r.works("AGT-001", "src/b.txt", "b\n")
	r.works("AGT-002", "src/c.txt", "c\n")
	if _, _, err := pullrequest.Linked(r.state(), "AGT-001"); err == nil {
		t.Error("there is nothing to update, and it is no error")
	}
	r.publish(pullrequest.Stacked, "AGT-002", "AGT-001")
	ids, shape, err := pullrequest.Linked(r.state(), "AGT-001")
	if err != nil || shape != pullrequest.Stacked || len(ids) != 2 || ids[0] != "AGT-002" {
		t.Errorf("linked %v, %v, %v", ids, shape, err)
	}
}

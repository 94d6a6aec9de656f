package land_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/land"
	"delegate/internal/project"
	"delegate/internal/view/status"
	"delegate/registry"
)

// semi makes the rig's session semi-autonomous.
func semi(t *testing.T, agents int) *rig {
	t.Helper()
	r := begin(t, base(), make([][]int, agents)...)
	r.verify("! grep -rq broken src")
	r.update(func(tx *registry.Tx) error {
		return tx.EditSession(func(s *registry.Session) {
			s.Supervision, s.Integration = session.SemiAutonomous, project.IntegrationBranch(s.ID)
		})
	})
	return r
}

func (r *rig) gathered() []string {
	r.Helper()
	return status.Gathered(r.state())
}

func (r *rig) integration() string { return r.state().Session.Integration }

func TestIntegrate(t *testing.T) {
	t.Parallel()
	r := semi(t, 4)
	tip := r.main()
	r.works("AGT-001", files{"src/one.txt": "1\n"})
	r.ok(land.Integrate(r.ctx, r.b))
	r.works("AGT-002", files{"src/two.txt": "broken\n"})
	r.works("AGT-003", files{"src/one.txt": "another\n"})
	r.works("AGT-004", files{"src/four.txt": "4\n"})
	r.ok(land.Integrate(r.ctx, r.b))
	if got := r.gathered(); !slices.Equal(got, []string{"AGT-001", "AGT-004"}) &&
		!slices.Equal(got, []string{"AGT-003", "AGT-004"}) {
		t.Errorf("gathered %q", got)
	}
	if got := r.git("show", r.integration()+":src/four.txt"); got != "4" || r.main() != tip {
		t.Errorf("%q, or the target moved", got)
	}
	r.status("AGT-001", registry.Complete)
	at := r.git("rev-parse", r.integration())
	r.ok(land.Integrate(r.ctx, r.b))
	if r.git("rev-parse", r.integration()) != at {
		t.Error("the branch was made anew though nothing had changed")
	}
	if body := r.git("log", "-1", "--format=%B", r.integration()); strings.Contains(body, "Approved-by") ||
		!strings.Contains(body, "Delegate-Agent: part-4 (DEL-") {
		t.Errorf("message %q", body)
	}
	// The landing is one candidate, by a person, with the trees that were tested.
	r.together(r.gathered()...)
	if len(r.gathered()) != 0 || r.git("rev-parse", "main^{tree}") != r.git("rev-parse", at+"^{tree}") {
		t.Error("the landing is not what was gathered")
	}
}

func TestIntegrateFollows(t *testing.T) {
	t.Parallel()
	r := semi(t, 2)
	r.works("AGT-001", files{"src/one.txt": "1\n"})
	a := r.works("AGT-002", files{"src/two.txt": "2\n"})
	r.ok(land.Integrate(r.ctx, r.b))
	if got := r.gathered(); len(got) != 2 {
		t.Fatalf("gathered %q", got)
	}
	t.Log("work that was sent back leaves the branch")
	_, err := control.Control{P: r.p, Who: "Pat"}.SendBack(r.ctx, a.ID, "once more")
	r.ok(err)
	r.ok(land.Integrate(r.ctx, r.b))
	if got := r.gathered(); !slices.Equal(got, []string{"AGT-001"}) ||
		strings.Contains(r.git("ls-tree", "-r", "--name-only", r.integration()), "two.txt") {
		t.Errorf("gathered %q", got)
	}
	t.Log("a flagged agent stays out")
	r.update(func(tx *registry.Tx) error {
		return tx.Edit("AGT-001", func(a *registry.Agent) {
			a.Flags = append(a.Flags, registry.FlagContradicted.Flag())
		})
	})
	r.ok(land.Integrate(r.ctx, r.b))
	if got := r.gathered(); len(got) != 0 {
		t.Errorf("gathered %q", got)
	}
}

// What a person put on the integration branch is theirs.
func TestIntegrateLeavesWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	r := semi(t, 2)
	r.works("AGT-001", files{"src/one.txt": "1\n"})
	r.ok(land.Integrate(r.ctx, r.b))
	r.git("checkout", "-q", r.integration())
	r.works("AGT-002", files{"src/two.txt": "2\n"})
	if err := land.Integrate(r.ctx, r.b); !errors.Is(err, land.ErrRefused) ||
		!strings.Contains(err.Error(), "checked out") {
		t.Errorf("checked out: %v", err)
	}
	r.commit(files{"src/mine.txt": "mine\n"})
	mine := r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", "main")
	if err := land.Integrate(r.ctx, r.b); !errors.Is(err, land.ErrRefused) ||
		r.git("rev-parse", r.integration()) != mine {
		t.Errorf("with a commit of a person: %v", err)
	}
}

func TestIntegrateNothingUntested(t *testing.T) {
	t.Parallel()
	r := semi(t, 1)
	r.configure("")
	r.works("AGT-001", files{"src/one.txt": "1\n"})
	r.ok(land.Integrate(r.ctx, r.b))
	if got := r.gathered(); len(got) != 0 {
		t.Errorf("gathered %q", got)
	}
}

// The branch goes with the session, unless somebody else's commits are on it.
func TestIntegrationBranchGoes(t *testing.T) {
	t.Parallel()
	for _, mine := range []bool{false, true} {
		r := semi(t, 1)
		r.works("AGT-001", files{"src/one.txt": "1\n"})
		r.ok(land.Integrate(r.ctx, r.b))
		branch := r.integration()
		if mine {
			r.git("branch", "-f", branch, r.git("commit-tree", "-m", "mine", "-p", branch, branch+"^{tree}"))
		}
		r.together("AGT-001")
		e := r.endSession(r.state())
		left := r.git("for-each-ref", "refs/heads/"+branch)
		if mine != (left != "") || mine != slices.ContainsFunc(e.Kept, func(k string) bool {
			return strings.Contains(k, branch)
		}) {
			t.Errorf("a person's commit on it %t: left %q, kept %q", mine, left, e.Kept)
		}
	}
}

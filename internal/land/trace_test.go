package land_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/land"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// record is what the test reads of an Agent Trace record.
type record struct {
	Version, ID string
	VCS         struct{ Type, Revision string }
	Tool        struct{ Name string }
	Files       []struct {
		Path          string
		Conversations []struct {
			URL         string
			Contributor struct {
				Type  string
				Model string `json:"model_id"`
			}
			Ranges []struct {
				Start int `json:"start_line"`
				End   int `json:"end_line"`
			}
		}
	}
	Metadata struct {
		Delegate struct{ Session, Agent, Name, Conversation, Digest string }
	}
}

// traced begins a session that wants records, with an agent whose program said what it asks.
func traced(t *testing.T, mode string) *rig {
	t.Helper()
	r := begin(t, files{"src/a.txt": "1\n2\n3\n4\n"})
	r.configure("landing: {mode: " + mode + ", agent_trace: true}\n")
	a := r.spawn("AGT-001")
	r.put(a.Worktree, files{"src/a.txt": "1\ntwo\n3\n4\n5\n6\n", "src/b.bin": "\x00\x01"})
	r.gitIn(a.Worktree, "add", "-A")
	r.gitIn(a.Worktree, "commit", "-q", "-m", "first")
	r.put(a.Worktree, files{"src/c.txt": "left\n"})
	r.complete("AGT-001")
	turn := keeper.Turn{Dir: r.p.TurnDir(r.state().Session.ID, "AGT-001", 1)}
	_, err := keeper.Prepare(turn.Dir, "do it", keeper.Spec{Attempt: 1})
	r.ok(errors.Join(err, turn.KeepModel("claude-opus-4"), turn.KeepSessionID("conversation-1")))
	return r
}

func (r *rig) record(commit string) (found record) {
	r.Helper()
	r.ok(json.Unmarshal([]byte(r.git("notes", "--ref=agent-trace", "show", commit)), &found))
	return found
}

func TestTrace(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"squash", "rebase", "merge"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := traced(t, mode)
			tip := r.main()
			c := r.build("AGT-001")
			done, err := land.Land(r.ctx, r.b, r.approve(c))
			if err != nil || done.Said != "" {
				t.Fatalf("%+v, %v", done, err)
			}
			commits := strings.Fields(r.git("rev-list", "--first-parent", "--reverse", tip+"..main"))
			if mode == "rebase" != (len(commits) == 2) {
				t.Fatalf("commits %q", commits)
			}
			for _, commit := range commits {
				got := r.record(commit)
				if got.Version != "0.1" || len(got.ID) != 36 || got.VCS.Type != "git" || got.VCS.Revision != commit ||
					got.Metadata.Delegate.Digest != c.Digest || got.Metadata.Delegate.Conversation != "conversation-1" {
					t.Errorf("record %+v", got)
				}
			}
			first := r.record(commits[0])
			var said []string
			for _, f := range first.Files {
				by := f.Conversations[0]
				data, _ := json.Marshal(by.Ranges)
				said = append(said, f.Path+" "+by.Contributor.Type+" "+by.Contributor.Model+" "+string(data))
			}
			const by = "ai anthropic/claude-opus-4 "
			want := "src/a.txt " + by + `[{"start_line":2,"end_line":2},{"start_line":5,"end_line":6}]` +
				"\nsrc/b.bin " + by + "[]"
			if got := strings.Join(said, "\n"); !strings.HasPrefix(got, want) {
				t.Errorf("lines\n%s", got)
			}
		})
	}
}

// A landing that is cut off before or after its record is finished with one record, and one that cannot be
// written undoes nothing.
func TestTraceCutOff(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"landing:checkout", "landing:trace"} {
		r := traced(t, "squash")
		ok := r.approve(r.build("AGT-001"))
		r.cut(step, func() error { _, err := land.Land(r.ctx, r.b, ok); return err })
		done, err := land.Continue(r.ctx, r.b)
		if err != nil || done.Said != "" || r.record(done.Commit).VCS.Revision != done.Commit {
			t.Errorf("%s: %+v, %v", step, done, err)
		}
		if got := r.git("rev-list", "--count", "refs/notes/agent-trace"); got != "1" {
			t.Errorf("%s: %s commits of notes", step, got)
		}
	}
	r := traced(t, "squash")
	lock := filepath.Join(r.dir, ".git", "refs", "notes", "agent-trace.lock")
	r.ok(errors.Join(os.MkdirAll(filepath.Dir(lock), 0o755), os.WriteFile(lock, nil, 0o644)))
	done, err := land.Land(r.ctx, r.b, r.approve(r.build("AGT-001")))
	if err != nil || !strings.HasPrefix(done.Said, "the Agent Trace record was not written: ") {
		t.Errorf("%+v, %v", done, err)
	}
	r.status("AGT-001", registry.Merged)
}

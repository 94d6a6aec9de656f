package takeover_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/git/gittest"
	"delegate/internal/intake/takeover"
)

// The agent's git runs behind real mounts, with nothing but the folders of the quarantine writable of git's own.
func TestQuarantineBehindMounts(t *testing.T) {
	flags := "-Urm"
	if os.Geteuid() == 0 {
		flags = "-m"
	}
	if out, err := exec.Command("unshare", flags, "mount", "--bind", "/tmp", "/tmp").CombinedOutput(); err != nil {
		t.Skipf("no mount namespace here: %v: %s", err, out)
	}
	b := newBox(t, map[string]string{"f": "1\n"})
	k, w := b.taker()
	k.request.Quarantine = filepath.Join(b.Dir, ".git", "delegate", "sessions", "DEL-1", "AGT-001", "quarantine-1")
	git := k.c.Repo.CommonDir
	turn := func(script string) {
		t.Helper()
		q, err := k.c.Enter(t.Context(), k.request.Quarantine, takeover.Whole)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("unshare", flags, "sh", "-ec", `
mount --bind "$Q/refs" "$GIT/refs/heads/delegate/DEL-1/AGT-001"
mount --bind "$Q/logs" "$GIT/logs/refs/heads/delegate/DEL-1/AGT-001"
mount --bind "$Q/gitdir" "$ADMIN"
mount --bind "$Q/objects" "$Q/objects"
mount --bind "$GIT/objects" "$GIT/objects"
mount -o remount,bind,ro "$GIT/objects"
`+script)
		cmd.Dir = w.Dir
		cmd.Env = append(os.Environ(), "Q="+q.Folder, "GIT="+git, "ADMIN="+k.c.Repo.GitDir,
			"GIT_OBJECT_DIRECTORY="+q.Objects(), `GIT_ALTERNATE_OBJECT_DIRECTORIES="`+git+`/objects"`)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("the agent's turn: %v\n%s", err, out)
		}
	}
	base := b.Git("rev-parse", "main")
	turn(`echo 2 >f; git commit -qam two; git checkout -q -b delegate/DEL-1/AGT-001/side HEAD~1; echo s >s; git add s; git commit -qm side
git checkout -q work 2>/dev/null || git checkout -q delegate/DEL-1/AGT-001/work; git cherry-pick delegate/DEL-1/AGT-001/side >/dev/null; git rebase -q -f main; git log -g --format=%H >../log; git status --porcelain >../status`)
	if got := b.Git("rev-parse", branch); got != base {
		t.Errorf("the agent moved the real branch to %q", got)
	}
	if got := strings.TrimSpace((&box{gittest.In(t, filepath.Dir(w.Dir))}).Text("status")); got != "" {
		t.Errorf("inside, the status is %q", got)
	}
	head := k.take()
	if got := b.Git("rev-parse", branch); got != head {
		t.Errorf("the branch is at %q, the head is %q", got, head)
	}
	if got := b.Git("log", "--format=%s", head); got != "side\ntwo\nfirst" {
		t.Errorf("history %q", got)
	}
	if got := w.Git("status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
	b.Git("fsck", "--strict", "--no-dangling")
	turn(`echo 3 >f; git add f; git merge -q --no-commit --no-ff main 2>/dev/null || true; test "$(git rev-parse HEAD)" = "` + head + `"`)
	turn(`git diff --cached --name-only | grep -qx f; git commit -qm three`)
	if got := b.Git("log", "-1", "--format=%s", k.take()); got != "three" {
		t.Errorf("the last commit is %q", got)
	}
	if err := k.c.Repo.CheckPointers(); err != nil {
		t.Error(err)
	}
}

package takeover_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/intake/takeover"
)

// inside plays a fenced agent: its git has the folders of the quarantine where the repository has its own,
// here by a common folder of links, which needs no mount.
type inside struct {
	*box
	c *takeover.Checkout
	q takeover.Quarantine
	w *box // the worktree as a person sees it
	k *taker
	b *box
}

// fenced makes a checkout whose agent is in a whole quarantine.
func (b *box) fenced() *inside {
	b.Helper()
	k, w := b.taker()
	i := &inside{box: &box{gittest.In(b.TB, w.Dir)}, c: k.c, w: w, k: k, b: b}
	k.request.Quarantine = filepath.Join(b.Dir, ".git", "delegate", "sessions", "DEL-1", "AGT-001", "quarantine-1")
	i.enter(takeover.Whole)
	return i
}

func (i *inside) enter(mode takeover.QuarantineMode) {
	i.Helper()
	q, err := i.c.Enter(i.Context(), i.k.request.Quarantine, mode)
	if err != nil {
		i.Fatal(err)
	}
	i.q = q
}

// environ is what the agent's git is started with.
func (i *inside) environ() []string {
	i.Helper()
	common := i.c.Repo.CommonDir
	env := append(os.Environ(), "GIT_OBJECT_DIRECTORY="+i.q.Objects(),
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=\""+filepath.Join(common, "objects")+"\"")
	if !i.q.Whole() {
		return env
	}
	seen := filepath.Join(i.TempDir(), "common")
	for name, to := range map[string]string{
		"config": filepath.Join(common, "config"), "packed-refs": filepath.Join(common, "packed-refs"),
		"HEAD":            filepath.Join(common, "HEAD"),
		"refs/heads/main": filepath.Join(common, "refs/heads/main"), "refs/heads/delegate/DEL-1/AGT-001": i.q.Refs(),
		"logs/refs/heads/delegate/DEL-1/AGT-001": i.q.Logs(),
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(seen, name)), 0o700); err != nil {
			i.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(seen, name)); err != nil {
			i.Fatal(err)
		}
	}
	// in the place of ../.., which leads to the repository where the folder is mounted over the real one
	i.put("gitdir/commondir", seen+"\n")
	return append(env, "GIT_DIR="+i.q.GitDir(), "GIT_WORK_TREE="+i.w.Dir)
}

// Git runs the agent's git.
func (i *inside) Git(args ...string) string { return i.feed("", args...) }

func (i *inside) feed(input string, args ...string) string {
	i.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = i.w.Dir, i.environ(), strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		i.Fatalf("the agent's git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (i *inside) Commit(files map[string]string) string {
	i.Helper()
	i.Write(files)
	i.Git("add", "--all", ".")
	i.Git("commit", "-q", "--allow-empty", "-m", "the agent's")
	return i.Git("rev-parse", "HEAD")
}

func (i *inside) takeOver() takeover.Taken {
	i.Helper()
	taken, err := i.c.TakeOver(i.Context(), i.q)
	if err != nil {
		i.Fatal(err)
	}
	return taken
}

// refused takes over what is not sound and finds that nothing moved.
func (i *inside) refused(word string) {
	i.Helper()
	before := i.b.Git("for-each-ref")
	taken, err := i.c.TakeOver(i.Context(), i.q)
	var unsound *git.TakeOverError
	if !errors.As(err, &unsound) {
		i.Fatalf("took over %+v, %v", taken, err)
	}
	if !strings.Contains(unsound.Detail, word) {
		i.Errorf("the fault is %q, want something of %q", unsound.Detail, word)
	}
	if after := i.b.Git("for-each-ref"); after != before {
		i.Errorf("references\n%s\nwere\n%s", after, before)
	}
	if _, err := os.Lstat(filepath.Join(i.q.Folder, "taking")); err == nil {
		i.Error("the copied objects were left")
	}
	i.sound()
}

// sound finds every object of the repository as it should be.
func (i *inside) sound() {
	i.Helper()
	i.b.Git("fsck", "--strict", "--no-dangling")
}

// at holds the real branch and HEAD against what they should be.
func (i *inside) at(tip, head string) {
	i.Helper()
	if got := i.b.Git("rev-parse", branch); got != tip {
		i.Errorf("the branch is at %q, want %q", got, tip)
	}
	got, err := os.ReadFile(filepath.Join(i.c.Repo.GitDir, "HEAD"))
	if err != nil || strings.TrimSpace(string(got)) != head {
		i.Errorf("HEAD is %q, %v, want %q", got, err, head)
	}
}

const onBranch = "ref: refs/heads/" + branch

// put writes a file of the quarantine as an agent can.
func (i *inside) put(name, text string) {
	i.Helper()
	path := filepath.Join(i.q.Folder, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.RemoveAll(path),
		os.WriteFile(path, []byte(text), 0o600)); err != nil {
		i.Fatal(err)
	}
}

// object is the file of an object in the quarantine.
func (i *inside) object(id string) string { return filepath.Join("objects", id[:2], id[2:]) }

func contains(t testing.TB, all []string, word string) {
	t.Helper()
	for _, line := range all {
		if strings.Contains(line, word) {
			return
		}
	}
	t.Errorf("%q says nothing of %q", all, word)
}

func withTimeLimit(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

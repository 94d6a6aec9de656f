package doctor

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/gittest"
	"delegate/internal/project"
	"delegate/internal/setup"
	"delegate/registry"
)

// rig is a repository with one commit on main, in a folder of its own.
type rig struct {
	*testing.T
	main string
}

func newRig(t *testing.T) rig {
	t.Helper()
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b"} {
		t.Setenv(name, value)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := rig{t, filepath.Join(root, "repo")}
	r.write("tracked", "12345")
	r.git("init", "-q", "-b", "main")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "Begin")
	return r
}

func (r rig) git(args ...string) string {
	r.Helper()
	return strings.TrimSpace(gittest.In(r.T, r.main).Git(args...))
}

// write makes a file, named from the repository.
func (r rig) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.main, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

// branch makes a worktree with one commit on a branch of an agent's.
func (r rig) branch(session, agent string) (name, path string) {
	r.Helper()
	name, path = "delegate/"+session+"/"+agent+"/work", filepath.Join(r.main+".delegate", session, agent, "work")
	r.git("worktree", "add", "-q", "-b", name, path)
	r.write("../repo.delegate/"+session+"/"+agent+"/work/"+agent, "x")
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", "Work"}} {
		r.git(append([]string{"-C", path}, args...)...)
	}
	return name, path
}

func (r rig) leftovers(state registry.State) map[string]Leftover {
	r.Helper()
	p, err := project.Open(r.Context(), r.main, project.Options{})
	if err != nil {
		r.Fatal(err)
	}
	all, err := Leftovers(r.Context(), p, state)
	if err != nil {
		r.Fatal(err)
	}
	byName := map[string]Leftover{}
	for _, l := range all {
		for _, name := range []string{"AGT-001", "AGT-002", "AGT-003", "scratch", "private"} {
			if strings.Contains(l.Text, name) && l.Kind != Folder {
				byName[name] = l
			}
		}
	}
	return byName
}

const sessionID = "DEL-20260102-150405"

// TestUnrecorded holds that branches speak for themselves where no session is recorded, and that
// nothing of theirs is called worthless.
func TestUnrecorded(t *testing.T) {
	r := newRig(t)
	landed, path := r.branch(sessionID, "AGT-001")
	r.git("merge", "-q", "--no-ff", "-m", "Land", landed)
	open, openPath := r.branch(sessionID, "AGT-002")
	r.branch(sessionID, "AGT-003")
	r.git("worktree", "remove", "--force", filepath.Join(r.main+".delegate", sessionID, "AGT-003", "work"))
	before := r.git("for-each-ref") + r.git("status", "--porcelain") + r.git("worktree", "list")
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	all := r.leftovers(registry.State{})
	if l := all["AGT-001"]; l.Kind != Worktree ||
		l.Next != "git worktree remove --force '"+path+"' && git branch -d "+landed ||
		!strings.Contains(l.Text, "it has nothing that main has not") {
		t.Errorf("landed: %+v", l)
	}
	if l := all["AGT-002"]; l.Kind != Worktree || !strings.HasPrefix(l.Next, "git diff main...") ||
		!strings.HasSuffix(l.Next, "git worktree remove --force '"+openPath+"' (its work stays as "+open+")") ||
		!strings.Contains(l.Text, "1 commit that main has not") {
		t.Errorf("open: %+v", l)
	}
	if l := all["AGT-003"]; l.Kind != Branch || !strings.HasPrefix(l.Next, "git diff main...") ||
		!strings.HasSuffix(l.Next, "git branch -D delegate/"+sessionID+"/AGT-003/work") {
		t.Errorf("without a worktree: %+v", l)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("a look leaves %v, %v", left, err)
	}
	if after := r.git("for-each-ref") + r.git("status", "--porcelain") + r.git("worktree", "list"); after != before {
		t.Errorf("a look changed\n%s\nto\n%s", before, after)
	}
	r.write("../repo.delegate/"+sessionID+"/AGT-001/work/more", "x")
	r.write("../repo.delegate/"+sessionID+"/AGT-002/work/AGT-002", "changed")
	all = r.leftovers(registry.State{})
	for name, l := range all {
		if strings.Contains(l.Next, "--force") ||
			name != "AGT-003" && !strings.Contains(l.Text, "1 file changed since") {
			t.Errorf("%s with a change: %+v", name, l)
		}
	}
	t.Setenv("TMPDIR", filepath.Join(tmp, "gone"))
	for name, l := range r.leftovers(registry.State{}) {
		if strings.Contains(l.Next, "--force") ||
			name != "AGT-003" && !strings.Contains(l.Text, "files may have changed since") {
			t.Errorf("%s where nothing can be compared: %+v", name, l)
		}
	}
	if all = r.leftovers(registry.State{Session: &registry.Session{ID: sessionID}}); len(all) > 0 {
		t.Errorf("of the active session: %+v", all)
	}
}

func TestCheckoutsForVerification(t *testing.T) {
	r := newRig(t)
	scratch := filepath.Join(r.main+".delegate", "scratch-2")
	r.git("worktree", "add", "-q", "--detach", scratch)
	if l := r.leftovers(registry.State{})["scratch"]; l.Kind != Checkout ||
		l.Next != "git worktree remove --force '"+scratch+"'" {
		t.Errorf("%+v", l)
	}
	if all := r.leftovers(registry.State{Session: &registry.Session{ID: sessionID}}); len(all) > 0 {
		t.Errorf("while a session may verify: %+v", all)
	}
	r.git("worktree", "add", "-q", "-b", "mine", filepath.Join(r.main+".delegate", sessionID, "private"))
	if l := r.leftovers(registry.State{})["private"]; l.Kind != Worktree || !strings.Contains(l.Text, "on mine") ||
		strings.Contains(l.Next, "remove") {
		t.Errorf("a person's own worktree: %+v", l)
	}
}

func TestSpace(t *testing.T) {
	r := newRig(t)
	r.write(".delegate.yaml", "max_parallel_agents: 2\ncopy: [\"**/.env\", node_modules, gone]\n")
	r.write("a/.env", "123")
	r.write("node_modules/x/y", "1234567")
	p, err := project.Open(t.Context(), r.main, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Measure(t.Context(), p)
	if err != nil || s.Checkout != (setup.Size{Bytes: 15, Files: 3}) || s.Agents != 2 || s.Need() != 45 ||
		s.Free <= 0 || s.Short() {
		t.Errorf("%+v, %v", s, err)
	}
	for _, c := range []struct {
		free, bytes int64
		agents      int
		short       bool
	}{{39, 10, 3, true}, {40, 10, 3, false}, {-1, 10, 3, false}, {1 << 40, math.MaxInt64 / 2, math.MaxInt, true}} {
		s := Space{Free: c.free, Checkout: setup.Size{Bytes: c.bytes}, Agents: c.agents}
		if s.Short() != c.short {
			t.Errorf("%+v: short %v", c, !c.short)
		}
	}
}

// What is to be typed for a worktree whose folder is gone forgets this one alone, and no commit
// that only its head held.
func TestGoneFolder(t *testing.T) {
	r := newRig(t)
	_, lost := r.branch(sessionID, "AGT-001")
	r.git("-C", lost, "checkout", "-q", "--detach")
	r.git("-C", lost, "commit", "-q", "--allow-empty", "-m", "Held by nothing else")
	head := r.git("-C", lost, "rev-parse", "HEAD")
	mine := filepath.Join(filepath.Dir(r.main), "mine") // on a disk that is away, say
	r.git("worktree", "add", "-q", "--detach", mine)
	for _, path := range []string{lost, mine} {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	p, err := project.Open(t.Context(), r.main, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := Leftovers(t.Context(), p, registry.State{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if l.Kind != Worktree {
			continue
		}
		cmd := exec.Command("sh", "-c", l.Next)
		cmd.Dir = r.main
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", l.Next, err, out)
		}
	}
	if list := r.git("worktree", "list"); strings.Contains(list, lost) || !strings.Contains(list, mine) {
		t.Errorf("worktrees afterwards:\n%s", list)
	}
	if r.git("for-each-ref", "--contains="+head) == "" {
		t.Error("no reference holds what was committed in it")
	}
}

//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"delegate/internal/sys/long"
	"delegate/internal/sys/run"
)

// ordinaryUser is who attempts are made as where the tests run as root.
const ordinaryUser = 65532

// persons are the users as whom the suite runs, by what they are called.
func persons() map[string]int {
	switch uid := os.Getuid(); {
	case uid != 0:
		return map[string]int{"user": uid}
	case long.Set:
		return map[string]int{"root": 0, "user": ordinaryUser}
	default:
		return map[string]int{"user": ordinaryUser}
	}
}

// attacks is the whole suite with the tag long, else some of each class and of each way to be made, found and put back.
func attacks(t *testing.T) []attack {
	t.Helper()
	all := readAttacks(t)
	if long.Set {
		return all
	}
	some := []string{
		"001-absolute", "003-link-file", "009-forbidden-moved", "021-delete", "026-descriptors", "035-other-worktree",
		"043-pattern-new", "047-progress", "056-socket", "101-main", "105-config", "110-pointer",
		"132-object-overwrite", "142-commit",
		"212-remote-folder", "302-daemon", "307-trace", "324-sub-agent-native", "325-limits", "401-foreign-block",
		"403-registry", "412-exit", "501-clipboard",
	}
	all = slices.DeleteFunc(all, func(a attack) bool { return !slices.Contains(some, a.name) })
	if len(all) != len(some) {
		t.Fatalf("%d of the %d attacks are there", len(all), len(some))
	}
	return all
}

// TestAttacks makes every attempt of the suite through `delegate sandbox try`, and puts everything back after each.
func TestAttacks(t *testing.T) {
	t.Parallel()
	unraced(t)
	for name, uid := range persons() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, worldOptions{uid: uid})
			w.settle(t)
			for _, a := range attacks(t) {
				t.Run(a.name, func(t *testing.T) {
					w.skipUnable(t, a)
					if a.where == "turn" {
						t.Skip("it is for the supervisor's eyes, which a turn alone has: TestAttacksFromAgent")
					}
					w.attack(t, a)
				})
			}
			w.sound(t)
		})
	}
}

// unraced skips what has run without the race detector.
func unraced(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("attacks are about the kernel; they run without the race detector")
	}
}

// settle makes what the first attempt would make beside, looks whether there is a fence, and remembers everything.
func (w *world) settle(t *testing.T) {
	t.Helper()
	out, code := w.try("readlink", "/proc/self/ns/pid")
	if code != 0 {
		t.Fatalf("delegate sandbox try: %d\n%s", code, out)
	}
	w.inside = strings.TrimSpace(out)
	if out, code := w.gate(); code != exitPerson {
		t.Fatalf("a landing before the first attempt: %d\n%s", code, out)
	}
	if out, code := w.try("true"); code != 0 {
		t.Fatalf("delegate sandbox try: %d\n%s", code, out)
	}
	w.plain = w.look(t, nil)
}

// try runs a command as the attacked agent would.
func (w *world) try(args ...string) (string, int) {
	return w.run(w.main(), append([]string{"delegate", "sandbox", "try", attackedAgent, "--"}, args...)...)
}

// gate asks for the landing of what the agent did, where nobody can say yes.
func (w *world) gate() (string, int) {
	return w.run(w.main(), "delegate", "sync", "merge", attackedAgent)
}

// skipUnable skips what this machine, or this user, cannot try.
func (w *world) skipUnable(t *testing.T, a attack) {
	t.Helper()
	if !w.able(a) {
		t.Skipf("it needs %q, and this is user %d in the namespace %q", a.needs, w.uid, w.inside)
	}
}

func (w *world) able(a attack) bool {
	present := func(name string) bool {
		_, err := os.Stat(filepath.Join(w.root, name))
		return err == nil
	}
	_, node := run.Which("node", "/", systemPath)
	able := map[string]bool{
		"": true, "root": w.uid == 0, "user": w.uid != 0, "tmux": present("tmux"), "daemon": w.daemon != "",
		"fence": w.inside != w.pids, "pids": w.inside != w.pids, "node": node == nil,
	}
	return able[a.needs]
}

// attack makes one attempt, judges it, and puts everything back.
func (w *world) attack(t *testing.T, a attack) {
	t.Helper()
	before := w.plain
	v := verdict{}
	for turn := range a.times {
		args := []string{"sh", filepath.Join(w.root, "attacks", a.name+".sh"), fmt.Sprint(turn + 1)}
		if a.terminal {
			v.output, v.code = w.runOnTerminal(w.main(),
				append([]string{"delegate", "sandbox", "try", attackedAgent, "--"}, args...)...)
		} else {
			v.output, v.code = w.try(args...)
		}
	}
	time.Sleep(a.pause) // an effect that must not come has no sign to wait for
	v.claim, v.left = claimed(v.output, v.code), w.leftRunning()
	after := w.look(t, before)
	v.changes = w.outside(t, before, after)
	if a.pause > 0 {
		w.lateWrites(&v, a)
	}
	v.hold(t, a)
	if a.by("gate") {
		w.heldByGate(t, a, v)
	}
	if !w.alive() {
		t.Fatal("the session did not survive: there is no supervisor, or the second agent is gone")
	}
	w.putBack(t, v)
}

// putBack makes everything as it was before the first attempt.
func (w *world) putBack(t *testing.T, v verdict) {
	t.Helper()
	for pid := range v.left {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	now := w.look(t, w.plain)
	sound := func(name string) bool {
		e, there := now[name]
		if there && strings.HasPrefix(name, "repo/.git/objects/") {
			return w.itsOwn(name, e) // the supervisor's last look may need it, and its reference stays
		}
		return w.lively(name) && tampered(name, w.plain[name], now[name], !there) == ""
	}
	if len(w.plain.changesTo(now)) == 0 {
		return
	}
	if err := w.plain.restore(w.root, filepath.Join(w.root, "out"), now, sound); err != nil {
		t.Fatal(err)
	}
	if rest := w.outside(t, w.plain, w.look(t, w.plain)); len(rest) > 0 {
		t.Fatalf("not put back: %v", rest)
	}
}

// lateWrites are files in scope that came when the turn was over.
func (w *world) lateWrites(v *verdict, a attack) {
	late, _ := filepath.Glob(filepath.Join(w.work(), "src", "later-attack-"+a.name+"*")) // the pattern is sound
	for _, file := range late {
		v.changes[file] = "written when the turn was over"
	}
}

// heldByGate asks for a landing, which must be refused and say why.
func (w *world) heldByGate(t *testing.T, a attack, v verdict) {
	t.Helper()
	out, code := w.gate()
	if code == exitDone || code == exitPerson {
		t.Errorf("%s: the gate lets it pass with exit code %d\n%s\nafter: %v", a.title, code, out, v)
	}
	if a.logged && !strings.Contains(out, a.trace) {
		t.Errorf("%s: the gate does not name %q\n%s", a.title, a.trace, out)
	}
}

// alive says whether those whom attempts are made at still work.
func (w *world) alive() bool {
	data, err := os.ReadFile(filepath.Join(w.root, "attacks", "facts.sh"))
	if err != nil {
		return false
	}
	living := 0
	for line := range strings.Lines(string(data)) {
		for _, name := range []string{"SUPERVISOR=", "KEEPER=", "OTHERPID="} {
			if pid, found := strings.CutPrefix(strings.TrimSpace(line), name); found {
				state, err := os.ReadFile("/proc/" + pid + "/stat")
				if err == nil && !strings.Contains(string(state), ") Z ") {
					living++
				}
			}
		}
	}
	return living == 3
}

// sound says whether the repository is still whole.
func (w *world) sound(t *testing.T) {
	t.Helper()
	for _, repo := range []string{w.main(), w.root + "/remote.git", w.root + "/net/net.git"} {
		if out, code := w.run(repo, "git", "fsck", "--strict", "--no-dangling"); code != 0 {
			t.Errorf("git fsck in %s: %d\n%s", repo, code, out)
		}
	}
}

// TestAttacksSeen shows that the rig can fail: without a fence it must see what these do.
func TestAttacksSeen(t *testing.T) {
	t.Parallel()
	unraced(t)
	uid := os.Getuid()
	if uid == 0 {
		uid = ordinaryUser
	}
	w := newWorld(t, worldOptions{uid: uid, settings: "sandbox: {level: off}\n"})
	w.settle(t)
	seen := []string{
		"001-absolute", "003-link-file", "009-forbidden-moved", "016-chmod", "018-touch", "019-xattr", "021-delete",
		"026-descriptors",
		"029-shared-memory", "031-tmp-new", "035-other-worktree", "047-progress",
		"052-program", "056-socket", "101-main", "105-config", "110-pointer", "111-commondir", "132-object-overwrite",
		"212-remote-folder", "302-daemon", "307-trace", "325-limits", "403-registry", "412-exit",
	}
	for _, a := range attacks(t) {
		if !slices.Contains(seen, a.name) {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			args := []string{"sh", filepath.Join(w.root, "attacks", a.name+".sh"), "1"}
			out, code := w.try(args...)
			v := verdict{output: out, code: code, claim: claimed(out, code),
				changes: w.outside(t, w.plain, w.look(t, w.plain))}
			for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
				v.left = w.leftRunning()
				// a process that is left may still be on its way to what it is known by
				if v.succeeded() || time.Now().After(deadline) {
					break
				}
			}
			if !v.succeeded() {
				t.Errorf("%s: not seen: %v", a.title, v)
			}
			w.putBack(t, v)
		})
	}
}

//go:build linux

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"delegate/scope"
)

// verdict is what came of one attempt, as the rig sees it.
type verdict struct {
	output  string
	code    int
	claim   string            // what it says that it got
	changes map[string]string // what is not as it was, and none of its business
	left    map[int]string    // processes that it left
}

func (v verdict) succeeded() bool { return v.claim != "" || len(v.changes) > 0 || len(v.left) > 0 }

func (v verdict) String() string {
	text := fmt.Sprintf("exit code %d", v.code)
	if v.claim != "" {
		text += "\n" + v.claim
	}
	for _, name := range slices.Sorted(maps.Keys(v.changes)) {
		text += fmt.Sprintf("\nchanged: %s (%s)", name, v.changes[name])
	}
	for pid, what := range v.left {
		text += fmt.Sprintf("\nstill runs: %d %s", pid, what)
	}
	return text + "\noutput:\n" + v.output
}

// claimed is the line in which a script says what it managed to do.
func claimed(output string, code int) string {
	if code != 0 {
		return ""
	}
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "GOT: ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// look is the fingerprint of the world now.
func (w *world) look(t *testing.T, before fingerprint) fingerprint {
	t.Helper()
	print, err := takeFingerprint(w.root, before, "out")
	// git holds a lock for a moment where the supervisor moves a branch. One of an attempt's stays, and is seen.
	for tries := 0; err == nil && tries < 100 && newLock(before, print); tries++ {
		time.Sleep(20 * time.Millisecond)
		print, err = takeFingerprint(w.root, before, "out")
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, shared := range append(w.leftovers(), w.sentinel()) {
		e, err := takeEntry(shared, entry{})
		if err != nil {
			t.Fatal(err)
		}
		print[shared] = e
	}
	return print
}

// newLock reports whether a lock of git's in the repository came since before.
func newLock(before, now fingerprint) bool {
	for name := range now {
		_, old := before[name]
		if !old && strings.HasPrefix(name, "repo/.git/") && strings.HasSuffix(name, ".lock") &&
			!strings.HasPrefix(name, "repo/.git/delegate/") {
			return true
		}
	}
	return false
}

// outside are the changes that an attempt had no right to.
func (w *world) outside(t *testing.T, before, after fingerprint) map[string]string {
	t.Helper()
	rest := map[string]string{}
	for name, what := range before.changesTo(after) {
		if what == "time" && strings.HasPrefix(name, "repo/.git/objects/") {
			// git marks an object that is written again as fresh, and the supervisor compares the
			// agents' work now and then
			continue
		}
		was, existed := before[name]
		now, exists := after[name]
		switch {
		case w.itsOwn(name, now):
		case w.lively(name):
			if what = tampered(name, was, now, existed && !exists); what != "" {
				rest[name] = what
			}
		default:
			rest[name] = what
		}
	}
	return rest
}

// tampered says what is wrong with a file that the supervisor writes at its own pace.
func tampered(name string, was, now entry, gone bool) string {
	switch {
	case gone && (strings.HasSuffix(name, "/delegation_registry.md") || strings.HasSuffix(name, "/EXECUTION_STATE.md")):
		return "gone"
	// it retells what was printed
	case forged.Match(now.data) && !forged.Match(was.data) && filepath.Base(name) != "prompt.md":
		return "holds a line of an attempt"
	}
	return ""
}

// forged is how lines begin that attempts put into such files.
var forged = regexp.MustCompile(`(?m)^(attack-[-a-z0-9]+$|\| 2026-01-01|\{"exit_code":0,"ended_at":"2026-01-02|\{"allowed": \["\*\*"\]|\{"items":99)`)

// gitTemporary is what git's own writing of objects makes and takes away again.
var gitTemporary = regexp.MustCompile(`/objects/(.*/)?(tmp_obj_|tmp_objdir-bulk-fsync-\w{6}(/|$))`)

// lively says whether the supervisor, or a living turn's keeper, writes a file while attempts are made.
func (w *world) lively(name string) bool {
	private, isPrivate := strings.CutPrefix(name, "repo/.git/delegate/")
	logs, isLogs := strings.CutPrefix(name, "repo/docs/logs/")
	switch {
	case isPrivate && w.working:
		return true
	case isPrivate:
		turn := regexp.MustCompile(`^sessions/[^/]+/AGT-00[0-9]/(turn-[0-9]+/(clock|seen|usage|output|readable|breaches)|index|taken|\.?look)|^sessions/[^/]+/(conflicts\.json(\.lock)?|compared\.json)$`)
		return !strings.Contains(private, "/") || strings.HasPrefix(private, "registry/") || turn.MatchString(private)
	case isLogs:
		return strings.Contains(logs, "delegation_registry.md") || strings.Contains(logs, "EXECUTION_STATE.md") ||
			w.working && (strings.Contains(logs, "/AGT-") || logs == "delegation_learnings.md")
	}
	heads := strings.HasPrefix(name, "repo/.git/refs/delegate/"+w.session+"/")
	return heads && (w.working || strings.HasSuffix(name, "/look")) ||
		gitTemporary.MatchString(name)
}

// itsOwn says whether a path is the attacked agent's to change: its folders, its scope, and of git what is its alone.
func (w *world) itsOwn(name string, now entry) bool {
	agentDir := "repo.delegate/" + w.session + "/" + attackedAgent
	if inside, ok := strings.CutPrefix(name, "repo.delegate/first/"); ok {
		return inScope(inside)
	}
	for _, folder := range []string{agentDir + "/desk", agentDir + "/layers", agentDir + "/home", agentDir + "/tmp",
		"repo/.git/refs/heads/delegate/first.beside", "repo/.git/logs/refs/heads/delegate/first.beside",
		"repo/.git/refs/heads/delegate/first", "repo/.git/logs/refs/heads/delegate/first"} {
		if name == folder || strings.HasPrefix(name, folder+"/") {
			return true
		}
	}
	if strings.HasPrefix(name, "repo/.git/delegate/sessions/"+w.session+"/"+attackedAgent+"/quarantine-") {
		return true
	}
	if state, ok := strings.CutPrefix(name, "repo/.git/worktrees/"+w.gitID()+"/"); ok {
		return !slices.Contains([]string{"commondir", "gitdir", "config.worktree", "locked"}, state)
	}
	if strings.HasPrefix(name, "repo/.git/objects/") {
		return now.mode.IsDir() && len(filepath.Base(name)) == 2 ||
			now.mode.IsRegular() && now.honest(name) == nil && w.plain[name].mode == 0
	}
	return false
}

// inScope holds a path of the worktree against the plan.
func inScope(path string) bool {
	limits, err := scope.New(scope.Config{Allowed: []string{"src/**", "one/allowed.txt"},
		Forbidden: []string{"src/secret/**", "src/deep/secret/**", "src/later/**", "src/late.txt", "**/*.pem"}})
	return err == nil && limits.Check(path).Allowed
}

// gitID is the name of the attacked agent's worktree in git's own folder.
func (w *world) gitID() string {
	data, err := os.ReadFile(filepath.Join(w.work(), ".git"))
	if err != nil {
		return ""
	}
	return filepath.Base(strings.TrimSpace(string(data)))
}

// leftRunning finds processes that an attempt left, also those that took its mark off.
func (w *world) leftRunning() map[int]string {
	left := map[int]string{}
	for deadline := time.Now().Add(time.Second); ; time.Sleep(20 * time.Millisecond) {
		clear(left)
		for pid, line := range commandLines() {
			if strings.HasPrefix(line, "sleep 973") && strings.HasSuffix(line, "."+w.number()) ||
				strings.Contains(line, "attack-") && strings.Contains(line, w.root) {
				left[pid] = line
			}
		}
		if len(left) == 0 || time.Now().After(deadline) {
			return left
		}
	}
}

// commandLines are the arguments of all processes, separated by blanks.
func commandLines() map[int]string {
	lines := map[int]string{}
	entries, _ := os.ReadDir("/proc") // it is there on Linux
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline")); err == nil {
			lines[pid] = strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return lines
}

// hold compares what came of an attempt with what its header says.
func (v verdict) hold(t *testing.T, a attack) {
	t.Helper()
	t.Log(v)
	switch {
	case a.prevented != "-" && v.succeeded():
		t.Errorf("%s: prevented by %s, it says, and it was not: %v", a.title, a.prevented, v)
	case a.prevented == "-" && !v.succeeded() && a.where == "":
		t.Errorf("%s: nothing prevents it, it says, and yet it got nothing: %v", a.title, v)
	}
}

// rows are the VIOLATION rows of the attacked agent, and all rows of the others.
func (w *world) rows(t *testing.T) (violations, others []string) {
	t.Helper()
	data, err := os.ReadFile(w.registryFile())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(line, " | ")
		switch {
		case len(cells) < 4 || !strings.HasPrefix(line, "| 20"):
		case cells[1] == "VIOLATION" && cells[2] == attackedAgent:
			violations = append(violations, line)
		case cells[2] != attackedAgent:
			others = append(others, line)
		}
	}
	return violations, others
}

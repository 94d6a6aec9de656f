//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"delegate/internal/fence/sandbox"
	"delegate/internal/turn/agentdir"
)

// TestAttacksFromAgent has a real session's agent make the attempts, one after the other in one turn,
// and those that spoil a turn in turns of their own. Then the registry must tell what the headers say.
func TestAttacksFromAgent(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newWorld(t, worldOptions{uid: os.Getuid(), turns: true})
	inside, err := os.Readlink(fmt.Sprintf("/proc/%s/ns/pid", w.program(t, 1)))
	if err != nil {
		t.Fatal(err)
	}
	w.inside = inside
	w.plain = w.look(t, nil)
	turn := &liveTurn{world: w, number: 1, print: w.plain}
	var together, alone []attack
	for _, a := range attacks(t) {
		if a.own {
			alone = append(alone, a)
		} else {
			together = append(together, a)
		}
	}
	_, before := w.rows(t)
	for _, a := range together {
		t.Run(a.name, func(t *testing.T) {
			w.skipUnable(t, a)
			turn.attack(t, a)
		})
	}
	w.watched(t, together)
	turn.end(t)
	w.reported(t, together)
	w.shown(t, together)
	w.rest(t)
	for _, a := range alone {
		t.Run(a.name, func(t *testing.T) {
			w.skipUnable(t, a)
			turn.attackAlone(t, a)
		})
	}
	_, after := w.rows(t)
	after = slices.DeleteFunc(after, func(row string) bool { // clashes come and go with what agents write
		return slices.Contains(before, row) || strings.Contains(row, " | CONFLICT | ") ||
			strings.Contains(row, " | RESOLVED | - | AGT-")
	})
	if len(after) > 0 {
		t.Errorf("rows of the session and of other agents came:\n%s", strings.Join(after, ""))
	}
	w.sound(t)
}

// program is the process of the attacked agent's program, as it is seen from outside.
func (w *world) program(t *testing.T, turn int) string {
	t.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		for pid, line := range commandLines() {
			environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // it may be gone
			if strings.HasSuffix(line, "agents/attacker.sh") &&
				strings.Contains(string(environ), agentdir.Dir(w.ownDir()).Mark()+"\x00") {
				return fmt.Sprint(pid)
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("turn %d has no program", turn)
	return ""
}

// liveTurn is a turn of the attacked agent that goes on, told on its folder what to try.
type liveTurn struct {
	world  *world
	number int
	print  fingerprint // after the last attempt
	asked  int
	heard  int64 // of the transcript
}

func (l *liveTurn) transcript() string {
	return filepath.Join(l.world.turnDir(attackedAgent, l.number), "output")
}

// ask has the agent run a script, and waits until it did. It answers with what that printed and its exit code.
func (l *liveTurn) ask(t *testing.T, name string, run int) (string, int) {
	t.Helper()
	l.asked++
	agentDir := l.world.ownDir()
	if err := os.WriteFile(filepath.Join(agentDir, "go.new"), fmt.Appendf(nil, "%d %s %d\n", l.asked, name, run),
		0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(agentDir, "go.new"), filepath.Join(agentDir, "go")); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		data, err := os.ReadFile(filepath.Join(agentDir, "code"))
		var number, code int
		if err != nil {
			continue
		}
		if _, err := fmt.Sscanf(string(data), "%d %d", &number, &code); err == nil && number == l.asked {
			// What it printed goes through the keeper, which may be slower.
			for last := fmt.Sprintf("\nthat was %d\n",
				l.asked); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
				if data, err := os.ReadFile(l.transcript()); err == nil && bytes.Contains(data, []byte(last)) {
					break
				}
			}
			return l.listen(t), code
		}
	}
	t.Fatalf("%s: the agent does not answer\n%s", name, l.listen(t))
	return "", 0
}

// listen is what the transcript has grown by. One that was cut is read from its beginning.
func (l *liveTurn) listen(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(l.transcript())
	if err != nil {
		t.Fatal(err)
	}
	from := min(l.heard, int64(len(data)))
	if int64(len(data)) < l.heard {
		from = 0
	}
	l.heard = int64(len(data))
	return string(data[from:])
}

// attack makes one attempt in the turn that goes on.
func (l *liveTurn) attack(t *testing.T, a attack) {
	t.Helper()
	w := l.world
	before, length := l.print, l.heard
	v := verdict{}
	for run := range a.times {
		v.output, v.code = l.ask(t, a.name, run+1)
	}
	time.Sleep(a.pause) // an effect that must not come has no sign to wait for
	v.claim, v.left = claimed(v.output, v.code), w.leftRunning()
	l.print = w.look(t, before)
	v.changes = w.outside(t, before, l.print)
	if a.where == "turn" {
		delete(v.changes, strings.TrimPrefix(l.transcript(), w.root+"/")) // which holds what it printed
	}
	if l.heard < length {
		v.changes[l.transcript()] = "shorter"
	}
	v.hold(t, a)
	if !w.alive() {
		t.Fatal("the session did not survive: there is no supervisor, or the second agent is gone")
	}
}

// end lets the turn end and be judged.
func (l *liveTurn) end(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(l.world.ownDir(), "go"), []byte("end\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	l.world.await(t, map[string]string{attackedAgent: "COMPLETE"})
}

// watched waits until the watch has told of everything that it finds, while the turn goes on.
func (w *world) watched(t *testing.T, attacks []attack) {
	t.Helper()
	for _, a := range attacks {
		if !a.by("watch") || !w.able(a) {
			continue
		}
		deadline := time.Now().Add(patience)
		for {
			rows, _ := w.rows(t)
			if slices.ContainsFunc(rows, func(row string) bool {
				return strings.Contains(row, "(watch") && strings.Contains(row, a.trace)
			}) {
				break
			}
			if time.Now().After(deadline) {
				t.Errorf("%s (%s): the watch does not tell of %q", a.name, a.title, a.trace)
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// reported holds the registry's rows of the agent against the headers.
func (w *world) reported(t *testing.T, attacks []attack) {
	t.Helper()
	rows, _ := w.rows(t)
	byKernel := func(row string) bool { return strings.Contains(row, "refused by the kernel") } // one of each kind
	if s := sandbox.Detect(t.Context()); s.Namespaces && s.Seccomp && !slices.ContainsFunc(rows, byKernel) {
		t.Error("no row tells of what the kernel refused")
	}
	rows = slices.DeleteFunc(rows, byKernel)
	for _, a := range attacks {
		if !w.able(a) {
			continue
		}
		found := slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, a.trace) })
		switch {
		case a.logged && !found:
			t.Errorf("%s (%s): no VIOLATION row tells of %q", a.name, a.title, a.trace)
		case !a.logged && found:
			t.Errorf("%s (%s): a VIOLATION row tells of %q, and its header says that none does", a.name, a.title,
				a.trace)
		}
	}
	if t.Failed() {
		t.Logf("rows:\n%s", strings.Join(rows, ""))
	}
}

// shown looks at everything that a person would look at after the turn, on a terminal: not a byte
// of what agents say may steer that.
func (w *world) shown(t *testing.T, attacks []attack) {
	t.Helper()
	for _, line := range []string{
		"delegate logs AGT-001", "delegate show AGT-001", "delegate status", "delegate list", "delegate diff AGT-001",
		"delegate notes", "delegate sync --status", "delegate sync merge AGT-001", "delegate review",
	} {
		screen, _ := w.runOnTerminal(w.main(), strings.Fields(line)...)
		if line == "delegate review" {
			screen = drawing.ReplaceAllString(screen, "") // it ends with a question
		}
		if rest := steering(screen); rest != "" {
			t.Errorf("%s lets through %q", line, rest)
		}
	}
	logs, _ := w.run(w.main(), "delegate", "logs", attackedAgent)
	for _, a := range attacks {
		if a.class == "terminals" && a.where == "turn" && strings.HasPrefix(a.name, "50") && a.name < "504" &&
			!strings.Contains(logs, "attack-"+a.name) {
			t.Errorf("%s: what it printed is not in the logs at all, so nothing was tried", a.name)
		}
	}
}

// drawing is what a question moves the cursor with: within the line, up, down, and hidden meanwhile.
var drawing = regexp.MustCompile(`\x1b\[([0-9]*[ABCDGK]|\?25[lh])`)

// steering is the first thing on a screen that is neither text nor colour; "" if there is none.
func steering(screen string) string {
	for i := 0; i < len(screen); i++ {
		c := screen[i]
		switch {
		case c == '\n', c == '\t', c >= 0x20 && c < 0x7f, c >= 0x80:
		case c == '\r' && i+1 < len(screen) && (screen[i+1] == '\n' || screen[i+1] == '\r'):
		case c == 0x1b:
			end := strings.IndexFunc(screen[i:], func(r rune) bool { return r >= 'A' && r != '[' && r <= 'z' })
			if sequence := screen[i : i+max(1, end+1)]; end < 0 || !strings.HasPrefix(sequence, "\x1b[") ||
				sequence[len(sequence)-1] != 'm' {
				return screen[i:min(len(screen), i+40)]
			}
			i += end
		default:
			return screen[i:min(len(screen), i+40)]
		}
	}
	for _, bad := range []string{"\u009b", "\u009d", "\u202e", "\u2066", "\xff"} {
		if at := strings.Index(screen, bad); at >= 0 {
			return screen[at:min(len(screen), at+40)]
		}
	}
	return ""
}

// rest remembers the world between two turns.
func (w *world) rest(t *testing.T) {
	t.Helper()
	w.plain = w.look(t, w.plain)
}

// attackAlone makes one attempt in a turn of its own.
func (l *liveTurn) attackAlone(t *testing.T, a attack) {
	t.Helper()
	w := l.world
	before := w.look(t, w.plain)
	v := verdict{}
	for part := range a.times {
		l.number++
		l.heard = 0
		if out, code := w.run(w.main(), "delegate", "message", attackedAgent,
			fmt.Sprintf("RUN %s PART %d", a.name, part+1)); code != 0 {
			t.Fatalf("delegate message: %d\n%s", code, out)
		}
		w.awaitTurn(t, l.number)
		v.output = l.listen(t)
	}
	time.Sleep(a.pause) // an effect that must not come has no sign to wait for
	v.claim, v.left = claimed(v.output, 0), w.leftRunning()
	v.changes = w.outside(t, before, w.look(t, before))
	if a.pause > 0 {
		w.lateWrites(&v, a)
	}
	v.hold(t, a)
	w.reported(t, []attack{a})
	if out, code := w.run(w.main(), "delegate", "status"); code != 0 || !w.alive() {
		t.Fatalf("the session did not survive: %d\n%s", code, out)
	}
}

// awaitTurn waits until a turn has ended and was judged, however.
func (w *world) awaitTurn(t *testing.T, number int) {
	t.Helper()
	exit := filepath.Join(w.turnDir(attackedAgent, number), "exit.json")
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		state := w.states(t)[attackedAgent] // looked at first: a turn writes how it ended before it is judged
		_, err := os.Stat(exit)
		if err == nil && state != "RUNNING" {
			return
		}
		if err != nil && state == "FAILED" {
			break // it could not be started
		}
	}
	shown, _ := w.run(w.main(), "delegate", "show", attackedAgent)
	t.Fatalf("turn %d does not end\n%s", number, shown)
}

//go:build bench && linux

package agents_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"delegate/internal/control/planner"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/keeper"
	"delegate/registry"

	"github.com/creack/pty"
)

func TestSelection(t *testing.T) {
	for name, c := range map[string]struct {
		only, scenario string
		want           bool
	}{
		"everything":          {"", "", true},
		"the program":         {"claude,codex", "", true},
		"another program":     {"codex", "", false},
		"the scenario":        {"", "denied,basic", true},
		"another scenario":    {"claude", "denied", false},
		"no part of its name": {"clau", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (selection{words(c.only), words(c.scenario)}).has("claude", "basic"); got != c.want {
				t.Errorf("-only %q -scenario %q has claude basic: %t", c.only, c.scenario, got)
			}
		})
	}
}

// trying is a trial whose session could start.
func trying(t *testing.T, p program, s scene) *trial {
	t.Helper()
	one := &trial{bench: &bench{bin: "/programs", address: "127.0.0.1:9", model: &journal{log: io.Discard}}, agent: p,
		scene: s, folder: t.TempDir(), session: "DEL-20261121-074945"}
	if err := one.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	var err error
	if one.p, err = project.Open(t.Context(), one.repo(), project.Options{}); err != nil {
		t.Fatal(err)
	}
	return one
}

// TestCasesCanBegin shows that the configuration of each program, and of each scene its plan and its script are sound.
func TestCasesCanBegin(t *testing.T) {
	for i, p := range agents() {
		for j, s := range scenes() {
			if i > 0 && j > 0 {
				continue
			}
			t.Run(p.name+" "+s.name, func(t *testing.T) {
				one := trying(t, p, s)
				whole, err := plan.Parse([]byte(one.plan()), planner.PlanOptions(one.p))
				if err != nil {
					t.Fatal(err)
				}
				profile, err := agent.Find(one.p.Config, "")
				if err != nil || profile.Name != p.name ||
					!strings.Contains(strings.Join(whole.Subtasks[0].Allowed, " "), "src/**") {
					t.Errorf("%s with %+v: %v", profile.Name, whole.Subtasks[0], err)
				}
				for name := range p.person("").env {
					if profile.Env[name] == "" {
						t.Errorf("the profile does not set %s", name)
					}
				}
				if len(one.wrong) > 0 {
					t.Errorf("before it has begun: %q", one.wrong)
				}
				if _, err := scenarios.Open("scenarios/" + s.script + ".json"); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestShown(t *testing.T) {
	v := shown{}
	v.Flags = []string{"no changes", "missing outputs: a b"}
	for _, details := range []string{"refused (hook, 1): Write; secret/a; by secret/**",
		"refused (hook, 2): Bash git push; by git push", "changed: secret/b"} {
		v.Events = append(v.Events, event{Event: registry.EventViolation, Details: details})
	}
	v.Events = append(v.Events, event{Event: registry.EventFailed, Details: "refused secret/a"})
	for _, c := range []struct {
		parts []string
		want  int
	}{{[]string{"refused"}, 2}, {[]string{"refused", "secret/a"}, 1}, {[]string{"secret/"}, 2},
		{[]string{"refused", "secret/b"}, 0}} {
		if got := v.count(registry.EventViolation, c.parts...); got != c.want {
			t.Errorf("%q is told %d times, want %d", c.parts, got, c.want)
		}
	}
	if !v.flagged("missing outputs: a") || v.flagged("changes") {
		t.Errorf("the flags %q are read wrongly", v.Flags)
	}
}

func TestJournalCounts(t *testing.T) {
	var log strings.Builder
	j := &journal{log: &log}
	for _, line := range []string{`{"scenario":"stall","answer":"call Write"}`, `{"scenario":"stall","answer":"stall"}`,
		`{"scenario":"basic","answer":"stall"}`, `no JSON`} {
		if _, err := fmt.Fprintln(j, line); err != nil {
			t.Fatal(err)
		}
	}
	if all, one := j.count("stall", ""), j.count("stall", "stall"); all != 2 || one != 1 {
		t.Errorf("counted %d and %d, want 2 and 1", all, one)
	}
	if strings.Count(log.String(), "\n") != 4 {
		t.Errorf("passed on %q", log.String())
	}
}

// TestResumedHoldsTurnsAgainstEachOther gives it a second turn of claude.
func TestResumedHoldsTurnsAgainstEachOther(t *testing.T) {
	for name, c := range map[string]struct {
		args    []string
		session string
		faults  int
	}{
		"the same":               {[]string{"claude", "--resume", "one"}, "one", 0},
		"another conversation":   {[]string{"claude", "--resume", "one"}, "two", 1},
		"begun anew":             {[]string{"claude", "--session-id", "one"}, "one", 1},
		"resumed another":        {[]string{"claude", "--resume", "two"}, "one", 1},
		"no conversation at all": {[]string{"claude", "--resume", ""}, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			one := trying(t, claude(), scenes()[1])
			for n, id := range []string{"one", c.session} {
				turn, err := keeper.Prepare(one.turn(n+1).Dir, "prompt", keeper.Spec{Args: c.args})
				if err == nil && c.session != "" {
					err = turn.KeepSessionID(id)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if one.resumed(2); len(one.wrong) != c.faults {
				t.Errorf("found %q, want %d faults", one.wrong, c.faults)
			}
		})
	}
}

func TestTable(t *testing.T) {
	got := table([]outcome{{"claude", "basic", nil}, {"claude", "denied", []string{"x"}}, {"qwen", "basic", nil}},
		map[string]string{"claude": "2.1", "qwen": "0.15"})
	lines := strings.Split(got, "\n")
	if len(lines) != 5 || !strings.HasPrefix(lines[2], "| `claude` | 2.1 | ok | – | wrong |") ||
		!strings.HasPrefix(lines[3], "| `qwen` | 0.15 | ok | – | – |") {
		t.Errorf("the table is\n%s", got)
	}
	if strings.Count(lines[0], "|") != strings.Count(lines[1], "|") ||
		strings.Count(lines[0], "|") != strings.Count(lines[2], "|") {
		t.Errorf("the rows are not equally long:\n%s", got)
	}
}

// TestAnswerWaitsForTheQuestion types nothing before it is asked.
func TestAnswerWaitsForTheQuestion(t *testing.T) {
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	typed := make(chan string)
	go func() {
		defer close(typed)
		defer tty.Close()
		_ = tty.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		line := make([]byte, 80)
		early, _ := tty.Read(line)
		_ = tty.SetReadDeadline(time.Time{})
		fmt.Fprint(tty, "Land it?")
		n, _ := tty.Read(line[early:])
		typed <- fmt.Sprintf("%d %q", early, line[:early+n])
		fmt.Fprint(tty, "landed")
	}()
	screen := make(chan string, 1)
	go func() { screen <- answer(keyboard, "Land it?", "yes") }()
	if got := <-typed; got != `0 "yes\n"` {
		t.Errorf("typed %s", got)
	}
	if got := <-screen; !strings.HasSuffix(got, "landed") {
		t.Errorf("the screen shows %q", got)
	}
}

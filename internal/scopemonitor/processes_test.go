package scopemonitor

import (
	"strings"
	"testing"

	"delegate/internal/agent"
	"delegate/internal/program"
)

// TestProgramOf holds whose name a command line goes by.
func TestProgramOf(t *testing.T) {
	for line, want := range map[string]string{
		"":                            "",
		"/usr/local/bin/codex exec x": "codex",
		"node /usr/bin/claude -p x":   "claude",
		"node --max-old-space-size=9 /x/codex.js": "codex",
		"/bin/sh /x/gemini":                       "gemini",
		"sh -c codex":                             "",
		"bash -e":                                 "",
		"python3 -m aider --yes":                  "aider",
		"python3.12 /usr/bin/aider":               "aider",
		"-bash":                                   "",
		"C/claude.exe":                            "claude",
		"sleep 1":                                 "sleep",
	} {
		if got := programOf(strings.Fields(line)); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// TestOwnRun holds that a worker of the turn's own program, or the same run in another runtime, is
// no new run, and that a new one is.
func TestOwnRun(t *testing.T) {
	for name, want := range map[string]string{"claude": "-p", "codex": "exec", "opencode": "run", "gemini": "-p",
		"aider": "--message-file"} {
		profile, _ := program.Named(name)
		words := runWords(profile.Command)
		if len(words) == 0 || words[0] != want {
			t.Errorf("%s is run with %q, want %q", name, words, want)
			continue
		}
		turn := append([]string{name, want}, "--json", "the task")
		own := ownRun{args: turn, words: words}
		for _, c := range []struct {
			args []string
			want bool
		}{
			{append([]string{"/vendor/" + name}, turn[1:]...), false},
			{append([]string{"node", "--heap=9", "/lib/" + name + ".js"}, turn[1:]...), false},
			{[]string{name, "--worker", "7"}, false},
			{[]string{name, want, "another task"}, true},
			{[]string{"node", "/lib/" + name + ".js", want, "another task"}, true},
		} {
			if got := own.again(c.args); got != c.want {
				t.Errorf("%q in a turn of %q: %v, want %v", c.args, turn, got, c.want)
			}
		}
	}
	bridge := []string{"/x/delegate", agent.BridgeVerb, "p", "s", agent.BridgeNew, "--", "opencode", "acp"}
	if got := programOf(afterBridge(bridge)); got != "opencode" {
		t.Errorf("behind the bridge: %q", got)
	}
}

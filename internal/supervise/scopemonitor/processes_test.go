package scopemonitor

import (
	"strings"
	"testing"

	"delegate/internal/sys/run"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/program"
)

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
	if got := program.NameOf(afterBridge(bridge)); got != "opencode" {
		t.Errorf("behind the bridge: %q", got)
	}
}

// TestDriven holds that a program that speaks for another one may start it, and what that one starts is told.
func TestDriven(t *testing.T) {
	for _, own := range []string{"claude-agent-acp", "npx -y @agentclientprotocol/claude-agent-acp@1.2",
		"node /lib/claude-code-acp.js"} {
		looked := programs{known: map[string]bool{"claude": true, "codex": true, "claude-agent-acp": true},
			own: ownRun{args: strings.Fields(own)}, driven: map[int]ownRun{}}
		for i, c := range []struct {
			parent int
			args   string
			want   bool
		}{
			{1, "claude --output-format stream-json -p", false},               // 10, the one that it drives
			{10, "node /lib/claude.js --output-format stream-json -p", false}, // 11, itself in another runtime
			{10, "sh -c x", false},               // 12
			{12, "claude -p another task", true}, // 13
			{12, "codex exec x", true},           // 14
			{1, "claude --worker", false},        // 15
		} {
			_, other := looked.isOther(run.Process{PID: 10 + i, Parent: c.parent}, strings.Fields(c.args))
			if other != c.want {
				t.Errorf("%s: %q below %d is another: %v", own, c.args, c.parent, other)
			}
		}
	}
	looked := programs{known: map[string]bool{"claude": true}, own: ownRun{args: []string{"codex", "exec"}}}
	if _, other := looked.isOther(run.Process{PID: 2}, []string{"claude", "-p", "x"}); !other {
		t.Error("codex may start claude")
	}
}

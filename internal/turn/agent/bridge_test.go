package agent_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/project/config"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/dialect"
)

// TestBridge holds that a program of the protocol is started through the bridge in each turn, and
// that what else it is given stays.
func TestBridge(t *testing.T) {
	c := config.Default()
	c.Profiles = map[string]config.Profile{"opencode": {Command: []string{"opencode", "acp", "{worktree}"},
		Output: "acp"}}
	p, err := agent.Find(c, "opencode")
	if err != nil {
		t.Fatal(err)
	}
	if p.Protocol != agent.BridgeProtocol || p.Output != dialect.EventLines || len(p.Files) == 0 ||
		p.Env["OPENCODE_CONFIG"] == "" {
		t.Errorf("%+v", p)
	}
	values := agent.Values{Prompt: "do it", PromptFile: "/t/prompt.md", SessionID: "s-1",
		Place: agent.Place{Worktree: "/w", Turn: "/t"}}
	for mode, command := range map[string][]string{"new": p.Command, "resume": p.Resume} {
		want := []string{run.Program(), "__acp", filepath.Join("/t", agent.PolicyFile), "s-1", mode, "--", "opencode",
			"acp", "/w"}
		if in := p.Invoke(command, values); !slices.Equal(in.Args, want) || in.Stdin != "" {
			t.Errorf("%s: %q, %q", mode, in.Args, in.Stdin)
		}
	}
	if err := p.Installed(t.TempDir(), ""); err == nil || !strings.Contains(err.Error(), `"opencode"`) {
		t.Errorf("without the program: %v", err)
	}
	if found := p.Inspect(t.Context(), "/"); found.Program != "" && filepath.Base(found.Program) != "opencode" {
		t.Errorf("inspected %q", found.Program)
	}
}

// TestBridgeSaysWhatItDoesItself holds that keys without a meaning beside the protocol are refused.
func TestBridgeSaysWhatItDoesItself(t *testing.T) {
	for key, p := range map[string]config.Profile{
		"command": {Output: "acp"},
		"resume":  {Output: "acp", Command: []string{"x"}, Resume: []string{"x", "-r"}},
		"prompt":  {Output: "acp", Command: []string{"x"}, Prompt: "stdin"},
	} {
		c := config.Default()
		c.Profiles = map[string]config.Profile{"mine": p}
		if _, err := agent.Find(c, "mine"); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

//go:build bench && !windows

package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/sys/run"
	"delegate/registry"
)

// asParent: the program, as a person's own, finds an agent that asks something by its tools,
// answers it, and waits for the result.
func asParent(ctx context.Context, t *trial) {
	if _, ok := t.rest(ctx, registry.Checkpoint); !ok {
		return
	}
	out, err := t.runParent(ctx)
	t.expect(err == nil, "the parent ended with %v: %.600q", err, out)
	for _, name := range []string{"list_agents", "message_agent", "wait_agent"} {
		t.expect(t.model.called("parent", name) == 1, "the model asked %d times for %s", t.model.called("parent", name),
			name)
	}
	t.expect(t.model.count("parent", `say "Its question is answered."`) == 1,
		"the parent did not come to its end: %.600q", out)
	// The programs tell what tools answered in their events, as JSON within JSON.
	said := strings.ReplaceAll(out, `\`, "")
	t.expect(strings.Contains(said, `"has_more":false`), "no list of agents is told: %.600q", out)
	t.expect(strings.Contains(said, `"timed_out":false`) && strings.Contains(said, `"result":"completed"`),
		"no end of a wait is told: %.600q", out)
	v, ok := t.rest(ctx, registry.Complete)
	if !ok {
		return
	}
	t.expect(v.Turns == 2 && v.Attempt == 1, "%d turns, attempt %d", v.Turns, v.Attempt)
	got := file(t.worktree(), "src/verses.txt")
	t.expect(got == "the first verse\nthe second verse\n", "src/verses.txt has %q", got)
}

// runParent runs the program in the repository as its user would, with `delegate mcp` as one of its
// servers, and returns its events.
func (t *trial) runParent(ctx context.Context) (string, error) {
	at := place{root: t.folder, worktree: t.repo(), repository: t.repo(), outside: t.outside(),
		home: filepath.Join(t.folder, "parent"),
		tmp:  filepath.Join(t.folder, "parent-tmp"), bin: t.bin, address: t.address}
	files := t.agent.files(at)
	more, err := register(t.agent.name, at, t.delegate, files)
	if err != nil {
		return "", err
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(at.tmp, 0o700); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, commandPatience)
	defer cancel()
	out, err := run.Output(ctx, run.Command{Path: filepath.Join(t.bin, t.agent.name),
		Args: append(t.agent.start(at, t.parentPrompt()), more...),
		Dir:  at.worktree, Env: append(at.environ(), t.agent.env(at)...)})
	return string(out), err
}

func (t *trial) parentPrompt() string { return "Look after the agents.\n" + t.marks("parent") }

// register has a program start `delegate mcp`, in the way that its documentation says. It answers
// with what is added to its command line.
func register(program string, at place, delegate string, files map[string]string) (more []string, err error) {
	server := object{"command": delegate, "args": []string{"mcp"}}
	switch program {
	case "claude":
		name := filepath.Join(at.home, "servers.json")
		files[name] = encode(object{"mcpServers": object{"delegate": server}})
		return []string{"--mcp-config", name, "--strict-mcp-config"}, nil
	case "codex":
		files[at.home+"/.codex/config.toml"] += fmt.Sprintf(
			"\n[mcp_servers.delegate]\ncommand = %q\nargs = [\"mcp\"]\ntool_timeout_sec = 330\n", delegate)
		return nil, nil
	case "opencode":
		local := object{"type": "local", "command": []string{delegate, "mcp"}, "enabled": true, "timeout": 330_000}
		return nil, addSetting(files, at.home+"/opencode.json", object{"mcp": object{"delegate": local}})
	case "copilot":
		server["type"], server["tools"], server["timeout"] = "local", []string{"*"}, 330_000
		files[at.home+"/.copilot/mcp-config.json"] = encode(object{"mcpServers": object{"delegate": server}})
		return nil, nil
	}
	server["timeout"], server["trust"] = 330_000, true
	return nil, addSetting(files, filepath.Join(at.home, "."+program, "settings.json"),
		object{"mcpServers": object{"delegate": server}})
}

// addSetting puts more into a settings file in JSON.
func addSetting(files map[string]string, name string, more object) error {
	settings := object{}
	if err := json.Unmarshal([]byte(files[name]), &settings); err != nil {
		return fmt.Errorf("read settings %q: %w", name, err)
	}
	maps.Copy(settings, more)
	files[name] = encode(settings)
	return nil
}

package program

import "delegate/internal/turn/dialect"

// copilot is GitHub Copilot CLI. Its hooks and their payloads have the names of claude's where the event is written as
// there. What a folder of the person's does not trust, it does not read of the worktree: hooks and MCP servers.
func copilot() Program {
	command := func(session string, more ...string) []string {
		return append([]string{"copilot", session, "{session_id}", "{choice}", "--no-custom-instructions",
			"--disable-builtin-mcps", "--usage-output-file", "{usage}",
			"--excluded-tools=task,read_agent,write_agent,list_agents,skill,session_store_sql"}, more...)
	}
	alone := []string{"--output-format", "json", "--allow-all", "--no-ask-user", "-p", "{prompt}"}
	return Program{
		Name: "copilot", Tested: "1.0.102", Command: command("--session-id", alone...),
		Resume: command("--resume", alone...), Takeover: command("--resume"),
		Delivery: Argument, Output: dialect.EventLines,
		Hook:  &Hook{Event: "PreToolUse", Refuse: permissionDecision, Write: "Write"},
		Notes: ".copilot/session-state/{session_id}/events.jsonl",
		Env:   map[string]string{"COPILOT_HOME": "{home}/.copilot", "COPILOT_AUTO_UPDATE": "false"},
		PassEnv: []string{"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST", "COPILOT_GH_HOST",
			"COPILOT_MODEL", "COPILOT_OFFLINE", "COPILOT_PROVIDER_BASE_URL", "COPILOT_PROVIDER_TYPE",
			"COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_BEARER_TOKEN", "COPILOT_PROVIDER_WIRE_API",
			"COPILOT_PROVIDER_AZURE_API_VERSION", "COPILOT_PROVIDER_MODEL_ID", "COPILOT_PROVIDER_WIRE_MODEL"},
		Hosts: []string{"*.githubcopilot.com", "api.github.com", "copilot-proxy.githubusercontent.com"},
		Model: []string{"--model", "{model}"}, Effort: []string{"--reasoning-effort", "{effort}"},
		Credentials: []string{".copilot/config.json"}, Hidden: []string{".config/github-copilot"}, Keychain: true,
		Files: []ConfigFile{
			{Path: "{home}/.copilot/settings.json", Merge: ".copilot/settings.json",
				Content: `{"disableAllHooks": false, "hooks": {
	"PreToolUse": [{"type": "command", "bash": "{hook}", "timeoutSec": {hook_seconds}}],
	"sessionStart": [{"type": "command", "bash": "cat context.json", "cwd": "{turn}", "timeoutSec": 30}]}}`},
			{Path: "{turn}/context.json", Content: `{"additionalContext": "{instructions}"}`},
			{Path: "{home}/.copilot/mcp-config.json", Content: `{"mcpServers": {servers}}`},
		},
		Project: Sources{Files: []string{".github/copilot-instructions.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"},
			Rules: []string{".github/instructions"}, Agents: []string{".github/agents"},
			Skills: []string{".github/skills", ".agents/skills", ".claude/skills"}, Servers: []string{".mcp.json"}},
		Person: Sources{Files: []string{".copilot/copilot-instructions.md"}, Rules: []string{".copilot/instructions"},
			Skills: []string{".copilot/skills", ".agents/skills"}, Agents: []string{".copilot/agents"},
			Servers: []string{".copilot/mcp-config.json"}},
		Servers: Servers{Key: "mcpServers"},
		Moves:   []Move{{From: ".copilot", Variable: "COPILOT_HOME"}},
		Login:   "type copilot and /login, or set COPILOT_GITHUB_TOKEN",
		Tools:   Tools{Start: []string{"write_agent"}, Write: []string{"create"}, Read: []string{"view"}},
		Marks:   []string{"COPILOT_CLI"},
	}
}

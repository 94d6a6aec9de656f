package program

import (
	"encoding/json"
	"slices"

	"delegate/internal/turn/dialect"
)

// opencode asks no hook; its rules for permissions are made from the scope.
func opencode() Program {
	command := func(more ...string) []string {
		// Its log alone says that it waits for its provider, and why.
		return append(append([]string{"opencode", "run", "--format", "json", "--print-logs", "--log-level", "ERROR",
			"--dir", "{worktree}"}, more...), "{choice}", "{prompt}")
	}
	return Program{
		Name: "opencode", Tested: "1.18.33", Delivery: Argument, Output: dialect.EventLines,
		Command: command(), Resume: command("--session", "{session_id}"),
		Takeover: []string{"opencode", "--session", "{session_id}"},
		Env: map[string]string{
			"OPENCODE_CONFIG": "{turn}/opencode.json", "OPENCODE_DISABLE_AUTOUPDATE": "1",
			"OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
			"OPENCODE_DISABLE_SHARE":        "1", "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
			"OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
			"npm_config_offline":               "true", // else it installs a package of its own into every new home
		},
		Model: []string{"--model", "{model}"}, Effort: []string{"--variant", "{effort}"},
		Provider: Key{File: ".config/opencode/opencode.json", Name: "provider"},
		Settings: ".config/opencode/opencode.json", Chosen: modelOfJSON,
		Hosts: slices.Concat([]string{"opencode.ai", "models.dev", "openrouter.ai"}, anthropicHosts, openaiHosts,
			googleHosts),
		PassEnv: []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY",
			"OPENCODE_API_KEY", "OPENCODE_DISABLE_MODELS_FETCH"},
		Credentials: []string{".local/share/opencode/auth.json"},
		Files: []ConfigFile{
			{Path: "{turn}/opencode.json", Merge: ".config/opencode/opencode.json",
				// without its schema it would write that into the file
				Content: `{"$schema": "https://opencode.ai/config.json", "autoupdate": false,
	"share": "disabled", "mcp": {servers}, "permission": {
	"edit": {edits}, "bash": {"*": "allow", "git push*": "deny", "git worktree*": "deny"},
	"external_directory": {"*": "deny", "{skills}/*": "allow"}, "task": "deny", "skill": "deny"}}`},
			{Path: "{home}/.config/opencode/AGENTS.md", Text: "{instructions}"},
		},
		Project: Sources{Files: []string{"AGENTS.md"},
			Skills: []string{".opencode/skills", ".agents/skills", ".claude/skills"},
			Agents: []string{".opencode/agents"}, Servers: []string{"opencode.json"}},
		Person: Sources{Files: []string{".config/opencode/AGENTS.md"},
			Skills: []string{".config/opencode/skills", ".agents/skills", ".claude/skills"},
			Agents: []string{".config/opencode/agents"}, Servers: []string{".config/opencode/opencode.json"}},
		Servers: Servers{Key: "mcp"},
		Moves: []Move{{From: ".config", Variable: "XDG_CONFIG_HOME"},
			{From: ".local/share", Variable: "XDG_DATA_HOME"}},
		Tries:       []string{"opencode"}, // its name of the project
		Login:       "opencode auth login",
		Tools:       Tools{Ask: []string{"question"}},
		Aliases:     []string{"opencode-ai"},
		Marks:       []string{"OPENCODE"},
		CommandFile: func(c Command) CommandFile { return c.markdown(".opencode/commands/", "$ARGUMENTS") },
	}
}

// modelOfJSON is the model of an opencode.json, "" for none.
func modelOfJSON(settings []byte) string {
	var of struct{ Model string }
	_ = json.Unmarshal(settings, &of) // what it cannot read opencode does not start with
	return of.Model
}

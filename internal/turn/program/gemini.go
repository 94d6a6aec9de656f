package program

import (
	"strconv"
	"strings"

	"delegate/internal/turn/dialect"
)

// gemini is Gemini CLI.
func gemini() Program {
	command := func(more ...string) []string {
		return append([]string{"gemini", "--skip-trust", "--approval-mode", "yolo", "-o", "stream-json",
			"--include-directories", "{skills}", "{choice}"},
			append(more, "-p", "{prompt}")...)
	}
	return Program{
		Name: "gemini", Tested: "0.61.0", Command: command(), Resume: command("--resume", "{session_id}"),
		Takeover: []string{"gemini", "--skip-trust", "--include-directories", "{skills}", "{choice}", "--resume",
			"{session_id}"},
		Delivery: Argument, Output: dialect.EventLines, Hook: &Hook{Event: "BeforeTool", Write: "write_file",
			Refuse: func(_, reason string) any { return map[string]any{"decision": "deny", "reason": reason} }},
		Env:   map[string]string{"GEMINI_TELEMETRY_ENABLED": "false"},
		Notes: ".gemini/tmp/*/chats/session-*-{session}.jsonl",
		Model: []string{"--model", "{model}"},
		Clouds: []Cloud{{Switch: "GOOGLE_GENAI_USE_VERTEXAI", PassEnv: []string{"GOOGLE_CLOUD_PROJECT",
			"GOOGLE_CLOUD_LOCATION"}, Credentials: []string{googleLogin}, Hosts: vertexHosts,
			Regions: []string{"GOOGLE_CLOUD_LOCATION"}, Region: "us-central1"}},
		Hosts:       googleHosts,
		PassEnv:     []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GEMINI_MODEL"},
		Credentials: []string{".gemini/oauth_creds.json", ".gemini/google_accounts.json"},
		// Of the worktree it reads GEMINI.md by itself, and cannot be told not to.
		Files: []ConfigFile{{Path: "{home}/.gemini/settings.json", Merge: ".gemini/settings.json",
			Content: `{"general": {"enableAutoUpdate": false}, "skills": {"enabled": false},
	"mcpServers": {servers}, "mcp": {"allowed": {names}}, "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}, "tools": {"exclude": ["invoke_agent"]},
	"hooks": {"BeforeTool": [{"matcher": ".*", "hooks": [{"type": "command", "command": "{hook}", "timeout": {hook_seconds}000}]}]}}`},
			{Path: "{home}/.gemini/GEMINI.md", Text: "{instructions}"},
			// Else its screen asks about the folder of the skills.
			{Path: "{home}/.gemini/trustedFolders.json", Content: `{"{skills}": "TRUST_FOLDER"}`}},
		Project: Sources{Skills: []string{".gemini/skills", ".agents/skills"}, Agents: []string{".gemini/agents"},
			Servers: []string{".gemini/settings.json"}},
		Person: Sources{Files: []string{".gemini/GEMINI.md"}, Skills: []string{".gemini/skills", ".agents/skills"},
			Agents: []string{".gemini/agents"}, Servers: []string{".gemini/settings.json"}, Imports: true},
		Servers: Servers{Key: "mcpServers"},
		Login:   "type gemini and log in, or set GEMINI_API_KEY",
		Tools: Tools{
			Start: []string{"invoke_agent"}, Write: []string{"write_file", "replace"},
			Shell: []string{"run_shell_command"},
			Read:  []string{"read_file"}, Ask: []string{"ask_user"},
			Look: []string{"read_many_files", "list_directory", "grep_search", "search_file_content", "glob"},
		},
		Aliases: []string{"gemini-cli"}, Marks: []string{"GEMINI_CLI"},
		CommandFile: func(c Command) CommandFile {
			return CommandFile{Path: ".gemini/commands/" + c.Name + ".toml", Typed: "/" + c.Name,
				Content: []byte("description = " + strconv.Quote(c.About) + "\nprompt = '''\n" +
					strings.ReplaceAll(c.Body, "{task}", "{{args}}") + "'''\n")}
		},
	}
}

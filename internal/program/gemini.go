package program

import (
	"strconv"
	"strings"

	"delegate/internal/dialect"
)

// gemini is Gemini CLI.
func gemini() Program {
	command := func(more ...string) []string {
		return append([]string{"gemini", "--skip-trust", "--approval-mode", "yolo", "-o", "stream-json"},
			append(more, "-p", "{prompt}")...)
	}
	return Program{
		Name: "gemini", Tested: "0.61.0", Command: command(), Resume: command("--resume", "{session_id}"),
		Delivery: Argument, Output: dialect.EventLines, Hook: &Hook{Event: "BeforeTool", Write: "write_file",
			Refuse: func(_, reason string) any { return map[string]any{"decision": "deny", "reason": reason} }},
		Env:         map[string]string{"GEMINI_TELEMETRY_ENABLED": "false"},
		PassEnv:     []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GEMINI_MODEL"},
		Credentials: []string{".gemini/oauth_creds.json", ".gemini/google_accounts.json"},
		Files: []ConfigFile{{Path: "{home}/.gemini/settings.json", Merge: ".gemini/settings.json",
			Content: `{"general": {"enableAutoUpdate": false},
	"privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}, "tools": {"exclude": ["invoke_agent"]},
	"hooks": {"BeforeTool": [{"matcher": ".*", "hooks": [{"type": "command", "command": "{hook}", "timeout": 30000}]}]}}`}},
		Login: "type gemini and log in, or set GEMINI_API_KEY",
		Tools: Tools{
			Start: []string{"invoke_agent"}, Write: []string{"write_file", "replace"},
			Shell: []string{"run_shell_command"},
			Read:  []string{"read_file"},
			Look:  []string{"read_many_files", "list_directory", "grep_search", "search_file_content", "glob"},
		},
		Aliases: []string{"gemini-cli"},
		CommandFile: func(c Command) CommandFile {
			return CommandFile{Path: ".gemini/commands/" + c.Name + ".toml", Typed: "/" + c.Name,
				Content: []byte("description = " + strconv.Quote(c.About) + "\nprompt = '''\n" +
					strings.ReplaceAll(c.Body, "{task}", "{{args}}") + "'''\n")}
		},
	}
}

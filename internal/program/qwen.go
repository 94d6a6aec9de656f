package program

import (
	"delegate/internal/dialect"
)

// qwen is Qwen Code, which prints the events of claude.
func qwen() Program {
	command := func(more ...string) []string {
		return append(append([]string{"qwen", "--approval-mode", "yolo", "-o", "stream-json"}, more...), "{prompt}")
	}
	return Program{
		Name: "qwen", Tested: "0.15.10", Command: command(), Resume: command("--resume", "{session_id}"),
		Delivery: Argument, Output: dialect.EventLines,
		Hook:        &Hook{Event: "PreToolUse", Refuse: permissionDecision, Write: "write_file"},
		PassEnv:     []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"},
		Credentials: []string{".qwen/oauth_creds.json"},
		Files: []ConfigFile{{Path: "{home}/.qwen/settings.json", Merge: ".qwen/settings.json",
			Content: `{"general": {"enableAutoUpdate": false, "disableAutoUpdate": true},
	"privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}, "permissions": {"deny": ["Agent"]},
	"hooks": {"PreToolUse": [{"matcher": ".*", "hooks": [{"type": "command", "command": "{hook}", "timeout": 30000}]}]}}`}},
		Login: "type qwen and log in, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL",
		Tools: Tools{
			Start: []string{"agent", "task", "send_message", "cron_create"}, Write: []string{"write_file", "edit"},
			Shell: []string{"run_shell_command", "monitor"}, Read: []string{"read_file"},
			Look: []string{"list_directory", "grep_search", "glob"},
		},
		Aliases:     []string{"qwen-code"},
		CommandFile: func(c Command) CommandFile { return c.markdown(".qwen/commands/", "{{args}}") },
	}
}
